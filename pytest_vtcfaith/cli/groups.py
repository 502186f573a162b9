"""`vtcfaith groups`: which questions are difficult to compress, and whether a method is better than down-sampling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pytest_vtcfaith.cli.output import errors_in_one_line, print_lines, say
from pytest_vtcfaith.cli.outputs import check_files
from pytest_vtcfaith.texts.errors import TextsError

groups = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Freezes the groups of the compression suite, compares methods on them, makes published results replayable.",
)

Results = Annotated[list[Path], typer.Argument(metavar="RESULTS…", help="results.jsonl of a run, or its folder.")]
Cases = Annotated[Path | None, typer.Option(help="Folder of the manifests; default: the bundled ones.")]


@groups.command()
def freeze(
    results: Results,
    out: Annotated[Path, typer.Option(help="The file to write, NAME.groups.json beside the manifests.")],
    model: Annotated[str | None, typer.Option(help="Whose answers, if the results have several models.")] = None,
    vtc_cases: Cases = None,
) -> None:
    """Freezes which questions a model answers when the picture is reduced (simple) and which not (difficult).

    Every question must have been asked under all conditions. Both definitions are kept: paper (wrong when reduced) and
    code (right at full size and wrong when reduced). The same results give the same bytes.

    \b
    Example
      pytest --vtc-suite=compression --vtc-model=ocr-rules --vtc-report=report
      vtcfaith groups freeze report/results.jsonl --out cases/compression.groups.json
    """
    with errors_in_one_line():
        from pytest_vtcfaith.suites.compression_groups import DEFINITIONS, write_groups
        from pytest_vtcfaith.suites.compression_rights import freeze_results

        check_files({"--out": out})
        frozen = freeze_results(results, model, vtc_cases)
        write_groups(out, frozen)
        for factor, found in frozen.factors.items():
            sizes = "; ".join(
                f"{name}: {len(found[name]['difficult'])} difficult, {len(found[name]['simple'])} simple"
                for name in DEFINITIONS
            )
            say(f"{factor}x: {sizes}")
        say(f"{out}: groups of {frozen.model}")


@groups.command()
def compare(
    results: Results,
    frozen: Annotated[Path, typer.Option("--groups", help="The frozen groups.")],
    method: Annotated[str, typer.Option(help="The model of the results that is a compression method.")],
    factor: Annotated[
        int, typer.Option(help="The factor r of down-sampling to compare with: 1/r² of the tokens kept.")
    ],
    base: Annotated[
        str | None, typer.Option(help="Whose down-sampled answers; default: the model of the groups.")
    ] = None,
    definition: Annotated[str, typer.Option(help="paper or code.")] = "code",
    vtc_cases: Cases = None,
) -> None:
    """Says whether a method is better than down-sampling: on difficult questions beyond chance, and not worse on simple
    ones. Prints a line of JSON; exit status 0 whatever the verdict.

    \b
    Example
      vtcfaith groups compare report --groups cases/compression.groups.json --method my-pruner --factor 2
    """
    with errors_in_one_line():
        from pytest_vtcfaith.report.reading import read_parts
        from pytest_vtcfaith.suites import compression_compare
        from pytest_vtcfaith.suites.compression_cases import compression_cases, manifest_hashes, question_of
        from pytest_vtcfaith.suites.compression_groups import DEFINITIONS, read_groups
        from pytest_vtcfaith.suites.compression_rights import model_of, rights_of

        if definition not in DEFINITIONS:
            raise TextsError(f"--definition {definition}: choose one of {', '.join(DEFINITIONS)}")
        known, parts = read_groups(frozen), read_parts(results)
        cases = compression_cases(vtc_cases, grouped=False)
        about = model_of(parts, method)
        known.require(
            visual_tokens=about["visual_tokens"],
            model=about["name"],
            base=about["base"],
            factor=factor,
            manifests=manifest_hashes(vtc_cases),
        )
        right, reduced = (rights_of(parts, each, cases) for each in (about, model_of(parts, base or known.model)))
        found = compression_compare.compare(
            {name: answers[1] for name, answers in right.items() if 1 in answers},
            {name: answers[factor] for name, answers in reduced.items() if factor in answers},
            known,
            factor,
            {question_of(case): case.document for case in cases},
            definition=definition,
        )
        line = {"verdict": found.verdict, "reason": found.reason}
        pairs = {
            group: {"questions": pair.questions, "method": pair.method, "downsample": pair.downsample}
            for group, pair in (("difficult", found.difficult), ("simple", found.simple))
        }
        print_lines([json.dumps({**line, **pairs}, sort_keys=True)])


@groups.command()
def replay(
    folder: Annotated[Path, typer.Argument(help="Published results: a folder MODEL/METHOD/BUDGET/*.jsonl.")],
    model: Annotated[str, typer.Option(help="Name of the folder MODEL.")],
    method: Annotated[str, typer.Option(help="Name of the folder METHOD; Downsample has factors for budgets.")],
    budget: Annotated[list[str], typer.Option(help="Name of the folder BUDGET. Repeatable.")],
    out: Annotated[Path, typer.Option(help="The replay file to write.")],
    vtc_cases: Annotated[Path, typer.Option(help="Folder of the manifests of the same questions.")],
    dataset: Annotated[list[str] | None, typer.Option(help="Only this data set. Repeatable; default: all.")] = None,
) -> None:
    """Makes a replay file of published results, so that existing runs can be gated. A question without an answer gets
    an empty reply, which is wrong and counted as missing.

    \b
    Example
      vtcfaith build questions --dataset gqa --results Data/Qwen2-VL/Downsample/1 --out cases/gqa.jsonl
      vtcfaith groups replay Data --model Qwen2-VL --method Downsample --budget 1 --budget 2 --budget 3 --budget 4 \\
        --vtc-cases cases --out qwen2-vl.jsonl
      pytest --vtc-suite=compression --vtc-cases=cases --vtc-model=replay:qwen2-vl.jsonl
    """
    from pytest_vtcfaith.report.results import write_atomic

    with errors_in_one_line():
        from pytest_vtcfaith.suites.compression_cases import compression_cases, question_of
        from pytest_vtcfaith.texts.compression_results import budget_folder, case_suffix, read_answers, replay_rows
        from pytest_vtcfaith.texts.documents import slug

        check_files({"--out": out})
        wanted = {
            question_of(case): case.params["question"]["question"]
            for case in compression_cases(vtc_cases, grouped=False)
            if not dataset or case.document.startswith(tuple(f"{slug(name)}-" for name in dataset))
        }
        suffixes = [case_suffix(method, each) for each in budget]
        if len(set(suffixes)) < len(suffixes):
            raise TextsError(f"several budgets of {method} answer the same cases: write a replay file for each")
        rows, missing = [], 0
        for each in budget:
            answers = read_answers(
                budget_folder(folder, model, method, each), datasets=tuple(name.lower() for name in dataset or ())
            )
            found, lacking = replay_rows(answers, case_suffix(method, each), f"{model}/{method}", wanted)
            rows += found
            missing += lacking
        write_atomic(out, (json.dumps(row) + "\n" for row in rows))
        say(f"{out}: {len(rows)} replies, {missing} of them missing")
