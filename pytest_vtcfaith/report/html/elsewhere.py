"""Where the page of a case is that the report has no picture of: a file of the user, or what a command draws."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from pytest_vtcfaith.report.html.run import Answer, HtmlRun
    from pytest_vtcfaith.suites.case import Case


def elsewhere(run: HtmlRun, answer: Answer, folder: Path) -> dict[str, str]:
    """`link`, relative to the report in `folder`, to the picture file of a case, and `name`, where it has one that is
    there; else `command`, which draws its page.
    """
    case = answer.case
    file = _picture_file(case)
    if file is not None and (link := _relative(file, folder)):
        return {"link": link, "name": file.name}
    models: list[Mapping[str, Any]] = [m for m in run.about.get("models", ()) if m.get("model") == answer.model]
    family = models[0].get("visual_tokens") if models else None
    words = ["vtcfaith", "page", case.id, "--out", "page.png"]
    if not case.file.resolve().is_relative_to(_BUNDLED):
        words += ["--vtc-cases", str(case.file.parent)]
    if family and family != "nominal":
        words += ["--visual-tokens", str(family)]
    return {"command": shlex.join(words)}


_BUNDLED = Path(__file__).resolve().parents[2]


def _picture_file(case: Case) -> Path | None:
    """The picture that a manifest names: of a question, or the source of an edit."""
    row = case.params.get("row")
    name = row.get("picture") if isinstance(row, Mapping) else None
    source = case.params.get("source")
    if name is None and isinstance(source, Mapping):
        name = source.get("file")
    return case.file.parent / name if isinstance(name, str) else None


def _relative(file: Path, folder: Path) -> str:
    """A link from a folder to a file; "" where there is none, as between two drives."""
    try:
        if not file.is_file():
            return ""
        path = os.path.relpath(file.resolve(), folder.resolve())
    except (OSError, ValueError):
        return ""
    return quote(path.replace(os.sep, "/"))
