"""index.html with its assets: a page that opens from disk, and loads its data in pieces."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from pytest_vtcfaith.report.html.case_list import STATES, Listed, listed
from pytest_vtcfaith.report.html.details import detail, misread
from pytest_vtcfaith.report.html.overview import overview
from pytest_vtcfaith.report.html.pictures import Gallery
from pytest_vtcfaith.report.html.run import HtmlRun
from pytest_vtcfaith.report.html.scripts import script
from pytest_vtcfaith.report.results import HTML, naming, remove_html, write_atomic

ASSETS = ("report.css", "common.js", "looks.js", "charts.js", "overview.js", "cases.js", "case.js", "main.js")
LISTED = 2000
"""Cases in one piece of the list."""
PIECE = 200_000
"""Characters of a piece of details, and of one case more."""
QUIET_S = 2.0
"""Seconds after which the user is told what takes so long."""
TELL_S = 10.0
"""Seconds between two such lines."""


def write_html(folder: Path, run: HtmlRun, say: Callable[[str], None] | None = None) -> Path:
    """Writes `index.html` and the folder `vtc-html` with its assets, data and pictures; gives the path of index.html.

    `say` gets a line of progress when it takes longer than two seconds. The pages of the worst 200 cases are drawn with
    boxes; the transcripts of the worst 1,000 are compared word by word. Raises OSError; what was written of the report
    is removed then, so that a full disk has room again.
    """
    remove_html(folder)
    gallery = Gallery(folder, run.source, {answer.ask for answer in run.answers})
    try:
        return _write(folder, run, gallery, say)
    except OSError:
        remove_html(folder)
        gallery.take_back()
        raise


def _write(folder: Path, run: HtmlRun, gallery: Gallery, say: Callable[[str], None] | None) -> Path:
    place = folder / HTML
    with naming(place):
        (place / "data").mkdir(parents=True)
    cases = listed(run)
    rows: list[list[Any]] = []
    finer = {tier: place for place, tier in enumerate(sorted({p for answer in run.answers for p in answer.case.parts}))}
    for number, piece in enumerate(_pieces(_details(run, cases, gallery, say))):
        at = len(rows)
        rows += [_row(case, number, shown, finer) for case, (shown, _) in zip(cases[at:], piece, strict=False)]
        body = "".join(text for _, text in piece)
        write_atomic(place / "data" / f"detail-{number}.js", [body])
    parts = max(1, -(-len(rows) // LISTED))
    for number in range(parts):
        part = rows[number * LISTED : (number + 1) * LISTED]
        write_atomic(place / "data" / f"cases-{number}.js", [script(f"cases-{number}", part)])
    first = {
        **overview(run, cases, {row[0]: (row[-2], row[-1]) for row in rows}),
        "parts": parts,
        "states_known": STATES,
        "parts_known": list(finer),
    }
    write_atomic(place / "data" / "overview.js", [script("overview", first)])
    static = files("pytest_vtcfaith.report.html") / "static"
    for name in ASSETS:
        write_atomic(place / name, [(static / name).read_text(encoding="utf-8")])
    write_atomic(folder / "index.html", [(static / "index.html").read_text(encoding="utf-8")])
    return folder / "index.html"


def _details(
    run: HtmlRun, cases: Sequence[Listed], gallery: Gallery, say: Callable[[str], None] | None
) -> Iterator[tuple[dict[str, Any], str]]:
    due = time.monotonic() + QUIET_S
    for place, case in enumerate(cases):
        shown = detail(run, case, place, gallery)
        yield shown, script(f"detail {case.answer.ask}", shown)
        if say is not None and time.monotonic() >= due:
            say(f"vtcfaith: writing the HTML report: {place + 1} of {len(cases)} cases")
            due = time.monotonic() + TELL_S


def _pieces(details: Iterator[tuple[dict[str, Any], str]]) -> Iterator[list[tuple[dict[str, Any], str]]]:
    piece: list[tuple[dict[str, Any], str]] = []
    size = 0
    for shown, text in details:
        piece.append((shown, text))
        size += len(text)
        if size >= PIECE:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _row(case: Listed, piece: int, shown: dict[str, Any], finer: Mapping[str, int]) -> list[Any]:
    """A case in the list: id, suite, tier, model, language, document, outcome, state, metric, value, loss, piece,
    finer tiers (places in `finer`), what is said of it, words."""
    answer = case.answer
    return [
        answer.ask,
        answer.case.suite,
        answer.case.tier,
        answer.model,
        answer.case.lang,
        answer.case.document,
        answer.outcome,
        STATES.index(case.state),
        case.metric,
        case.value,
        case.loss,
        piece,
        [finer[tier] for tier in answer.case.parts],
        (case.message or shown["said"])[:300],
        misread(shown),
    ]
