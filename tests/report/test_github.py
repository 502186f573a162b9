"""Annotations of GitHub Actions: at most ten, gates first, one line each, with nothing to inject a command."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_views import NASTY, failure, verdict, view

from pytest_vtcfaith.report.github import annotation_lines

COMMAND = re.compile(r"::(error|warning) ((?:file=[^,:]*,line=\d+,)?title=[^,:\n]*)::([^\n\r]*)")


def test_gates_and_failures() -> None:
    shown = view(
        verdict("fail", message="rewrite_rate = 0.2 > 0.05\n  d1: 0.1 → 0.5"),
        verdict(),
        verdict("not_measured", gate="other", message="100% lost"),
        failures=[
            failure(message="rewrite_rate 1 > 0.25: 2 of 2, words"),
            failure("test_gate[x]", "", 0, "gate failed"),
        ],
    )
    limits, case = "::error file=benchmark_cases/thresholds.toml,line=1", "::error file=data/cases.jsonl,line=7"
    assert list(annotation_lines(shown)) == [
        f"{limits},title=gate m-en-visual-rewrite_rate::fail: rewrite_rate = 0.2 > 0.05",
        f"{limits},title=gate other::not measured: 100%25 lost",
        f"{case},title=test_x.py%3A%3Atest_case[m-d1]::rewrite_rate 1 > 0.25: 2 of 2, words",
    ]


def test_nothing_to_say() -> None:
    assert list(annotation_lines(view(verdict(), verdict("not_applicable")))) == []


def test_an_accepted_inconclusive_gate_is_a_warning_behind_the_errors() -> None:
    unsure, bad = verdict("inconclusive", gate="a"), verdict("fail", gate="b")
    lines = list(annotation_lines(view(unsure, bad)))
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning"]
    lines = list(annotation_lines(view(unsure, failures=[failure("test_gate[a]", "")])))
    assert [line.split(" ")[0] for line in lines] == ["::error"]


def test_at_most_ten() -> None:
    shown = view(*[verdict("fail", gate=f"g{i}") for i in range(8)], failures=[failure()] * 50)
    lines = list(annotation_lines(shown))
    assert len(lines) == 10
    assert sum("title=gate" in line for line in lines) == 4
    few = list(annotation_lines(view(*[verdict("fail", gate=f"g{i}") for i in range(8)], failures=[failure()])))
    assert sum("title=gate" in line for line in few) == 8
    assert len(few) == 9


@pytest.mark.parametrize(
    "text",
    [NASTY, "\n::error::owned", "\r::set-output name=x::y", "100% %0A", "a,b:c", "##[stop-commands]x", "x" * 5_000_000],
)
def test_nothing_is_injected(text: str) -> None:
    _check(text)


@given(
    st.text(st.characters(exclude_categories=()), max_size=40)
    | st.text(st.sampled_from(":\n\r%,=# a[]\u2028\x85"), max_size=20)
)
def test_no_text_breaks_out_of_its_field(text: str) -> None:
    _check(text)


def _check(text: str) -> None:
    shown = view(
        verdict("fail", gate=text[:99], message=text),
        thresholds=f"{text[:99]}.toml",
        failures=[failure(text[:99], f"{text[:99]}.jsonl", 3, text)],
    )
    lines = list(annotation_lines(shown))
    assert len(lines) == 2
    for line in lines:
        assert COMMAND.fullmatch(line)
        assert "##[" not in line
        assert len(line.splitlines()) == 1
        line.encode("utf-8")
