"""Baselines: written only when asked, only for what ran and was measured; compared always; trusted only when whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TIERS = ("original", "scramble", "random")
COMPARED = """
[[gate]]
where = "rewriting/*"
metric = "failure_rate"
max = 1.0
max_regression = 0.0

[[gate]]
where = "rewriting/*"
metric = "word_accuracy"
max_regression = 0.02

[[gate]]
where = "rewriting/*/scramble"
metric = "rewrite_rate"
max_regression = 0.02

[[floor]]
where = "rewriting/*"
metric = "word_accuracy"
case_tolerance = 0.05
"""


@pytest.fixture
def compared(bench):
    """A benchmark with a regression gate on every tier, and a model that is named the same whatever it answers."""
    bench.thresholds(COMPARED)
    (bench.path / "pyproject.toml").write_text(
        '[tool.vtcfaith.models.mine]\nadapter = "replay"\nmodel = "answers.jsonl"\n', encoding="utf-8"
    )
    bench.replay()
    return bench


def files(bench: Any) -> dict[str, bytes]:
    """Every file of the baselines folder."""
    folder = bench.path / "data" / "baselines"
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def worse(row: dict[str, Any]) -> str:
    """An answer that lacks a fifth of the words."""
    words = row["text"].split()
    return " ".join(word for n, word in enumerate(words) if n % 5 or n in (2, 9))


def accept(bench: Any, *arguments: str) -> Any:
    found = bench.run("--vtc-model=mine", "--snapshot-update", *arguments)
    assert found.status == 0, found.text
    return found


def test_the_first_run_says_how_to_accept(compared) -> None:
    found = compared.run("--vtc-model=mine", "-rs")
    assert found.status == 0
    assert {v for name, v in found.verdicts.items() if "regression" in name} == {"not_applicable"}
    assert "no baseline, accept with --snapshot-update" in found.text
    assert files(compared) == {}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_accepting_writes_one_file_per_tier_and_the_same_run_passes(compared, workers: str) -> None:
    found = accept(compared, workers)
    assert "accepted this run as the baseline" in found.text
    written = files(compared)
    assert set(written) == {f"mine/rewriting-en-{tier}.json" for tier in TIERS}
    again = compared.run("--vtc-model=mine", workers)
    assert again.status == 0, again.text
    assert {v for name, v in again.verdicts.items() if "regression" in name} == {"pass"}
    assert files(compared) == written
    accept(compared, workers)
    assert files(compared) == written
    assert not (compared.path / "cases" / "__snapshots__").exists()


def test_accepting_with_workers_writes_the_same_bytes(compared) -> None:
    accept(compared, "-n0")
    alone = files(compared)
    (compared.path / "data" / "baselines").rename(compared.path / "old")
    accept(compared, "-n2")
    assert files(compared) == alone


def test_a_baseline_says_where_it_comes_from(compared) -> None:
    accept(compared)
    record = json.loads(files(compared)["mine/rewriting-en-scramble.json"])
    assert record["model"] == "mine"
    assert record["tier"] == "rewriting/en/scramble"
    assert record["count"] == 4
    assert set(record["cases"]) == {f"doc-{n:04d}-scramble" for n in range(4)}
    assert record["metrics"]["word_accuracy"] == 1.0
    assert record["metrics"]["rewrite_rate"] == 0.0
    assert record["provenance"]["adapter"] == "replay"
    assert record["provenance"]["revision"].startswith("sha256:")
    assert set(record) >= {"profile", "cases_sha256", "documents", "sha256", "schema", "version"}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_accepting_one_tier_leaves_the_others_as_they_are(compared, workers: str) -> None:
    accept(compared)
    before = files(compared)
    compared.replay(worse)
    compared.run("--vtc-model=mine")  # its scores are stored: the gates of one tier need the other conditions
    found = compared.run("--vtc-model=mine", "--snapshot-update", "-k", "scramble", workers)
    assert found.status == 0, found.text
    after = files(compared)
    assert {name for name in after if after[name] != before[name]} == {"mine/rewriting-en-scramble.json"}
    assert set(after) == set(before)


def test_accepting_one_tier_the_first_time_writes_one_file_or_says_why_not(compared) -> None:
    found = compared.run("--vtc-model=mine", "--snapshot-update", "-k", "scramble", "-rs")
    assert files(compared) == {}
    assert "8 of 12 cases were not selected" in found.text
    narrow = accept(compared, "--vtc-tier=rewriting/en/scramble")
    assert set(files(compared)) == {"mine/rewriting-en-scramble.json"}
    assert narrow.gates["en-scramble-word_accuracy-regression"]["verdict"] == "pass"


def test_accepting_does_not_touch_other_models(compared) -> None:
    accept(compared)
    other = compared.path / "data" / "baselines" / "theirs" / "rewriting-en-scramble.json"
    other.parent.mkdir()
    other.write_bytes(b"{}")
    before = files(compared)
    compared.replay(worse)
    accept(compared)
    after = files(compared)
    assert after["theirs/rewriting-en-scramble.json"] == b"{}"
    assert len(after) == len(before) == 4


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_worse_run_fails_case_and_gate_and_names_old_and_new(compared, workers: str) -> None:
    accept(compared)
    before = files(compared)
    compared.replay(worse)
    found = compared.run("--vtc-model=mine", workers)
    assert found.status == 1
    assert files(compared) == before
    gate = found.gates["en-scramble-word_accuracy-regression"]
    assert gate["verdict"] == "fail"
    assert gate["baseline"] == 1.0
    assert 0.75 < gate["value"] < 0.9
    assert re.search(rf"word_accuracy: 1(\.0+)? → {gate['value']:.3g}", gate["message"])
    _, *worst, flips = gate["message"].partition("  4 of 4 cases got worse:\n")[0].split("\n")
    assert (len(worst), flips) == (3, "")
    assert re.search(r"    doc-0003-scramble: 1\.0000 → 0\.[78]", gate["message"])
    assert "  changed since the baseline: revision sha256:" in gate["message"]
    assert all(re.match(r"\s*doc-000\d: 1(\.0+)? → 0\.[78]", line) for line in worst)
    case = next(line for line in found.text.split("\n") if "word_accuracy was 1 in the baseline, is 0.8" in line)
    assert "worse by more than 0.05" in case
    assert found.text.count("FAILED cases/test_rewriting.py::test_case[mine-") == 12


def test_a_better_run_passes_and_rewrites_nothing(compared) -> None:
    compared.replay(worse)
    accept(compared)
    before = files(compared)
    compared.replay()
    found = compared.run("--vtc-model=mine")
    assert found.status == 0, found.text
    assert files(compared) == before
    accept(compared)
    after = files(compared)
    assert all(after[name] != before[name] for name in before)
    assert json.loads(after["mine/rewriting-en-scramble.json"])["metrics"]["word_accuracy"] == 1.0


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"{}")


def zeroed(path: Path) -> None:
    path.write_bytes(b"")


def edited(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"word_accuracy": 1.0', b'"word_accuracy": 0.1'))


def a_case_less(path: Path) -> None:
    record = json.loads(path.read_bytes())
    del record["cases"]["doc-0000-scramble"]
    path.write_text(json.dumps(record), encoding="utf-8")


def resealed(**fields: str) -> Callable[[Path], None]:
    """A baseline of another profile, manifest, model or tier, with a checksum that fits."""

    def change(path: Path) -> None:
        from pytest_vtcfaith.gating.baselines import sealed

        record = json.loads(path.read_bytes())
        path.write_text(json.dumps(sealed({**record, **fields})), encoding="utf-8")

    change.__name__ = f"foreign_{next(iter(fields))}"
    return change


@pytest.mark.parametrize(
    "spoil",
    [
        cut,
        emptied,
        zeroed,
        edited,
        a_case_less,
        resealed(profile="verbatim/0"),
        resealed(cases_sha256="0" * 64),
        resealed(model="theirs"),
        resealed(tier="rewriting/en/random"),
    ],
    ids=lambda spoil: spoil.__name__,
)
def test_a_spoiled_baseline_is_an_error_until_accepted_anew(compared, spoil: Callable[[Path], None]) -> None:
    accept(compared)
    good = files(compared)
    path = compared.path / "data" / "baselines" / "mine" / "rewriting-en-scramble.json"
    spoil(path)
    assert path.read_bytes() != good["mine/rewriting-en-scramble.json"]
    found = compared.run("--vtc-model=mine")
    assert found.status == 1, found.text
    for gate in ("word_accuracy", "rewrite_rate", "failure_rate"):
        row = found.gates[f"en-scramble-{gate}-regression"]
        assert row["verdict"] == "not_measured"
        assert "rewriting-en-scramble.json" in row["message"]
        assert "--snapshot-update" in row["message"]
    assert found.verdicts["en-random-word_accuracy-regression"] == "pass"
    accept(compared)
    assert files(compared) == good
    assert compared.run("--vtc-model=mine").status == 0


def test_changed_texts_make_the_baseline_foreign(compared) -> None:
    accept(compared)
    rows = [dict(row) for row in compared.rows]
    for row in rows:
        if row["document"] == "doc-0000":
            row["text"] += " more"
            row["original"] += " more"
    compared.manifest(rows)
    compared.replay()
    found = compared.run("--vtc-model=mine")
    assert found.status == 1
    assert {v for g, v in found.verdicts.items() if "regression" in g} == {"not_measured"}
    assert "cases_sha256" in found.text or "other texts" in found.text


@pytest.mark.parametrize("metric", ["word_accuracy", "failure_rate"])
def test_what_was_not_fully_measured_is_never_accepted(compared, metric: str) -> None:
    compared.thresholds(
        f"[[gate]]\nwhere = 'rewriting/*'\nmetric = '{metric}'\nmax_regression = 0.02\nmin_coverage = 0.5\n"
    )
    compared.replay(leave_out=["doc-0001-scramble"])
    found = compared.run("--vtc-model=mine", "--snapshot-update")
    assert found.status == 1
    assert "mine/rewriting-en-scramble.json" not in files(compared)
    assert found.gates[f"en-scramble-{metric}-regression"]["verdict"] == "not_measured"


def test_failures_of_the_model_are_accepted_and_stay_failures(compared) -> None:
    compared.replay(change={"doc-0001-scramble": ""})
    accept(compared)
    record = json.loads(files(compared)["mine/rewriting-en-scramble.json"])
    assert record["cases"]["doc-0001-scramble"]["outcome"] == "empty"
    assert record["metrics"]["failure_rate"] == 0.25
    assert compared.run("--vtc-model=mine").status == 0
    compared.replay(change={"doc-0001-scramble": "", "doc-0002-scramble": "", "doc-0003-scramble": ""})
    assert compared.run("--vtc-model=mine").status == 1


def test_gates_of_one_tier_write_one_record(compared) -> None:
    """`failure_rate` needs its own tier only, `rewrite_rate` all conditions: both write the same file."""
    compared.replay(change={"doc-0001-original": ""})
    accept(compared)
    record = json.loads(files(compared)["mine/rewriting-en-scramble.json"])
    compared.thresholds(COMPARED.replace("failure_rate", "cer").replace("max = 1.0\n", ""))
    (compared.path / "data" / "baselines").rename(compared.path / "old")
    compared.run("--vtc-model=mine", "--snapshot-update")
    assert json.loads(files(compared)["mine/rewriting-en-scramble.json"])["documents"] == record["documents"]
    assert "perturbed" not in record["documents"]["doc-0001"]
    assert record["documents"]["doc-0000"]["perturbed"] == 2


def test_a_limited_run_is_compared_with_no_baseline(compared) -> None:
    accept(compared)
    compared.replay(worse)
    found = compared.run("--vtc-model=mine", "--vtc-limit=2")
    assert found.status == 0, found.text
    assert not [gate for gate in found.verdicts if "regression" in gate or "baseline" in gate]
    assert "compared with no baseline" in found.text


@pytest.mark.parametrize(("answer", "status"), [("fail", 1), ("warn", 0), ("pass", 0)])
def test_an_inconclusive_loss_does_what_was_asked(compared, answer: str, status: int) -> None:
    compared.thresholds("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'word_accuracy'\nmax_regression = 0.02\n")
    accept(compared)
    compared.replay(change={"doc-0001-random": worse(compared.rows[5])})
    assert compared.rows[5]["case"] == "doc-0001-random"
    found = compared.run("--vtc-model=mine", f"--vtc-inconclusive={answer}")
    assert found.verdicts["en-random-word_accuracy-regression"] == "inconclusive"
    assert found.status == status, found.text
    assert "so few documents" in found.gates["en-random-word_accuracy-regression"]["message"]
    assert ("1 warning" in found.text) is (answer == "warn")


def test_the_folder_of_baselines_may_be_elsewhere(compared) -> None:
    accept(compared, "--vtc-baselines=accepted")
    assert {p.name for p in (compared.path / "accepted" / "mine").iterdir()} == {
        f"rewriting-en-{t}.json" for t in TIERS
    }
    assert files(compared) == {}
    found = compared.run("--vtc-model=mine", "--vtc-baselines=accepted")
    assert {v for g, v in found.verdicts.items() if "regression" in g} == {"pass"}


def test_a_case_sees_its_baseline(compared) -> None:
    accept(compared)
    compared.module(
        "def test_kept(vtc_case, vtc_score, vtc_baseline):\n"
        "    assert vtc_baseline['word_accuracy'] == 1.0\n"
        "    assert vtc_baseline['outcome'] == 'complete'\n"
    )
    found = compared.run("--vtc-model=mine", "-k", "test_kept")
    assert found.status == 0
    assert found.result.parseoutcomes()["passed"] == 12


@pytest.mark.parametrize(
    "choice", [("-k", "gate"), ("--deselect", "cases/test_rewriting.py::test_case[mine-doc-0001-scramble]")]
)
def test_only_cases_that_ran_now_are_accepted(compared, choice: tuple[str, str]) -> None:
    """Scores kept from an earlier run may be judged, but never become a baseline."""
    assert compared.run("--vtc-model=mine").status == 0
    found = compared.run("--vtc-model=mine", "--snapshot-update", *choice)
    assert found.status == 1, found.text
    assert "not accepted: " in found.text
    assert not any("scramble" in name for name in files(compared))
