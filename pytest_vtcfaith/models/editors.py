"""Reference editors: they know the right answer and spoil it in one named way, so that a metric can be tested on them.

They are for tests and validation; no benchmark of a real model uses them. An editor is only given a picture and an
instruction: by these two it finds the case among those it was made with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.boxes import overlap
from pytest_vtcfaith.pages.edits.design import Design
from pytest_vtcfaith.pages.edits.pair import EditPair, designs, draw_pair
from pytest_vtcfaith.pages.edits.regions import Pixels, composite
from pytest_vtcfaith.pages.edits.setting import SetPage, SetText, set_page
from pytest_vtcfaith.pages.images import pixel_key, upright_rgb

if TYPE_CHECKING:
    from PIL import Image

BLUR = 2.5
"""Radius of the blurred page, in pixels."""
RESIZED = 0.97
"""Letter size of the re-typeset page over that of the reference."""


@dataclass(frozen=True, slots=True)
class KnownEdit:
    """An edit whose answer is known: its manifest row, and its pictures."""

    row: Mapping[str, Any]
    pair: EditPair

    @property
    def lang(self) -> str:
        """The page's language."""
        return self.pair.lang


class ReferenceEditor:
    """An `Editor` that does one thing of `EDITORS` with the edits of some manifest rows.

    Raises ValueError for a name that `EDITORS` lacks, and for two rows that ask the same of one picture.
    """

    def __init__(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        if name not in EDITORS:
            raise ValueError(f"editor {name!r} is unknown: choose one of {', '.join(EDITORS)}")
        self._make = EDITORS[name]
        self._rows: dict[tuple[str, str], Mapping[str, Any]] = {}
        pictures: dict[str, str] = {}
        for row in rows:
            document = row["document"]
            if document not in pictures:
                pictures[document] = pixel_key(set_page(designs(row)[0], row["lang"]).draw())
            key = pictures[document], row["instruction"]
            if key in self._rows:
                raise ValueError(f"cases {self._rows[key]['case']!r} and {row['case']!r} ask the same of one picture")
            self._rows[key] = row

    def edit(self, images: Sequence[Image.Image], instructions: Sequence[str]) -> list[Image.Image]:
        """One picture for each. Raises ValueError for a picture and instruction of no row."""
        return [self._one(image, text) for image, text in zip(images, instructions, strict=True)]

    def _one(self, image: Image.Image, instruction: str) -> Image.Image:
        row = self._rows.get((pixel_key(upright_rgb(image)), instruction))
        if row is None:
            raise ValueError(f"no case asks {instruction[:60]!r} of this picture: give this editor the rows it needs")
        return self._make(KnownEdit(row, draw_pair(row)))


def _perfect(edit: KnownEdit) -> Image.Image:
    return edit.pair.reference


def _no_op(edit: KnownEdit) -> Image.Image:
    return edit.pair.source


def _blurred(edit: KnownEdit) -> Image.Image:
    from PIL import ImageFilter

    return edit.pair.reference.filter(ImageFilter.GaussianBlur(BLUR))


def _retypeset(edit: KnownEdit) -> Image.Image:
    """The reference in the other style, a little smaller: serifs where there were none, and the other way round."""
    after = designs(edit.row)[1]
    texts = {name: _restyled(text) for name, text in after.texts.items()}
    tables = {name: _restyled(table) for name, table in after.tables.items()}
    return set_page(replace(after, texts=texts, tables=tables), edit.lang).draw()


def _restyled(place: Any) -> Any:
    return replace(place, style="sans" if place.style == "serif" else "serif", size=place.size * RESIZED)


def _wrong_text(edit: KnownEdit) -> Image.Image:
    """Wrong text in the right place: of a deletion that leaves nothing, the old text garbled instead of gone."""
    before, after = designs(edit.row)
    page = set_page(after, edit.lang)
    if not any(_inside(piece, edit.pair.regions) for piece in page.pieces()):
        page = set_page(before, edit.lang)
    wrong = _garbled(page, lambda piece: _inside(piece, edit.pair.regions))
    return composite(edit.pair.source, wrong.draw(), edit.pair.regions)


def _collateral(edit: KnownEdit) -> Image.Image:
    """The right edit, and every second text or cell outside the regions garbled."""
    page = set_page(designs(edit.row)[1], edit.lang)
    others = [piece.name for piece in page.pieces() if not _inside(piece, edit.pair.regions)][1::2]
    wrong = _garbled(page, lambda piece: list(range(len(piece.words))) if piece.name in others else [])
    return wrong.draw()


def _wrong_place(edit: KnownEdit) -> Image.Image:
    """The regions untouched, and what they should show (for a deletion: nothing) put elsewhere on the page."""
    source = edit.pair.source
    places = [(int(piece.box[0]), int(piece.box[1])) for piece in set_page(designs(edit.row)[0], edit.lang).pieces()]
    region = edit.pair.regions[0]
    crop = edit.pair.reference.crop(region)
    while crop.height:
        right, bottom = source.width - crop.width, source.height - crop.height
        for left, top in ((region[0], bottom), *places):
            corner = min(left, right), min(top, bottom)
            place = (*corner, corner[0] + crop.width, corner[1] + crop.height)
            result = source.copy()
            result.paste(crop, corner)
            if not any(overlap(place, other) for other in edit.pair.regions) and result.tobytes() != source.tobytes():
                return result
        crop = crop.crop((0, 0, crop.width, crop.height // 2))  # of a large region only the upper part finds room
    raise ValueError(f"{edit.row['case']}: its region leaves no other place on the page")


def _deletes_everything(edit: KnownEdit) -> Image.Image:
    from PIL import Image

    return Image.new("RGB", edit.pair.source.size, designs(edit.row)[0].paper)


EDITORS: Mapping[str, Callable[[KnownEdit], Image.Image]] = {
    "perfect": _perfect,
    "re-typeset": _retypeset,
    "blurred": _blurred,
    "collateral-damage": _collateral,
    "wrong-text": _wrong_text,
    "no-op": _no_op,
    "wrong-place": _wrong_place,
    "deletes-everything": _deletes_everything,
}
"""What a reference editor can do, from the best to the worst."""


def garble(word: str) -> str:
    """A wrong word about as wide: digits are moved by five, and the order of all characters is turned round."""
    return "".join(str((int(c) + 5) % 10) if c in "0123456789" else c for c in reversed(word))


def _inside(piece: SetText, regions: Sequence[Pixels]) -> list[int]:
    """The numbers of the words of a text that lie in the regions."""
    return [n for n, word in enumerate(piece.words) if any(overlap(word[1:5], region) for region in regions)]


def _garbled(page: SetPage, which: Callable[[SetText], list[int]]) -> SetPage:
    """The page with some words of its texts and cells garbled; runs of words that stand together are turned as one."""
    wrong = {}
    for piece in page.pieces():
        text = list(piece.text)
        for begin, end in _runs(piece, which(piece)):
            text[begin:end] = garble(piece.text[begin:end])
        wrong[piece.name] = "".join(text)
    return set_page(_with_texts(page.design, wrong), page.lang)


def _runs(piece: SetText, numbers: list[int]) -> list[tuple[int, int]]:
    """Where the words stand in the text, those without a space between them as one."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        word = piece.words[number]
        begin, end = word.start, word.start + len(word.text)
        if runs and runs[-1][1] == begin:
            runs[-1] = runs[-1][0], end
        else:
            runs.append((begin, end))
    return runs


def _with_texts(design: Design, texts: Mapping[str, str]) -> Design:
    """The design with other texts by the names of their pieces."""
    changed = {name: replace(text, text=texts.get(name, "")) for name, text in design.texts.items()}
    tables = {}
    for name, table in design.tables.items():
        rows = [
            tuple(cell._replace(text=texts.get(f"{name}, row {row}, cell {n}", "")) for n, cell in enumerate(line, 1))
            for row, line in enumerate(table.rows, 1)
        ]
        tables[name] = replace(table, rows=tuple(rows))
    return replace(design, texts=changed, tables=tables)
