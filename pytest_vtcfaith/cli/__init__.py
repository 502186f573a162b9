"""The command line `vtcfaith`. One file a command."""

from __future__ import annotations

import io
import sys

import typer

from pytest_vtcfaith.cli.accept import accept
from pytest_vtcfaith.cli.build import build
from pytest_vtcfaith.cli.cases import cases
from pytest_vtcfaith.cli.compare import compare
from pytest_vtcfaith.cli.edits import edits
from pytest_vtcfaith.cli.gate import gate
from pytest_vtcfaith.cli.groups import groups
from pytest_vtcfaith.cli.layout import layout
from pytest_vtcfaith.cli.output import drop, say
from pytest_vtcfaith.cli.page import page
from pytest_vtcfaith.cli.probe import probe
from pytest_vtcfaith.cli.prune import prune
from pytest_vtcfaith.cli.published import published
from pytest_vtcfaith.cli.questions import questions
from pytest_vtcfaith.cli.record import record
from pytest_vtcfaith.cli.report import report
from pytest_vtcfaith.cli.tasks import tasks
from pytest_vtcfaith.cli.tokens import tokens
from pytest_vtcfaith.cli.vde import vde
from pytest_vtcfaith.cli.zerosense import zerosense
from pytest_vtcfaith.texts.errors import reason

app = typer.Typer(
    name="vtcfaith",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Builds the manifests of a faithfulness benchmark, lists its cases, draws their pages, counts visual tokens, "
    "records replays and prints the papers' tables. The benchmark itself runs in pytest; of its results, accept makes "
    "baselines, compare shows what differs, gate merges and judges those of several machines, report shows a run as "
    "HTML, and prune removes old baselines. probe looks into the layers of a model.",
)
build.command()(zerosense)
build.command()(edits)
build.command()(vde)
build.command()(questions)
build.command()(tasks)
app.add_typer(build, name="build")
app.add_typer(groups, name="groups")
app.command()(accept)
app.command()(cases)
app.command()(compare)
app.command()(gate)
app.command()(layout)
app.command()(page)
app.command()(probe)
app.command()(prune)
app.command()(published)
app.command()(record)
app.command()(report)
app.command()(tokens)


def main() -> None:
    """Runs `vtcfaith`; what a legacy code page cannot show is printed as escapes.

    Help that cannot be printed ends in one line and exit status 2, as everything else that a user can mend.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            app(prog_name="vtcfaith")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except OSError as error:
        drop(sys.stdout)
        say(f"error: standard output cannot be written ({reason(error)}): send it elsewhere", "red")
        sys.exit(2)
