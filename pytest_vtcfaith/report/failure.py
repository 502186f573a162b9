"""How a failing case reads: verdict, words, paths; at most a dozen lines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pytest_vtcfaith.report.greys import lossless
from pytest_vtcfaith.report.worddiff import printable, visible
from pytest_vtcfaith.suites.base import Explanation
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS, InstrumentFailed, Instruments
from pytest_vtcfaith.texts.errors import TextsError

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.pages.page import Page
    from pytest_vtcfaith.suites.base import Request, Suite
    from pytest_vtcfaith.suites.case import Case

LIMIT = 65536


class Asked(Protocol):
    """A case with the id of its test."""

    @property
    def case(self) -> Case: ...
    @property
    def id(self) -> str: ...


def failure_text(
    suite: Suite,
    ask: Asked,
    verdict: str,
    transcript: Transcript,
    metrics: Mapping[str, Any],
    request: Request,
    folder: Path,
    root: Path,
    *,
    explain: bool = True,
    instruments: Instruments = NO_INSTRUMENTS,
) -> str:
    """The text of a failing case: first line the verdict, then word differences, then the paths of page and crop.

    The picture of every page and the crop around the first wrong word are written under `folder`; when that fails (full
    disk) the line says so instead. Paths are relative to `root` where they lie under it. Without `explain` only the
    verdict and the case are shown. Safe to print, at most 64 Ki characters, without colours.
    """
    verdict = " ".join(verdict.split())
    if not explain:
        return printable(f"{verdict}\n  case: {ask.case.id}, {_place(ask.case.file, root)}:{ask.case.line}", LIMIT)
    try:
        found = suite.explain(ask.case, transcript, metrics, request, instruments)
    except (InstrumentFailed, TextsError) as problem:
        found = Explanation(f"not explained: {problem}")
    lines = [f"{verdict}: {visible(found.verdict)}" if found.verdict not in verdict else verdict]
    lines += [f"  {line}" for line in found.lines]
    pages = () if suite.task == "draw" else request.pages
    only = "source" if suite.task == "edit" else "page"
    try:
        for number, page in enumerate(pages, start=1):
            label, name = (only, ask.id) if len(pages) == 1 else (f"page {number}", f"{ask.id}-page{number}")
            lines.append(f"  {label}: {_place(_save_page(page, folder, name), root)}")
        if found.word is not None:
            lines.append(f"  crop: {_place(_save_crop(pages[found.page], found.word, folder, ask.id), root)}")
        for label, draw in found.pictures:
            path = folder / "pages" / f"{ask.id}-{label.replace(' ', '-')}.png"
            _save(draw(), path)
            lines.append(f"  {label}: {_place(path, root)}")
    except (OSError, TextsError) as problem:
        lines.append(f"  page: not written: {problem}")
    lines.append(f"  case: {_place(ask.case.file, root)}:{ask.case.line}")
    return printable("\n".join(lines), LIMIT)


def _place(path: Path, root: Path) -> str:
    path, root = path.resolve(), root.resolve()
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def _save_page(page: Page, folder: Path, name: str) -> Path:
    path = folder / "pages" / f"{name}.png"
    _save(page.image, path)
    return path


def _save_crop(page: Page, word: int, folder: Path, name: str) -> Path:
    from pytest_vtcfaith.pages import crop_word

    path = folder / "pages" / f"{name}-word.png"
    _save(crop_word(page, word), path)
    return path


def _save(image: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        lossless(image).save(draft, format="PNG")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
