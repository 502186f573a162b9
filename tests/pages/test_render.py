from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw, ImageFont

import pytest_vtcfaith.pages as pages
from pytest_vtcfaith.pages import (
    BlockLayout,
    Layout,
    MissingGlyphs,
    Page,
    PageOverflow,
    WordBox,
    crop_word,
    fit_budget,
    layout_named,
    render,
)
from pytest_vtcfaith.pages.fonts import font_for
from pytest_vtcfaith.pages.layouts import FAITHC4, GLYPH, LAYOUTS, FlowLayout

TEXTS = {
    "en": "Ångström’s jury (fjord, 1,284 kg) judged “Typography”… AVATAR To. Ég Ĵ gjpqy | “it's Wÿ!” " * 6,
    "zh": "港务长林晓梅在2024年3月15日清点了1,284箱货物（全部受潮）。“今晚会很长……”她写：GPT-4.5——《日报》。" * 4,
    "ko": "항만 관리자 김민수는 2024년 3월에 1,284개의 상자를 세었다. 밤은 “길 것이다”라고 그는 적었다. " * 5,
}
PAGES = [(lang, layout) for lang in TEXTS for layout in LAYOUTS]
APART = replace(GLYPH, newline_mark="")
"""Glyph with paragraphs kept apart."""


def ink_of(page: Page) -> Image.Image:
    return ImageChops.invert(page.image.convert("L"))


def without_figures(layout: str) -> Layout:
    found = layout_named(layout)
    return replace(found, figures=()) if isinstance(found, BlockLayout) else found


@pytest.mark.parametrize(("lang", "layout"), PAGES)
def test_all_ink_lies_in_boxes_and_each_box_is_tight(lang: str, layout: str) -> None:
    page = render(TEXTS[lang], layout=without_figures(layout), lang=lang)
    ink = ink_of(page)
    for word in page.words:
        box = (word.left, word.top, word.right, word.bottom)
        assert ink.crop(box).getbbox() == (0, 0, word.right - word.left, word.bottom - word.top)
    for word in page.words:
        ink.paste(0, (word.left, word.top, word.right, word.bottom))
    assert ink.getbbox() is None


@pytest.mark.parametrize(("lang", "layout"), PAGES)
def test_boxes_stand_apart(lang: str, layout: str) -> None:
    words = render(TEXTS[lang], layout=layout, lang=lang).words
    for i, a in enumerate(words):
        for b in words[i + 1 :]:
            assert a.right <= b.left or b.right <= a.left or a.bottom <= b.top or b.bottom <= a.top, (a, b)


@pytest.mark.parametrize(
    ("lang", "layout"), [(lang, layout) for lang in TEXTS for layout in (FAITHC4, replace(GLYPH, style="sans"))]
)
def test_a_crop_is_the_word_drawn_alone(lang: str, layout: FlowLayout) -> None:
    page = render(TEXTS[lang], layout=layout, lang=lang)
    font = ImageFont.truetype(
        font_for(layout.style, lang).path, layout.font_size_pt * layout.dpi / 72, layout_engine=ImageFont.Layout.BASIC
    )
    for word in page.words:
        alone = Image.new("RGB", (1500, 80), "white")
        ImageDraw.Draw(alone).text((40, 20), word.text, fill="black", font=font)
        box = ImageChops.invert(alone.convert("L")).getbbox()
        assert alone.crop(box).tobytes() == page.image.crop((word.left, word.top, word.right, word.bottom)).tobytes()


@pytest.mark.parametrize(("lang", "layout"), PAGES)
def test_offsets_and_lines_agree_with_the_text(lang: str, layout: str) -> None:
    page = render(TEXTS[lang] + "\n\n" + TEXTS[lang], layout=layout, lang=lang)
    for word in page.words:
        assert page.text[word.start : word.start + len(word.text)] == word.text
    assert "".join(word.text for word in page.words) == "".join(page.text.split())
    assert page.line_starts[0] == 0
    assert list(page.line_starts) == sorted(set(page.line_starts))
    for number, start in enumerate(page.line_starts):
        assert min(word.start for word in page.words + page.marks if word.line == number) == start
    if layout != "glyph":
        assert page.text.index("\n") + 1 in page.line_starts


