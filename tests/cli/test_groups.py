"""`vtcfaith groups`: a real run of pytest with down-sampling and two methods, frozen, compared, gated and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.suites.compression_cases import compression_cases
from pytest_vtcfaith.suites.compression_groups import read_groups
from pytest_vtcfaith.texts.manifest import write_manifest
from pytest_vtcfaith.texts.questions.build import build_questions

MODULE = """
import pytest

pytestmark = pytest.mark.vtc(suite="compression")


def test_case(vtc_case, vtc_score):
    vtc_score.check()


def test_gate(vtc_gate, vtc_baseline):
    vtc_gate.check(vtc_baseline)
"""
# Answerers that know the answers by the question and look at nothing but the width of the picture
CONFTEST = """
import json
from pathlib import Path

from pytest_vtcfaith import register_model

ROWS = [json.loads(line) for line in Path("cases/q.jsonl").read_text(encoding="utf-8").split("\\n")[1:-1]]
KNOWN = {}
for row in ROWS:
    for question in row["questions"]:
        KNOWN.setdefault(question["question"], []).append((row, question))


def find(image, question, factors):
    for row, found in KNOWN[question]:
        for factor in factors:
            width, height = row["page"]["width"], row["page"]["height"]
            if image.size == ((width, height) if factor == 1 else (round(width / factor), round(height / factor))):
                return factor, row["document"], found["answers"][0]
    raise AssertionError(question)


class Base:
    # charts and tables need the full size; the second page of each kind is never read at 4x
    def answer(self, images, questions):
        return [self.one(image, question) for image, question in zip(images, questions)]

    def one(self, image, question):
        factor, document, right = find(image, question, (1, 2, 4))
        hard = "chart" in document or "table" in document
        return "?" if factor > 1 and hard or factor == 4 and document.endswith("2") else right


register_model("base", revision="1")(Base)


@register_model("sharp", revision="1", keep_ratio=0.25, base="base")
class Sharp:
    # a method that reads the hard pages too
    def answer(self, images, questions):
        return [find(image, question, (1,))[2] for image, question in zip(images, questions)]


@register_model("blunt", revision="1", keep_ratio=0.25, base="base")
class Blunt(Base):
    # a method that only answers what down-sampling answers
    def one(self, image, question):
        _, document, right = find(image, question, (1,))
        return "?" if "chart" in document or "table" in document else right


@register_model("nobodys", revision="1", keep_ratio=0.25)
class Nobodys(Sharp):
    # a method that does not say what it compresses
    pass
"""
THRESHOLDS = """
[suite.compression]
max_inapplicable = 0.85

[[gate]]
where = "compression/full"
metric = "accuracy_difficult"
min = 0.5

