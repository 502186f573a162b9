"""summary.md: the right headline, and nothing in it that a model, a case or an error could turn into markup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_views import NASTY, failure, verdict, view
from markdown_it import MarkdownIt

from pytest_vtcfaith.report.summary import write_summary
from pytest_vtcfaith.report.view import RunView


def written(folder: Path, shown: RunView) -> str:
    path = folder / "summary.md"
    write_summary(path, shown)
    return path.read_bytes().decode("utf-8")


def parsed(text: str) -> tuple[set[str], str]:
    """Kinds of all tokens, and the text that a reader sees."""
    kinds: set[str] = set()
    seen = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        kinds.add(token.type)
        for inner in token.children or ():
            kinds.add(inner.type)
            seen.append(inner.content)
    return kinds, "".join(seen)


@pytest.mark.parametrize(
    ("shown", "headline"),
    [
        (view(verdict(), verdict()), "**Green**: 2 of 2 gates passed, none failed."),
        (
            view(verdict(), limit=1),
            "**Limited**: 1 of 1 gates passed, none failed, only 1 document per tier asked: no release",
        ),
        (view(verdict("fail"), limit=2), "**Red**"),
        (view(verdict(), verdict("not_applicable")), "**Green**: 1 of 2 gates passed"),
        (view(verdict(), verdict("fail"), cases=9), "**Red**: 1 of 2 gates did not pass, 0 of 9 cases failed."),
        (view(verdict(), verdict("not_measured")), "**Red**: 1 of 2"),
        (view(verdict(), failures=[failure()]), "**Red**: 0 of 1 gate did not pass, 1 of 1 case failed."),
        (view(verdict(), problems=["nothing was measured"]), "**Red**"),
        (view(verdict("inconclusive"), failures=[failure("x[m-en-visual-rewrite_rate]")]), "**Red**: 1 of 1"),
        (view(verdict(), verdict("inconclusive")), "**Inconclusive**: 1 of 2"),
        (view(), "**No verdict**"),
        (view(verdict("not_applicable")), "**No verdict**"),
    ],
)
def test_the_headline(tmp_path: Path, shown: RunView, headline: str) -> None:
    assert written(tmp_path, shown).split("\n")[2].startswith(headline)


def test_a_whole_summary(tmp_path: Path) -> None:
    text = written(
        tmp_path,
        view(
            verdict(),
            verdict("fail", tier="rewriting/ko/visual", value=0.2),
            limit=4,
            problems=["2 cases gave no report"],
            failures=[failure(message="rewrite_rate 1 > 0.25")],
            notes=["3 cases are inapplicable"],
        ),
    )
    lines = text.split("\n")
    assert lines[0] == "# Faithfulness of m"
    assert "Limited to 4 documents per tier: not a release verdict, compared with no baseline." in lines
    assert "- 2 cases gave no report" in lines
    assert "## rewriting" in lines
    assert "| rewriting/en/visual | m | 24/24 | rewrite\\_rate | 0.0125 | ≤ 0.05 | pass |" in lines
    assert "| rewriting/ko/visual | m | 24/24 | rewrite\\_rate | 0.2000 | ≤ 0.05 | FAIL |" in lines
    assert "- `test_x.py::test_case[m-d1]`: rewrite\\_rate 1 &gt; 0.25" in lines
    tiers = [line.split(" ")[1] for line in lines if line.startswith("| rewriting/")]
    assert tiers == ["rewriting/ko/visual", "rewriting/en/visual"], "what did not pass stands first"
    assert lines[-2:] == ["- 3 cases are inapplicable", ""]
    kinds, _ = parsed(text)
    assert {"table_open", "heading_open", "bullet_list_open"} <= kinds


def test_many_failures_are_cut(tmp_path: Path) -> None:
    text = written(tmp_path, view(failures=[failure(message="x" * 5_000_000)] * 150))
    assert "- … and 50 more" in text
    assert len(text) < 120_000


ALLOWED = {
    "heading_open",
    "heading_close",
    "paragraph_open",
    "paragraph_close",
    "inline",
    "text",
    "strong_open",
    "strong_close",
    "bullet_list_open",
    "bullet_list_close",
    "list_item_open",
    "list_item_close",
    "code_inline",
    "text_special",
    "table_open",
    "table_close",
    "thead_open",
    "thead_close",
    "tbody_open",
    "tbody_close",
    "tr_open",
    "tr_close",
    "th_open",
    "th_close",
    "td_open",
    "td_close",
}
MARKUP = [
    NASTY,
    "<script>alert(1)</script>",
    "</details><img src=x>",
    "![x](http://evil/x.png)",
    "[click](javascript:alert(1))",
    "<http://evil>",
    "` `` ``` `x`",
    "**bold** _it_ ~~no~~ | a | b |",
    "\n\n# heading\n\n- list\n",
    "&lt;b&gt; &#60;",
    "\\\\`\\<b>",
    "$\\alpha$",
]


def full_of(text: str) -> RunView:
    return view(
        verdict("fail", tier=f"rewriting/{text}", model=text, message=text),
        models=[text],
        problems=[text],
        failures=[failure(test=f"t[{text}]", message=text)],
        notes=[text],
    )


@pytest.mark.parametrize("text", MARKUP)
def test_markup_is_shown_as_it_is(tmp_path: Path, text: str) -> None:
    kinds, _ = parsed(written(tmp_path, full_of(text)))
    assert kinds <= ALLOWED


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.sampled_from("`\\<>[]()!*_~|#&; \n\r\tab:/-+=\x00\ud83d\u2028$"), max_size=30))
def test_no_text_becomes_markup(tmp_path: Path, text: Any) -> None:
    cells = view(verdict("fail", tier=f"t {text}", model=f"m {text}"), models=[f"m {text}"], notes=[f"note {text}"])
    kinds, _ = parsed(written(tmp_path, cells))
    assert kinds <= ALLOWED
    listed = view(failures=[failure(test=f"t[{text}]", message=f"it {text}")])
    assert parsed(written(tmp_path, listed))[0] <= ALLOWED


def test_a_reader_sees_the_text(tmp_path: Path) -> None:
    text = "a<b> & *c* _d_ |e| [f](g) `h` \\i #1 ~j~ $k$"
    summary = written(tmp_path, view(notes=[text]))
    assert text in parsed(summary)[1]
    assert not set("<>") & set(summary)
