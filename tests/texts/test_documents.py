"""Reading source texts, and the ids made of their names."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.pages.linebreaking import visible_text
from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.documents import checked, clean, read_documents, slug, survives


@given(st.text(st.characters() | st.sampled_from("\u200c\u200d\u180e\u200b\ufe0f\xade\u0301 \n")))
def test_clean_is_idempotent_and_keeps_all_that_a_page_shows(text: str) -> None:
    result = clean(text)
    assert clean(result) == result == visible_text(result)
    white = re.compile(r"[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
    assert white.sub("", result) == white.sub("", visible_text(text))
    assert set(white.findall(result)) <= {" ", "\n"}


def test_joiners_that_no_page_shows_are_dropped() -> None:
    assert clean("na\u200cme \U0001f468\u200d\U0001f469 a\u180eb") == "name \U0001f468\U0001f469 ab"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("\u200b\u200b", "has nothing visible"),
        ("\u200d\n\u2060 ", "has nothing visible"),
        ("a\nb\x07", "has the control character U+0007 in paragraph 2"),
        ("a\x9bb", "has the control character U+009B in paragraph 1"),
        ("a\ud83d", "has half a surrogate pair, U+D83D"),
    ],
)
def test_texts_that_no_page_can_show_are_refused(text: str, problem: str) -> None:
    with pytest.raises(TextsError) as caught:
        checked(text, "x.txt")
    assert str(caught.value).startswith(f"x.txt: its text {problem}")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (" a \t b\r\nc\r\rd\u2028e\x0cf ", "a b\nc\nd\ne\nf"),
        ("a\u3000b\u00a0c", "a b c"),
        ("e\u0301", "é"),
        ("\u1112\u1161\u11ab", "한"),
        ("\n \n", ""),
    ],
)
def test_clean(text: str, result: str) -> None:
    assert clean(text) == result


@given(st.text(), st.text())
def test_slugs_are_ascii_and_differ_where_the_names_do(one: str, other: str) -> None:
    for name in (one, other):
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,68}", slug(name))
    same = unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)
    assert (slug(one) == slug(other)) is same


@pytest.mark.parametrize("name", ["a", "01-harbour-notice", "full-1-night-ferry", "x" * 60])
def test_a_slug_is_its_own(name: str) -> None:
    assert slug(name) == name


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("海\n岸", ""),
        ("a\x00b", "a-b-"),
        ("", ""),
        ("x" * 5000, "x" * 60 + "-"),
        ("a/b::c[1]", "a-b-c-1-"),
        ("Harbour Notice", "harbour-notice-"),
        ("-a", "a-"),
        ("é", ""),
        ("İ", ""),
        ("\ud83d", ""),
    ],
)
def test_a_name_that_loses_something_gets_a_hash(name: str, start: str) -> None:
    assert re.fullmatch(re.escape(start) + "[0-9a-f]{8}", slug(name)) or slug(name).startswith(start + "i-")


def test_nfc_and_nfd_names_are_one() -> None:
    assert slug("café") == slug("cafe\u0301")


def write(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / f"{name}.txt").write_bytes(data)
    return folder


def test_documents_are_sorted_and_clean(tmp_path: Path) -> None:
    write(tmp_path, b="two\r\n", a=b"\xef\xbb\xbfone", 灯塔="삼", B="four")
    (tmp_path / "notes.md").write_text("not a text")
    documents = read_documents(tmp_path)
    assert [(d.path.stem, d.text, d.had_bom) for d in documents] == [
        ("B", "four", False),
        ("a", "one", True),
        ("b", "two", False),
        ("灯塔", "삼", False),
    ]
    assert [d.slug for d in documents][1:3] == ["a", "b"]


def test_match_keeps_some(tmp_path: Path) -> None:
    write(tmp_path, **{"01-a": "x", "02-b": "x", "full-1": "x"})
    assert [d.slug for d in read_documents(tmp_path, ["full-*", "01*"])] == ["01-a", "full-1"]
    with pytest.raises(TextsError, match=r"no \.txt file matches '9\*'.*01-a\.txt"):
        read_documents(tmp_path, ["0*", "9*"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has nothing visible"),
        (b"\xef\xbb\xbf \n", "has nothing visible"),
        ("\u200b\u200b".encode(), "has nothing visible"),
        (b"ab\xffcd", "byte 2 is not UTF-8"),
        ("tide".encode("utf-16"), "is not UTF-8"),
        (b"one\ntwo\x00", r"has the control character U\+0000 in paragraph 2"),
        (b"one\x1b[31m", r"U\+001B"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    write(tmp_path, good="good", wrong=content)
    with pytest.raises(TextsError, match=rf"wrong\.txt: .*{message}"):
        read_documents(tmp_path)


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, good="good")
    for make, message in [
        (Path.mkdir, "it is a folder"),
        (os.mkfifo, "it is no regular file"),
        (lambda path: path.symlink_to(path), "it cannot be read"),
        (lambda path: path.symlink_to("nowhere"), "it cannot be read"),
    ]:
        bad = tmp_path / "bad.txt"
        make(bad)
        with pytest.raises(TextsError, match=rf"bad\.txt: {message}"):
            read_documents(tmp_path)
        assert [document.slug for document in read_documents(tmp_path, ["g*"])] == ["good"]
        bad.rename(tmp_path / f"done{len(list(tmp_path.iterdir()))}")


def test_missing_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(TextsError, match="no such folder"):
        read_documents(tmp_path / "nowhere")
    with pytest.raises(TextsError, match=r"no \.txt file"):
        read_documents(tmp_path)


def test_two_spellings_of_one_name_are_refused(tmp_path: Path) -> None:
    write(tmp_path, **dict.fromkeys(["café", "cafe\u0301"], "x"))
    if len(list(tmp_path.iterdir())) < 2:
        pytest.skip("this file system holds the two spellings for one name")
    with pytest.raises(TextsError, match="gives the same id as"):
        read_documents(tmp_path)


@pytest.mark.parametrize(
    ("original", "text", "lang", "result"),
    [
        ("the boat", "the baot", "en", True),
        ("the boat", "the  boat", "en", False),
        ("the boat", "the\u200b boat", "en", False),
        ("河边", "河 边", "zh", False),
        ("河边", "河辺", "zh", True),
    ],
)
def test_survives(original: str, text: str, lang: str, result: bool) -> None:
    assert survives(original, text, lang) is result
