"""`--vtc-shard` in a run: what it asks, what it says, that it is no verdict, and how it combines."""

from __future__ import annotations

import json

import pytest
from hostbench import FAKE, write_model


def shard_of(found) -> set[str]:
    return {row["document"] for row in found.results.values()}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_shard_asks_its_documents_and_judges_nothing(bench, workers: str) -> None:
    model = bench.replay()
    found = bench.run(model, "--vtc-shard=1/2", "-rs", workers)
    assert found.status == 0, found.text
    assert "vtcfaith: SHARD 1/2: 2 of 4 documents; no gate is judged here" in found.text
    assert "shard 1/2: judged by `vtcfaith gate`" in found.text
    found.counts(passed=6, skipped=10)
    own = shard_of(found)
    assert len(own) == 2
    assert len(found.results) == 6  # all conditions of a document
    assert not (found.folder / "gates.json").exists()
    assert "Shard 1/2 of the documents: judged by no gate" in (found.folder / "summary.md").read_text(encoding="utf-8")
    run = json.loads((found.folder / "run.json").read_text(encoding="utf-8"))
    assert (run["shard"], run["complete"], len(run["gates"])) == ("1/2", True, 10)
    assert {row["shard"] for row in found.results.values()} == {"1/2"}
    assert {row["selection_sha256"] for row in found.results.values()} == {run["selection_sha256"]}
    other = bench.run(model, "--vtc-shard=2/2", workers)
    assert shard_of(other) | own == {row["document"] for row in bench.rows}
    assert not shard_of(other) & own
    again = json.loads((other.folder / "run.json").read_text(encoding="utf-8"))
    assert again["selection_sha256"] == run["selection_sha256"]
    assert again["gates"] == run["gates"]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_shard_without_documents_is_no_failure(bench, workers: str) -> None:
    found = bench.run(bench.replay(), "--vtc-shard=5/5", workers)
    assert found.status == 0, found.text
    assert "SHARD 5/5: 0 of 4 documents" in found.text
    assert found.results == {}


@pytest.mark.parametrize(
    ("given", "mend"),
    [
        ("5/4", "give one of 1/4 to 4/4"),
        ("0/4", "give one of 1/4 to 4/4"),
        ("a", "give I/N, the number of this machine"),
    ],
)
def test_a_shard_that_means_nothing(bench, given: str, mend: str) -> None:
    found = bench.run(bench.replay(), f"--vtc-shard={given}")
    assert found.status == 4
    assert f"--vtc-shard {given!r}: " in found.text
    assert mend in found.text


def test_a_shard_is_no_baseline(bench) -> None:
    found = bench.run(bench.replay(), "--vtc-shard=1/2", "--snapshot-update")
    assert found.status == 4
    assert "--snapshot-update with --vtc-shard: a shard is no baseline" in found.text
    assert "vtcfaith accept" in found.text


def test_a_case_may_fail_in_a_shard_and_be_run_again(bench) -> None:
    bench.thresholds(
        "[[gate]]\nwhere = 'rewriting/*'\nmetric = 'wer'\nmax = 1.0\n[[floor]]\nwhere = 'rewriting/*'\n"
        "metric = 'word_accuracy'\nmin = 0.9\n"
    )
    model = bench.replay(lambda row: " ".join(row["text"].split()[:20]))
    found = bench.run(model, "--vtc-shard=1/2")
    assert found.status == 1
    found.counts(failed=6, skipped=7)
    failures = json.loads((found.folder / "run.json").read_text(encoding="utf-8"))["failures"]
    assert len(failures) == 6
    assert "word_accuracy 0.6667 < 0.9" in failures[0]["message"]
    bench.replay()
    again = bench.run(model, "--vtc-shard=1/2", "--lf")
    assert again.status == 0, again.text
    assert again.result.parseoutcomes()["passed"] == 6


def test_the_shard_of_a_document_depends_on_nothing_that_is_chosen(bench) -> None:
    model = bench.replay()
    whole = shard_of(bench.run(model, "--vtc-shard=1/2"))
    narrow = bench.run(model, "--vtc-shard=1/2", "--vtc-tier=rewriting/en/random")
    assert shard_of(narrow) == whole
    limited = bench.run(model, "--vtc-shard=1/2", "--vtc-limit=3")
    kept = {f"doc-{n:04d}" for n in range(3)}
    assert shard_of(limited) == whole & kept
    assert "LIMITED to 3 documents" in limited.text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_the_noise_is_known_before_gates_are_judged(bench, workers: str) -> None:
    """A margin of 0.5 points is lost in a model that reads otherwise in small batches."""
    bench.thresholds("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'word_accuracy'\nmax_regression = 0.005\n")
    write_model(bench.path, revision="1")
    assert bench.run(FAKE, "--vtc-batch-size=4", "--snapshot-update", workers).status == 0
    do = "page['text'] = page['text'].replace('.', ' lost.') if len(images) < 4 else page['text']"
    write_model(bench.path, revision="2", do={row["case"]: do for row in bench.rows})
    found = bench.run(FAKE, "--vtc-batch-size=4", "--vtc-noise=12", workers)
    assert found.status == 1, found.text
    row = found.gates["en-original-word_accuracy-regression"]
    assert row["verdict"] == "not_measured"
    assert "noise floor" in row["message"]


def test_the_noise_is_kept_with_the_baseline(bench) -> None:
    bench.thresholds("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'word_accuracy'\nmax_regression = 0.005\n")
    do = "page['text'] = page['text'].replace('.', ' lost.') if len(images) < 4 else page['text']"
    write_model(bench.path, revision="1", do={row["case"]: do for row in bench.rows})
    accepted = bench.run(FAKE, "--vtc-batch-size=4", "--vtc-noise=12", "--snapshot-update")
    assert accepted.status == 0, accepted.text
    path = bench.path / "data" / "baselines" / "fake" / "rewriting-en-original.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    assert set(record["noise"]["first"]) == set(record["documents"])
    assert record["noise"]["first"] != record["noise"]["again"]
    assert record["provenance"]["batch_size"] == 4
    found = bench.run(FAKE)
    row = found.gates["en-original-word_accuracy-regression"]
    assert row["verdict"] == "not_measured"
    assert "noise floor" in row["message"]


def test_a_baseline_of_other_texts_says_what_is_new_and_gone(bench) -> None:
    bench.thresholds("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'word_accuracy'\nmax_regression = 0.02\n")
    (bench.path / "pyproject.toml").write_text(
        '[tool.vtcfaith.models.mine]\nadapter = "replay"\nmodel = "answers.jsonl"\n', encoding="utf-8"
    )
    bench.replay()
    assert bench.run("--vtc-model=mine", "--snapshot-update").status == 0
    bench.manifest([row for row in bench.rows if row["document"] != "doc-0001"])
    bench.replay()
    found = bench.run("--vtc-model=mine")
    message = found.gates["en-random-word_accuracy-regression"]["message"]
    assert "made for other texts" in message
    assert "0 cases are new, 1 are gone, 3 have the same name" in message
