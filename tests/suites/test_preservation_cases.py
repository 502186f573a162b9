"""What a manifest becomes: buckets, natural texts at the size of others' pages, and cases on request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_cases import PRESERVATION

from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.texts.manifest import ManifestError, write_manifest

HEADER = {
    "schema": "vtcfaith/preservation",
    "version": 1,
    "seed": None,
    "generator": "tests",
    "licence": "CC0-1.0",
    "tokenizer": "none",
}


def row(document: str, source: str, text: str, n_text: int, lang: str = "en") -> dict[str, Any]:
    return {"document": document, "lang": lang, "source": source, "text": text, "n_text": n_text}


def cases(folder: Path, rows: list[dict[str, Any]], name: str = "a", **header: Any) -> dict[str, Case]:
    write_manifest(folder / f"{name}.jsonl", {**HEADER, "layouts": ["glyph"], "ratios": [5.0], **header}, rows)
    return {case.id: case for case in PRESERVATION.cases(folder)}


@pytest.mark.parametrize(
    ("n_text", "bucket"),
    [(199, None), (200, "200-400"), (400, "400-600"), (799, "600-800"), (1000, "800-1000"), (1001, None)],
)
def test_a_case_belongs_to_the_tier_of_its_length(tmp_path: Path, n_text: int, bucket: str | None) -> None:
    found = cases(tmp_path, [row("d", "zerosense", "pier seven", n_text)])["d-zerosense-glyph-5x"]
    assert found.tier == "preservation/glyph/5x/zerosense"
    assert found.parts == (() if bucket is None else (f"preservation/glyph/5x/zerosense/{bucket}",))
    assert found.tiers == (found.tier, *found.parts)


def test_a_language_other_than_english_ends_the_pooled_tier(tmp_path: Path) -> None:
    found = cases(tmp_path, [row("d", "zerosense", "한글 문서", 300, "ko")])["d-zerosense-glyph-5x"]
    assert found.parts == ("preservation/glyph/5x/zerosense-ko/200-400",)


def test_an_explicit_natural_text_comes_before_the_derived_one(tmp_path: Path) -> None:
    rows = [
        row("d", "natural", "the natural text of this document", 250),
        row("d", "zerosense", "pier seven", 420),
        row("d", "natural-at-zerosense", "pier eight", 390),
        row("d", "swap-50", "eht natural text", 260),
        row("e", "zerosense", "pier nine", 600),
        row("e", "natural-at-zerosense", "pier tens", 610),
    ]
    found = cases(tmp_path, rows)
    assert {name: case.reference for name, case in found.items() if "natural-at-" in name} == {
        "d-natural-at-zerosense-glyph-5x": "pier eight",
        "d-natural-at-swap-50-glyph-5x": "the natural text of this document",
        "e-natural-at-zerosense-glyph-5x": "pier tens",
    }
    own = found["d-natural-at-zerosense-glyph-5x"]
    assert (own.line, own.params["n_text"], own.params["budget_text"]) == (4, 390, 420)
    assert own.parts == ("preservation/glyph/5x/natural-at-zerosense/400-600",)  # that of its partner
    derived = found["d-natural-at-swap-50-glyph-5x"]
    assert (derived.line, derived.params["n_text"], derived.params["budget_text"]) == (2, 250, 260)


def test_a_natural_text_without_its_partner_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"'natural-at-zerosense'.*no row with source 'zerosense'"):
        cases(tmp_path, [row("d", "natural-at-zerosense", "pier seven", 300)])


ROWS = [row("d", source, f"pier {source}", 300) for source in ("natural", "zerosense", "swap-50")]


@pytest.mark.parametrize(
    ("patterns", "asked"),
    [
        (["fox/*"], {f"fox/{r}x/{s}" for r in ("5", "7.5") for s in ("natural", "zerosense", "swap-50")}),
        (["glyph/7.5x/zerosense"], {"glyph/7.5x/zerosense", "glyph/7.5x/natural-at-zerosense"}),
        (["*/natural"], {f"{layout}/{r}x/natural" for r in ("5", "7.5") for layout in ("fox", "glyph")}),
        ([], set()),
    ],
)
def test_on_request(tmp_path: Path, patterns: list[str], asked: set[str]) -> None:
    header = {"layouts": ["fox", "glyph"], "ratios": [5.0, 7.5], **({"on_request": patterns} if patterns else {})}
    found = cases(tmp_path, ROWS, **header)
    tiers = {case.tier.removeprefix("preservation/") for case in found.values() if case.on_request}
    if patterns == ["fox/*"]:
        asked = asked | {name.replace("/5x/", "/5x/natural-at-") for name in asked if not name.endswith("/natural")}
        asked |= {n.replace("/7.5x/", "/7.5x/natural-at-") for n in asked if "7.5x" in n and not n.endswith("/natural")}
    assert tiers == asked
    assert len(found) == 2 * 2 * 5


def test_a_tier_is_on_request_as_a_whole(tmp_path: Path) -> None:
    cases(tmp_path, [row("other", "zerosense", "pier nine", 300)])
    found = cases(tmp_path, ROWS, name="b", on_request=["glyph/5x/zerosense"])
    assert {case.tier for case in found.values() if case.on_request} == {
        "preservation/glyph/5x/zerosense",
        "preservation/glyph/5x/natural-at-zerosense",
    }
    assert all(case.on_request == (case.params["source"].endswith("zerosense")) for case in found.values())


def test_a_template_is_found_beside_its_manifest(tmp_path: Path) -> None:
    from pytest_vtcfaith.suites.preservation_cases import layout_of

    (tmp_path / "page.json").write_text("[]", encoding="utf-8")
    found = cases(tmp_path, ROWS, layouts=["template:page.json"])
    case = found["d-natural-template-page-5x"]
    assert case.tier == "preservation/template-page/5x/natural"
    assert layout_of(case) == f"template:{tmp_path / 'page.json'}"
    assert str(tmp_path) not in repr(sorted(case.params.items()))  # else a baseline would hold on one machine only
    (tmp_path / "page.json").write_text("[ ]", encoding="utf-8")
    other = cases(tmp_path, ROWS, layouts=["template:page.json"])["d-natural-template-page-5x"]
    assert other.fingerprint != case.fingerprint
