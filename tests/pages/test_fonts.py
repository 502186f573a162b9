from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from pytest_vtcfaith.pages import fonts
from pytest_vtcfaith.pages.fonts import FontFile, FontUnavailable, MissingGlyphs, Style, font_for, missing_characters


@pytest.mark.parametrize("style", ["serif", "sans", "wide"])
@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "The quick brown fox – “jumps” over £3.50 & façade…"),
        ("zh", "港务长，。、；：？！（）《》「」『』“”‘’——……①ABC123"),
        ("ko", "가힣 똠방각하 漢字 ABC123 “”"),
        ("mixed", "发票 Invoice No. 12（共3页）"),
    ],
)
def test_each_font_covers_its_language(style: Style, lang: str, text: str) -> None:
    font = font_for(style, lang)
    assert hashlib.sha256(font.path.read_bytes()).hexdigest() == font.sha256
    assert missing_characters(text, font) == []


@pytest.mark.parametrize("text", ["海路", "한글"])
def test_a_latin_font_lacks_other_scripts(text: str) -> None:
    assert missing_characters("harbour " + text + text, font_for("serif", "en")) == sorted(text)


def test_every_bundled_font_agrees_with_freetype_on_a_missing_glyph() -> None:
    """Oracle: FreeType draws every character a font lacks as one and the same box."""
    from PIL import ImageFont

    for lang in ("en", "zh", "ko"):
        font = font_for("sans", lang)
        drawn = ImageFont.truetype(font.path, 40, layout_engine=ImageFont.Layout.BASIC)
        box = bytes(drawn.getmask("\U000f0000"))
        sample = "aZé§Ωж中海가힣ㄱあ☃①—％"
        assert missing_characters(sample, font) == sorted(c for c in sample if bytes(drawn.getmask(c)) == box)


def test_a_character_mapped_to_notdef_is_missing(tmp_path: Path) -> None:
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((100, 0))
    pen.lineTo((0, 100))
    pen.closePath()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "A"])
    builder.setupCharacterMap({ord("A"): "A", ord("B"): ".notdef"})
    builder.setupGlyf({".notdef": pen.glyph(), "A": pen.glyph()})
    builder.setupHorizontalMetrics({".notdef": (500, 0), "A": (500, 0)})
    builder.setupHorizontalHeader()
    builder.setupPost()
    path = tmp_path / "two.ttf"
    builder.save(path)
    assert missing_characters("ABC", FontFile("two", path, "")) == ["B", "C"]


def test_missing_glyphs_names_code_points() -> None:
    error = MissingGlyphs(["路", "\udc80"], font_for("serif", "en"))
    assert "U+8DEF CJK UNIFIED IDEOGRAPH-8DEF" in str(error)
    assert "U+DC80 unnamed" in str(error)
    assert "NotoSerif" in str(error)


def test_a_long_list_of_missing_glyphs_is_cut_in_the_message_only() -> None:
    missing = [chr(0x4E00 + i) for i in range(500)]
    error = MissingGlyphs(missing, font_for("serif", "en"))
    assert error.characters == missing
    assert "and 480 more" in str(error)
    assert len(str(error)) < 1500


def test_a_missing_package_names_the_mend() -> None:
    source = replace(fonts._LATIN_SERIF, package="no_such_font_package")
    with pytest.raises(
        FontUnavailable, match=r'no_such_font_package is not installed.*pip install "fontpkg-noto-serif==2\.15"'
    ):
        fonts._load(source)


def test_another_version_of_the_file_names_both_hashes_and_the_mend() -> None:
    source = replace(fonts._HAN_SERIF, sha256="0" * 64)
    with pytest.raises(
        FontUnavailable, match=rf'{fonts._HAN_SERIF.sha256}.*0{{64}}.*pip install "pylopdf-fonts-zh-cn==0\.1\.1"'
    ):
        fonts._load(source)


@pytest.mark.parametrize(("style", "lang"), [("mono", "en"), ("serif", "ja")])
def test_an_unknown_style_or_language_lists_the_known(style: Style, lang: str) -> None:
    with pytest.raises(ValueError, match="languages: en, zh, ko, mixed"):
        font_for(style, lang)