def test_english_lines_are_as_full_as_they_can_be() -> None:
    """Oracle: FreeType's own length of the whole line; words stand at whole pixels, so half a pixel a word is play."""
    page = render(TEXTS["en"], layout="faithc4")
    font = ImageFont.truetype(font_for("serif", "en").path, 18.75, layout_engine=ImageFont.Layout.BASIC)
    room = page.width - 2 * 75
    starts = [*page.line_starts, len(page.text) + 1]
    assert len(starts) > 3
    for (begin, end), next_word in zip(
        pairwise(starts), (page.text[s:].split(" ")[0] for s in starts[1:]), strict=True
    ):
        line = page.text[begin : end - 1]
        play = 0.5 * len(line.split())
        assert font.getlength(line) <= room + play
        if next_word:
            assert font.getlength(line + " " + next_word) > room - play - 2


@pytest.mark.parametrize("count", [50, 200])
def test_han_text_stays_inside_the_margins(count: int) -> None:
    page = render("海" * count, layout="glyph", lang="zh")
    assert all(word.left >= 10 and word.right <= 585 for word in page.words)
    assert len(page.words) == count
    assert page.text == "海" * count


def test_no_chinese_line_begins_with_closing_or_ends_with_opening_punctuation() -> None:
    for cut in range(40):
        page = render("潮" * cut + TEXTS["zh"], lang="zh")
        for start in page.line_starts[1:]:
            assert page.text[start] not in "，。、；：？！）》」』”’…"
            assert page.text[start - 1] not in "（《“"


@pytest.mark.parametrize(
    ("lang", "first", "unit", "count", "last"),
    [
        ("en", "", "ab ", 48, ". x"),
        ("en", "", "ab ", 48, ") x"),
        ("en", "", "ab ", 48, "” x"),
        ("ko", "", "바다 ", 30, ". 바다"),
        ("en", "", "a", 345, ")."),
        ("zh", "", "A", 342, "，海海"),
        ("zh", "（", "A", 110, "）。海"),
    ],
)
def test_closing_punctuation_is_kept_from_the_start_of_a_line(
    lang: str, first: str, unit: str, count: int, last: str
) -> None:
    pages = [render(first + unit * (count + more) + last, layout="glyph", lang=lang) for more in range(12)]
    assert max(len(page.line_starts) for page in pages) > 1
    for page in pages:
        assert not {page.text[start] for start in page.line_starts} & set(".)”，。）")


@pytest.mark.parametrize(
    ("text", "visible", "lines"),
    [("a\nb", "a\nb", 2), ("a\tb", "a b", 1), ("two  spaces", "two spaces", 1), ("e\u0301", "é", 1)],
)
def test_the_text_of_a_page_is_what_is_visible(text: str, visible: str, lines: int) -> None:
    page = render(text)
    assert page.text == visible
    assert len(page.line_starts) == lines


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("text", ["", " \n ", "\u200b"])
def test_an_empty_text_is_a_blank_page(text: str, layout: str) -> None:
    page = render(text, layout=without_figures(layout))
    assert (page.words, page.line_starts, page.text) == ((), (), "")
    assert ink_of(page).getbbox() is None
    assert min(page.image.size) > 20


@pytest.mark.parametrize("text", ["海路", "한글", "a\x1cb", "bad \udc80", "a\x00b"])
def test_missing_glyphs_are_found_before_drawing(text: str) -> None:
    with pytest.raises(MissingGlyphs) as caught:
        render(text, lang="en")
    assert set(caught.value.characters) <= set(text)
    assert f"U+{ord(caught.value.characters[0]):04X}" in str(caught.value)


