"""Baseline files: written in one step, read back exactly, and refused when cut, edited or foreign."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.gating.baselines import (
    BaselineError,
    baseline_path,
    read_baseline,
    sealed,
    write_baseline,
    write_baselines,
)

FIELDS = {"profile": "verbatim/1", "cases_sha256": "ab" * 32, "model": "my-ocr", "tier": "rewriting/en/visual"}


def record(**changes: Any) -> dict[str, Any]:
    return {
        **FIELDS,
        "suite": "rewriting",
        "metrics": {"rewrite_rate": 0.125},
        "documents": {"d1": {"rewritten": 1.0, "perturbed": 8.0}},
        "cases": {"d1-visual": {"outcome": "complete", "word_accuracy": 0.9}, "d2-visual": {"outcome": "empty"}},
        "provenance": {"revision": "1"},
        **changes,
    }


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = baseline_path(tmp_path, "my-ocr", "rewriting/en/visual")
    write_baseline(path, sealed(record()))
    return path


def test_one_file_for_model_and_tier(tmp_path: Path) -> None:
    assert (
        baseline_path(tmp_path, "m", "preservation/glyph/2.5x/natural-zh")
        == tmp_path / "m" / "preservation-glyph-2.5x-natural-zh.json"
    )
    assert (
        baseline_path(tmp_path, "m", "rewriting/en/visual/no_correct+think").name
        == "rewriting-en-visual-no_correct-think.json"
    )


def test_what_was_written_is_read(place: Path) -> None:
    found = read_baseline(place, expect=FIELDS)
    assert found == sealed(record())
    assert found is not None
    assert found["count"] == 2
    assert [p.name for p in place.parent.iterdir()] == [place.name]
    text = place.read_text(encoding="utf-8")
    assert text.endswith("}\n")
    assert text.isascii()
    assert list(json.loads(text)) == sorted(json.loads(text))


def test_no_file_is_none(tmp_path: Path) -> None:
    assert read_baseline(tmp_path / "none.json") is None


any_text = st.text(st.characters(exclude_categories=()), max_size=20)
separators = st.sampled_from(
    ["\x1e\n", "page\x0c\npage2\u2028end", "a\r\nb\rc", "\x0b\x1c\x1d\x85\u2029", "\ud83d", "\ufeff", "\x00"]
)
json_able = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text
    | separators,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text | separators, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(any_text | separators, json_able, max_size=4), json_able)
def test_every_text_survives(tmp_path: Path, cases: dict[str, Any], extra: Any) -> None:
    path = tmp_path / "m" / "tier.json"
    written = sealed(record(cases=cases, extra=extra))
    write_baseline(path, written)
    assert read_baseline(path, expect=FIELDS) == written
    before = path.read_bytes()
    write_baseline(path, read_baseline(path) or {})
    assert path.read_bytes() == before


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_kept(tmp_path: Path, number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        sealed(record(metrics={"cer": number}))
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_baseline(tmp_path / "x.json", record(metrics={"cer": number}))
    assert list(tmp_path.iterdir()) == []


def test_a_file_cut_anywhere_is_an_error(place: Path) -> None:
    whole = place.read_bytes()
    for length in range(0, len(whole) - 2, 7):
        place.write_bytes(whole[:length])
        with pytest.raises(BaselineError, match="cut or not JSON") as caught:
            read_baseline(place, expect=FIELDS)
        assert str(place) in str(caught.value)
        assert "restore it from version control, or accept anew with --snapshot-update" in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"{}", b"[]", b"null", b'"x"', b'{"schema": "other"}', b"\xff", b'{"a": NaN}', b"[" * 9000]
)
def test_another_file_is_an_error(place: Path, content: bytes) -> None:
    place.write_bytes(content)
    with pytest.raises(BaselineError, match=r"is not a baseline|cut or not JSON"):
        read_baseline(place)


def edited(path: Path, change: Any) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["metrics"].update(rewrite_rate=0.5),
        lambda d: d["cases"]["d1-visual"].update(word_accuracy=0.1),
        lambda d: d["cases"].pop("d2-visual"),
        lambda d: d["documents"].clear(),
        lambda d: d.update(count=1),
        lambda d: d.update(cases=[]),
        lambda d: d.update(sha256="0" * 64),
        lambda d: d.pop("sha256"),
        lambda d: d.update(extra=1),
        lambda d: d.update(profile="published/1"),
    ],
)
def test_an_edited_file_is_an_error(place: Path, change: Any) -> None:
    edited(place, change)
    with pytest.raises(BaselineError, match="baseline was edited"):
        read_baseline(place)


def test_an_edit_that_mends_the_checksum_still_has_to_count_its_cases(place: Path) -> None:
    from pytest_vtcfaith.gating.baselines import _checksum

    def change(data: dict[str, Any]) -> None:
        data["cases"] = 2
        data["sha256"] = _checksum(data)

    edited(place, change)
    with pytest.raises(BaselineError, match="count of cases"):
        read_baseline(place)


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_an_unknown_version_is_an_error(place: Path, version: Any) -> None:
    edited(place, lambda d: d.update(version=version))
    with pytest.raises(BaselineError, match=rf"has version {version!r}, this program reads 1"):
        read_baseline(place)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("profile", "scored by another profile"),
        ("cases_sha256", "made for other texts"),
        ("model", "of another model"),
        ("tier", "of another tier"),
    ],
)
def test_a_foreign_file_is_an_error(place: Path, field: str, words: str) -> None:
    write_baseline(place, sealed(record(**{field: "other"})))
    assert read_baseline(place) is not None
    with pytest.raises(BaselineError, match=f"foreign baseline, {words}: {field} is 'other', this run has") as caught:
        read_baseline(place, expect=FIELDS)
    assert "accept anew with --snapshot-update" in str(caught.value)


def test_a_folder_in_its_place_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="cannot be read"):
        read_baseline(tmp_path)


def test_a_reordered_or_reindented_file_is_the_same(place: Path) -> None:
    data = json.loads(place.read_text(encoding="utf-8"))
    place.write_text(json.dumps(dict(reversed(data.items())), indent=4), encoding="utf-8")
    assert read_baseline(place, expect=FIELDS) == data


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(place: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    before = place.read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        if call == "fsync":
            patched.setattr(os, "fsync", full)
        else:
            patched.setattr(os, "replace", full)
            patched.setattr(Path, "replace", full)
        with pytest.raises(OSError, match="No space left"):
            write_baseline(place, sealed(record(metrics={})))
    assert place.read_bytes() == before
    assert [p.name for p in place.parent.iterdir()] == [place.name]
    write_baseline(place, sealed(record(metrics={})))
    assert read_baseline(place, expect=FIELDS) == sealed(record(metrics={}))


@pytest.mark.parametrize("what", ["write", "fsync", "replace"])
def test_an_error_of_the_file_system_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    def full(*_: Any, **__: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    if what == "write":
        monkeypatch.setattr(json, "dumps", full)
    elif what == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    path = tmp_path / "m" / "t.json"
    with pytest.raises(OSError, match="No space left") as caught:
        write_baselines({path: {"cases": {}}})
    assert caught.value.filename == str(path)
    assert list(path.parent.iterdir()) == []
