"""Transcripts of pages become one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.engine.joined import join
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.outcomes import OUTCOMES, Reply


def transcript(text: str | None = "text", outcome: str = "complete", *, cached: bool = False, **fields) -> Transcript:
    return Transcript(Reply(text, **fields), outcome, 0.5, cached)


def test_texts_are_joined_and_usage_is_summed() -> None:
    found = join(
        [
            transcript("one", image_tokens=60, completion_tokens=10, budget_tokens=64, max_tokens=100, cached=True),
            transcript("two", image_tokens=20, completion_tokens=5, budget_tokens=24, max_tokens=100),
        ]
    )
    assert (found.text, found.outcome, found.seconds, found.cached) == ("one\ntwo", "complete", 1.0, False)
    reply = found.reply
    assert (reply.image_tokens, reply.completion_tokens, reply.budget_tokens, reply.max_tokens) == (80, 15, 88, 200)


@pytest.mark.parametrize(
    ("texts", "joined"),
    [(["a", "b"], "a\nb"), ([None, None], None), ([None, "b"], "\nb"), (["", ""], "\n"), (["only"], "only")],
)
def test_pages_without_text(texts: list[str | None], joined: str | None) -> None:
    assert join(transcript(text) for text in texts).reply.text == joined


def test_a_count_that_one_page_lacks_is_unknown() -> None:
    assert join([transcript(image_tokens=60), transcript()]).reply.image_tokens is None


@given(st.lists(st.sampled_from(OUTCOMES[1:]), min_size=1, max_size=5))
def test_the_worst_outcome_rules(outcomes: list[str]) -> None:
    pages = [transcript(f"p{n}", outcome, finish_reason=outcome) for n, outcome in enumerate(outcomes)]
    found = join(pages)
    assert found.outcome == next(outcome for outcome in OUTCOMES if outcome in outcomes)
    assert found.reply.finish_reason == found.outcome
    assert found.text.split("\n") == [page.text for page in pages]


def test_an_infrastructure_error_ends_the_asking() -> None:
    asked: list[int] = []

    def pages() -> Iterator[Transcript]:
        for number, outcome in enumerate(["truncated", "infrastructure_error", "complete"]):
            asked.append(number)
            yield transcript("x" if outcome != "infrastructure_error" else None, outcome, error=f"e{number}")

    found = join(pages())
    assert asked == [0, 1]
    assert (found.outcome, found.reply.error) == ("infrastructure_error", "e1")
