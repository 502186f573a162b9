"""`--vtc-noise`: which cases are asked twice, by whom, in which batches, and that it touches nothing else."""

from __future__ import annotations

import json
import sys
from collections import Counter

import pytest
from hostbench import FAKE, asked, batches, forget, logged, write_model

from pytest_vtcfaith.metrics.rates import text_scores
from pytest_vtcfaith.models import ModelSpec
from pytest_vtcfaith.plugin.noise import choose
from pytest_vtcfaith.plugin.run import Ask
from pytest_vtcfaith.suites import load_suite

BY_BATCH = "page['text'] = page['text'].replace('.', ' lost.') if len(images) < 4 else page['text']"
"""What a model does that reads one word more in small batches."""
WORKER = """
import json, os
from pathlib import Path
from pytest_vtcfaith import register_model
from pytest_vtcfaith.pages.images import pixel_key

HERE = Path(__file__).parent

@register_model("mine", revision={revision!r}, languages={languages!r})
class Mine:
    def __init__(self):
        self.pages = json.loads((HERE / "pages.json").read_text())
        self.asked = {{}}

    def transcribe(self, images, prompt):
        (image,) = images
        page = self.pages[pixel_key(image)]
        times = self.asked[page["case"]] = self.asked.get(page["case"], 0) + 1
        with open(HERE / "calls.log", "a") as file:
            file.write(json.dumps([os.getpid(), prompt.condition, [page["case"]]]) + chr(10))
        {do}
        return [page["text"]]
"""
MINE = "--vtc-model=mine"


def write_worker(bench, do: str = "pass", revision: str = "", languages: tuple[str, ...] = ("en",)) -> None:
    """A model in the workers; `do` may change `page["text"]`, `times` counts how often the page was read."""
    write_model(bench.path)
    (bench.path / "conftest.py").write_text(WORKER.format(do=do, revision=revision, languages=languages))


def noise(found) -> dict:
    return json.loads((found.folder / "noise.json").read_text(encoding="utf-8"))


def line(found, model: str = "fake") -> str:
    (said,) = (text for text in found.text.split("\n") if text.startswith(f"vtcfaith: noise of {model}: "))
    return said