def test_a_text_longer_than_the_page_is_an_error_with_the_numbers() -> None:
    with pytest.raises(PageOverflow, match=r"takes \d+ lines and a page of \d+ pt, layout 'faithc4' has 842 pt"):
        render("harbour " * 2500)
    with pytest.raises(PageOverflow, match="83 lines and a page of 850 pt, layout 'glyph' has 842 pt"):
        render("a\n" * 83, layout=APART)
    assert len(render("a\n" * 81, layout=APART).line_starts) == 81


def test_faithc4_is_as_high_as_its_text() -> None:
    short, long = render("low tide"), render("low tide\n" * 40)
    assert short.width == long.width == 1240
    assert short.height == pytest.approx((10.8 + 72) * 150 / 72, abs=3)
    assert long.height == pytest.approx((40 * 10.8 + 72) * 150 / 72, abs=3)


@pytest.mark.parametrize("lang", TEXTS)
def test_a_page_of_a_given_size(lang: str) -> None:
    fit = fit_budget(400, 5, family="nominal", page_width=595, page_height=842)
    page = render(TEXTS[lang], layout="glyph", lang=lang, size=(fit.width, fit.height), visual_tokens=fit.tokens)
    assert page.image.size == (page.width, page.height) == (fit.width, fit.height)
    assert page.visual_tokens == fit.tokens
    assert page.pixels_per_character == pytest.approx(fit.width * fit.height / len(page.text))
    ink = ink_of(page)
    total = sum(value * count for value, count in enumerate(ink.histogram()))
    for word in page.words:
        assert 0 <= word.left < word.right <= page.width
        assert 0 <= word.top < word.bottom <= page.height
        ink.paste(0, (word.left, word.top, word.right, word.bottom))
    outside = sum(value * count for value, count in enumerate(ink.histogram()))
    assert outside < 0.03 * total  # Lanczos rings a little beyond the ink


def test_boxes_of_a_resized_page_overlap_by_a_pixel_at_the_most() -> None:
    words = render(TEXTS["en"], layout="glyph", size=(320, 453)).words
    overlaps = [
        (min(a.right, b.right) - max(a.left, b.left), min(a.bottom, b.bottom) - max(a.top, b.top))
        for i, a in enumerate(words)
        for b in words[i + 1 :]
    ]
    assert all(min(overlap) <= 1 for overlap in overlaps)
    assert any(min(overlap) == 1 for overlap in overlaps)


def test_the_line_breaks_do_not_depend_on_the_size() -> None:
    starts = {
        render(TEXTS["en"], layout="glyph", size=size).line_starts for size in [(320, 453), (640, 961), (100, 140)]
    }
    assert len(starts) == 1


def test_a_page_larger_than_twice_its_nominal_size_is_drawn_from_a_finer_master() -> None:
    page = render("low tide", layout="glyph", size=(2000, 2830))
    assert page.image.size == (2000, 2830)
    word = page.words[0]
    height = word.bottom - word.top
    assert height == pytest.approx(0.77 * 9 * 2000 / 595, abs=3)  # the height of an l, sharp at this size
    assert ink_of(page).crop((word.left, word.top, word.right, word.bottom)).getextrema()[1] > 250


@pytest.mark.parametrize("size", [(0, 10), (10, -1)])
def test_an_impossible_size_is_an_error(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="size must be two sides of at least 1 pixel"):
        render("low tide", size=size)


def test_unknown_layout_and_language() -> None:
    with pytest.raises(ValueError, match=r"unknown layout 'fathc4'; known, nearest first: faithc4, .*template:FILE"):
        render("low", layout="fathc4")
    with pytest.raises(ValueError, match="language 'fr'; styles: serif, sans, wide; languages: en, zh, ko, mixed"):
        render("low", lang="fr")


