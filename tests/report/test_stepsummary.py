"""The summary of a GitHub Actions job: red first, short, and no markup of others."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_views import NASTY, failure, verdict, view
from markdown_it import MarkdownIt

from pytest_vtcfaith.report.stepsummary import LINES, append_step_summary, step_summary


def many(count: int, word: str = "pass") -> list:
    return [verdict(word, gate=f"{word}{n}", tier=f"rewriting/en/{word}-{n}", message="why") for n in range(count)]


def test_tiers_that_did_not_pass_stand_first() -> None:
    shown = view(*many(3), *many(2, "fail"), *many(1, "not_applicable"), *many(1, "inconclusive"))
    lines = [line for line in step_summary(shown) if line.startswith("| ")][1:]
    assert [line.split()[1] for line in lines] == ["❌", "❌", "⚠️", "✅", "✅", "✅", "➖"]
    assert step_summary(shown)[2].startswith("**Red**: 2 of 7 gates")


@pytest.mark.parametrize("passed", [0, 20, 49, 50, 51, 52, 53, 500])
@pytest.mark.parametrize("bad", [0, 1, 30, 300])
@pytest.mark.parametrize("others", [0, 3, 100])
def test_never_longer_than_sixty_lines(passed: int, bad: int, others: int) -> None:
    shown = view(
        *many(passed),
        *many(bad, "fail"),
        failures=[failure(f"t[{n}]") for n in range(others)],
        notes=["note"] * others,
        problems=["problem"] * others,
        limit=2,
        shard="1/2",
    )
    lines = step_summary(shown)
    assert len("\n".join(lines).split("\n")) <= LINES
    named = sum(line.startswith("| ❌") for line in lines)
    assert named == bad or any("more rows" in line for line in lines)
    if passed + bad:
        assert len(lines) >= min(LINES - 2, passed + bad)


def test_no_text_becomes_markup() -> None:
    nasty = verdict("fail", tier=f"rewriting/{NASTY}", model=NASTY, message=NASTY)
    lines = step_summary(
        view(nasty, models=[NASTY, "b"], failures=[failure(NASTY, message=NASTY)], notes=[NASTY], problems=[NASTY])
    )
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render("\n".join(lines))
    assert "<img" not in html
    assert "<a " not in html
    assert "::error" not in [line[:7] for line in lines]


def test_it_is_appended_where_the_variable_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "summary"
    append_step_summary(view(verdict()))
    assert not file.exists()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    append_step_summary(view(verdict()))
    append_step_summary(view(verdict()))
    parts = file.read_text(encoding="utf-8").split("\n\n## Faithfulness of m\n\n**Green**")
    assert len(parts) == 2
    assert parts[0].startswith("## Faithfulness of m\n\n**Green**")


@pytest.mark.parametrize("before", ["# before", "# before\n", "# before\n\n", "ü", "\n"])
def test_it_begins_a_line_of_its_own(before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "summary"
    file.write_bytes(before.encode("utf-8"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    append_step_summary(view(verdict()))
    text = file.read_text(encoding="utf-8")
    assert text.startswith(before)
    heads = [token.type for token in MarkdownIt("commonmark").parse(text) if token.tag == "h2"]
    assert heads == ["heading_open", "heading_close"]
    assert "\n\n\n" not in text