def untouched(bench, found) -> None:
    """Nothing of the second answers is left but noise.json, and the results are those of the first ones."""
    assert set(found.results) == {row["case"] for row in bench.rows}
    assert not (found.folder / "parts").exists()
    assert not (found.folder / "answers").exists()


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_model_that_reads_alike_in_any_batch_has_no_noise(bench, workers: str) -> None:
    write_model(bench.path, revision="1")
    found = bench.run(FAKE, "--vtc-batch-size=4", "--vtc-noise=6", workers)
    assert found.status == 0, found.text
    untouched(bench, found)
    assert batches(bench.path) == [4, 4, 4, 2, 2, 2]
    written = noise(found)
    (model,) = written["models"]
    assert {k: model[k] for k in ("chosen", "twice", "differ", "outcomes_differ", "unanswered")} == {
        "chosen": 6,
        "twice": 6,
        "differ": 0,
        "outcomes_differ": 0,
        "unanswered": 0,
    }
    assert (model["batch_size"], model["batch_size_again"], model["by_construction"]) == (4, 2, False)
    assert {row["tier"]: row["chosen"] for row in written["tiers"]} == {
        f"rewriting/en/{condition}": 2 for condition in ("original", "scramble", "random")
    }
    for row in written["tiers"]:
        assert {m["max"] for m in row["case_metrics"].values()} == {0.0}
        assert row["documents"] == 2
        assert {m["difference"] for m in row["metrics"].values()} == {0.0}
    assert "6 of 6 cases were asked twice (batches of 4, then 2), 0 transcripts differ" in line(found)
    assert "noise of fake" in (found.folder / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_model_that_reads_otherwise_in_small_batches(bench, workers: str) -> None:
    write_model(bench.path, do={row["case"]: BY_BATCH for row in bench.rows})
    found = bench.run(FAKE, "--vtc-batch-size=4", "--vtc-noise=6", workers)
    assert found.status == 0, found.text
    untouched(bench, found)
    assert {row["transcript"] for row in found.results.values()} == {row["text"] for row in bench.rows}
    written = noise(found)
    assert written["models"][0]["differ"] == 6
    (row,) = (row for row in written["tiers"] if row["tier"] == "rewriting/en/original")
    texts = {r["case"]: r["text"] for r in bench.rows}
    errors = [text_scores(texts[c], texts[c].replace(".", " lost."), lang="en")["wer"] for c in row["differing"]]
    assert len(errors) == 2
    assert row["case_metrics"]["wer"]["mean"] == pytest.approx(sum(errors) / 2)
    assert row["case_metrics"]["wer"]["max"] == pytest.approx(max(errors))
    accuracy = row["metrics"]["word_accuracy"]
    assert accuracy["first"] == 1.0
    assert accuracy["difference"] == pytest.approx(1.0 - accuracy["again"])
    assert accuracy["difference"] > 0.03
    assert "6 transcripts differ" in line(found)


def test_the_stored_replies_are_passed_by_and_not_replaced(bench) -> None:
    write_model(bench.path, revision="1")
    bench.run(FAKE)
    forget(bench.path)
    found = bench.run(FAKE, "--vtc-noise=5")
    assert found.status == 0, found.text
    untouched(bench, found)
    assert sum(asked(bench.path).values()) == 5
    assert batches(bench.path) == [2, 2, 1]
    (model,) = noise(found)["models"]
    assert (model["twice"], model["first_from_store"], model["batch_size"]) == (5, 5, None)
    forget(bench.path)
    bench.run(FAKE)
    assert logged(bench.path, "calls.log") == []


def test_no_second_answer_is_counted_and_changes_no_verdict(bench) -> None:
    lost = "if len(images) < 12: raise RuntimeError('the server has gone')"
    write_model(bench.path, do={row["case"]: lost for row in bench.rows if row["case"].startswith("doc-0001")})
    found = bench.run(FAKE, "--vtc-batch-size=12", "--vtc-noise=12")
    assert found.status == 0, found.text
    (model,) = noise(found)["models"]
    assert (model["chosen"], model["twice"], model["unanswered"]) == (12, 9, 3)
    assert "3 got no second answer (RuntimeError: the server has gone)" in line(found)


def test_a_case_that_was_not_measured_is_not_asked_again(bench) -> None:
    write_model(bench.path, do={"doc-0001-random": "raise RuntimeError('no')"})
    found = bench.run(FAKE, "--vtc-noise=12")
    assert found.status == 1
    (model,) = noise(found)["models"]
    assert (model["twice"], model["not_measured"]) == (11, 1)
    assert "1 were not measured the first time" in line(found)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_model_in_the_workers_is_asked_right_after_the_case(bench, workers: str) -> None:
    write_worker(bench, "page = {**page, 'text': page['text'] + ' more' * (times - 1)}", revision="1")
    found = bench.run(MINE, "--vtc-noise=3", workers)
    assert found.status == 0, found.text
    untouched(bench, found)
    assert sum(asked(bench.path).values()) == 15
    assert set(Counter(asked(bench.path)).values()) == {1, 2}
    written = noise(found)
    (model,) = written["models"]
    assert (model["chosen"], model["twice"], model["differ"], model["batch_size_again"]) == (3, 3, 3, None)
    assert sorted(case for row in written["tiers"] for case in row["differing"]) == sorted(
        case for case, times in asked(bench.path).items() if times == 2
    )
    assert len({row["tier"] for row in written["tiers"]}) == 3
    forget(bench.path)
    again = bench.run(MINE, workers)  # what was answered first is stored, not the second
    assert logged(bench.path, "calls.log") == []
    assert {c: r["metrics"] for c, r in again.results.items()} == {c: r["metrics"] for c, r in found.results.items()}
    assert not (again.folder / "noise.json").exists()


def test_an_error_of_the_second_time_fails_no_test(bench) -> None:
    write_worker(bench, "if times > 1: raise RuntimeError('tired')")
    found = bench.run(MINE, "--vtc-noise=12")
    assert found.status == 0, found.text
    (model,) = noise(found)["models"]
    assert (model["twice"], model["unanswered"], model["reason"]) == (0, 12, "RuntimeError: tired")


def test_only_what_the_model_can_do_and_the_run_scores_is_chosen(bench) -> None:
    write_worker(bench)
    found = bench.run(MINE, "--vtc-noise=50", "-k", "doc-0002 or doc-0003")
    (model,) = noise(found)["models"]
    assert (model["chosen"], model["twice"]) == (6, 6)
    write_worker(bench, languages=("zh",))
    found = bench.run(MINE, "--vtc-noise=50")
    assert noise(found)["models"][0]["chosen"] == 0


def test_a_replay_has_none_by_construction(bench) -> None:
    found = bench.run(bench.replay(), "--vtc-noise=4")
    assert found.status == 0, found.text
    (model,) = noise(found)["models"]
    assert (model["by_construction"], model["chosen"], noise(found)["tiers"]) == (True, 0, [])
    assert "0 by construction, its answers are read from a file" in found.text


def test_a_run_that_is_cut_short_leaves_no_second_answers(bench) -> None:
    write_worker(bench, "if page['case'] == 'doc-0002-random': raise RuntimeError('gone')")
    found = bench.run(MINE, "--vtc-noise=12", "-x")
    assert found.status == 1
    assert max(asked(bench.path).values()) == 2
    assert not (found.folder / "parts").exists()
    assert not (found.folder / "noise.json").exists()


def test_a_number_that_means_nothing(bench) -> None:
    found = bench.run(FAKE, "--vtc-noise=0")
    assert found.status == 4
    assert "--vtc-noise 0: give the number of cases to ask twice, 1 or more" in found.text


def asks(bench, name: str = "fake") -> list[Ask]:
    spec = ModelSpec(name, load=object, languages=None)
    return [Ask(case, spec, name) for case in load_suite("rewriting").cases(bench.path / "data")]


def test_the_choice_depends_on_the_seed_only(bench) -> None:
    everything = asks(bench)
    names = {seed: [ask.id for ask in choose(everything, 6, seed)] for seed in range(5)}
    assert names[0] == [ask.id for ask in choose(everything[::-1], 6, 0)]
    assert len({tuple(sorted(found)) for found in names.values()}) > 1
    for seed in names:
        chosen = choose(everything, 6, seed)
        assert set(Counter(ask.case.tier for ask in chosen).values()) == {2}
        assert set(Counter(ask.case.document for ask in chosen).values()) == {3}
        assert names[seed][:4] == [ask.id for ask in choose(everything, 4, seed)]
    both = choose([*everything, *asks(bench, "other")], 2, 0)
    assert Counter(ask.slug for ask in both) == {"fake": 2, "other": 2}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_run_json_says_what_the_run_measured_with(bench, workers: str) -> None:
    write_model(bench.path, revision="3")
    conftest = bench.path / "conftest.py"
    text = conftest.read_text(encoding="utf-8")
    conftest.write_text(text.replace("class Fake:", "class Fake:\n    settings = {'dtype': 'bfloat16'}"))
    found = bench.run(FAKE, "--vtc-batch-size=5", "--vtc-seed=7", workers)
    assert found.status == 0, found.text
    run = json.loads((found.folder / "run.json").read_text(encoding="utf-8"))
    assert (run["seed"], run["limit"], run["noise"]) == (7, None, None)
    (model,) = run["models"]
    assert (model["adapter"], model["revision"], model["lives"]) == ("registered:fake", "3", "host")
    assert (model["batch_size"], model["batch_size_used"], model["largest_batch"]) == (5, 5, 5)
    assert (model["devices"], model["settings"]) == (["cpu"], [{"dtype": "bfloat16"}])
    assert model["versions"]["python"] == run["versions"]["python"] == sys.version.split()[0]


def test_run_json_names_the_engine_of_a_worker(bench) -> None:
    from importlib.metadata import version

    found = bench.run("--vtc-model=rapidocr", "-k", "doc-0000-original")
    (model,) = json.loads((found.folder / "run.json").read_text(encoding="utf-8"))["models"]
    assert (model["adapter"], model["batch_size"], model["preset"]) == ("rapidocr", 1, None)
    assert model["versions"]["onnxruntime"] == version("onnxruntime")


def test_the_header_names_the_preset(bench) -> None:
    (bench.path / "pyproject.toml").write_text(
        '[tool.vtcfaith.models.served]\nadapter = "openai"\nmodel = "Qwen/Qwen3-VL-8B"\n'
        'base_url = "http://127.0.0.1:9/v1"\n',
        encoding="utf-8",
    )
    found = bench.run("--vtc-model=served", "--collect-only")
    assert "vtcfaith: served: preset qwen3-vl, visual tokens qwen3-vl" in found.text
