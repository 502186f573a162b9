"""The bundled cases, and cases of any folder."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pytest_vtcfaith.suites import Case, load_suite, suite_names
from pytest_vtcfaith.suites.bundled import manifests
from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.manifest import ManifestError, read_manifest, write_manifest

DATA = bundled_folder() / "data"


def all_cases() -> list[Case]:
    return [case for name in suite_names() for case in load_suite(name).cases()]


def test_suites_are_found_by_name() -> None:
    assert suite_names() == ("compression", "editing", "preservation", "reasoning", "rewriting")
    with pytest.raises(KeyError):
        load_suite("guessing")


@pytest.mark.parametrize("name", suite_names())
def test_ids_are_sorted_unique_ascii_slugs(name: str) -> None:
    suite = load_suite(name)
    cases = suite.cases(prompts=("plain", "no_correct", "no_correct+think"))
    ids = [case.id for case in cases]
    assert ids == sorted(set(ids))
    assert len(ids) > 90
    for case in cases:
        assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", case.id)
        assert re.fullmatch(rf"{name}/[A-Za-z0-9./_+-]+", case.tier)
        assert case.suite == name
        assert case.lang in ("en", "zh", "ko", "mixed")
    assert len({case.id for case in all_cases()}) == len(all_cases())


def test_another_process_lists_the_same_cases() -> None:
    program = (
        "from pytest_vtcfaith.suites import load_suite, suite_names\nimport hashlib\n"
        "d = hashlib.sha256()\n"
        "for n in suite_names():\n"
        "    for c in load_suite(n).cases(): d.update((c.id + c.fingerprint).encode('ascii'))\n"
        "print(d.hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
    assert len(found.pop().strip()) == 64


def test_a_case_points_at_its_line() -> None:
    for case in all_cases():
        line = case.file.read_bytes().split(b"\n")[case.line - 1].decode("utf-8")
        assert f'"{case.document}"' in line


def test_tiers_of_rewriting() -> None:
    tiers = Counter(case.tier for case in load_suite("rewriting").cases())
    conditions = {"en": ["original", "scramble", "random", "visual"], "zh": ["original", "random", "visual"]}
    conditions["ko"] = conditions["en"]
    assert set(tiers) == {f"rewriting/{lang}/{c}" for lang, found in conditions.items() for c in found}
    for lang, least in (("en", 24), ("zh", 16), ("ko", 16)):
        sizes = {count for tier, count in tiers.items() if tier.startswith(f"rewriting/{lang}/")}
        assert len(sizes) == 1
        assert sizes.pop() >= least
    asked = Counter(c.tier for c in load_suite("rewriting").cases(prompts=("no_correct+think",)))
    assert set(asked) == {f"{tier}/no_correct+think" for tier in tiers}


def test_tiers_of_preservation() -> None:
    cases = load_suite("preservation").cases()
    tiers = {case.tier for case in cases if not case.on_request}
    ratios = ("2.5", "5", "7.5", "10", "12.5", "15", "17.5")
    sources = ("natural", "uniform", "natural-at-uniform")
    assert tiers >= {f"preservation/glyph/{r}x/{s}" for r in ratios for s in sources}
    by_id = {case.id: case for case in cases}
    for case in cases:
        if case.params["source"].startswith("natural-at-"):
            partner = by_id[case.id.replace("natural-at-", "")]
            assert case.params["budget_text"] == partner.params["n_text"]
            assert [p.rpartition("/")[2] for p in case.parts] == [p.rpartition("/")[2] for p in partner.parts]
            assert case.on_request == partner.on_request
        else:
            assert case.params["budget_text"] == case.params["n_text"]


def test_users_own_folder(tmp_path: Path) -> None:
    shutil.copy(DATA / "rewriting-en.jsonl", tmp_path)
    assert len(load_suite("rewriting").cases(tmp_path)) < len(load_suite("rewriting").cases())
    assert load_suite("preservation").cases(tmp_path) == []
    manifest = read_manifest(DATA / "preservation-en.jsonl")
    header = {k: v for k, v in manifest.header.items() if k not in ("sha256", "on_request")} | {
        "ratios": [4.0, 0.5],
        "layouts": ["glyph", "faithc4"],
    }
    rows = [dict(row) for _, row in manifest.rows[:2]]
    for row in rows:
        row["lang"] = "ko"
    write_manifest(tmp_path / "own.jsonl", header, rows)
    own = load_suite("preservation").cases(tmp_path)
    assert {c.tier for c in own} >= {"preservation/glyph/0.5x/natural-ko", "preservation/faithc4/4x/natural-ko"}


def test_a_manifest_is_read_again_when_it_changed(tmp_path: Path) -> None:
    manifest = read_manifest(DATA / "rewriting-ko.jsonl")
    header = {k: v for k, v in manifest.header.items() if k != "sha256"}
    rows = [row for _, row in manifest.rows]
    write_manifest(tmp_path / "a.jsonl", header, rows[:2])
    assert [len(m.rows) for m in manifests(tmp_path, "vtcfaith/rewriting")] == [2]
    write_manifest(tmp_path / "a.jsonl", header, rows[:3])
    assert [len(m.rows) for m in manifests(tmp_path, "vtcfaith/rewriting")] == [3]


@pytest.mark.parametrize("make", [False, True])
def test_a_folder_without_manifests(tmp_path: Path, make: bool) -> None:
    folder = tmp_path / "cases"
    if make:
        folder.mkdir()
    with pytest.raises(ManifestError, match=r"no manifest .* make one with `vtcfaith build`"):
        load_suite("rewriting").cases(folder)


def test_a_damaged_manifest_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes((DATA / "rewriting-ko.jsonl").read_bytes()[:-30])
    with pytest.raises(ManifestError, match=r"bad\.jsonl:\d+: "):
        load_suite("preservation").cases(tmp_path)
