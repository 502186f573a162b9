"""The report on paper: whole, without controls, dark colours and what only a pointer reaches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_html import PRINTED, TIER, answer, case, html_run
from made_views import failure, verdict, view
from shown import opened, until

from pytest_vtcfaith.report.html import write_html


@pytest.fixture
def red(tmp_path: Path) -> Path:
    bad = answer(case("doc-0-visual", document="doc-0"), PRINTED.replace("hafbcur", "harbour"))
    good = [answer(case(f"doc-{n}-visual", document=f"doc-{n}"), PRINTED) for n in range(1, 150)]
    message = "rewrite_rate = 0.125 > 0.05"
    gates = [verdict("fail", tier=TIER, value=0.125, low=0.05, high=0.2, message=message) for _ in range(12)]
    tests = [failure("test_rewriting.py::test_case[m-doc-0-visual]", message="rewrite_rate 0.5 > 0.1")]
    return write_html(tmp_path, html_run([*good, bad], tmp_path, view=view(*gates, failures=tests)))


HIDDEN = ("header", ".near", ".pager", "#filters", ".open", ".skip")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("hash", ["", "#cases?q=doc-1", "#case=m-doc-0-visual"])
def test_paper_is_white_and_has_no_controls(tab: Any, red: Path, hash: str, scheme: str) -> None:
    tab.emulate_media(color_scheme=scheme, media="print")
    page = opened(tab, red, hash)
    until(page, "!document.querySelector('.wait')")
    for name in HIDDEN:
        assert not any(one.is_visible() for one in page.locator(name).all()), name
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    ink = page.evaluate("getComputedStyle(document.querySelector('main h1')).color")
    assert ink == "rgb(0, 0, 0)"


def test_the_list_on_paper_is_what_the_filter_leaves(tab: Any, red: Path) -> None:
    page = opened(tab, red, "#cases?q=doc-1")
    page.wait_for_selector("#count")
    shown = page.locator("#count").inner_text()
    page.goto(f"file://{red}#cases")
    until(page, "document.querySelectorAll('.cases tbody tr').length === 100")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".cases tbody tr").count() == 150
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".cases tbody tr").count() == 100
    page.goto(f"file://{red}#cases?q=doc-0")
    until(page, "document.querySelectorAll('.cases tbody tr').length === 1")
    assert shown == "61 of 150 cases"
    assert page.pdf().startswith(b"%PDF")


PAPER = {"width": 703, "height": 980}
"""A page of A4 within its margins, in the pixels of the browser."""


@pytest.mark.parametrize("hash", ["", "#cases", "#case=m-doc-0-visual"])
def test_nothing_is_wider_or_taller_than_the_paper(tab: Any, red: Path, hash: str) -> None:
    tab.set_viewport_size(PAPER)
    tab.emulate_media(media="print")
    page = opened(tab, red, hash)
    until(page, "!document.querySelector('.wait')")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER["width"]
    whole = page.locator(".card, .chart-box, .page, .sheet, tr, .band")
    for box in (one.bounding_box() for one in whole.all()):
        assert box is None or box["height"] <= PAPER["height"]
        assert box is None or box["x"] + box["width"] <= PAPER["width"]
    assert whole.evaluate_all("all => all.every((one) => getComputedStyle(one).breakInside === 'avoid')") or hash
    if hash == "#case=m-doc-0-visual":
        word = page.locator(".word.rewritten")
        assert word.locator(".shape").is_visible()
        sheet, mark = page.locator(".sheet").bounding_box(), page.locator(".box.rewritten").bounding_box()
        assert sheet["x"] < mark["x"] < mark["x"] + mark["width"] < sheet["x"] + sheet["width"]
        picture = page.locator(".sheet img").bounding_box()
        assert abs(picture["width"] - sheet["width"]) < 4
