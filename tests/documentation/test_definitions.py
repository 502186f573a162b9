"""docs/definitions.md has all metrics of the code, and no others."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from blocks import ROOT

from pytest_vtcfaith.published import papers, table_numbers
from pytest_vtcfaith.suites import load_suite, suite_names

TEXT = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
ROWS = {
    suite: [set(re.findall(r"`([^`]+)`", cell)) for cell in cells]
    for suite, *cells in re.findall(r"^\| (\w+) \|([^|]*)\|([^|]*)\|([^|]*)\|$", TEXT, re.MULTILINE)
    if suite in suite_names()
}
OF_A_RUN = {"fid"}


def parts(name: str) -> tuple[str, set[str]]:
    """The metric that a name is made of, and the endings (and beginning) that it has."""
    found = set()
    if "@" in name:
        name, _, size = name.partition("@")
        found.add(f"@{size}")
    if name.startswith("ceiling_"):
        name = name.removeprefix("ceiling_")
        found.add("ceiling_")
    for ending in ("_second", "_published", "_global", "_local"):
        if name.endswith(ending):
            name = name.removesuffix(ending)
            found.add(ending)
    return name, found


@pytest.mark.parametrize("suite", suite_names())
def test_the_metrics_of_a_suite_are_those_of_its_row(suite: str) -> None:
    loaded = load_suite(suite)
    of_tiers, of_cases = ([parts(name) for name in names] for names in (loaded.metrics, loaded.case_metrics))
    names = {name for name, _ in of_tiers}
    endings = set().union(*(found for _, found in (*of_tiers, *of_cases)))
    assert [names, {name for name, _ in of_cases} - names, endings] == ROWS[suite]


def test_every_metric_that_is_defined_exists() -> None:
    """The first column of each table of metrics."""
    lines = TEXT.split("\n")
    heads = [number for number, line in enumerate(lines) if line.startswith("| metric |")]
    assert len(heads) >= 3
    defined = set()
    for head in heads:
        for line in lines[head + 2 :]:
            if not line.startswith("|"):
                break
            defined |= set(re.findall(r"`(\w+)`", line.split("|")[1]))
    known = set().union(*(row[0] for row in ROWS.values()))
    assert defined - known == OF_A_RUN


def test_sections_are_numbered() -> None:
    numbers = [int(number) for number in re.findall(r"^## (\d+)\. ", TEXT, re.MULTILINE)]
    assert all(after - before == 1 for before, after in pairwise(numbers))


def test_every_published_table_has_its_definition() -> None:
    section = TEXT.partition("## Which definition a published table used")[2]
    rows = re.findall(r"^\| ([\w-]+) \| ([\w, ]+) \| .+ \|$", section, re.MULTILINE)
    found = sorted((paper, number) for paper, numbers in rows if paper != "paper" for number in numbers.split(", "))
    assert found == sorted((paper, number) for paper in papers() for number in table_numbers(paper))
