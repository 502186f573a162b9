"""Length buckets, cases on request, A(R) and convergence in whole runs of a small preservation benchmark."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from smallbench import ROOT, Bench, Found, document_text

from pytest_vtcfaith.texts.manifest import write_manifest

LENGTHS = {"200-400": 300, "600-800": 700}
SOURCES = ("natural", "zerosense")
GATES = """
[[gate]]
where = "preservation/*"
metric = "failure_rate"
max = 0.5

[[gate]]
where = "preservation/glyph/*/zerosense/600-800"
metric = "word_accuracy"
min = 0.9
max_regression = 0.05
"""
GAPS = """
[[gate]]
where = "preservation/glyph/*/zerosense/*"
metric = "prior_gap"
max = 0.2

[[gate]]
where = "preservation/glyph/*/zerosense/*"
metric = "gap_at_ratio"
max = 0.2
"""
HEAD = "glyph-5x"


class Preservation:
    """Two documents in each of two buckets, two sources and the matched one, one layout, one ratio."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.path = bench.path
        source = ROOT / "benchmark_cases" / "test_preservation.py"
        (bench.path / "cases" / "test_preservation.py").write_bytes(source.read_bytes())
        (bench.path / "cases" / "test_rewriting.py").unlink()
        (bench.path / "data" / "rewriting-en.jsonl").unlink()
        self.manifest()
        bench.thresholds(GATES)

    def manifest(self, **header: Any) -> None:
        rows = [
            {"document": f"d{bucket[0]}{n}", "lang": "en", "source": source, "n_text": n_text}
            | {"text": document_text(n + 10 * (source == "natural")) + f" {bucket}"}
            for bucket, n_text in LENGTHS.items()
            for n in range(2)
            for source in SOURCES
        ]
        given = {"schema": "vtcfaith/preservation", "version": 1, "seed": None, "generator": "tests"}
        given |= {"licence": "CC0-1.0", "layouts": ["glyph"], "ratios": [5.0], "tokenizer": "none", **header}
        write_manifest(self.path / "data" / "preservation-en.jsonl", given, rows)

    def replay(self, answer: Callable[[str, str], str | None] = lambda case, text: text, name: str = "answers") -> str:
        """A replay of what `answer(case, text)` gives; None leaves the case out."""
        from pytest_vtcfaith.cli.cases import case_lines

        lines = [(row["case"], answer(row["case"], row["reference"])) for row in case_lines(None, self.path / "data")]
        text = "".join(json.dumps({"case": case, "text": text}) + "\n" for case, text in lines if text is not None)
        (self.path / f"{name}.jsonl").write_text(text, encoding="utf-8")
        return f"--vtc-model=replay:{name}.jsonl"

    def run(self, *arguments: str) -> Found:
        return self.bench.run(*arguments)


@pytest.fixture
def small(bench: Bench) -> Preservation:
    return Preservation(bench)


def half(text: str) -> str:
    return " ".join(w if n % 2 else "wrong" for n, w in enumerate(text.split()))


def long_ones_are_worse(case: str, text: str) -> str:
    return half(text) if case.startswith("d6") and "-zerosense-" in case and "-at-" not in case else text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_finer_tiers_have_the_gates_that_name_them(small: Preservation, workers: str) -> None:
    found = small.run(small.replay(long_ones_are_worse), workers)
    assert found.status == 1, found.text
    assert found.verdicts == {
        **{
            f"{HEAD}-{source}-{kind}": verdict
            for source in ("natural", "zerosense", "natural-at-zerosense")
            for kind, verdict in (("failure_rate", "pass"), ("baseline", "not_applicable"))
        },
        f"{HEAD}-zerosense-600-800-word_accuracy": "fail",
        f"{HEAD}-zerosense-600-800-word_accuracy-regression": "not_applicable",
        "preservation-inapplicable": "pass",
    }
    gate = found.gates[f"{HEAD}-zerosense-600-800-word_accuracy"]
    assert (gate["measured"], gate["expected"]) == (2, 2)
    assert gate["value"] == pytest.approx(0.5, abs=0.02)
    assert gate["tier"] == "preservation/glyph/5x/zerosense/600-800"
    assert {row["tier"] for row in found.results.values()} == {
        f"preservation/glyph/5x/{source}" for source in ("natural", "zerosense", "natural-at-zerosense")
    }
    assert re.search(r"^preservation/glyph/5x/zerosense/600-800 +2/2 +word_accuracy", found.text, re.MULTILINE)


