"""`vtcfaith build tasks`: the manifest of the embedded reasoning tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pytest_vtcfaith.cli.build import Force, Licence, Out, Seed, write_draft
from pytest_vtcfaith.cli.output import errors_in_one_line
from pytest_vtcfaith.cli.outputs import check_files
from pytest_vtcfaith.texts.errors import TextsError


def tasks(
    out: Out,
    texts: Annotated[
        Path | None, typer.Option(help="Folder of UTF-8 .txt files for the rendering gate, four of 512 words or more.")
    ] = None,
    seed: Seed = 0,
    licence: Licence = "not stated",
    published: Annotated[
        str | None,
        typer.Option(
            help="Published tasks instead of those made here: arc, drop or math, and a .jsonl file, a folder or "
            "hf:NAME[:SPLIT], e.g. arc=arc.jsonl."
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option(help="With --published, take the first so many tasks.")] = None,
    force: Force = False,
) -> None:
    """Makes the manifest of the reasoning suite (Reasoning Fidelity): passages to be drawn as they are, and tasks whose
    solution is to be drawn step by step, with what is needed to check every step: questions on facts, questions about a
    passage, mathematics of five levels.

    \b
    Example
      vtcfaith build tasks --texts letters/ --out cases/reasoning-en.jsonl

    \b
    Published tasks have answers but no facts to check steps against: give a judge model with --vtc-judge.
      vtcfaith build tasks --published drop=drop.jsonl --limit 100 --out cases/reasoning-drop.jsonl
    """
    with errors_in_one_line():
        check_files({"--out": out})
        if published is not None:
            from pytest_vtcfaith.texts.tasks.published import read_published

            if texts is not None:
                raise TextsError("--texts and --published exclude each other: build two manifests in one folder")
            write_draft(out, read_published(published, limit=limit, licence=licence), force)
            return
        if texts is None:
            raise TextsError("give --texts DIR, or --published NAME=SOURCE")
        if limit is not None:
            raise TextsError("--limit is for --published: leave it away")
        from pytest_vtcfaith.texts.tasks.build import build_tasks

        write_draft(out, build_tasks(texts, seed=seed, licence=licence), force)
