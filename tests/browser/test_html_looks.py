"""What charts and tables show can be told apart without colour and without a mouse, on narrow screens and on paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_html import PRINTED, TIER, answer, case, html_run
from made_views import failure, verdict, view
from shown import opened, until

from pytest_vtcfaith.gating.regression import Regression
from pytest_vtcfaith.report.html import TierFound, write_html
from pytest_vtcfaith.suites import load_suite

LONG = [f"transformers-checkpoints-my-ocr-run7-step-{step}" for step in (1000, 2000)]


def tiers(names: list[str], *of: str, **metrics: float) -> list[TierFound]:
    return [TierFound(t.partition("/")[0], t, name, 4, 4, 0, {}, metrics) for name in names for t in of]


def shown(tab: Any, folder: Path, found: list[TierFound], *gates: Any) -> Any:
    models = list(dict.fromkeys(tier.model for tier in found))
    suites = {"suites": {}} if found[0].suite != "rewriting" else {}
    run = html_run([], folder, tiers=found, view=view(*gates, models=models), **suites)
    return opened(tab, write_html(folder, run))


def chart(page: Any, title: str) -> Any:
    return page.locator(".chart-box").filter(has=page.locator("h3", has_text=title))


@pytest.mark.parametrize("models", [LONG, [f"{'W' * 90}{n}" for n in range(2)]], ids=["checkpoints", "wide"])
def test_names_of_rows_stand_whole_and_inside_the_picture(tab: Any, tmp_path: Path, models: list[str]) -> None:
    found = tiers(models, "reasoning/mathematics/level-1", "reasoning/mathematics/level-2", answer_score=0.5)
    box = chart(shown(tab, tmp_path, found), "Answers (S_a)")
    rows = [text.replace(" ", "") for text in box.locator("text.own").all_text_contents()]
    assert rows == [f"{name},level{n}" for name in models for n in (1, 2)]
    outside = """svg => [...svg.querySelectorAll("text")].filter((text) => {
      const a = text.getBoundingClientRect(), b = svg.getBoundingClientRect();
      return a.left < b.left - 1 || a.right > b.right + 1 || a.bottom > b.bottom + 1 || a.top < b.top - 1; }).length"""
    assert box.locator("svg.chart").evaluate(outside) == 0


def test_places_of_bars_have_labels_that_differ_and_whole_names_below(tab: Any, tmp_path: Path) -> None:
    names = [f"other/an-operation-with-a-long-name-{n}-of-the-same-kind" for n in range(3)]
    run = html_run([], tmp_path, tiers=tiers(["m"], *names, rewrite_rate=0.5), suites=_borrowed())
    box = opened(tab, write_html(tmp_path, run)).locator(".chart-box").first
    ticks = [text for text in box.locator("svg.chart text.tick").all_text_contents() if "…" in text]
    assert len(set(ticks)) == len(ticks) == 3
    legend = box.locator(".legend").inner_text()
    assert all(name.partition("/")[2] in legend for name in names)


def _borrowed() -> dict[str, Any]:
    return {"other": load_suite("rewriting")}


LOOKS = """svg => [...svg.querySelectorAll("g[class^='series-']:has(> path.line)")].map((group) => {
  const mark = group.querySelector(":scope > g > :is(circle, rect, path:not(.interval, .halo))");
  const path = (mark.getAttribute("d") ?? "").replace(/^M[-\\d. ]+/, "");
  const dashes = group.querySelector(".line").getAttribute("stroke-dasharray");
  return [mark.tagName, path, mark.getAttribute("class"), dashes];
}).map(String)"""


@pytest.mark.parametrize("models", [2, 4, 9])
def test_lines_differ_without_colour(tab: Any, tmp_path: Path, models: int) -> None:
    of = [f"rewriting/{lang}/{kind}" for lang in ("en", "ko") for kind in ("scramble", "random", "visual")]
    names = [f"model-{n}" for n in range(models)]
    page = shown(tab, tmp_path, tiers(names, *of, **{"rewrite_rate@4": 0.5, "rewrite_rate@5": 0.25}))
    boxes = chart(page, "Rewritten words by length").all()
    looks = [box.locator("svg.chart").evaluate(LOOKS) for box in boxes]
    assert all(len(set(own)) == len(own) for own in looks)
    assert sum(map(len, looks)) == 6 * models
    labels = [text for box in boxes for text in box.locator(".legend li:has(path.line)").all_text_contents()]
    assert sorted(labels) == sorted(f"{name}, {k}" for name in names for k in ("scramble", "random", "visual") * 2)


def test_bars_of_several_series_have_a_shape_each(tab: Any, tmp_path: Path) -> None:
    page = shown(tab, tmp_path, tiers([f"model-{n}" for n in range(8)], TIER, rewrite_rate=0.5))
    boxes = chart(page, "Perturbed words rewritten").all()
    mark = "g => g.querySelector('g > :is(circle, rect, path)').outerHTML"
    shapes = [
        [one.evaluate(mark) for one in box.locator("svg.chart g[class^='series-']:has(> .bar)").all()] for box in boxes
    ]
    assert [len(own) for own in shapes] == [4, 4]
    assert all(len(set(own)) == 4 for own in shapes)


def test_names_of_published_lines_stand_at_their_ends(tab: Any, tmp_path: Path) -> None:
    of = [f"preservation/glyph/{ratio}x/natural" for ratio in ("5", "7.5", "10", "17.5")]
    page = shown(tab, tmp_path, tiers(["m"], *of, word_accuracy=0.95))
    found = chart(page, "Word accuracy").evaluate("""box => {
      const plain = (text) => text.replaceAll(" ", "");
      const names = [...box.querySelectorAll("text.end")].map((t) => [plain(t.textContent), t.getBoundingClientRect()]);
      return [...box.querySelectorAll("g.published:has(> .line)")].map((g) => {
        const last = [...g.querySelectorAll("circle")].at(-1);
        const told = last.parentNode.querySelector("title").textContent.split(/, \\d/)[0].replaceAll(" ", "");
        const [, label] = names.find(([name]) => name === told), end = last.getBoundingClientRect();
        return [told, label.left - end.right, Math.abs(label.top + label.bottom - end.top - end.bottom) / 2];
      });
    }""")
    assert len(found) == 8
    assert all(0 <= right < 12 and off < 60 for _, right, off in found), found


def test_the_table_has_values_intervals_counts_and_limits(tab: Any, tmp_path: Path) -> None:
    read = [PRINTED.replace("hafbcur", "harbour"), PRINTED, PRINTED.replace("sewen", "seven")]
    answers = [answer(case(f"doc-{n}-visual", document=f"doc-{n}"), text) for n, text in enumerate(read)]
    gate = verdict("fail", tier=TIER, value=1 / 3, low=0.0, high=0.5, max=0.05)
    page = opened(tab, write_html(tmp_path, html_run(answers, tmp_path, view=view(gate))))
    for title, count in (
        ("Perturbed words rewritten", "6 perturbed words"),
        ("Rewritten words by length", "3 perturbed"),
    ):
        box = chart(page, title)
        box.locator("summary").click()
        cells = " | ".join(box.locator("tbody tr").first.locator("td").all_text_contents())
        assert count in cells, cells
    box = chart(page, "Perturbed words rewritten")
    cell = box.locator("tbody td").first.inner_text().split()
    assert " ".join(cell) == "0.3333 (0 to 0.5) 6 perturbed words at most 0.05"
    assert box.locator("svg.chart g[class^='series-'] title").first.text_content().endswith("6 perturbed words")


def test_a_gates_picture_says_verdict_interval_and_limit(tab: Any, tmp_path: Path) -> None:
    gate = verdict("fail", tier=TIER, metric="rewrite_rate", value=0.125, low=0.05, high=0.2, max=0.1)
    page = opened(tab, write_html(tmp_path, html_run([answer(case(), PRINTED)], tmp_path, view=view(gate))))
    said = page.locator(".card svg.bullet").get_attribute("aria-label")
    assert said == "fail, rewrite rate 0.125, interval 0.05 to 0.2, must be ≤ 0.1"


@pytest.mark.parametrize("hash", ["", "#cases"])
def test_long_tiers_and_models_fit_a_phone(tab: Any, tmp_path: Path, hash: str) -> None:
    tier = "preservation/template-a-very-long-name-of-a-layout/17.5x/natural-at-zerosense-of-somebody/200-400"
    answers = [answer(case(tier=tier, parts=(f"{tier}/{'x' * 90}",)), PRINTED.replace("sewen", "seven"))]
    run = html_run(answers, tmp_path, tiers=tiers(LONG, tier, word_accuracy=0.5), view=view(models=LONG))
    tab.set_viewport_size({"width": 360, "height": 800})
    page = opened(tab, write_html(tmp_path, run), hash)
    until(page, "!document.querySelector('.wait')")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    if hash:
        assert page.locator("#filters select").first.bounding_box()["width"] < 340


@pytest.mark.parametrize("hash", ["", "#cases", "#case=m-doc-1-visual"], ids=["overview", "list", "case"])
@pytest.mark.parametrize("width", [360, 1360])
def test_names_without_a_break_fit(tab: Any, tmp_path: Path, hash: str, width: int) -> None:
    names = ["m" + letter * 154 for letter in "abcdefgh"]
    tier, edits = f"rewriting/en/{'v' * 90}", [f"editing/{part}/delete/en" for part in ("text", "table")]
    of = case(tier=tier)
    read = PRINTED.replace("hafbcur", "harbour")
    answers = [replace(answer(of, read), ask=f"{name}-{of.id}", model=name) for name in names]
    answers.append(answer(of, read))
    found = tiers(names, tier, TIER, *edits, "preservation/glyph/5x/natural", rewrite_rate=0.5, word_accuracy=0.5)
    lost = Regression(0.1, 0.05, False, True, 0.95, 0.05, 0.3, 24, 3, 0.1, 1.0)
    gates = [
        verdict("fail", gate=f"{name}-{metric}", tier=tier, model=name, metric=metric, value=0.5, **more)
        for name in names
        for metric, more in (
            ("rewrite_rate", {}),
            ("word_accuracy", {}),
            ("loop_rate", {"regression": lost, "baseline": 0.6, "max": None}),
        )
    ]
    failures = [failure(f"x.py::test_case[{name}-{of.id}]", message=name) for name in names]
    shown = view(*gates, models=names, failures=failures, problems=names[:2], notes=names[:2])
    about = {"models": [{"model": name, "name": name, "adapter": name, "revision": name} for name in names]}
    tab.set_viewport_size({"width": width, "height": 800})
    index = write_html(tmp_path, html_run(answers, tmp_path, tiers=found, view=shown, about=about))
    page = opened(tab, index, hash)
    until(page, "!document.querySelector('.wait')")
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wider = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.ariaLabel)"
    if width > 360:
        assert page.locator(".wide").evaluate_all(wider) == []


def test_models_in_tables_are_short_and_differ(tab: Any, tmp_path: Path) -> None:
    answers = [answer(case(f"doc-{n}-visual"), PRINTED) for n in range(2)]
    for of, name in zip(answers, LONG, strict=True):
        object.__setattr__(of, "model", name)
    run = html_run(answers, tmp_path, tiers=tiers(LONG, TIER, rewrite_rate=0.0), view=view(models=LONG))
    page = opened(tab, write_html(tmp_path, run), "#cases")
    page.wait_for_selector("td.model")
    assert sorted(page.locator("td.model").all_inner_texts()) == ["…1000", "…2000"]
    assert page.locator("td.model").first.bounding_box()["width"] > 150
    assert {page.locator("td.model span").nth(n).get_attribute("title") for n in range(2)} == set(LONG)


def test_texts_say_their_language_and_name_fonts_for_it(tab: Any, tmp_path: Path) -> None:
    words = "고양이가 창가에 앉아"
    of = case(lang="ko", tier="rewriting/ko/visual", text=words, params=case().params | {"original": words})
    gate = verdict("fail", tier=of.tier, value=0.1)
    answers = [answer(of, words.replace("창가", "장가"))]
    index = write_html(tmp_path, html_run(answers, tmp_path, view=view(gate)))
    fonts = "(e) => getComputedStyle(e).fontFamily"
    for hash, name in (("", ".worst .words"), ("#cases", "td.words"), (f"#case={answers[0].ask}", ".diff")):
        page = opened(tab, index, hash)
        page.reload()
        page.wait_for_selector(name)
        assert page.locator(name).first.get_attribute("lang") == "ko"
        family = page.locator(f"{name} del").first.evaluate(fonts)
        assert family.index("Malgun Gothic") < family.index("Noto Sans CJK SC") < family.index("monospace", 20)
    assert page.locator(".tip q").first.get_attribute("lang") == "ko"


def test_cards_stand_two_beside_another_on_paper_and_legends_beside_charts(tab: Any, tmp_path: Path) -> None:
    gates = [verdict("fail", gate=f"g{n}", tier=TIER, value=0.125, low=0.05, high=0.2) for n in range(8)]
    answers = [answer(case(), PRINTED.replace("sewen", "seven"))]
    tab.set_viewport_size({"width": 703, "height": 980})
    tab.emulate_media(media="print")
    page = opened(tab, write_html(tmp_path, html_run(answers, tmp_path, view=view(*gates))))
    first, second = (page.locator(".card").nth(n).bounding_box() for n in (0, 1))
    assert first["y"] == second["y"]
    assert second["x"] > first["x"] + first["width"]
    box = page.locator(".chart-box").first
    picture, legend = box.locator("svg.chart").bounding_box(), box.locator(".legend").bounding_box()
    assert legend["x"] >= picture["x"] + picture["width"]
    assert box.bounding_box()["height"] < 330  # three on a page


def test_a_limit_of_a_line_stands_at_its_own_point_in_the_colour_of_limits(tab: Any, tmp_path: Path) -> None:
    of = [f"preservation/glyph/{ratio}x/natural" for ratio in ("5", "10")]
    gate = verdict("pass", tier=of[0], model=LONG[1], metric="word_accuracy", value=0.95, min=0.9, max=None)
    box = chart(shown(tab, tmp_path, tiers(LONG, *of, word_accuracy=0.95), gate), "Word accuracy")
    limit = box.locator("svg.chart g.limit line").bounding_box()
    marks = [box.locator(f"svg.chart g.series-{n} > g > :is(circle, rect)").first.bounding_box() for n in (0, 1)]
    other, own = (mark["x"] + mark["width"] / 2 for mark in marks)
    assert limit["x"] <= own <= limit["x"] + limit["width"]
    assert not limit["x"] <= other <= limit["x"] + limit["width"]
    assert box.locator("svg.chart g.limit[class*=series]").count() == 0


def test_a_mean_that_is_marked_names_the_tiers_that_did_not_pass(tab: Any, tmp_path: Path) -> None:
    names = [f"editing/{part}/delete/en" for part in ("text", "table")]
    found = [
        TierFound("editing", name, "m", 4, 4, 0, {}, {"visual_fidelity": value}, {"visual_fidelity": {"d": sums}})
        for name, value in zip(names, (0.45, 0.65), strict=True)
        for sums in ({"visual_fidelity": 4 * value, "visual_fidelity#": 4.0},)
    ]
    gates = [
        verdict(word, gate=name, tier=name, metric="visual_fidelity", value=value, min=0.5, max=None)
        for word, name, value in zip(("fail", "pass"), names, (0.45, 0.65), strict=True)
    ]
    run = html_run([], tmp_path, tiers=found, view=view(*gates), suites={"editing": load_suite("editing")})
    box = chart(opened(tab, write_html(tmp_path, run)), "Properties of an edit")
    tip = box.locator("g:has(> .bar.bad) title").text_content()
    assert tip == "delete, visual fidelity, 0.55, (0.55 to 0.55), 8 edits, ✖ text delete en 0.45 (at least 0.5)"
    box.locator("summary").click()
    assert "✖ text delete en 0.45 (at least 0.5)" in box.locator("tbody tr").first.inner_text()
    assert "table delete" not in box.inner_text()
