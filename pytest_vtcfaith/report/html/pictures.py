"""The pictures of a case: those the run has written, and pages drawn anew, small enough to be many."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vtcfaith.report.casefiles import owner
from pytest_vtcfaith.report.greys import is_grey
from pytest_vtcfaith.report.results import HTML

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.report.html.run import Answer

BUDGET = 16_000_000
"""Bytes of all pictures up to which pages of cases that did not fail are drawn anew."""
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
    """The pictures of one report: looks for them under `source`, copies them when the report lies elsewhere, draws what
    is missing until the budget is spent. `known` are the parameter ids of all cases."""

    def __init__(self, folder: Path, source: Path, known: Container[str]) -> None:
        self.folder, self.source, self.known = folder, source, known
        self.spent = 0
        self._files: dict[str, list[str]] | None = None

    def of(self, answer: Answer) -> list[Picture]:
        """What the run has written about the case: pages, pictures of its explanation, the picture that was replied."""
        found = [picture for name in self._written(answer.ask) if (picture := self._about(answer.ask, name))]
        replied = answer.row.get("picture")
        if isinstance(replied, str) and is_inside(self.source, replied):
            found.append(Picture(self._here(replied), "what the model drew"))
        return found

    def draw(self, answer: Answer, number: int, pages: int, image: Image.Image) -> Picture | None:
        """Writes page `number` (from 0) of `pages` of the case; None when the budget is spent."""
        if self.spent >= BUDGET or not _SAFE.fullmatch(answer.ask):
            return None
        name = answer.ask if pages == 1 else f"{answer.ask}-page{number + 1}"
        return Picture(self._saved(name, image), _page_label(number, pages), number)

    def compared(self, answer: Answer, label: str, draw: Callable[[], Image.Image]) -> Picture | None:
        """Writes a picture of the case's explanation; None when the budget is spent."""
        name = f"{answer.ask}-{label.replace(' ', '-')}"
        if self.spent >= BUDGET or not _SAFE.fullmatch(name):
            return None
        return Picture(self._saved(name, draw()), label)

    def _saved(self, name: str, image: Image.Image) -> str:
        path = self.folder / HTML / "pages" / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        save_small(image, path)
        self.spent += path.stat().st_size
        return f"{HTML}/pages/{name}.png"

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
        if rest == "word" or not _SAFE.fullmatch(name):  # the crop of the failure's text: the page shows the word
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
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        return path


def is_inside(folder: Path, path: str) -> bool:
    """Whether a path of results.jsonl is plain and names a file in the folder: nothing else is shown."""
    return all(_SAFE.fullmatch(part) for part in path.split("/")) and (folder / path).is_file()


def _page_label(number: int, pages: int) -> str:
    return "page" if pages == 1 else f"page {number + 1}"


def save_small(image: Image.Image, path: Path) -> None:
    """Saves a picture of a page as PNG in 16 greys, or in 64 colours where it has colours: for looking at."""
    from PIL import Image

    if is_grey(image):
        levels = image.getchannel(0).point([(value + 8) // 17 for value in range(256)])
        small = Image.frombytes("P", levels.size, levels.tobytes())
        small.putpalette(bytes(level * 17 for level in range(16) for _ in range(3)))
        _save(small, path, bits=4)
    else:
        _save(image.convert("RGB").quantize(64), path)


def _save(image: Image.Image, path: Path, **how: int) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        image.save(draft, format="PNG", **how)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
