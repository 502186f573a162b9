"""What reaches a model: every page of a long text, each at its own part of the budget of the model's own rule."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import pytest
from smallbench import ROOT, Bench

from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.texts.manifest import write_manifest

WORDS = ("low", "tide", "at", "the", "old", "pier", "is", "seven", "minutes", "past", "nine", "today")
LONG = " ".join(f"{WORDS[n % len(WORDS)]}{n}" for n in range(2400))
SHORT = " ".join(f"{WORDS[n % len(WORDS)]}{n}" for n in range(40))
FAMILY = "qwen2.5-vl"
MODEL = """
import hashlib, json, pathlib
from pytest_vtcfaith import Reply, register_model

HERE = pathlib.Path(__file__).parent

@register_model("mine", visual_tokens="qwen2.5-vl", prompts=False, revision="1", lives="LIVES")
class Mine:
    def __init__(self):
        self.known = json.loads((HERE / "known.json").read_text(encoding="utf-8"))
    def transcribe(self, images, prompt):
        replies = []
        for image in images:
            with open(HERE / "asked", "a") as file:
                file.write(f"{image.width}x{image.height}\\n")
            replies.append(Reply(**self.known[hashlib.sha256(image.tobytes()).hexdigest()]))
        return replies
"""
THRESHOLDS = """
[[gate]]
where = "preservation/*"
metric = "word_accuracy"
min = 0.9

[[gate]]
where = "preservation/*"
metric = "compression_ratio"
min = 2.4
max = 3

[suite.preservation]
max_inapplicable = 0.9
"""


class Reader:
    """A model that knows the pictures of a manifest's pages, and what it says to each."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.path = bench.path
        source = ROOT / "benchmark_cases" / "test_preservation.py"
        (bench.path / "cases" / "test_preservation.py").write_bytes(source.read_bytes())
        (bench.path / "cases" / "test_rewriting.py").unlink()
        (bench.path / "data" / "rewriting-en.jsonl").unlink()
        bench.thresholds(THRESHOLDS)
        self.lives()

    def lives(self, where: str = "worker") -> None:
        self.bench.module(MODEL.replace("LIVES", where), "conftest.py")

    def documents(self, *texts: tuple[str, str, int], **header: Any) -> None:
        rows = [
            {"document": name, "lang": "en", "source": "zerosense", "text": text, "n_text": n_text}
            for name, text, n_text in texts
        ]
        given = {"schema": "vtcfaith/preservation", "version": 1, "seed": None, "generator": "tests"}
        given |= {"licence": "CC0-1.0", "layouts": ["glyph"], "ratios": [2.5], "tokenizer": "none", **header}
        write_manifest(self.path / "data" / "preservation-en.jsonl", given, rows)

    def knows(self, **changes: dict[str, Any]) -> dict[str, list[Any]]:
        """Every page reads right, but for `changes` by case and page (`d_2`)."""
        suite = load_suite("preservation")
        spec = ModelSpec("mine", object, None, visual_tokens=FAMILY)
        known, pages = {}, {}
        for case in suite.cases(self.path / "data"):
            pages[case.document] = list(suite.request(case, spec).pages)
            for number, page in enumerate(pages[case.document], start=1):
                reply = {"text": page.text, "image_tokens": page.visual_tokens, "finish_reason": "stop"}
                known[hashlib.sha256(page.image.tobytes()).hexdigest()] = reply | changes.get(
                    f"{case.document}_{number}", {}
                )
        (self.path / "cases" / "known.json").write_text(json.dumps(known), encoding="utf-8")
        return pages

    @property
    def asked(self) -> list[str]:
        return (self.path / "cases" / "asked").read_text(encoding="utf-8").split()


@pytest.fixture
def reader(bench: Bench) -> Reader:
    return Reader(bench)


# --- several pages ---


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_long_text_is_asked_page_by_page(reader: Reader, workers: str) -> None:
    reader.documents(("long", LONG, 6000), ("short", SHORT, 300))
    pages = reader.knows()
    assert len(pages["long"]) > 1
    found = reader.bench.run("--vtc-model=mine", workers)
    assert found.status == 0, found.text
    long, short = (found.results[f"{name}-zerosense-glyph-2.5x"] for name in ("long", "short"))
    assert long["transcript"] == "\n".join(page.text for page in pages["long"])
    assert long["metrics"]["word_accuracy"] == 1.0
    assert long["metrics"]["pages"] == len(pages["long"])
    assert long["metrics"]["visual_tokens"] == sum(page.visual_tokens for page in pages["long"])
    assert "pages" not in short["metrics"]
    shapes = [f"{page.width}x{page.height}" for page in (*pages["long"], *pages["short"])]
    assert sorted(reader.asked) == sorted(shapes)
    again = reader.bench.run("--vtc-model=mine", workers)
    assert again.results["long-zerosense-glyph-2.5x"]["cached"] is True
    assert len(reader.asked) == len(shapes)


