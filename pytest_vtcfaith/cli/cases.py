"""`vtcfaith cases`: every case as a line of JSON."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from pytest_vtcfaith.cli.output import errors_in_one_line, print_lines
from pytest_vtcfaith.texts.errors import TextsError


def case_lines(suite: str | None, folder: Path | None) -> list[dict[str, Any]]:
    """Every case as `vtcfaith cases` prints it.

    `suite` is a suite's name (None: all), `folder` holds the manifests (None: the bundled ones). Raises TextsError for
    an unknown suite or a missing folder, ManifestError for a wrong manifest or two cases of one id.
    """
    from pytest_vtcfaith.suites import load_suite, suite_names
    from pytest_vtcfaith.suites.unique import check_unique

    known = suite_names()
    if suite is not None and suite not in known:
        nearest = difflib.get_close_matches(suite, known, n=1, cutoff=0.0)
        ordered = [*nearest, *(name for name in known if name not in nearest)]
        raise TextsError(f"suite {suite!r} is unknown: choose one of {', '.join(ordered)}")
    if folder is not None and not folder.is_dir():
        raise TextsError(f"{folder}: there is no such folder: give one with manifests")
    found = [case for name in ([suite] if suite else known) for case in load_suite(name).cases(folder)]
    check_unique(found)
    lines = []
    for case in found:
        line: dict[str, Any] = {
            "case": case.id,
            "suite": case.suite,
            "tier": case.tier,
            "lang": case.lang,
            "reference": case.reference,
        }
        if "original" in case.params:
            line["original"] = case.params["original"]
        if case.on_request:
            line["on_request"] = True
        lines.append(line)
    return lines


def cases(
    vtc_suite: Annotated[str | None, typer.Option(help="Only this suite, e.g. rewriting.")] = None,
    vtc_cases: Annotated[Path | None, typer.Option(help="Folder of manifests; default: the bundled ones.")] = None,
) -> None:
    """Prints every case as a line of JSON in UTF-8: case, suite, tier, lang, reference and, for rewriting, original.

    Cases with "on_request": true run only when --vtc-tier or --vtc-renderer asks for them.

    \b
    Example: a replay file that answers every page with its own text
      vtcfaith cases | jq -c '{case, text: .reference}' > perfect.jsonl
      pytest --vtc-model=replay:perfect.jsonl
    """
    with errors_in_one_line():
        print_lines(json.dumps(line, ensure_ascii=False) for line in case_lines(vtc_suite, vtc_cases))
