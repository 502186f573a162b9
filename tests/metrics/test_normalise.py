from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import PROFILES, normalise
from pytest_vtcfaith.metrics.normalise import comparable
from pytest_vtcfaith.metrics.scripts import LANGUAGES

# The property White_Space of Unicode (PropList.txt)
WHITE_SPACE = [
    *range(0x9, 0xE),
    0x20,
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
]
DROPPED = [
    *(0x200B, 0x2060, 0xFEFF, 0xAD, 0x200E, 0x200F, 0x61C, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    *(*range(0xFE00, 0xFE10), 0xE0100, 0xE01EF, 0x180B, 0x180C, 0x180D, 0x180F),
]
KEPT = [0x1C, 0x1F, 0x180E, 0x200C, 0x200D, 0x2065, 0x2460, 0xFB01, 0xD83D, 0xFF61, 0xFFE5, 0x2019]

# Characters that meet each other in some rule: spaces, what is dropped, marks, Han, punctuation, full-width forms
ODD = (
    "a. \t\n\x85\u3000\u200b\xad\ufe0f\u0301\u0338\u0316海，。、〈"
    "“”‘’—…·\u0387\u2329\u232a＜ＡａÅ\u212b\uf900\u1100\u1161\u11a8가-_①\ud83d\udc00𠀀"
)
texts = st.text(st.one_of(st.sampled_from(ODD), st.characters(categories=None, exclude_categories=[])), max_size=12)


@pytest.mark.parametrize("code", WHITE_SPACE)
def test_every_white_space_separates_words(code: int) -> None:
    assert normalise(f"{chr(code)}blue{chr(code) * 3}lamp{chr(code)}") == "blue lamp"


@pytest.mark.parametrize("code", DROPPED)
def test_invisible_characters_are_dropped(code: int) -> None:
    assert normalise(f"li{chr(code)}ght {chr(code)} é") == "light é"


@pytest.mark.parametrize("code", KEPT)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_other_characters_stay(code: int, lang: str) -> None:
    assert normalise(f"a{chr(code)}b", lang=lang) == f"a{chr(code)}b"


@pytest.mark.parametrize(
    ("text", "lang", "expect"),
    [
        ("pier seven\n\x0c", "en", "pier seven"),
        ("e\u0301", "en", "é"),
        ("e\u200b\u0301", "en", "é"),
        ("\u1112\u1161\u11ab", "ko", "한"),
        ("！～ＡＺ　ａ", "en", "!~AZ a"),
        ("河边 的 灯塔", "zh", "河边的灯塔"),
        ("河边 的 灯塔", "en", "河边 的 灯塔"),
        ("天冷, 河水", "zh", "天冷,河水"),
        ("灯塔 Pro 15 号", "zh", "灯塔Pro 15号"),
        ("A， B", "zh", "A,B"),
        ("A, B", "zh", "A, B"),
        ("A 。 B", "mixed", "A。B"),
        ("天 \ufeff 冷", "zh", "天冷"),
        ("他说 “ 今晚 ” 。", "zh", "他说“今晚”。"),
        ("A “ B ” C", "zh", "A“B”C"),
        ("A ‘ B ’ C", "mixed", "A‘B’C"),
        ("A — B … C · D", "zh", "A—B…C·D"),
        ("A \u0387 B", "zh", "A·B"),  # composes to a middle dot
        ("A “ B ” — C", "en", "A “ B ” — C"),
        ("", "zh", ""),
        (" \u200b ", "zh", ""),
    ],
)
def test_verbatim(text: str, lang: str, expect: str) -> None:
    assert normalise(text, "verbatim", lang) == expect


@pytest.mark.parametrize(
    ("text", "lang", "expect"),
    [
        ("# The **well-known** ship, 3.5 m!", "en", "The wellknown ship 35 m"),
        ("| a | b |", "en", "a b"),
        ("售价：３.５ 元。", "zh", "售价35元"),
        ("é e\u0301 नि ①", "en", "é é नि ①"),
        ("a\ud83d", "en", "a"),
        ("+", "en", ""),
    ],
)
def test_published(text: str, lang: str, expect: str) -> None:
    assert normalise(text, "published", lang) == expect


@given(texts, st.sampled_from(sorted(PROFILES)), st.sampled_from(LANGUAGES))
def test_normalising_twice_changes_nothing(text: str, profile: str, lang: str) -> None:
    once = normalise(text, profile, lang)
    assert normalise(once, profile, lang) == once
    assert unicodedata.is_normalized("NFC", once)
    assert not any(chr(code) in once for code in (*WHITE_SPACE, *DROPPED) if code != 0x20)
    assert "  " not in once
    assert once == once.strip(" ")


def test_unknown_names_are_errors_that_list_the_known_ones() -> None:
    with pytest.raises(ValueError, match="profile 'verbatm' is unknown: choose one of verbatim, published"):
        normalise("a", "verbatm")
    with pytest.raises(ValueError, match="lang 'de' is unknown: choose one of en, zh, ko, mixed"):
        normalise("a", lang="de")


def test_profiles_have_name_and_version() -> None:
    assert {name: (profile.name, profile.version) for name, profile in PROFILES.items()} == {
        "verbatim": ("verbatim", 1),
        "published": ("published", 1),
    }


def test_a_profile_that_erases_a_text_is_not_used() -> None:
    assert comparable("+", "a-b", profile="published", lang="en") == ("+", "a-b")
    assert comparable("", "a-b", profile="published", lang="en") == ("", "ab")
    assert comparable("+ a", "a-b", profile="published", lang="en") == ("a", "ab")
