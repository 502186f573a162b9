"""A text over several pages: asked page by page, judged as one."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.outcomes import OUTCOMES, Reply


def join(transcripts: Iterable[Transcript]) -> Transcript:
    """One transcript of all pages, in their order; at least one.

    Texts are joined by a newline, counts of tokens and seconds are summed (None where a page has none), the worst
    outcome rules (the first of `OUTCOMES`) with the finish reason, refusal and error of its page. The first
    `infrastructure_error` ends the asking: the case is not measured, whatever the other pages say.
    """
    found: list[Transcript] = []
    for transcript in transcripts:
        found.append(transcript)
        if transcript.outcome == "infrastructure_error":
            break
    worst = min(found, key=lambda t: OUTCOMES.index(t.outcome))
    replies = [t.reply for t in found]
    texts = [reply.text for reply in replies]
    return Transcript(
        reply=Reply(
            text=None if None in texts and not any(texts) else "\n".join(text or "" for text in texts),
            finish_reason=worst.reply.finish_reason,
            completion_tokens=_total(reply.completion_tokens for reply in replies),
            max_tokens=_total(reply.max_tokens for reply in replies),
            image_tokens=_total(reply.image_tokens for reply in replies),
            budget_tokens=_total(reply.budget_tokens for reply in replies),
            refusal=worst.reply.refusal,
            error=worst.reply.error,
        ),
        outcome=worst.outcome,
        seconds=sum(t.seconds for t in found),
        cached=all(t.cached for t in found),
    )


def _total(counts: Iterable[int | None]) -> int | None:
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)
