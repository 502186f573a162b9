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