def test_a_finer_tier_has_a_baseline_of_its_own(small: Preservation) -> None:
    accepted = small.run(small.replay(), "--snapshot-update", "--vtc-baselines=kept")
    assert accepted.status == 0, accepted.text
    names = sorted(path.name for path in (small.path / "kept").rglob("*.json"))
    assert "preservation-glyph-5x-zerosense-600-800.json" in names
    assert len(names) == 4
    same = small.run(small.replay(), "--vtc-baselines=kept")
    assert same.status == 0, same.text
    assert same.verdicts[f"{HEAD}-zerosense-600-800-word_accuracy-regression"] == "pass"
    part = small.run(small.replay(), "--vtc-baselines=kept", "--vtc-tier=preservation/glyph/5x/zerosense/600-800")
    assert part.status == 0, part.text
    assert part.verdicts == {
        f"{HEAD}-zerosense-600-800-word_accuracy": "pass",
        f"{HEAD}-zerosense-600-800-word_accuracy-regression": "pass",
        "preservation-inapplicable": "pass",
    }
    assert len(part.results) == 2


@pytest.mark.parametrize("accepted", [[], ["--vtc-tier=preservation/glyph/5x/zerosense/600-800"]])
def test_a_case_is_held_against_the_baseline_of_its_tier_or_its_part(small: Preservation, accepted: list[str]) -> None:
    floor = "\n[[floor]]\nwhere = 'preservation/*/*/*/600-800'\nmetric = 'word_accuracy'\ncase_tolerance = 0.1\n"
    small.bench.thresholds(GATES.replace("min = 0.9\n", "") + floor)
    config = "[tool.vtcfaith.models.mine]\nadapter = 'replay'\nmodel = 'answers.jsonl'\n"
    (small.path / "pyproject.toml").write_text(config, encoding="utf-8")
    small.replay()
    assert small.run("--vtc-model=mine", "--snapshot-update", *accepted).status == 0
    small.replay(long_ones_are_worse)
    for part in ([], ["--vtc-tier=preservation/glyph/5x/zerosense/600-800"]):
        found = small.run("--vtc-model=mine", *part)
        assert found.status == 1
        assert len(re.findall(r"^word_accuracy was 1 in the baseline, is 0.4", found.text, re.MULTILINE)) == 2, (
            found.text
        )


@pytest.mark.parametrize(
    ("chosen", "covered"),
    [
        ([], True),
        (["--vtc-tier=preservation/glyph/5x/zerosense"], True),
        (["--vtc-tier=preservation/*/*/*/600-800"], False),
    ],
)
def test_a_failure_is_expected_only_where_a_gate_of_the_run_decides(
    small: Preservation, chosen: list[str], covered: bool
) -> None:
    model = small.replay(lambda case, text: "" if case == "d60-zerosense-glyph-5x" else text)
    found = small.run(model, *chosen, "-rx")
    assert ("the failure_rate gate decides" in found.text) is covered, found.text
    assert ("no failure_rate gate covers" in found.text) is not covered


def test_a_gate_of_the_part_covers_failures_too(small: Preservation) -> None:
    small.bench.thresholds(GATES + "[[gate]]\nwhere = 'preservation/*/*/*/*'\nmetric = 'failure_rate'\nmax = 0.5\n")
    model = small.replay(lambda case, text: "" if case == "d60-zerosense-glyph-5x" else text)
    found = small.run(model, "--vtc-tier=preservation/*/*/*/600-800", "-rx")
    assert "the failure_rate gate decides" in found.text
    assert found.gates[f"{HEAD}-zerosense-600-800-failure_rate"]["value"] == 0.5


def test_a_floor_of_a_finer_tier(small: Preservation) -> None:
    floor = "[[floor]]\nwhere = 'preservation/*/*/*/{}'\nmetric = 'word_accuracy'\nmin = 0.8\n"
    for bucket, failing in (("600-800", 2), ("200-400", 0)):
        small.bench.thresholds(GATES + floor.format(bucket))
        found = small.run(small.replay(long_ones_are_worse))
        failed = [line for line in found.text.split("\n") if line.startswith("FAILED") and "test_case" in line]
        assert len(failed) == failing, found.text


def test_gaps_of_finer_tiers(small: Preservation) -> None:
    small.bench.thresholds(GAPS)
    found = small.run(small.replay(long_ones_are_worse))
    assert {
        name.removeprefix(f"{HEAD}-zerosense-"): row["value"] for name, row in found.gates.items() if "gap" in name
    } == {
        "200-400-prior_gap": 0.0,
        "200-400-gap_at_ratio": 0.0,
        "600-800-prior_gap": pytest.approx(0.5, abs=0.03),
        "600-800-gap_at_ratio": pytest.approx(0.5, abs=0.03),
    }
    alone = small.run(small.replay(long_ones_are_worse), "--vtc-tier=preservation/*/*/zerosense/*")
    assert "4 gates are left out: they compare with tiers that this run did not choose" in alone.text


