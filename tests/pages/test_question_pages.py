"""Pictures of questions: drawn from their rows, reduced by the bicubic filter, or read from files of a known hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vtcfaith.pages.questions.reduced import full_size, question_page, reduce_picture, reduced_size
from pytest_vtcfaith.pages.questions.sheets import bar_chart
from pytest_vtcfaith.texts.questions.build import build_questions

ROWS = {row["document"]: row for row in build_questions(pages=2).rows}


@given(st.integers(1, 3000), st.integers(1, 3000), st.integers(1, 20))
def test_sides_are_divided_and_never_vanish(width: int, height: int, factor: int) -> None:
    new = reduced_size(width, height, factor)
    for old, side in zip((width, height), new, strict=True):
        assert side >= 1
        assert abs(side - old / factor) <= 0.5 or side == 1


def test_reducing_is_pillows_bicubic_filter() -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 256, (31, 50, 3), np.uint8))
    assert reduce_picture(noise, 1) is noise
    reduced = reduce_picture(noise, 3)
    assert reduced.size == (17, 10)
    assert reduced.tobytes() == noise.resize((17, 10), Image.Resampling.BICUBIC).tobytes()
    assert reduced.tobytes() != noise.resize((17, 10), Image.Resampling.LANCZOS).tobytes()


def test_a_thin_stroke_fades_and_does_not_vanish() -> None:
    page = Image.new("RGB", (40, 40), "white")
    page.paste((0, 0, 0), (21, 0, 22, 40))
    column = np.asarray(reduce_picture(page, 4))[:, :, 0].min()
    assert 128 < column < 250


@pytest.mark.parametrize("document", sorted(ROWS))
@pytest.mark.parametrize("factor", [1, 3])
def test_a_drawn_page_has_its_words_where_they_are_printed(document: str, factor: int) -> None:
    row = ROWS[document]
    page = question_page(row, Path("nowhere"), factor)
    assert (page.width, page.height) == page.image.size
    if factor == 1:
        assert page.image.size == full_size(row, Path("nowhere"))
    dark = np.asarray(page.image.convert("L")) < 200
    for word in page.words:
        assert page.text[word.start : word.start + len(word.text)] == word.text
        assert 0 <= word.left < word.right <= page.width
        assert 0 <= word.top < word.bottom <= page.height
        if factor == 1:
            assert dark[word.top : word.bottom, word.left : word.right].any()
    assert [page.text[start - 1] for start in page.line_starts[1:]] == ["\n"] * (len(page.line_starts) - 1)


def test_a_fingerprint_names_page_and_factor() -> None:
    one, other = (ROWS[name] for name in ("q-list-01", "q-list-02"))
    prints = {question_page(row, Path(), factor).fingerprint for row in (one, other) for factor in (1, 2, 3)}
    assert len(prints) == 6
    assert question_page(one, Path("x"), 2).fingerprint == question_page(one, Path("y"), 2).fingerprint


def test_bars_are_as_tall_as_their_values() -> None:
    bars = [("Rye", 100), ("Oats", 50), ("Flax", 25)]
    design = bar_chart("T", bars, "s", size=14, fine=10, fill=(10, 20, 30))
    heights = [panel.height for panel in design.panels[:3]]
    assert heights == [240, 120, 60]
    assert len({panel.top + panel.height for panel in design.panels[:3]}) == 1


def test_a_picture_file_is_read_and_checked(tmp_path: Path) -> None:
    Image.new("RGBA", (60, 30), (0, 0, 0, 0)).save(tmp_path / "p.png")
    sha256 = hashlib.sha256((tmp_path / "p.png").read_bytes()).hexdigest()
    row = {"document": "d", "lang": "en", "picture": "p.png", "picture_sha256": sha256}
    assert full_size(row, tmp_path) == (60, 30)
    page = question_page(row, tmp_path, 2)
    assert page.image.size == (30, 15) == (page.width, page.height)
    assert page.image.getpixel((0, 0)) == (255, 255, 255)
    assert page.words == ()
    with pytest.raises(ValueError, match="not the one of the manifest"):
        question_page({**row, "picture_sha256": "0" * 64}, tmp_path, 1)
    with pytest.raises(ValueError, match="cannot be read"):
        question_page({**row, "picture": "q.png"}, tmp_path, 1)
    (tmp_path / "t.png").write_bytes(b"no picture")
    text = {**row, "picture": "t.png", "picture_sha256": hashlib.sha256(b"no picture").hexdigest()}
    with pytest.raises(ValueError, match="is no picture"):
        question_page(text, tmp_path, 1)
    with pytest.raises(ValueError, match="neither page nor picture"):
        question_page({"document": "d", "lang": "en"}, tmp_path, 1)
