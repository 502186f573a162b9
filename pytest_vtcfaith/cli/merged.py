"""What commands about results share: the options of a run, its errors, its summary."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pytest_vtcfaith.cli.output import errors_in_one_line
from pytest_vtcfaith.texts.errors import TextsError

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.merging import Merged
    from pytest_vtcfaith.plugin.options import Options

Results = Annotated[
    list[Path],
    typer.Argument(metavar="RESULTS", help="results.jsonl of runs, or the --vtc-report folders they lie in."),
]
Cases = Annotated[
    Path | None, typer.Option("--vtc-cases", metavar="DIR", help="Folder of manifests of the run; default: as pytest.")
]
Thresholds = Annotated[
    Path | None,
    typer.Option("--vtc-thresholds", metavar="FILE", help="Thresholds file of the run; default: as pytest."),
]
Baselines = Annotated[
    Path | None, typer.Option("--vtc-baselines", metavar="DIR", help="Folder of baselines; default: as pytest.")
]


@dataclass(frozen=True, slots=True)
class Places:
    """Where a run's files are: paths as given to the command, None for those of `[tool.vtcfaith]` or the defaults."""

    cases: Path | None = None
    thresholds: Path | None = None
    baselines: Path | None = None


def options_here(places: Places, inconclusive: str | None = None) -> Options:
    """The options of a run in the current folder: those given, else those of `[tool.vtcfaith]` in its pyproject.toml.

    Raises pytest.UsageError for a table that is wrong.
    """
    from pytest_vtcfaith.plugin.options import Options, read_table

    table = read_table(Path.cwd())

    def path(name: str) -> Path | None:
        given: Path | None = getattr(places, name)
        chosen = given if given is not None or not table.get(name) else Path(table[name])
        return None if chosen is None else Path.cwd() / chosen

    return Options(
        cases=path("cases"),
        thresholds=path("thresholds"),
        baselines=path("baselines"),
        inconclusive=inconclusive or table.get("inconclusive", "fail"),
        prompts=tuple(table.get("prompts", ("plain",))),
        configured=table.get("models", {}),
    )


def merged_results(
    results: list[Path], places: Places, inconclusive: str | None = None, *, gated: bool = True
) -> Merged:
    """The results as one benchmark, with the files of this folder; `gated` as `plugin.merging.merge` has it.

    Raises ResultsError and what reading the table, the manifests and the thresholds file raises.
    """
    from pytest_vtcfaith.plugin.merging import merge
    from pytest_vtcfaith.report.reading import read_parts

    return merge(read_parts(results), options_here(places, inconclusive), Path.cwd(), gated=gated)


def confirmed(question: str, yes: bool) -> bool:
    """Asks, unless `yes`; an input that has ended answers no."""
    if yes:
        return True
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        return False


@contextlib.contextmanager
def errors_of_runs() -> Iterator[None]:
    """Turns what a user can mend in results, thresholds, manifests, baselines into a red line and exit status 2."""
    import pytest

    from pytest_vtcfaith.gating.baselines import BaselineError
    from pytest_vtcfaith.gating.thresholds import ThresholdsError

    with errors_in_one_line():
        try:
            yield
        except (pytest.UsageError, BaselineError, ThresholdsError) as error:
            raise TextsError(str(error)) from None


class Screen:
    """Standard output, as the summary of a run writes to it."""

    def write_sep(self, sep: str, title: str) -> None:
        """A line of `sep` with a title in it."""
        typer.echo(f" {title} ".center(80, sep))

    def write_line(self, line: str, **markup: bool) -> None:
        """A line; of the markup one colour and `bold` are taken."""
        style: dict[str, Any] = {"bold": markup.get("bold", False)}
        colour = next((name for name in ("red", "green", "yellow") if markup.get(name)), None)
        typer.secho(line, fg=colour, **style)