[[gate]]
where = "compression/*"
metric = "accuracy"
min = 0.0
"""
PAGES = 6


def cli(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.fixture
def bench(pytester: pytest.Pytester) -> pytest.Pytester:
    draft = build_questions(seed=3, factors=(2, 4), pages=PAGES)
    (pytester.path / "cases").mkdir()
    write_manifest(pytester.path / "cases" / "q.jsonl", draft.header, draft.rows)
    (pytester.path / "thresholds.toml").write_text(THRESHOLDS, encoding="utf-8")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_q=MODULE)
    return pytester


def run(bench: pytest.Pytester, report: str, *models: str) -> tuple[int, str]:
    options = [f"--vtc-model={model}" for model in models]
    found = bench.runpytest_subprocess(
        "-p", "no:randomly", "--vtc-cases=cases", "--vtc-thresholds=thresholds.toml", f"--vtc-report={report}", *options
    )
    return int(found.ret), "\n".join(found.outlines)


def test_freeze_compare_and_gate(bench: pytest.Pytester) -> None:
    code, _ = run(bench, "first", "base")
    assert code == 1  # accuracy_difficult was not measured at full size: base is no method
    for out in ("cases/x.groups.json", "again.json"):
        assert "2x: paper: 48 difficult, 48 simple; code: 48 difficult, 48 simple" in cli(
            "groups", "freeze", "first/results.jsonl", "--vtc-cases", "cases", "--out", out
        )
    assert Path("cases/x.groups.json").read_bytes() == Path("again.json").read_bytes()
    frozen = read_groups(Path("again.json"))
    assert (frozen.model, frozen.adapter, frozen.visual_tokens) == ("base", "registered:base", "nominal")
    assert list(frozen.manifests) == ["q.jsonl"]

    sharp, text = run(bench, "second", "base", "sharp", "blunt", "nobodys")
    gates = {
        (gate["model"], gate["metric"], gate["tier"]): gate
        for gate in json.loads(Path("second/gates.json").read_text())
    }
    difficult = {name: gates[name, "accuracy_difficult", "compression/full"] for name in ("sharp", "blunt")}
    assert (difficult["sharp"]["verdict"], difficult["sharp"]["value"]) == ("pass", 1.0), text
    assert (difficult["blunt"]["verdict"], difficult["blunt"]["value"]) == ("fail", 0.0)
    assert gates["sharp", "accuracy", "compression/downsample/2x"]["verdict"] == "not_applicable"
    assert sharp == 1

    asked = ("groups", "compare", "second", "--groups", "cases/x.groups.json", "--vtc-cases", "cases", "--factor", "2")
    assert json.loads(cli(*asked, "--method", "sharp"))["verdict"] == "better"
    found = json.loads(cli(*asked, "--method", "blunt"))
    assert found["verdict"] == "not better"
    assert found["difficult"] == {"questions": 48, "method": 0.0, "downsample": 0.0}
    assert "those of 'base', not of 'nobodys'" in cli(*asked, "--method", "nobodys", code=2)
    assert "96 cases are inapplicable to nobodys: the frozen groups are those of 'base'" in text
    assert "no frozen groups at 3x" in cli(*asked[:-1], "3", "--method", "sharp", code=2)
    assert "choose one of paper, code" in cli(*asked, "--method", "sharp", "--definition", "x", code=2)


def test_what_cannot_be_frozen(bench: pytest.Pytester) -> None:
    run(bench, "both", "base", "sharp")
    freeze = ("groups", "freeze", "both", "--vtc-cases", "cases", "--out", "x.json")
    assert "several models: choose with --model one of base, sharp" in cli(*freeze, code=2)
    assert "was not measured: groups need every question" in cli(*freeze, "--model", "sharp", code=2)
    assert "is not one of the manifests" in cli(*freeze[:3], "--out", "x.json", "--model", "base", code=2)
    assert not Path("x.json").exists()


def test_published_results_are_replayed(tmp_path: Path, pytester: pytest.Pytester) -> None:
    """Three questions; at 2x one reply is wrong and one is missing."""
    replies = {"1": ("red", "red", "red"), "2": ("red", "blue", None)}
    for budget, given in replies.items():
        folder = tmp_path / "Data" / "Qwen2-VL" / "Downsample" / budget
        folder.mkdir(parents=True)
        lines = [
            {"doc_id": n, "doc": {"id": str(n), "question": f"Colour {n}?", "answer": "red"}, "filtered_resps": [reply]}
            for n, reply in enumerate(given)
        ]
        (folder / "1_samples_gqa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    data, cases = tmp_path / "Data", pytester.path / "cases"
    asked = ("--dataset", "gqa", "--results", data / "Qwen2-VL" / "Downsample" / "1", "--factor", "2")
    assert "3 rows of 3 documents" in cli("build", "questions", *asked, "--out", cases / "gqa.jsonl")
    assert len(compression_cases(cases)) == 6
    printed = cli(
        *("groups", "replay", data, "--model", "qwen2-vl", "--method", "downsample", "--budget", "1", "--budget", "2"),
        *("--vtc-cases", cases, "--out", pytester.path / "q.jsonl"),
    )
    assert "6 replies, 1 of them missing" in printed
    fastv = (
        "groups",
        "replay",
        data,
        "--model",
        "Qwen2-VL",
        "--method",
        "FastV",
        "--budget",
        "0.25",
        "--budget",
        "0.04",
    )
    message = "several budgets of FastV answer the same cases"
    assert message in cli(*fastv, "--vtc-cases", cases, "--out", "x.jsonl", code=2)
    (pytester.path / "thresholds.toml").write_text(
        '[[gate]]\nwhere = "compression/*"\nmetric = "missing_rate"\nmax = 1.0\n'
        '[[gate]]\nwhere = "compression/*"\nmetric = "failure_rate"\nmax = 1.0\n'
        '[[gate]]\nwhere = "compression/*"\nmetric = "accuracy"\nmin = 0.5\n',
        encoding="utf-8",
    )
    pytester.makepyfile(test_q=MODULE)
    code, text = run(pytester, "report", "replay:q.jsonl")
    gates = {(gate["tier"], gate["metric"]): gate for gate in json.loads(Path("report/gates.json").read_text())}
    assert gates["compression/full", "accuracy"]["value"] == 1.0, text
    assert gates["compression/downsample/2x", "accuracy"]["value"] == pytest.approx(1 / 3)
    assert gates["compression/downsample/2x", "missing_rate"]["value"] == pytest.approx(1 / 3)
    assert code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--dataset", "gqa"), "needs its --items"),
        (("--items", "x"), "give --dataset NAME"),
        (("--dataset", "gqa", "--items", "nowhere"), "there is no such file"),
        (("--factor", "1"), "factors"),
    ],
)
def test_what_a_builder_can_mend(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in cli("build", "questions", *arguments, "--out", tmp_path / "q.jsonl", code=2)
