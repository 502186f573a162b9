"""How a failing case reads: verdict, words, paths; at most a dozen lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pytest_vtcfaith.report.small import CASE, CROP, page_rooms, save_small
from pytest_vtcfaith.report.worddiff import printable, visible
from pytest_vtcfaith.suites.base import Explanation
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS, InstrumentFailed, Instruments
from pytest_vtcfaith.texts.errors import TextsError

if TYPE_CHECKING:
    from PIL import Image

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
    pictures: bool = True,
    instruments: Instruments = NO_INSTRUMENTS,
) -> str:
    """The text of a failing case: first line the verdict, then word differences, then the paths of page and crop.

    The picture of every page, the lines of the first wrong words and what the suite shows beside them are written
    under `folder`, as `small.save_small` does it, in at most `small.CASE` bytes together; of several pages the one with
    the first wrong word is the one that can be read. When that fails (full disk, a character that no font has) a line
    says so instead, whatever it is: the verdict stands first in any case. Paths are relative to `root` where they lie
    under it. Without `explain` only verdict and case are shown, with `pictures` the pages too. Safe to print, at most
    64 Ki characters, without colours.
    """
    verdict = " ".join(verdict.split())
    place = f"{_place(ask.case.file, root)}:{ask.case.line}"
    if not explain:
        lines, found, place = [verdict], Explanation(verdict), f"{ask.case.id}, {place}"
        request, undrawn = drawable(request) if pictures else (_without_pages(request), "")
    else:
        request, undrawn = drawable(request)
        try:
            found = suite.explain(ask.case, transcript, metrics, request, instruments)
        except (InstrumentFailed, TextsError) as problem:
            found = Explanation(f"not explained: {problem}")
        except Exception as problem:  # what drawing raises may be anything, and must not stand in place of the verdict
            found = Explanation(f"not explained: {type(problem).__name__}: {_line(problem)}")
        lines = [f"{verdict}: {visible(found.verdict)}" if found.verdict not in verdict else verdict]
        lines += [f"  {line}" for line in found.lines]
    pages = () if suite.task == "draw" else request.pages
    only = "source" if suite.task == "edit" else "page"
    room = _Room(folder / "pages", len(pages) + len(found.pictures), cropped=found.word is not None)
    rooms = [None] * len(pages) if found.pictures else page_rooms(room.left, len(pages), found.page)
    try:
        for number, page in enumerate(pages, start=1):
            label, name = (only, ask.id) if len(pages) == 1 else (f"page {number}", f"{ask.id}-page{number}")
            path = room.save(page.image, name, rooms[number - 1], page=suite.task != "edit")
            lines.append(f"  {label}: {_place(path, root)}")
        if found.word is not None:
            crop = _crop(suite, ask.case, transcript, pages, (found.page, found.word))
            lines.append(f"  crop: {_place(room.crop(crop, f'{ask.id}-word'), root)}")
        for label, draw in found.pictures:
            path = room.save(draw(), f"{ask.id}-{label.replace(' ', '-')}")
            lines.append(f"  {label}: {_place(path, root)}")
    except (OSError, TextsError) as problem:
        lines.append(f"  page: not written: {problem}")
    except Exception as problem:
        undrawn = undrawn or _undrawable(problem)
    if undrawn:
        lines.append(f"  {visible(undrawn)}")
    lines.append(f"  case: {place}")
    return printable("\n".join(lines), LIMIT)


def drawable(request: Request) -> tuple[Request, str]:
    """The request, without pages where they cannot be laid out; and a line that says why, "" where they can."""
    try:
        _ = request.pages
    except Exception as problem:  # a layout of the user's may raise anything
        return _without_pages(request), _undrawable(problem)
    return request, ""


def _without_pages(request: Request) -> Request:
    """The request as one for which no page is shown."""
    return replace(request, lay_out=lambda: ())


def _undrawable(problem: Exception) -> str:
    return f"the page cannot be drawn: {_line(problem) or type(problem).__name__}"


def _line(problem: Exception) -> str:
    return " ".join(str(problem).split())


def _place(path: Path, root: Path) -> str:
    path, root = path.resolve(), root.resolve()
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def _crop(
    suite: Suite, case: Case, transcript: Transcript, pages: Sequence[Page], first: tuple[int, int]
) -> Image.Image:
    """The line of the first wrong word and, of a transcript, those of the next ones."""
    from pytest_vtcfaith.report.html.boxes import marks_of
    from pytest_vtcfaith.report.html.words import spans_of
    from pytest_vtcfaith.report.wordcrops import word_lines

    text = transcript.text
    compared = suite.task == "transcribe" and len(text) <= _COMPARED
    crop = word_lines(pages, marks_of(pages, spans_of(case, text), case.lang) if compared else (), first)
    assert crop is not None
    return crop


_COMPARED = 1_000_000
"""Characters of a transcript beyond which only the first wrong word is looked for."""


class _Room:
    """Writes the `count` pictures of one failure, and a crop, into a folder: in `CASE` bytes together."""

    def __init__(self, folder: Path, count: int, *, cropped: bool) -> None:
        self._folder, self._count, self.left = folder, count, CASE - CROP * cropped

    def save(self, image: Image.Image, name: str, room: int | None = None, *, page: bool = False) -> Path:
        """In `room` bytes, None: in an equal share of what is left."""
        path = self._folder / f"{name}.png"
        share = self.left // self._count if room is None else room
        self.left -= save_small(image, path, share, exact=True, page=page)
        self._count -= 1
        return path

    def crop(self, image: Image.Image, name: str) -> Path:
        path = self._folder / f"{name}.png"
        save_small(image, path, CROP, exact=True, page=True)
        return path
