"""`vtcfaith build edits`: the manifest of the embedded editing set."""

from __future__ import annotations

from typing import Annotated

import typer

from pytest_vtcfaith.cli.build import Force, Out, Seed, write_draft
from pytest_vtcfaith.cli.output import errors_in_one_line
from pytest_vtcfaith.cli.outputs import check_files


def edits(
    out: Out,
    lang: Annotated[str, typer.Option(help="Language of the pages: en, zh or mixed.")],
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Makes the manifest of the embedded editing set: reports, tables, forms and slides with the edits asked of them,
    and what the pages then show. The pages are drawn from the manifest's rows, so that no picture is stored.

    The seed draws how the pages look (colours, style of the letters, margins), not what they say.

    \b
    Example
      vtcfaith build edits --lang en --out cases/editing-en.jsonl
    """
    with errors_in_one_line():
        from pytest_vtcfaith.texts.edits.build import build_edits

        check_files({"--out": out})
        write_draft(out, build_edits(lang, seed=seed), force)