def test_a_where_that_means_no_tier_is_said(small: Preservation) -> None:
    small.bench.thresholds(GATES + GATES.replace("600-800", "800-1000"))
    found = small.run(small.replay())
    assert "1 gates of" in found.text
    assert "first where = 'preservation/glyph/*/zerosense/800-1000'" in found.text


def test_documents_are_limited_by_pooled_tiers(small: Preservation) -> None:
    found = small.run(small.replay(), "--vtc-limit=3")
    assert sorted(case for case in found.results if "-zerosense-" in case and "-at-" not in case) == [
        f"{document}-zerosense-glyph-5x" for document in ("d20", "d21", "d60")
    ]
    assert found.gates[f"{HEAD}-zerosense-600-800-word_accuracy"]["expected"] == 1


# --- on request -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_cases_on_request(small: Preservation, workers: str) -> None:
    small.manifest(layouts=["fox", "glyph"], on_request=["fox/*"])
    model = small.replay()
    found = small.run(model, workers)
    assert found.status == 0, found.text
    assert {case.split("-")[-2] for case in found.results} == {"glyph"}
    assert "vtcfaith: 12 cases in 3 tiers run on request only: --vtc-tier='preservation/fox/*'" in found.text
    assert not any(name.startswith("fox") for name in found.gates)
    asked = small.run(model, workers, "--vtc-tier=preservation/fox/*")
    assert asked.status == 0, asked.text
    assert {case.split("-")[-2] for case in asked.results} == {"fox"}
    assert len(asked.results) == 12
    assert "on request" not in asked.text


def test_all_cases_are_listed(small: Preservation) -> None:
    from pytest_vtcfaith.cli.cases import case_lines

    small.manifest(layouts=["fox", "glyph"], on_request=["fox/*"])
    lines = case_lines("preservation", small.path / "data")
    assert len(lines) == 24
    for line in lines:
        assert line.get("on_request") is (True if "/fox/" in line["tier"] else None)


def test_nothing_but_cases_on_request(small: Preservation) -> None:
    small.manifest(on_request=["*"])
    found = small.run(small.replay())
    assert found.status == pytest.ExitCode.USAGE_ERROR
    assert "no case is left: 12 cases in 3 tiers run on request only: --vtc-tier='preservation/glyph/*'" in found.text


# --- A(R) -----------------------------------------------------------------------------------------------------------

BEST = "all-glyph-5x-zerosense-A"


def best(found: Found) -> dict[str, Any]:
    rows = json.loads((found.folder / "gates.json").read_text(encoding="utf-8"))
    return next(row for row in rows if row["gate"] == BEST)


@pytest.fixture
def several(small: Preservation) -> Preservation:
    small.bench.thresholds("[[gate]]\nwhere = 'preservation/*/zerosense'\nmetric = 'A'\nmin = 0.7\n")
    return small


def test_the_best_of_several_models_gates_the_renderer(several: Preservation) -> None:
    """Max of means, not mean of maxes: each model reads other documents well."""
    one = several.replay(lambda case, text: half(text) if case.startswith("d2") else text, "one")
    other = several.replay(lambda case, text: half(text) if not case.startswith("d20") else text, "other")
    found = several.run(one, other)
    row = best(found)
    assert (row["model"], row["verdict"]) == ("all", "pass")
    assert row["value"] == pytest.approx(0.75, abs=0.02)
    assert "A of 2 models, best: replay-one-jsonl" in row["message"]
    assert not any(
        r["metric"] == "A" and r["model"] != "all"
        for r in json.loads((found.folder / "gates.json").read_text(encoding="utf-8"))
    )


def test_one_model_is_said_to_be_the_only_one(several: Preservation) -> None:
    row = best(several.run(several.replay(lambda case, text: half(text))))
    assert row["verdict"] == "fail"
    assert row["message"].startswith("A of the only model of the run, replay-answers-jsonl")
    assert "A = 0.48" in row["message"]


def test_a_failed_case_counts_0_in_the_mean_of_its_model(several: Preservation) -> None:
    fails = several.replay(lambda case, text: "" if case.startswith("d20") else text, "fails")
    even = several.replay(lambda case, text: " ".join(text.split()[:-8]), "even")
    row = best(several.run(fails, even))
    assert row["value"] == pytest.approx(0.75)  # three right ones and a failed one
    assert "best: replay-fails-jsonl" in row["message"]


