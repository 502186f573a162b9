from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy, zscore

from pytest_vtcfaith.metrics.layout_statistics import (
    VISUAL,
    Element,
    LayoutStatistics,
    PageLayout,
    density_by_kind,
    layout_statistics,
    standard_scores,
)

KINDS = ("text", "title", "table", "image", "footer_image")
boxes = st.tuples(*[st.integers(0, 100)] * 4)
pages = st.lists(
    st.builds(
        PageLayout,
        st.integers(50, 200),
        st.integers(50, 200),
        st.lists(st.builds(Element, st.sampled_from(KINDS), boxes), max_size=6).map(tuple),
    ),
    min_size=1,
    max_size=5,
)


def test_two_pages_by_hand() -> None:
    first = PageLayout(
        100, 100, (Element("text", (0, 0, 50, 40)), Element("text", (0, 50, 50, 60)), Element("table", (0, 60, 50, 90)))
    )
    second = PageLayout(200, 100, (Element("title", (0, 0, 100, 20)),))
    found = layout_statistics([first, second])
    assert found.density == pytest.approx((0.2 + 0.05 + 0.15 + 0.1) / 2)
    assert (found.complexity, found.richness) == (1.5, 2.0)
    assert found.entropy == pytest.approx(1.5)  # 2, 1, 1 of 4
    assert found.visual_ratio == pytest.approx(0.15 / 0.5)
    assert found.text_ratio == pytest.approx(0.35 / 0.5)
    assert density_by_kind([first, second]) == pytest.approx({"table": 0.075, "text": 0.125, "title": 0.05})


@given(pages)
def test_against_numpy_and_scipy(layouts: list[PageLayout]) -> None:
    found = layout_statistics(layouts)

    def covered(page: PageLayout, kind: str) -> float:
        sides = [(b[2] - b[0], b[3] - b[1]) for k, b in page.elements if k == kind]
        return sum(abs(across * down) for across, down in sides) / (page.width * page.height)

    areas = {kind: np.mean([covered(page, kind) for page in layouts]) for kind in KINDS}
    counts = np.array([sum(e.kind == kind for page in layouts for e in page.elements) for kind in KINDS])
    assert found.density == pytest.approx(sum(areas.values()))
    assert found.richness == pytest.approx(counts.sum() / len(layouts))
    assert found.complexity == pytest.approx(np.mean([len({e.kind for e in page.elements}) for page in layouts]))
    assert found.entropy == pytest.approx(entropy(counts, base=2) if counts.sum() else 0.0)
    assert math.copysign(1, found.entropy) == 1
    if found.visual_ratio is None:
        assert not sum(areas.values())
    else:
        share = sum(value for kind, value in areas.items() if kind in VISUAL) / sum(areas.values())
        assert found.visual_ratio == pytest.approx(share)
        assert found.text_ratio == pytest.approx(1 - share)


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=2, max_size=6))
def test_standard_scores_are_scipys(rows: list[list[float]]) -> None:
    groups = {f"g{n}": dict(zip("abc", row, strict=True)) for n, row in enumerate(rows)}
    found = standard_scores(groups)
    for place, kind in enumerate("abc"):
        column = np.array([row[place] for row in rows])
        if np.ptp(column) > 1e-6:
            assert [found[group][kind] for group in groups] == pytest.approx(zscore(column).tolist(), abs=1e-6)


def test_a_kind_that_a_group_lacks_and_one_that_all_have_alike() -> None:
    found = standard_scores({"a": {"text": 0.5, "table": 0.25}, "b": {"text": 0.5}})
    assert found == {"a": {"table": 1.0, "text": None}, "b": {"table": -1.0, "text": None}}


def test_blank_pages() -> None:
    assert layout_statistics([PageLayout(10, 10, ())]) == LayoutStatistics(0.0, 0.0, 0.0, 0.0, None, None)


@pytest.mark.parametrize(("layouts", "message"), [([], "no page"), ([PageLayout(0, 10, ())], "no area")])
def test_what_has_no_statistics(layouts: list[PageLayout], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        layout_statistics(layouts)
