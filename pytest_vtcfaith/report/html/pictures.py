"""The pictures of a case: those the run has written, and pages drawn anew, small enough to be many."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vtcfaith.report.casefiles import owner
from pytest_vtcfaith.report.results import HTML, write_bytes
from pytest_vtcfaith.report.small import CROP, page_rooms, save_small, thumbnail
from pytest_vtcfaith.report.wordcrops import word_lines

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.pages.page import Page
    from pytest_vtcfaith.report.html.boxes import Mark
    from pytest_vtcfaith.report.html.run import Answer

BUDGET = 16_000_000
"""Bytes of all pictures up to which pictures are made for the report."""
EACH = 23_000
"""Bytes of a picture that is made for the report: a quarter of what a failed case may have."""
THUMBNAILS = 600
"""Cases without a loss that show their page as a thumbnail, as far as the budget allows."""
LARGE = 1_000
"""Cases of a run from which on it has no more than `THUMBNAILS_OF_LARGE`: a thumbnail takes 20 to 80 ms to draw."""
THUMBNAILS_OF_LARGE = 200
THUMBNAIL = 240
"""Its width in pixels."""
WRONG_WORDS = "wrong words, in the pixels of the page"
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]*")
_PAGE = re.compile(r"page(\d+)")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture beside the report: `path` relative to it, and what it shows; `page` is the number of the page from 0,
    None for what is no page."""

    path: str
    label: str
    page: int | None = None


class Gallery:
    """The pictures of one report: looks for them under `source`, copies them when the report lies elsewhere, writes
    small ones of what is missing until the budget is spent. `known` are the parameter ids of all cases."""

    def __init__(self, folder: Path, source: Path, known: Collection[str]) -> None:
        self.folder, self.source, self.known = folder, source, known
        self.most = THUMBNAILS if len(known) < LARGE else THUMBNAILS_OF_LARGE
        self.spent = 0
        self._thumbnails = 0
        self._files: dict[str, list[str]] | None = None
        self._copied: list[Path] = []

    def of(self, answer: Answer) -> list[Picture]:
        """What the run has written about the case: its pages and the pictures of its explanation."""
        return [picture for name in self._written(answer.ask) if (picture := self._about(answer.ask, name))]

    def replied(self, answer: Answer) -> Image.Image | None:
        """The picture that the model gave. It may have any size, so the report has small copies only."""
        from PIL import Image

        path = answer.row.get("picture")
        if not isinstance(path, str) or not is_inside(self.source, path):
            return None
        try:
            with Image.open(self.source / path) as opened:
                return opened.convert("RGB")
        except Exception:  # no picture, or one too large to open: the message of its case says so
            return None

    def draw(
        self,
        answer: Answer,
        name: str,
        label: str,
        image: Image.Image,
        page: int | None = None,
        room: int | None = None,
    ) -> Picture | None:
        """Writes a picture of the case as `ASK-NAME.png` in `room` bytes (None: `EACH`); None without a budget."""
        file = self._own(answer, name)
        if file is None:
            return None
        self.spent += save_small(
            image, self.folder / file, EACH if room is None else room, page=page is not None or label == WRONG_WORDS
        )
        return Picture(file, label, page)

    def pages(self, answer: Answer, pages: Sequence[Page], chosen: int, room: int | None) -> list[Picture]:
        """Writes the pages of the case, in `room` bytes together page `chosen` so that it can be read, None: each in
        as many as any other picture; what the budget does not allow is left out."""
        one = len(pages) == 1
        rooms = [EACH] * len(pages) if room is None else page_rooms(room, len(pages), chosen)
        found = [
            self.draw(
                answer, "" if one else f"page{n + 1}", "page" if one else f"page {n + 1}", page.image, n, rooms[n]
            )
            for n, page in enumerate(pages)
        ]
        return [picture for picture in found if picture is not None]

    def words(self, answer: Answer, pages: Sequence[Page], marks: Sequence[Mark]) -> Picture | None:
        """The lines with wrong words in the pages' own pixels: as the run has written them, else drawn."""
        name = f"{answer.ask}-word.png"
        if name in self._written(answer.ask):
            return Picture(self._here(f"pages/{name}"), WRONG_WORDS)
        lines = word_lines(pages, marks)
        return None if lines is None else self.draw(answer, "word", WRONG_WORDS, lines, room=CROP)

    def is_reduced(self, picture: Picture, page: Sequence[Page]) -> bool:
        """Whether the picture has fewer pixels than its page (no page: none is known), or no greys any more."""
        from PIL import Image

        with Image.open(self.folder / picture.path) as opened:
            return any(opened.width < own.width or opened.mode == "1" for own in page)

    def thumbnail(self, answer: Answer, label: str, image: Image.Image) -> Picture | None:
        """Writes the picture of a case that lost nothing in `THUMBNAIL` pixels; None when there are enough, or
        the budget is spent."""
        file = self._own(answer, "thumbnail") if self.has_thumbnails else None
        if file is None:
            return None
        self.spent += thumbnail(image, self.folder / file, THUMBNAIL)
        self._thumbnails += 1
        return Picture(file, f"{label}, reduced", None)

    @property
    def has_thumbnails(self) -> bool:
        """Whether one more thumbnail may be written."""
        return self._thumbnails < self.most and self.spent < BUDGET

    def _own(self, answer: Answer, name: str) -> str | None:
        """The path of a picture made for the report."""
        if self.spent >= BUDGET or not _SAFE.fullmatch(answer.ask):
            return None
        return f"{HTML}/pages/{answer.ask}{'-' if name else ''}{name}.png"

    def _written(self, ask: str) -> Sequence[str]:
        """Names of files in `pages/` that are about the case."""
        if self._files is None:
            self._files = {}
            for path in sorted((self.source / "pages").glob("*.png")):
                if (of := owner(path.stem, self.known)) is not None:
                    self._files.setdefault(of, []).append(path.name)
        return self._files.get(ask, ())

    def _about(self, ask: str, name: str) -> Picture | None:
        rest = name.removesuffix(".png").removeprefix(ask).removeprefix("-")
        if rest == "word" or not _SAFE.fullmatch(name):  # see `words`
            return None
        path = self._here(f"pages/{name}")
        if not rest:
            return Picture(path, "page", 0)
        page = _PAGE.fullmatch(rest)
        return Picture(path, rest.replace("-", " "), int(page[1]) - 1 if page else None)

    def _here(self, path: str) -> str:
        """The path of a file of the run, from the report."""
        file = self.source / path
        self.spent += file.stat().st_size
        if self.folder.resolve() == self.source.resolve():
            return path
        copy = self.folder / path
        write_bytes(copy, file.read_bytes())
        self._copied.append(copy)
        return path

    def take_back(self) -> None:
        """Removes the copies of the run's pictures: without the report they would only take room."""
        for copy in self._copied:
            copy.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # there was none, or it holds somebody's files
            (self.folder / "pages").rmdir()


def is_inside(folder: Path, path: str) -> bool:
    """Whether a path of results.jsonl is plain and names a file in the folder: nothing else is shown."""
    return all(_SAFE.fullmatch(part) for part in path.split("/")) and (folder / path).is_file()
