"""`vtcfaith build questions`: the manifest of the embedded questions, or of a published question set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pytest_vtcfaith.cli.build import Force, Out, Seed, write_draft
from pytest_vtcfaith.cli.output import errors_in_one_line
from pytest_vtcfaith.cli.outputs import check_files
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import output_file


def questions(
    out: Out,
    seed: Seed = 0,
    factor: Annotated[
        list[int] | None,
        typer.Option(help="By which both sides of a picture are divided. Repeatable; default 2, 3, 4."),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Name of a published set: mmstar, mme, mmbench, ocrbench, chartqa, gqa or pope.")
    ] = None,
    items: Annotated[
        str | None,
        typer.Option(help="Its items: a folder or a .jsonl file with pictures beside it, or hf:NAME[:SPLIT]."),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(help="Published results instead of items: one folder MODEL/METHOD/BUDGET, to be replayed."),
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of a published set: en or zh.")] = "en",
    licence: Annotated[str, typer.Option(help="Licence of a published set, kept in the manifest.")] = "not stated",
    force: Force = False,
) -> None:
    """Makes a manifest of questions about pictures. Without --items and --results it is the embedded set: charts,
    tables, word lists and notices that are drawn from the manifest's rows, with four questions each.

    \b
    Examples
      vtcfaith build questions --out cases/compression-en.jsonl
      vtcfaith build questions --dataset mmstar --items mmstar/ --out cases/mmstar.jsonl
      vtcfaith build questions --dataset gqa --results Data/Qwen2-VL-7B-Instruct/Downsample/1 --out cases/gqa.jsonl
    """
    from pytest_vtcfaith.texts.questions.build import FACTORS, build_questions

    factors = tuple(factor or FACTORS)
    with errors_in_one_line():
        check_files({"--out": out})
        if items is None and results is None:
            if dataset is not None:
                raise TextsError(f"--dataset {dataset} needs its --items, or --results with them")
            write_draft(out, build_questions(seed=seed, factors=factors), force)
            return
        if dataset is None or (items is not None and results is not None):
            raise TextsError("give --dataset NAME, and either --items or --results")
        from pytest_vtcfaith.texts.compression_results import read_answers
        from pytest_vtcfaith.texts.questions.published import draft_of_items, read_questions

        if items is not None:
            draft = read_questions(
                items, dataset, factors=factors, licence=licence, lang=lang, folder=output_file(out).parent
            )
        else:
            assert results is not None
            answers = read_answers(results, datasets=(dataset.lower(),))
            draft = draft_of_items((answered.item for answered in answers), factors=factors, licence=licence, lang=lang)
        write_draft(out, draft, force)
