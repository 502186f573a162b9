"""What the page of one case shows, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.report.html.boxes import Mark, marks_of
from pytest_vtcfaith.report.html.pictures import Gallery, Picture
from pytest_vtcfaith.report.html.words import KINDS, Span, spans_of
from pytest_vtcfaith.report.worddiff import printable

if TYPE_CHECKING:
    from pytest_vtcfaith.pages.page import Page
    from pytest_vtcfaith.report.html.case_list import Listed
    from pytest_vtcfaith.report.html.run import HtmlRun

DRAWN = 200
"""Cases, from the worst, whose pages are laid out and drawn with boxes."""
COMPARED = 1000
"""Cases, from the worst, whose transcripts are compared word by word."""
LONGEST = 20_000
"""Characters of a text that is shown whole; of a longer one, head and tail."""
WORDS = 3
"""Misread words that the list of cases shows of a case."""


def detail(run: HtmlRun, case: Listed, place: int, gallery: Gallery) -> dict[str, Any]:
    """Everything about the case at `place` of the list: texts, words, boxes, pictures, numbers."""
    answer = case.answer
    transcript = answer.row.get("transcript")
    text = transcript if isinstance(transcript, str) else None
    spans = _spans(run, case, text) if place < COMPARED else []
    shown: dict[str, Any] = {
        "ask": answer.ask,
        "message": case.message,
        "said": _said(case, spans),
        "reason": answer.row.get("reason", ""),
        "metrics": dict(sorted(answer.metrics.items())),
        "facts": _facts(case),
        "text": None if text is None or spans else printable(text, LONGEST),
        "spans": [_span(span) for span in spans],
        "perfect": text is not None and answer.metrics.get("word_edits") == 0,
    }
    pictures = gallery.of(answer)
    marks: Sequence[Mark] = ()
    if place < DRAWN and case.state not in ("passed", "inapplicable"):
        pages = _pages(run, case)
        if not any(picture.page is not None for picture in pictures):
            drawn = (gallery.draw(answer, n, len(pages), page.image) for n, page in enumerate(pages))
            pictures = [*(picture for picture in drawn if picture is not None), *pictures]
        marks = marks_of(pages, spans, answer.case.lang)
        shown["pages"] = [[page.width, page.height] for page in pages]
    shown["pictures"] = [_picture(picture) for picture in pictures]
    shown["marks"] = [[m.page, m.span, m.left, m.top, m.right, m.bottom] for m in marks]
    return shown


def misread(shown: Mapping[str, Any]) -> list[list[Any]]:
    """The first words of a `detail` that differ, rewritten and other perturbed ones first: kind, printed, read."""
    wrong = [span for span in shown["spans"] if span[0]]
    wrong.sort(key=lambda span: (span[0] != 1, len(span) < 4))  # stable: then the order of the page
    return [[span[0], span[1][:40], span[2][:40]] for span in wrong[:WORDS]]


def _spans(run: HtmlRun, case: Listed, text: str | None) -> list[Span]:
    answer = case.answer
    transcribed = getattr(run.suites.get(answer.case.suite), "task", "transcribe") == "transcribe"
    if text is None or not transcribed or answer.outcome != "complete" or answer.metrics.get("word_edits") == 0:
        return []
    return spans_of(answer.case, text)


def _span(span: Span) -> list[Any]:
    kind = KINDS.index(span.kind) + 1 if span.kind else 0
    if not kind:
        return [0, printable(span.printed, LONGEST)]
    found = [kind, printable(span.printed, LONGEST), printable(span.read, LONGEST)]
    return [*found, span.original] if span.original else found


def _picture(picture: Picture) -> list[Any]:
    return [picture.path, picture.label, picture.page]


def _pages(run: HtmlRun, case: Listed) -> Sequence[Page]:
    try:
        return run.request(case.answer).pages
    except Exception:  # whatever a suite cannot draw any more is no reason to lose the report
        return ()


def _said(case: Listed, spans: Sequence[Span]) -> str:
    """The words that differ in one sentence."""
    counts = Counter(span.kind for span in spans if span.kind)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    kept, perturbed = (case.answer.metrics.get(name) for name in ("verbatim", "perturbed"))
    if perturbed and kept is not None:
        told = f"{perturbed - kept} of {perturbed} perturbed words not kept; {told}" if told else told
    return told


def _facts(case: Listed) -> list[list[Any]]:
    """Usage, timing and where the case comes from: label and value."""
    answer, row = case.answer, case.answer.row
    usage = row.get("usage") or {}
    facts = [
        ("language", answer.case.lang),
        ("document", answer.case.document),
        ("manifest", f"{answer.case.file.name}:{answer.case.line}"),
        ("seconds", "from the store" if row.get("cached") else row.get("seconds")),
        ("finish reason", row.get("finish_reason")),
        ("refusal", row.get("refusal")),
        *((name.replace("_", " "), value) for name, value in sorted(usage.items())),
    ]
    return [[label, value] for label, value in facts if value is not None]
