"""Preservation manifests: records, size-matched partners, what runs on request, template layouts."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from pytest_vtcfaith.texts import ManifestError, read_manifest, write_manifest
from pytest_vtcfaith.texts.rows import layout_in, layout_slug

PRESERVATION = {
    "schema": "vtcfaith/preservation",
    "version": 1,
    "seed": None,
    "generator": "test",
    "licence": "Apache-2.0",
    "layouts": ["glyph"],
    "ratios": [2.5, 10.0],
    "tokenizer": "deepseek",
}


def source(name: str = "natural", text: str = "the boat", document: str = "en-tide", **more: Any) -> dict[str, Any]:
    return {"document": document, "lang": "en", "source": name, "text": text, "n_text": 2} | more


def raw(path: Path, rows: list[dict[str, Any]], header: dict[str, Any]) -> Path:
    """Writes a manifest without any check."""
    body = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    path.write_bytes(json.dumps(header | {"sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n" + body)
    return path


def problem(path: Path) -> str:
    with pytest.raises(ManifestError) as caught:
        read_manifest(path)
    assert str(caught.value).startswith(f"{path}:")
    return str(caught.value).removeprefix(str(path))


def test_a_record_is_kept_as_it_is(tmp_path: Path) -> None:
    record = {"seed": 7, "models": [{"name": "灯塔", "mean": 1e-9}], "none": None, "text": ""}
    rows = [source(), source("zerosense", record=record), source("uniform", record={})]
    write_manifest(tmp_path / "m.jsonl", PRESERVATION, rows)
    assert [read for _, read in read_manifest(tmp_path / "m.jsonl").rows] == rows


def test_a_natural_text_at_the_size_of_another(tmp_path: Path) -> None:
    rows = [
        source("natural-at-zerosense", "x" * 101, n_text=30),
        source("zerosense", "x" * 100),
        source(text="anything else"),
        source("uniform", "x" * 13),
        source("natural-at-uniform", "y" * 13),
    ]
    write_manifest(tmp_path / "m.jsonl", PRESERVATION, rows)
    assert [read for _, read in read_manifest(tmp_path / "m.jsonl").rows] == rows


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [source(), source("natural-at-zerosense")],
            ":3: field 'source' = 'natural-at-zerosense': document 'en-tide' has no row with source 'zerosense': add",
        ),
        (
            [source("zerosense", document="en-other"), source("natural-at-zerosense")],
            ":3: field 'source' = 'natural-at-zerosense': document 'en-tide' has no row",
        ),
        (
            [source("zerosense", "x" * 100), source("natural-at-zerosense", "x" * 102)],
            ":3: document 'en-tide': 'natural-at-zerosense' text of 102 characters is not within 1 % of the 100 of "
            "'zerosense' from line 2: make",
        ),
        (
            [source("natural-at-zerosense", "x" * 98), source("zerosense", "x" * 100)],
            ":3: document 'en-tide': 'natural-at-zerosense' text of 98 characters",
        ),
        ([source(), source("natural-at-natural")], ":3: field 'source' = 'natural-at-natural': must name, after"),
        ([source(), source("natural-at-")], ":3: field 'source' = 'natural-at-': must name"),
        ([source("natural-at-natural-at-uniform")], ":2: field 'source' = 'natural-at-natural-at-uniform': must name"),
        ([source(record=[1])], ":2: field 'record' = [1]: Input should be a valid dictionary"),
        ([source(record=None)], ":2: field 'record' = None: Input should be a valid dictionary"),
    ],
)
def test_wrong_partners_and_records(tmp_path: Path, rows: list[Any], message: str) -> None:
    assert problem(raw(tmp_path / "m.jsonl", rows, PRESERVATION)).startswith(message)


@pytest.mark.parametrize(
    "pattern",
    ["glyph/*", "*/2.5x/*", "glyph/10x/natural", "*uniform", "glyph/10x/natural-at-uniform", "*/1?x/[mn]*"],
)
def test_patterns_on_request(tmp_path: Path, pattern: str) -> None:
    header = PRESERVATION | {"on_request": [pattern]}
    write_manifest(tmp_path / "m.jsonl", header, [source(), source("uniform")])
    assert read_manifest(tmp_path / "m.jsonl").header["on_request"] == [pattern]


@pytest.mark.parametrize(
    ("on_request", "message"),
    [
        (["glyph/*", "fox/*"], ":1: field 'on_request' = 'fox/*' matches no case (one is glyph/2.5x/natural): correct"),
        (["glyph/10.0x/*"], ":1: field 'on_request' = 'glyph/10.0x/*' matches no case"),
        (["Glyph/*"], ":1: field 'on_request' = 'Glyph/*' matches no case"),
        (["glyph"], ":1: field 'on_request' = 'glyph' matches no case"),
        # the only document with a uniform text has no natural one
        (["*/natural-at-uniform"], ":1: field 'on_request' = '*/natural-at-uniform' matches no case"),
        ([""], ":1: field 'on_request.0' = ''"),
        ([7], ":1: field 'on_request.0' = 7"),
        ("glyph/*", ":1: field 'on_request' = 'glyph/*': Input should be a valid list"),
        (None, ":1: field 'on_request' = None"),
        (["*", "*"], ":1: field 'on_request' = ['*', '*']: must not name one value twice"),
    ],
)
def test_wrong_patterns_on_request(tmp_path: Path, on_request: object, message: str) -> None:
    rows = [source(), source("uniform", document="en-other")]
    header = PRESERVATION | {"on_request": on_request}
    assert problem(raw(tmp_path / "m.jsonl", rows, header)).startswith(message)


def test_a_rewriting_manifest_has_no_patterns(tmp_path: Path) -> None:
    header = {"schema": "vtcfaith/rewriting", "rate": None, "visual_rate": None, "on_request": ["*"]}
    header |= {name: PRESERVATION[name] for name in ("version", "seed", "generator", "licence")}
    assert problem(raw(tmp_path / "m.jsonl", [source()], header)).startswith(
        ":1: field 'on_request' = ['*'] is unknown"
    )


def test_template_layouts(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "Two columns.json").write_text("anything", encoding="utf-8")
    layouts = ["glyph", "template:pages/Two columns.json", "template:pages/Two columns.json#3"]
    header = PRESERVATION | {"layouts": layouts, "on_request": ["template-*/10x/natural"]}
    write_manifest(tmp_path / "m.jsonl", header, [source()])
    assert read_manifest(tmp_path / "m.jsonl").header["layouts"] == layouts


@pytest.mark.parametrize(
    ("layouts", "message"),
    [
        (["template:absent.json"], ":1: field 'layouts' = 'template:absent.json': there is no such file in the manif"),
        (["template:absent.json#2"], ":1: field 'layouts' = 'template:absent.json#2': there is no such file"),
        (["template:folder"], ":1: field 'layouts' = 'template:folder': there is no such file"),
        (["template:nul\0.json"], ":1: field 'layouts' = 'template:nul\\x00.json': there is no such file"),
        (["template:ring.json"], ":1: field 'layouts' = 'template:ring.json': there is no such file"),
        (["template:../page.json"], ":1: field 'layouts' = 'template:../page.json' must lie inside the manifest's"),
        (["template:/etc/hostname"], ":1: field 'layouts' = 'template:/etc/hostname' must lie inside"),
        (["template:link.json"], ":1: field 'layouts' = 'template:link.json' leads out of the manifest's folder"),
        (["template:"], ":1: field 'layouts.0' = 'template:': must be template:FILE"),
        (["template:#2"], ":1: field 'layouts.0' = 'template:#2': must be template:FILE"),
        (["glyph", "glyph"], ":1: field 'layouts' = ['glyph', 'glyph']: must not name one layout"),
        (["template:a/p.json", "template:b/p.json"], ":1: field 'layouts' = ["),
        (["template:p.json", "template-p"], ":1: field 'layouts' = ["),
    ],
)
def test_wrong_template_layouts(tmp_path: Path, layouts: list[str], message: str) -> None:
    folder = tmp_path / "cases"
    (folder / "folder").mkdir(parents=True)
    (tmp_path / "page.json").write_text("{}", encoding="utf-8")
    (folder / "link.json").symlink_to(tmp_path / "page.json")
    (folder / "ring.json").symlink_to("ring.json")
    assert problem(raw(folder / "m.jsonl", [source()], PRESERVATION | {"layouts": layouts})).startswith(message)


@pytest.mark.parametrize(
    ("layout", "slug", "found"),
    [
        ("glyph", "glyph", "glyph"),
        ("template:two-columns.json", "template-two-columns", "template:/cases/two-columns.json"),
        ("template:in/page.v2.json#12", "template-page-v2-12-", "template:/cases/in/page.v2.json#12"),
        ("template:页.json", "template-", "template:/cases/页.json"),
        ("template:a.json#12", "template-a-12", "template:/cases/a.json#12"),
    ],
)
def test_the_names_of_a_layout(layout: str, slug: str, found: str) -> None:
    name = layout_slug(layout)
    assert re.fullmatch("[a-z0-9][a-z0-9-]*", name)
    assert name == slug or (slug.endswith("-") and re.fullmatch(f"{slug}[0-9a-f]{{8}}", name))
    assert layout_in(PurePosixPath("/cases"), layout) == found


def test_a_length_that_no_float_holds(tmp_path: Path) -> None:
    told = problem(raw(tmp_path / "m.jsonl", [source(n_text=10**390)], PRESERVATION))
    assert told.startswith(":2: field 'n_text' = 1000")
    assert "less than or equal to 1000000000" in told
