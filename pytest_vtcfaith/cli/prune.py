"""`vtcfaith prune`: baselines that no run would read any more."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pytest_vtcfaith.cli.merged import Baselines, Cases, Places, confirmed, errors_of_runs, options_here
from pytest_vtcfaith.cli.output import print_lines, say
from pytest_vtcfaith.texts.errors import TextsError

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.options import Options


def prune(
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="This model does not exist any more: all its baselines. Repeatable."),
    ] = None,
    vtc_cases: Cases = None,
    vtc_baselines: Baselines = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: for scripts.")] = False,
) -> None:
    """Lists baselines that no run would read any more, and removes them after asking.

    These are baselines of tiers that no manifest has a case of; of models that do not exist: no table in
    pyproject.toml, no entry point, no adapter of that name; and files that lie where no run looks for the model and
    tier that they say they are of. Models registered in a conftest.py are known to pytest only: name those that are
    gone with --model. No other command, and no test run, ever removes a baseline.

    Exit status: 0 removed, or nothing to remove; 1 declined; 2 a folder cannot be read or written.

    \b
    Examples
      vtcfaith prune
      vtcfaith prune --model my-old-ocr --yes
    """
    from pytest_vtcfaith.gating.baselines import locked
    from pytest_vtcfaith.plugin.acceptance import unused
    from pytest_vtcfaith.plugin.benchmark import Benchmark

    with errors_of_runs():
        here = Benchmark(options_here(Places(vtc_cases, None, vtc_baselines)), Path.cwd())
        folder = here.baselines_folder
        if not folder.is_dir():
            raise TextsError(f"{folder}: there is no such folder of baselines: name one with --vtc-baselines")
        models = _Models(folder, here.options, model or [])
        tiers = {*here.selection.known_tiers, *here.selection.finer_tiers}
        found = list(unused(folder, models.gone, tiers))
        if not found:
            say(f"{folder}: every baseline is of a model and a tier that exist", "green")
            return
        print_lines(f"{path}: {reason}" for path, reason in found)
        if not confirmed(f"Remove these {len(found)} baselines?", yes):
            say("nothing was removed (scripts give --yes)", "red")
            raise typer.Exit(1)
        with locked(folder):
            for path, _ in found:
                path.unlink(missing_ok=True)
                with contextlib.suppress(OSError):  # others are there
                    path.parent.rmdir()
        say(f"{len(found)} baselines removed", "green")


class _Models:
    """Which models there are no more: those that `--model` names, and those that cannot be found."""

    def __init__(self, folder: Path, options: Options, gone: list[str]) -> None:
        from pytest_vtcfaith.gating.baselines import BaselineError, read_baseline

        self._options = options
        self._gone = gone
        self._reasons: dict[str, str] = {}
        names = set()
        for path in sorted(folder.glob("*/*.json")):
            names.add(path.parent.name)
            with contextlib.suppress(BaselineError):  # whose it is cannot be said
                names.add(str((read_baseline(path) or {}).get("model")))
        for name in gone:
            if name not in names:
                there = ", ".join(sorted(names))
                raise TextsError(f"--model {name!r}: {folder} has no baseline of it: there are {there}")

    def gone(self, folder: str, record: Mapping[str, Any] | None) -> str:
        """Why the model of a baseline in the model's folder does not exist, "" where it does or may."""
        name = folder if record is None else str(record.get("model"))
        if name in self._gone or folder in self._gone:
            return f"--model says that {name} does not exist any more"
        if record is None or str(record.get("provenance", {}).get("adapter", "registered:")).startswith("registered:"):
            return ""
        if name not in self._reasons:
            self._reasons[name] = self._missing(name)
        return self._reasons[name]

    def _missing(self, name: str) -> str:
        from pytest_vtcfaith.models.registry import UnknownModel, resolve

        try:
            resolve(name, self._options.configured)
        except UnknownModel as problem:
            return f"the model {name} does not exist: {str(problem).partition('; ')[0]}"
        except Exception:  # there is such a model, and something is wrong with it
            return ""
        return ""
