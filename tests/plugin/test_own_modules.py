"""A user's own tests: the marker, own assertions, own parameters, every fixture."""

from __future__ import annotations

import re

import pytest

OWN = """
import pytest

pytestmark = pytest.mark.vtc(suite="rewriting", lang="en")

def test_accurate(vtc_case, vtc_score):
    assert vtc_case.suite == "rewriting"
    assert vtc_score["word_accuracy"] >= 0.99
    assert vtc_score.outcome == "complete"
    assert vtc_score.text
"""


def alone(bench, text: str = OWN) -> None:
    """The user's module in place of the benchmark's own."""
    (bench.path / "cases" / "test_rewriting.py").unlink()
    bench.module(text)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_own_assertions(bench, workers: str) -> None:
    alone(bench)
    found = bench.run(bench.replay(), workers)
    assert found.status == 0, found.text
    found.counts(passed=12)
    assert len(found.results) == 12
    red = bench.run(bench.replay("original"), workers)
    assert red.status == 1
    red.counts(passed=4, failed=8)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_own_parameters_stand_before_and_behind(bench, workers: str) -> None:
    alone(
        bench,
        "import pytest\n\n"
        "@pytest.mark.parametrize('strict', ['a-b', '[x]'])\n"
        "def test_before(vtc_score, strict): assert vtc_score['cer'] == 0\n\n"
        "class TestClass:\n"
        "    @pytest.mark.parametrize('level', [1, 2])\n"
        "    def test_method(self, vtc_case, vtc_score, level): assert vtc_score.case is vtc_case\n"
        "    def test_gate(self, vtc_gate, vtc_baseline): vtc_gate.check(vtc_baseline)\n",
    )
    found = bench.run(bench.replay(), workers)
    assert found.status == 0, found.text
    found.counts(passed=48 + 7, skipped=3)
    assert all(row["measured"] == row["expected"] for row in found.gates.values())
    assert found.verdicts["en-scramble-rewrite_rate"] == "pass"


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_own_gates_beside_the_benchmarks(bench, workers: str) -> None:
    bench.module("def test_own_gate(vtc_gate, vtc_baseline): vtc_gate.check(vtc_baseline)\n")
    found = bench.run(bench.replay("original"), workers)
    assert found.status == 1
    assert len(re.findall(r"FAILED \S+test_own_gate\[", found.text)) == 2
    assert len(re.findall(r"FAILED \S+test_gate\[", found.text)) == 2


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        (
            "suite='rewritng'",
            r"vtc marker: suite 'rewritng': did you mean 'rewriting'\? known: rewriting, ",
        ),
        ("suite=['rewriting', 'x']", r"vtc marker: suite 'x'"),
        ("lang='eng'", r"vtc marker: lang 'eng': did you mean 'en'\?"),
        ("lang=3", r"vtc marker: lang = 3: give a name or a list of names"),
        ("suit='rewriting'", r"vtc marker takes suite= and lang= only"),
        ("'rewriting'", r"vtc marker takes suite= and lang= only"),
    ],
)
def test_a_marker_that_names_nothing_is_an_error(bench, marker: str, said: str) -> None:
    alone(bench, OWN.replace('suite="rewriting", lang="en"', marker))
    found = bench.run(bench.replay())
    assert found.status not in (0, 5), found.text
    assert re.search(said, found.text), found.text


def test_a_marker_that_names_nothing_is_an_error_of_workers(bench) -> None:
    alone(bench, OWN.replace("rewriting", "rewritng", 1))
    found = bench.run(bench.replay(), "-n2")
    assert found.status not in (0, 5), found.text
    assert "suite 'rewritng': did you mean 'rewriting'?" in found.text


def test_scores_are_found_in_odd_node_ids(bench) -> None:
    """Groups of --dist loadgroup stand behind the id, folders may hold brackets."""
    folder = bench.path / "cases" / "x[y]"
    folder.mkdir()
    (bench.path / "cases" / "test_rewriting.py").rename(folder / "test_rewriting.py")
    (folder / "conftest.py").write_text(
        "import pytest\n\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for n, item in enumerate(items): item.add_marker(pytest.mark.xdist_group(f'g{n % 2}'))\n",
        encoding="utf-8",
    )
    for way in (["-n0"], ["-n2", "--dist=loadgroup"]):
        found = bench.run(bench.replay(leave_out=["doc-0001-scramble"]), *way)
        assert found.status == 1, found.text
        assert found.gates["en-scramble-failure_rate"]["measured"] == 3
        assert found.gates["en-random-failure_rate"]["measured"] == 4
        assert "gave no report" not in found.text


def test_without_syrupy_gates_are_errors(bench) -> None:
    found = bench.run(bench.replay(), "-p", "no:syrupy")
    assert found.status == 1
    assert "fixture 'snapshot' not found" in found.text


