"""`vtcfaith record`: the replies of a run as a replay file."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from pytest_vtcfaith.cli.output import errors_in_one_line, say
from pytest_vtcfaith.cli.outputs import check_files
from pytest_vtcfaith.suites import load_suite, suite_names
from pytest_vtcfaith.texts.errors import TextsError

LEFT_OUT = ("infrastructure_error", "inapplicable")
COPIED = ("finish_reason", "refusal", "usage", "model", "picture")


def replay_rows(results: Path, model: str | None) -> tuple[list[dict[str, Any]], Counter[str]]:
    """The rows of a replay file, and how many cases were left out, by outcome.

    `results` is a results.jsonl or the report folder it lies in; `model` is the name of one of its models, None for the
    only one. Cases that gave no reply are left out: infrastructure errors, and what is inapplicable to the model.

    Raises TextsError for a file that is missing or broken (naming the line), an unknown model, and several models where
    none is named; OSError where the file cannot be read.
    """
    path = results / "results.jsonl" if results.is_dir() else results
    if not path.is_file():
        raise TextsError(f"{path}: there is no such file: give the folder of --vtc-report, or a results.jsonl")
    rows = [
        _row(line, f"{path}, line {number}")
        for number, line in enumerate(path.read_bytes().split(b"\n"), start=1)
        if line.strip()
    ]
    models = sorted({row["model"] for row in rows})
    if not models:
        raise TextsError(f"{path}: holds no results: give those of a run that asked a model")
    if model is None and len(models) > 1:
        raise TextsError(f"{path}: holds results of several models: choose with --model one of {', '.join(models)}")
    if model is not None and model not in models:
        raise TextsError(f"{path}: holds no results of the model {model!r}: choose one of {', '.join(models)}")
    chosen = [row for row in rows if row["model"] == (model or models[0])]
    left_out = Counter(row["outcome"] for row in chosen if row["outcome"] in LEFT_OUT)
    return [_replay_row(row) for row in chosen if row["outcome"] not in LEFT_OUT], left_out


def copy_pictures(rows: list[dict[str, Any]], folder: Path, out: Path) -> None:
    """Copies the pictures of replay rows from the report's folder to `STEM-pictures` beside the replay file, and names
    them there. Raises TextsError for a picture that is not there any more.
    """
    for row in rows:
        if row.get("picture") is None:
            continue
        path = folder / row["picture"]
        if not path.is_file():
            raise TextsError(f"{path}: there is no such picture, which case {row['case']} gave: run the cases again")
        row["picture"] = f"{out.stem}-pictures/{path.name}"
        (out.parent / row["picture"]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, out.parent / row["picture"])


def record(
    vtc_report: Annotated[Path, typer.Option(help="Folder of --vtc-report, or a results.jsonl.")],
    out: Annotated[Path, typer.Option(help="The replay file to write.")],
    model: Annotated[str | None, typer.Option(help="Whose replies, where the run had several models.")] = None,
) -> None:
    """Writes the replies of a run as a replay file: JSONL with case, text, and finish_reason, refusal, usage, model.

    Pictures that editors and illustrators gave are copied to a folder beside it.

    Infrastructure errors and inapplicable cases are left out and counted. A model that declares languages, a
    visual-token family or prompts is replayed by a table in pyproject.toml that declares the same.

    \b
    Example:
      vtcfaith record --vtc-report report --model rapidocr --out replay.jsonl
      pytest --vtc-model=replay:replay.jsonl
    """
    from pytest_vtcfaith.report.results import write_atomic

    with errors_in_one_line():
        check_files({"--out": out})
        rows, left_out = replay_rows(vtc_report, model)
        copy_pictures(rows, vtc_report if vtc_report.is_dir() else vtc_report.parent, out)
        write_atomic(out, (json.dumps(row) + "\n" for row in rows))
        counted = [f"{left_out[name]} {name.replace('_', ' ')}" for name in LEFT_OUT if left_out[name]]
        say(f"{out}: {len(rows)} replies" + (f"; left out: {', '.join(counted)}" if counted else ""))


def _row(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise TextsError(f"{where}: not a JSON object in UTF-8 ({error}): let the run write it afresh") from error
    if not isinstance(row, dict):
        raise TextsError(f"{where}: must be an object, is {type(row).__name__}: let the run write it afresh")
    for field in ("case", "model", "outcome"):
        if not isinstance(row.get(field), str):
            raise TextsError(f"{where}: field {field!r} must be text, is {row.get(field)!r}: give a results.jsonl")
    if "transcript" not in row:
        raise TextsError(f"{where}: field 'transcript' is missing: give a results.jsonl")
    return row


def _replay_row(row: Mapping[str, Any]) -> dict[str, Any]:
    copied = {name: row[name] for name in COPIED if name in row}
    suite = row.get("suite")
    if suite in suite_names() and (task := load_suite(suite).task) != "transcribe":
        copied["task"] = task
    return {"case": row["case"], "text": row["transcript"], **copied}