def test_a_failing_case_names_the_picture_of_every_page(reader: Reader) -> None:
    reader.documents(("long", LONG, 6000))
    reader.bench.thresholds(THRESHOLDS + "[[floor]]\nwhere = 'preservation/*'\nmetric = 'word_accuracy'\nmin = 1\n")
    pages = reader.knows()["long"]
    second = pages[1].text.split()
    second[3] = "wrong"
    reader.knows(long_2={"text": " ".join(second)})
    found = reader.bench.run("--vtc-model=mine")
    assert found.status == 1
    for number in range(1, len(pages) + 1):
        path = f"out/pages/mine-long-zerosense-glyph-2.5x-page{number}.png"
        assert f"  page {number}: {path}" in found.text
        from PIL import Image, ImageChops, ImageStat

        with Image.open(reader.path / path) as picture:  # as small as its share of the bytes of one failure takes
            shown, full = picture.convert("L"), [each.image.convert("L").resize(picture.size) for each in pages]
            apart = [ImageStat.Stat(ImageChops.difference(shown, each)).mean[0] for each in full]
            assert all(2 * apart[number - 1] < other for n, other in enumerate(apart, start=1) if n != number)
            assert number != 2 or picture.width == pages[1].width  # the one with the first wrong word can be read
    assert "-page1-word" not in found.text
    assert re.search(r"^  crop: out/pages/mine-long-zerosense-glyph-2.5x-word.png", found.text, re.MULTILINE)


def test_the_worst_page_rules(reader: Reader) -> None:
    reader.documents(("long", LONG, 6000))
    reader.knows(long_2={"finish_reason": "length"})
    found = reader.bench.run("--vtc-model=mine")
    row = found.results["long-zerosense-glyph-2.5x"]
    assert (row["outcome"], row["metrics"]["word_accuracy"]) == ("truncated", 0.0)


def test_a_replay_gives_the_whole_text_at_once(reader: Reader) -> None:
    reader.documents(("long", LONG, 6000))
    reader.bench.rows = [{"case": "long-zerosense-glyph-2.5x", "text": LONG}]
    found = reader.bench.run(reader.bench.replay())
    assert found.results["long-zerosense-glyph-2.5x"]["metrics"]["word_accuracy"] == 1.0


def test_a_model_in_a_host_is_asked_every_page(reader: Reader) -> None:
    reader.lives("host")
    reader.documents(("long", LONG, 6000), ("short", SHORT, 300))
    pages = reader.knows()
    found = reader.bench.run("--vtc-model=mine", fresh=True)
    assert found.status == 0, found.text
    row = found.results["long-zerosense-glyph-2.5x"]
    assert row["transcript"] == "\n".join(page.text for page in pages["long"])
    assert len(reader.asked) == len(pages["long"]) + 1


# --- the model's own rule ---


def test_the_budget_of_the_models_own_rule(reader: Reader) -> None:
    reader.documents(("fits", SHORT, 315), ("spends", SHORT + " more", 315), ("long", LONG, 6000))
    pages = reader.knows()
    too_many = {"image_tokens": pages["spends"][0].visual_tokens + 1}
    page = {"image_tokens": pages["long"][1].visual_tokens + 1}
    reader.knows(spends_1=too_many, long_2=page)
    found = reader.bench.run("--vtc-model=mine")
    outcomes = {case.partition("-")[0]: row["outcome"] for case, row in found.results.items()}
    assert outcomes == {"fits": "complete", "spends": "budget_not_applied", "long": "budget_not_applied"}
    row = found.results["fits-zerosense-glyph-2.5x"]["metrics"]
    assert row["compression_ratio"] == pytest.approx(315 / row["visual_tokens"])
    assert row["visual_tokens"] == pages["fits"][0].visual_tokens
    gate = found.gates["glyph-2.5x-zerosense-compression_ratio"]
    ratios = [row["metrics"]["compression_ratio"] for row in found.results.values()]
    assert gate["value"] == pytest.approx(sum(ratios) / 3)
    assert gate["verdict"] == "pass"


def test_a_ratio_out_of_reach_is_inapplicable_with_the_reason(reader: Reader) -> None:
    reader.documents(("fits", SHORT, 315), ratios=[2.5, 100.0])
    suite = load_suite("preservation")
    case = next(c for c in suite.cases(reader.path / "data") if c.params["ratio"] == 2.5)
    page = suite.request(case, ModelSpec("mine", object, None, visual_tokens=FAMILY)).page
    known = {hashlib.sha256(page.image.tobytes()).hexdigest(): {"text": page.text}}
    (reader.path / "cases" / "known.json").write_text(json.dumps(known), encoding="utf-8")
    found = reader.bench.run("--vtc-model=mine", "-rs")
    row = found.results["fits-zerosense-glyph-100x"]
    assert row["outcome"] == "inapplicable"
    assert (
        "qwen2.5-vl, page of 595x842, ratio 100 of 315 text tokens: the target is 3.15 visual tokens" in row["reason"]
    )
    assert found.gates["glyph-100x-zerosense-word_accuracy"]["verdict"] == "not_applicable"
    assert found.results["fits-zerosense-glyph-2.5x"]["outcome"] == "complete"