def test_the_fingerprint_names_all_that_shapes_the_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    base = render("AVATAR To.")
    assert render("AVATAR  To.\n").fingerprint == base.fingerprint
    others = [
        render("AVATAR to."),
        render("AVATAR To.", layout="glyph"),
        render("AVATAR To.", lang="ko"),
        render("AVATAR To.", layout=replace(FAITHC4, dpi=151)),
        render("AVATAR To.", layout=replace(FAITHC4, ink=(1, 0, 0))),
        render("AVATAR To.", size=(500, 100)),
        render("AVATAR To.", last=False),
        render("AVATAR To.", layout=replace(GLYPH, style="sans")),
        render("AVATAR To.", layout=APART),
        render("AVATAR To.", layout="fox"),
    ]
    from pytest_vtcfaith.pages.render import library_versions

    monkeypatch.setattr(sys.modules[library_versions.__module__], "library_versions", lambda: ("0", "0"))
    others.append(render("AVATAR To."))
    assert len({base.fingerprint, *(page.fingerprint for page in others)}) == len(others) + 1


def test_the_name_of_a_layout_shapes_no_pixel() -> None:
    assert render("low", layout=replace(FAITHC4, name="other")).fingerprint == render("low").fingerprint


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "x" * 900),
        ("en", "a\tb  c\nd e\u0301 x\u0302y"),
        ("zh", "海" * 300 + "。" + "“海”" * 100),
        ("zh", "A" * 700 + "，海"),
        ("ko", "가나다라 " * 200 + "\n" + "마" * 300),
        ("en", "tide. " * 400),
    ],
)
def test_awkward_texts_on_every_layout(layout: str, lang: str, text: str) -> None:
    for size in (None, (300, 420)):
        page = render(text, layout=layout, lang=lang, size=size)
        assert "".join(word.text for word in page.words) == "".join(page.text.split())
        assert [word.start for word in page.words] == sorted(word.start for word in page.words)
        for word in page.words:
            assert page.text[word.start : word.start + len(word.text)] == word.text
            assert 0 <= word.left < word.right <= page.width
            assert 0 <= word.top < word.bottom <= page.height


def test_two_renders_have_the_same_pixels() -> None:
    assert render(TEXTS["zh"], lang="zh").image.tobytes() == render(TEXTS["zh"], lang="zh").image.tobytes()


def test_a_crop_shows_the_whole_line() -> None:
    page = render(TEXTS["en"])
    index = next(i for i, word in enumerate(page.words) if word.line == 2) + 3
    line = [word for word in page.words if word.line == 2]
    crop = crop_word(page, index, context_px=5)
    assert crop.width == max(w.right for w in line) - min(w.left for w in line) + 10
    assert crop.height == max(w.bottom for w in line) - min(w.top for w in line) + 10
    assert crop_word(page, index, context_px=10_000).size == page.image.size
    with pytest.raises(IndexError, match="there is no word 100000"):
        crop_word(page, 100_000)
    with pytest.raises(IndexError, match="there is no word -1"):
        crop_word(page, -1)


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="AVTojgÅÉ|Q(}—fyW,. \n", min_size=1, max_size=200))
def test_any_latin_text_keeps_its_boxes(text: str) -> None:
    page = render(text, layout="glyph")
    ink = ink_of(page)
    for word in page.words + page.marks:
        box = (word.left, word.top, word.right, word.bottom)
        assert ink.crop(box).getbbox() == (0, 0, word.right - word.left, word.bottom - word.top)
        ink.paste(0, box)
    assert ink.getbbox() is None


def test_importing_pages_is_cheap() -> None:
    heavy = ("numpy", "PIL", "fontTools", "pytest", "torch")
    code = f"import sys, pytest_vtcfaith.pages; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_exports() -> None:
    assert pages.visual_tokens("nominal", 64, 65) == 2
    assert {"render", "fit_budget", "visual_tokens", "Page", "WordBox"} <= set(pages.__all__)
    assert WordBox is pages.WordBox
