"""Banner and links of the report in a real browser: what a limited run says, where links lead, and what was read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_html import PRINTED, TIER, answer, case, html_run
from made_views import failure, verdict, view
from shown import opened

from pytest_vtcfaith.report.html import Answer, write_html
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.texts.tasks.prompts import written

REWRITTEN = PRINTED.replace("hafbcur", "harbour")


def test_a_run_on_a_few_documents_is_not_green(tab: Any, tmp_path: Path) -> None:
    shown = view(verdict(tier=TIER), limit=2)
    page = opened(tab, write_html(tmp_path, html_run([answer(case(), PRINTED)], tmp_path, view=shown)))
    assert page.locator("h1").inner_text() == "Faithfulness of m: limited, no release verdict"
    assert page.title().startswith("Limited, no release verdict")
    assert page.locator(".band.green").count() == 0
    assert page.locator(".band.limited .sign").inner_text() == "◔"
    colour = "getComputedStyle(document.querySelector('.band strong')).color"
    limited = page.evaluate(colour)
    page.evaluate("document.querySelector('.band').className = 'band green'")
    assert page.evaluate(colour) != limited


@pytest.mark.parametrize("models", [["m"], ["m", "other"]])
def test_links_to_a_tier_stay_with_the_model(tab: Any, tmp_path: Path, models: list[str]) -> None:
    of = case()
    answers = [replace(answer(of, REWRITTEN), model=name, ask=f"{name}-{of.id}") for name in models]
    bad = verdict("fail", tier=TIER, model="m")
    about_all = verdict("fail", tier=TIER, model="all", gate="all-glyph")
    shown = view(bad, about_all, models=models, failures=[failure("x.py::test_case[m-doc-1-visual]")])
    run = html_run(answers, tmp_path, view=shown)
    index = write_html(tmp_path, replace(run, tiers=[replace(run.tiers[0], model=name) for name in models]))
    wanted = "#cases?tier=rewriting%2Fen%2Fvisual" + ("&model=m" if len(models) > 1 else "")
    page = opened(tab, index, "#case=m-doc-1-visual")
    page.wait_for_selector(".verdict a")
    assert page.locator(".verdict a").get_attribute("href") == wanted
    page = opened(tab, index)
    assert page.locator("#tiers ~ * th a").first.get_attribute("href") == wanted
    cards = [a.get_attribute("href") for a in page.locator(".worst p a").all()]
    assert cards[0] == wanted
    assert all("model=all" not in link for link in cards)


@pytest.mark.parametrize("cases", [1, 2])
def test_a_card_says_what_is_wrong_with_its_cases(tab: Any, tmp_path: Path, cases: int) -> None:
    said = "<b>the page was changed beyond the edit</b> (preservation_outside 0.5)"
    answers = [answer(case(f"doc-{n}-visual"), REWRITTEN) for n in range(cases)]
    shown = view(verdict("fail", tier=TIER), failures=[failure("x.py::test_case[m-doc-0-visual]", message=said)])
    page = opened(tab, write_html(tmp_path, html_run(answers, tmp_path, view=shown)))
    head = "The case that lost something:" if cases == 1 else "All 2 cases that lost something, worst first:"
    assert page.locator(".worst p").inner_text() == head
    told = page.locator(".worst li").first.inner_text()
    assert told.startswith(f"doc-0-visual: {said}")
    assert "harbour" in told


def test_one_word_has_one_number(tab: Any, tmp_path: Path) -> None:
    bad = answer(case(), REWRITTEN.replace("counted", "counter"))
    shown = view(failures=[failure("x.py::test_case[m-doc-1-visual]")])
    page = opened(tab, write_html(tmp_path, html_run([bad], tmp_path, view=shown)), "#case=m-doc-1-visual")
    page.wait_for_selector(".key-of-words")
    told = [item.inner_text() for item in page.locator(".key-of-words li").all()]
    assert told == ["◆ 1 rewritten, 1 of them perturbed", "≈ 1 close, none of them perturbed"]
    assert "count the 2 perturbed words only" in page.locator("[aria-labelledby=metrics]").inner_text()


@pytest.mark.parametrize("text", [None, "", " \n\t", "\u3000"])
def test_a_reply_without_text_is_said(tab: Any, tmp_path: Path, text: str | None) -> None:
    page = opened(
        tab, write_html(tmp_path, html_run([answer(case(), text, "empty")], tmp_path)), "#case=m-doc-1-visual"
    )
    page.wait_for_selector("#text")
    assert page.locator("[aria-labelledby=text]").inner_text().split("\n")[-1] == "The model gave no text."


def test_a_drawn_solution_stands_beside_a_valid_one(tab: Any, tmp_path: Path) -> None:
    suite = load_suite("reasoning")
    of = next(one for one in suite.cases() if one.params["kind"] == "facts")
    steps = [step["text"] for step in of.params["steps"]]
    read = {"text": written((steps[0].replace("a bird", "a fish"), *steps[1:-1]), of.params["answer"]["text"])}
    row = {"case": of.id, "outcome": "complete", "metrics": {}, "transcript": None, "read": read}
    shown = view(failures=[failure(f"x.py::test_case[m-{of.id}]")])
    run = html_run([answer(case(), PRINTED)], tmp_path, view=shown, suites={"reasoning": suite})
    run = replace(run, tiers=[], answers=[Answer(f"m-{of.id}", "m", of, row)])
    page = opened(tab, write_html(tmp_path, run), f"#case=m-{of.id}")
    page.wait_for_selector("#compared")
    rows = [
        [cell.inner_text() for cell in line.locator("th, td").all()]
        for line in page.locator("[aria-labelledby=compared] tbody tr").all()
    ]
    assert rows[0][0] == "step 1"
    assert rows[0][1].startswith("✕ wrong ")
    assert rows[0][2:] == [steps[0], steps[0].replace("a bird", "a fish")]
    assert rows[1] == ["step 2", "✔ valid", steps[1], steps[1]]
    assert rows[-2] == [f"step {len(steps)}", "○ not written", steps[-1], "nothing"]
    assert page.locator("#text").count() == 0  # what was read stands there, no transcript
    assert rows[-1] == ["answer", "✔ right", of.params["answer"]["text"], of.params["answer"]["text"]]


def test_an_edit_is_compared_word_by_word(tab: Any, tmp_path: Path) -> None:
    suite = load_suite("editing")
    of = next(one for one in suite.cases() if one.lang == "en")
    read = {
        "region_expected": "62 North",
        "region": "62 Nort <i>x</i>",
        "outside_expected": "a 62 North\nb",
        "outside": "a\nb",
    }
    row = {"case": of.id, "outcome": "complete", "metrics": {}, "transcript": None, "read": read}
    run = html_run([answer(case(), PRINTED)], tmp_path, suites={"editing": suite})
    shown = view(failures=[failure(f"x.py::test_case[m-{of.id}]")])
    page = opened(
        tab,
        write_html(tmp_path, replace(run, view=shown, tiers=[], answers=[Answer(f"m-{of.id}", "m", of, row)])),
        f"#case=m-{of.id}",
    )
    page.wait_for_selector("#compared")
    part = page.locator("[aria-labelledby=compared]")
    assert [head.inner_text() for head in part.locator("h3").all()] == [
        "Edited region",
        "Page outside the edited region",
    ]
    assert part.locator(".word.close del").first.inner_text() == "North"
    assert part.locator(".word.close ins").first.inner_text() == "Nort"
    assert part.locator(".word.added ins").inner_text() == "<i>x</i>"
    assert part.locator(".word.missing del").inner_text() == "62 North"
    assert "◆" not in part.inner_text()
    assert part.locator(".diff").last.text_content().endswith("\nb ")  # a block begins at the left edge
