"""`vtcfaith build vde`: the manifest of VDE Bench as published."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from pytest_vtcfaith.cli.build import Force, Licence, Out, write_draft
from pytest_vtcfaith.cli.output import errors_in_one_line
from pytest_vtcfaith.cli.outputs import check_files


def vde(
    source: Annotated[str, typer.Argument(help="A folder with item files and pictures, or hf:NAME[:SPLIT].")],
    out: Out,
    region: Annotated[
        str | None, typer.Option(help="text or table: for items of which neither type nor file name tells it.")
    ] = None,
    licence: Licence = "not stated",
    force: Force = False,
) -> None:
    """Makes an editing manifest of VDE Bench as published: its pages, the edits asked of them, and the pages as they
    should be afterwards. The pictures are copied, bytes unchanged, into a folder beside the manifest.

    \b
    Example
      vtcfaith build vde VDE-Bench/ --out cases/editing-vde.jsonl
      pytest --vtc-model=my-editor --vtc-suite=editing --vtc-cases=cases
    """
    with errors_in_one_line():
        from pytest_vtcfaith.texts.edits.picture_build import build_vde
        from pytest_vtcfaith.texts.edits.pictures import write_pictures

        check_files({"--out": out})
        with Console(stderr=True).status(f"reading the pictures of {source}"):
            built = build_vde(source, out, region=region, licence=licence)
        write_draft(out, built.draft, force, lambda: write_pictures(out.parent, built.pictures))
