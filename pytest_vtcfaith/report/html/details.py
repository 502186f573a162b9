"""What the page of one case shows, as plain data."""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.report.failure import drawable
from pytest_vtcfaith.report.html.boxes import Mark, marks_of
from pytest_vtcfaith.report.html.elsewhere import elsewhere
from pytest_vtcfaith.report.html.pictures import WRONG_WORDS, Gallery, Picture, is_inside
from pytest_vtcfaith.report.html.words import KINDS, Span, counts_of, spans_of
from pytest_vtcfaith.report.small import CASE, CROP
from pytest_vtcfaith.report.worddiff import printable
from pytest_vtcfaith.suites.readback import Compared, ReadsPictures

if TYPE_CHECKING:
    from pytest_vtcfaith.pages.page import Page
    from pytest_vtcfaith.report.html.case_list import Listed
    from pytest_vtcfaith.report.html.run import HtmlRun
    from pytest_vtcfaith.suites.base import Request
    from pytest_vtcfaith.suites.case import Case

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
        "text": None if text is None or spans or not text.strip() else printable(text, LONGEST),
        "spans": [_span(span) for span in spans],
        "counts": counts_of(spans, answer.case.lang),
        "note": _note(answer.metrics),
        "perfect": text is not None and answer.metrics.get("word_edits") == 0,
    }
    if place < COMPARED:
        shown["compared"] = _compared(run, case)
    pictures = gallery.of(answer)
    marks: Sequence[Mark] = ()
    edited = _task(run, case) == "edit"
    if place < DRAWN and case.state != "inapplicable" and (edited or case.state != "passed"):
        request = _request(run, case)
        if request is not None:
            request, shown["undrawn"] = drawable(request)
        pages = _pages(request)
        marks = marks_of(pages, spans, answer.case.lang)
        if not any(picture.page is not None for picture in pictures):
            room = CASE - CROP if _transcribed(run, case) else None
            pictures = [*gallery.pages(answer, pages, marks[0].page if marks else 0, room), *pictures]
        if marks and any(p.page is not None and gallery.is_reduced(p, pages[p.page : p.page + 1]) for p in pictures):
            words = gallery.words(answer, pages, marks)
            pictures += [] if words is None else [words]
        if request is not None and not _transcribed(run, case):
            told, drawn_here = _explained(run, case, request, gallery, {picture.label for picture in pictures})
            shown |= told
            pictures = [*pictures, *drawn_here]
        seen = {picture.label for picture in pictures}
        if not seen & {"output", "drawn"} and (image := gallery.replied(answer)) is not None:
            copy = gallery.draw(answer, "drawn", "drawn", image)
            pictures += [] if copy is None else [copy]
        shown["pages"] = [[page.width, page.height] for page in pages]
    elif not pictures and case.state == "passed":
        pictures = _thumbnail(run, case, gallery)
    pictures = sorted(pictures, key=_order)
    names = {"drawn": "what the model drew", **({"page": "source"} if edited else {})}
    shown["pictures"] = [[p.path, names.get(p.label, p.label), p.page] for p in pictures]
    if not pictures and case.state != "inapplicable" and _task(run, case) != "draw":
        shown["elsewhere"] = elsewhere(run, answer, gallery.folder)
    shown["marks"] = [[m.page, m.span, m.left, m.top, m.right, m.bottom] for m in marks]
    return shown


def _thumbnail(run: HtmlRun, case: Listed, gallery: Gallery) -> list[Picture]:
    """What the model drew, else the first page, of a case that lost nothing, while there is room for it."""
    if not gallery.has_thumbnails:
        return []
    image, label = gallery.replied(case.answer), "what the model drew"
    if image is None:
        pages = _pages(_request(run, case))
        image, label = (pages[0].image if pages else None), "page"
    picture = None if image is None else gallery.thumbnail(case.answer, label, image)
    return [] if picture is None else [picture]


def misread(shown: Mapping[str, Any]) -> list[list[Any]]:
    """The first words of a `detail` that differ, rewritten and other perturbed ones first: kind, printed, read."""
    wrong = [span for span in shown["spans"] if span[0]]
    wrong.sort(key=lambda span: (span[0] != 1, len(span) < 4))  # stable: then the order of the page
    return [[span[0], span[1][:40], span[2][:40]] for span in wrong[:WORDS]]


def _spans(run: HtmlRun, case: Listed, text: str | None) -> list[Span]:
    answer = case.answer
    if (
        text is None
        or not _transcribed(run, case)
        or answer.outcome != "complete"
        or answer.metrics.get("word_edits") == 0
    ):
        return []
    return spans_of(answer.case, text)


