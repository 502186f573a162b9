"""Banner and links of the report in a real browser: what a limited run says, and where links lead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_html import PRINTED, TIER, answer, case, html_run
from made_views import failure, verdict, view
from shown import opened

from pytest_vtcfaith.report.html import write_html

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
