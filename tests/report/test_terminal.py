"""The summary on real terminals of pytest: UTF-8, and legacy code pages of Windows."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from made_views import NASTY, failure, verdict, view

from pytest_vtcfaith.report.terminal import show_summary
from pytest_vtcfaith.report.view import RunView

Show = Callable[..., str]


@pytest.fixture
def show(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> Show:
    """Writes a summary to a terminal of that encoding and returns what came out."""

    def shown(view: RunView, encoding: str = "utf-8", colour: bool = False, errors: str = "strict") -> str:
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding=encoding, errors=errors, newline="\n")
        terminal = pytest.TerminalReporter(pytestconfig, stream)
        terminal._tw.hasmarkup = colour
        show_summary(terminal, view)
        stream.flush()
        return raw.getvalue().decode(encoding)

    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return shown


def test_one_table_for_a_suite(show: Show) -> None:
    text = show(
        view(
            verdict(),
            verdict("fail", tier="rewriting/ko/visual", value=0.2),
            notes=["a note"],
            problems=["nothing was measured"],
        )
    )
    lines = text.split("\n")
    assert "= vtcfaith rewriting =" in lines[0]
    assert lines[1].split() == ["tier", "n", "metric", "value", "threshold", "verdict"]
    assert lines[2] == "rewriting/en/visual  24/24  rewrite_rate  0.0125  ≤ 0.05     pass"
    assert lines[3] == "rewriting/ko/visual  24/24  rewrite_rate  0.2000  ≤ 0.05     FAIL"
    assert lines[4:] == [
        "vtcfaith: a note",
        "vtcfaith: NOT GREEN: nothing was measured",
        "vtcfaith: results in report",
        "",
    ]


def test_models_have_a_column_where_there_are_several(show: Show) -> None:
    text = show(view(verdict(), verdict(model="other"), models=["m", "other"]))
    assert text.split("\n")[1].split()[0] == "model"
    assert [line.split()[0] for line in text.split("\n")[2:4]] == ["m", "other"]


def test_a_limited_run_says_so(show: Show) -> None:
    assert "vtcfaith rewriting, LIMITED to 4 documents per tier" in show(view(verdict(), limit=4))


def test_verdicts_are_coloured(show: Show) -> None:
    text = show(view(verdict(), verdict("fail", tier="b"), verdict("not_applicable", tier="c")), colour=True)
    lines = {line.split("  ")[0].split("m")[-1]: line for line in text.split("\n") if "rewrite_rate" in line}
    assert [line.partition("m")[0] for line in lines.values()] == ["\x1b[32", "\x1b[31", "\x1b[33"]


@pytest.mark.parametrize("encoding", ["cp1252", "cp949", "gbk", "ascii", "cp437"])
def test_a_legacy_code_page_raises_nothing(show: Show, encoding: str) -> None:
    tricky = "² 灯塔 한글 ☑ … – ≥ → é"
    text = show(
        view(verdict("fail", tier=f"rewriting/{tricky}", min=0.5), notes=[tricky], folder=Path(tricky)), encoding
    )
    assert "FAIL" in text
    assert "results in" in text


def test_control_characters_never_reach_the_terminal(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    text = show(
        view(
            verdict("fail", tier=NASTY, model=NASTY, gate=NASTY, message=NASTY),
            models=["m", NASTY],
            notes=[NASTY],
            problems=[NASTY],
            failures=[failure(NASTY, NASTY, 1, NASTY)],
            folder=Path("a\x1b[2J"),
        )
    )
    assert not set("\x00\x1b\u202e\u2028\r") & set(text)
    assert "##[" not in text
    assert [
        line.lstrip().startswith("::error file=") for line in text.split("\n") if line.lstrip().startswith("::")
    ] == [True, True]


@pytest.mark.parametrize(("value", "count"), [("true", 1), ("false", 0), (None, 0)])
def test_annotations_only_in_github_actions(
    show: Show, monkeypatch: pytest.MonkeyPatch, value: str | None, count: int
) -> None:
    if value is not None:
        monkeypatch.setenv("GITHUB_ACTIONS", value)
    assert show(view(verdict("fail"))).count("::error") == count


def test_nothing_judged(show: Show) -> None:
    assert show(view()) == "vtcfaith: results in report\n"