def test_a_marker_of_a_suite_that_was_not_chosen_deselects(bench) -> None:
    bench.module(OWN.replace("rewriting", "preservation").replace("vtc_case.suite", "'preservation'"))
    found = bench.run(bench.replay())
    assert found.status == 0
    assert found.result.parseoutcomes()["deselected"] == 1


def test_a_marker_of_one_language_takes_its_cases_and_gates(bench) -> None:
    text = "白鹭湾港务所决定封闭该码头的东侧泊位请绕行。"
    rows = [
        {"case": f"zh-0-{c}", "document": "zh-0", "lang": "zh", "condition": c, "original": text, "text": t}
        for c, t in (("original", text), ("random", text.replace("港务所决", "蕉桌鲸瓦")))
    ]
    english = bench.rows
    bench.manifest(rows, "rewriting-zh.jsonl")
    bench.rows = english + rows
    alone(bench, OWN + "\ndef test_gate(vtc_gate, vtc_baseline): vtc_gate.check(vtc_baseline)\n")
    found = bench.run(bench.replay())
    assert found.status == 0, found.text
    assert not any(case.startswith("zh") for case in found.results)
    assert {row["tier"].split("/")[1] for row in found.gates.values()} == {"en"}
    nearest = bench.module(OWN.replace("def test_acc", "@pytest.mark.vtc(lang=['zh'])\ndef test_acc"))
    assert nearest.exists()
    found = bench.run(bench.replay())
    assert set(found.results) == {"zh-0-original", "zh-0-random"}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_pages_may_be_looked_at_without_being_scored(bench, workers: str) -> None:
    """No gate waits for such a test, and it counts as no measurement lost."""
    alone(
        bench,
        "def test_page(vtc_case, vtc_page, vtc_renderer):\n"
        "    assert vtc_page.image.width > 100\n"
        "    assert [w.text for w in vtc_page.words] == vtc_case.reference.split()\n"
        "    assert vtc_renderer('Low tide', layout='faithc4', lang='en').words\n",
    )
    found = bench.run(bench.replay(), workers)
    assert found.status == 0, found.text
    found.counts(passed=12)
    assert found.results == {}


def test_model_and_response(bench) -> None:
    alone(
        bench,
        "def test_response(vtc_model, vtc_response, vtc_case):\n"
        "    assert vtc_model.reply(vtc_case.id).text == vtc_response.text == vtc_case.reference\n"
        "    assert vtc_response.outcome == 'complete'\n",
    )
    found = bench.run(bench.replay())
    assert found.status == 0, found.text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_registered_model_is_given_pictures_and_loaded_once_per_process(bench, workers: str) -> None:
    bench.module(
        "import os, pathlib\n"
        "from pytest_vtcfaith import Reply, register_model\n\n"
        "@register_model('mine', prompts=False, revision='1')\n"
        "class Mine:\n"
        "    def __init__(self):\n"
        "        with open(pathlib.Path(__file__).with_name(f'loaded-{os.getpid()}'), 'a') as file: file.write('x')\n"
        "    def transcribe(self, images, prompt):\n"
        "        (image,) = images\n"
        "        assert image.mode == 'RGB' and prompt.lang == 'en'\n"
        "        return [Reply(text=' '.join(f'word{n}' for n in range(30)))]\n",
        "conftest.py",
    )
    bench.thresholds("[[gate]]\nwhere = 'rewriting/*/scramble'\nmetric = 'word_accuracy'\nmax = 0.5\n")
    found = bench.run("--vtc-model=mine", workers)
    assert found.status == 0, found.text
    loaded = [p.read_text(encoding="utf-8") for p in (bench.path / "cases").glob("loaded-*")]
    assert set(loaded) == {"x"}
    again = bench.run("--vtc-model=mine", workers)
    assert again.status == 0
    assert all(row["cached"] for row in again.results.values())
    fresh = bench.run("--vtc-model=mine", workers, "--vtc-no-cache")
    assert not any(row["cached"] for row in fresh.results.values())


def test_expected_failures_under_runxfail_are_failures(bench) -> None:
    found = bench.run(bench.replay(change={"doc-0001-scramble": ""}), "--runxfail")
    assert found.status == 1
    assert re.search(r"^empty: .*the failure_rate gate decides", found.text, re.MULTILINE), found.text


def test_scores_of_a_model_without_a_revision_are_not_used_again(bench) -> None:
    """Nothing says that it still is the same model."""
    body = (
        "from pytest_vtcfaith import register_model\n\n"
        "@register_model('mine', prompts=False)\n"
        "class Mine:\n"
        "    def transcribe(self, images, prompt):\n"
        "        return ['word ' * 30 for _ in images]\n"
    )
    bench.module(body, "conftest.py")
    bench.thresholds("[[gate]]\nwhere = 'rewriting/*/scramble'\nmetric = 'word_accuracy'\nmax = 0.5\n")
    bench.run("--vtc-model=mine")
    found = bench.run("--vtc-model=mine", "-k", "gate")
    assert found.status != 0, found.text
    assert not any(verdict == "pass" for verdict in found.verdicts.values())