def _compared(run: HtmlRun, case: Listed) -> list[dict[str, Any]]:
    """What was read in the picture that the model gave, part by part, beside what should stand there."""
    suite, read = run.suites.get(case.answer.case.suite), case.answer.row.get("read")
    if not isinstance(suite, ReadsPictures) or not isinstance(read, dict):
        return []
    try:
        parts = suite.compared(case.answer.case, read)
    except Exception:  # whatever stands in a file of results, the rest of the case is shown
        return []
    return [_part(case.answer.case, part) for part in parts]


def _part(case: Case, part: Compared) -> dict[str, Any]:
    row = {name: printable(getattr(part, name), LONGEST) for name in ("label", "expected", "read", "verdict", "reason")}
    if part.verdict:
        return row
    pairs = [(part.expected, part.read)]
    if part.by_line:
        pairs = list(zip_longest(part.expected.split("\n"), part.read.split("\n"), fillvalue=""))
    blocks = [spans_of(replace(case, reference=expected, params={}), read) for expected, read in pairs]
    shown = [[_span(span) for span in spans] for spans in blocks if spans]
    rows = [span for number, spans in enumerate(shown) for span in ([[0, "\n"], *spans] if number else spans)]
    return row | {"spans": rows, "counts": counts_of([span for spans in blocks for span in spans], case.lang)}


def _span(span: Span) -> list[Any]:
    kind = KINDS.index(span.kind) + 1 if span.kind else 0
    if not kind:
        return [0, printable(span.printed, LONGEST)]
    found = [kind, printable(span.printed, LONGEST), printable(span.read, LONGEST)]
    return [*found, span.original] if span.original else found


def _transcribed(run: HtmlRun, case: Listed) -> bool:
    return _task(run, case) == "transcribe"


def _order(picture: Picture) -> tuple[int, int]:
    """Wrong words first, then pages, then what a reader compares, from what should be to how it differs."""
    if picture.label == WRONG_WORDS:
        return -2, 0
    place = _COMPARED.index(picture.label) if picture.label in _COMPARED else len(_COMPARED)
    return (-1, picture.page) if picture.page is not None else (place, 0)


_COMPARED = ("reference", "output", "difference")


def _task(run: HtmlRun, case: Listed) -> str:
    suite = run.suites.get(case.answer.case.suite)
    return "transcribe" if suite is None else suite.task


def _request(run: HtmlRun, case: Listed) -> Request | None:
    try:
        return run.request(case.answer)
    except Exception:  # whatever a suite cannot ask any more is no reason to lose the report
        return None


def _pages(request: Request | None) -> Sequence[Page]:
    try:
        return () if request is None else request.pages
    except Exception:  # nor what it cannot draw any more
        return ()


def _explained(
    run: HtmlRun, case: Listed, request: Request, gallery: Gallery, known: Collection[str]
) -> tuple[dict[str, Any], list[Picture]]:
    """What was asked, what the suite says of the reply, and its pictures, but for those with a `known` label; as far
    as the instruments at hand can say it.
    """
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.metrics.outcomes import Reply

    answer = case.answer
    shown: dict[str, Any] = {"asked": printable(request.prompt.text, LONGEST)}
    replied = _picture(run, case)
    transcript = Transcript(Reply(answer.row.get("transcript"), picture=replied), answer.outcome, 0.0, True)
    try:
        suite = run.suites[answer.case.suite]
        found = suite.explain(answer.case, transcript, answer.metrics, request, run.instruments)
        shown["lines"] = list(found.lines)
        if case.state != "passed":
            shown["said"] = found.verdict
        new = [
            gallery.draw(answer, label.replace(" ", "-"), label, draw())
            for label, draw in found.pictures
            if label not in known
        ]
    except Exception:  # a suite that needs an engine to say more has said it in the message of the failed test
        return shown, []
    return shown, [picture for picture in new if picture is not None]


def _picture(run: HtmlRun, case: Listed) -> str | None:
    """The picture that was replied, in base64."""
    path = case.answer.row.get("picture")
    if not isinstance(path, str) or not is_inside(run.source, path):
        return None
    return base64.b64encode((run.source / path).read_bytes()).decode("ascii")


def _said(case: Listed, spans: Sequence[Span]) -> str:
    """The words that differ in one sentence."""
    counts = counts_of(spans, case.answer.case.lang)
    told = ", ".join(f"{words} {kind}" for kind, (words, _) in counts.items())
    kept, perturbed = (case.answer.metrics.get(name) for name in ("verbatim", "perturbed"))
    if perturbed and kept is not None:
        first = f"{perturbed - kept} of {perturbed} perturbed words not kept"
        told = f"{first}; of all words of the page: {told}" if told else told
    return told


def _note(metrics: Mapping[str, Any]) -> str:
    """What the metrics count that have the names of marks, and count something else."""
    if not metrics.get("perturbed"):
        return ""
    return (
        f"Verbatim, rewritten, close, moderate, missing, wrong count the {metrics['perturbed']} perturbed words only, "
        "the marks on page and transcript count every word of the page, and show moderate as close."
    )


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