@pytest.mark.parametrize("order", [0, 1])
def test_a_model_with_missing_cases_is_not_passed_over(several: Preservation, order: int) -> None:
    whole = several.replay(name="whole")
    lacking = several.replay(lambda case, text: None if case.startswith("d20") else text, "lacking")
    row = best(several.run(*([whole, lacking] if order else [lacking, whole])))
    assert (row["verdict"], row["model"]) == ("not_measured", "all")
    assert re.search(r"A of 2 models: replay-lacking-jsonl-\w+: measured 3 of 4 cases", row["message"])


MODELS = """
from pytest_vtcfaith import Reply, register_model

class Reader:
    def transcribe(self, images, prompt):
        return [Reply(text="read " * 12 + "pier seven at nine") for _ in images]

register_model("korean", languages=["ko"], prompts=False)(Reader)
"""


def test_a_model_that_cannot_do_the_tier_leaves_it_to_the_others(several: Preservation) -> None:
    several.bench.module(MODELS, "conftest.py")
    several.bench.thresholds(
        "[[gate]]\nwhere = 'preservation/*/zerosense'\nmetric = 'A'\nmin = 0.7\n"
        "[suite.preservation]\nmax_inapplicable = 1\n"
    )
    row = best(several.run("--vtc-model=korean", several.replay()))
    assert (row["verdict"], row["value"], row["measured"]) == ("pass", 1.0, 4)
    assert row["message"].endswith("1 cannot do the tier")
    alone = best(several.run("--vtc-model=korean"))
    assert (alone["verdict"], alone["value"]) == ("not_applicable", None)
    assert "korean: all 4 cases are inapplicable" in alone["message"]


def test_the_best_of_models_of_a_finer_tier(several: Preservation) -> None:
    several.bench.thresholds("[[gate]]\nwhere = 'preservation/*/*/zerosense/600-800'\nmetric = 'A'\nmin = 0.7\n")
    found = several.run(several.replay(long_ones_are_worse))
    rows = {row["gate"]: row for row in json.loads((found.folder / "gates.json").read_text(encoding="utf-8"))}
    assert rows["all-glyph-5x-zerosense-600-800-A"]["verdict"] == "fail"


# --- convergence ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_convergence_is_in_the_report(small: Preservation, workers: str) -> None:
    found = small.run(small.replay(long_ones_are_worse), workers)
    rows = json.loads((found.folder / "convergence.json").read_text(encoding="utf-8"))
    by_tier = {(row["tier"].rpartition("/")[2], row["metric"]): row for row in rows}
    assert len(by_tier) == len(rows) == 3 * 5
    row = by_tier["zerosense", "word_accuracy"]
    assert (row["documents"], row["sizes"], row["largest_deviation"]) == (4, [4], 0.0)
    assert row["values"] == [pytest.approx(0.75, abs=0.02)]
    assert row["model"].startswith("replay-answers-jsonl")
    (small.path / "data" / "preservation-en.jsonl").unlink()
    small.bench.manifest(small.bench.rows)
    small.bench.thresholds("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'failure_rate'\nmax = 0.5\n")
    (small.path / "cases" / "test_rewriting.py").write_bytes(
        (ROOT / "benchmark_cases" / "test_rewriting.py").read_bytes()
    )
    other = small.run(small.bench.replay(name="other"), workers)
    assert other.status == 0, other.text
    assert not (other.folder / "convergence.json").exists()


@pytest.mark.parametrize("metric", ["prior_gap", "gap_at_ratio"])
def test_a_gap_without_all_pages_that_it_compares_with_is_not_measured(bench: Bench, metric: str) -> None:
    small = Preservation(bench)
    bench.thresholds(f"[[gate]]\nwhere = 'preservation/glyph/5x/zerosense'\nmetric = '{metric}'\nmax = 1.0\n")
    sibling = {"prior_gap": "natural-at-zerosense", "gap_at_ratio": "natural"}[metric]
    lost = f"d20-{sibling}-{HEAD}"
    found = bench.run(small.replay(lambda case, text: None if case == lost else text))
    (gate,) = (g for g in found.gates.values() if g["metric"] == metric)
    assert gate["verdict"] == "not_measured"
    assert (gate["measured"], gate["expected"]) == (4, 4)
    assert "of their 4 cases 3 were measured, coverage 0.7500 < 1" in gate["message"]
    assert f"no line for case {lost}" in gate["message"]
