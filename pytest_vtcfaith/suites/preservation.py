"""Preservation (ZeroSense): how much text survives being drawn at a given compression (definitions §3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics import normalise, text_scores
from pytest_vtcfaith.suites.base import Explanation, Request, TierSummary, count_tier, failure_columns
from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.explain import describe_text, find_word
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS, Instruments
from pytest_vtcfaith.suites.preservation_cases import preservation_cases
from pytest_vtcfaith.suites.preservation_metrics import BUCKETS, METRICS, token_bucket
from pytest_vtcfaith.suites.preservation_pages import draw_pages, fit_pages
from pytest_vtcfaith.suites.prompts import prompt
from pytest_vtcfaith.texts.rows import MATCHED

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.models.registry import ModelSpec

SAME_SIZE = 0.02
"""Pixels per character may differ by this share in a pair that `prior_gap` compares."""
_ACCURACIES = ("word_accuracy", "word_precision", "word_recall", "word_f1", "char_accuracy")
_RATES = (*_ACCURACIES, "wer", "cer")
_COUNTS = ("word_edits", "reference_words", "reference_chars", "hypothesis_chars")


class Preservation:
    """The suite of compressed pages: sources × layouts × compression ratios."""

    name = "preservation"
    task = "transcribe"
    primary = "word_accuracy"
    metrics = METRICS
    converges = True
    case_metrics: Mapping[str, int] = {
        "word_accuracy": 1,
        "word_precision": 1,
        "word_recall": 1,
        "word_f1": 1,
        "char_accuracy": 1,
        "wer": -1,
        "cer": -1,
    }

    def cases(self, folder: Path | None = None, *, prompts: Sequence[str] = ("plain",)) -> list[Case]:
        """One case for every row, layout and ratio, and a size-matched natural one beside every other source."""
        return preservation_cases(folder)

    def inapplicable(self, case: Case, spec: ModelSpec) -> str:
        """A language the model does not declare; budgets are decided when the page is laid out."""
        if spec.languages is not None and case.lang not in spec.languages:
            return f"{spec.name} does not declare that it reads {case.lang!r}"
        return ""

    def prerequisites(self, case: Case, cases: Sequence[Case]) -> Sequence[Case]:
        """None."""
        return ()

    def request(self, case: Case, spec: ModelSpec) -> Request:
        """The whole page of the layout, of a size that costs n_text ÷ ratio visual tokens (definitions §3, Budget)."""
        fitted = fit_pages(case, spec)
        nominal = spec.visual_tokens.startswith("nominal")
        tokens = None if nominal else sum(fit.tokens for _, fit in fitted)
        return Request(lambda: draw_pages(case, fitted), prompt("plain", case.lang), tokens)

    def score(
        self, case: Case, transcript: Transcript, request: Request, instruments: Instruments = NO_INSTRUMENTS
    ) -> dict[str, float | int | None]:
        """Aligned and set metrics; a failed case scores 0 (definitions §3), and says so in its outcome."""
        if transcript.outcome == "infrastructure_error":
            return {}
        pages = request.pages
        metrics: dict[str, float | int | None] = {"n_text": case.params["n_text"]}
        tokens = sum(page.visual_tokens or 0 for page in pages)
        if tokens:
            metrics["visual_tokens"] = tokens
            metrics["compression_ratio"] = case.params["n_text"] / tokens
        characters = sum(len(page.text) for page in pages)
        metrics["pixels_per_character"] = sum(page.width * page.height for page in pages) / max(1, characters)
        if len(pages) > 1:
            metrics["pages"] = len(pages)
        if transcript.outcome != "complete":
            return metrics | dict.fromkeys(_ACCURACIES, 0.0)
        rates = text_scores(case.reference, transcript.text, lang=case.lang)
        metrics |= {name: rates[name] for name in (*_RATES, *_COUNTS)}  # type: ignore[misc]
        return metrics

    def summarise(self, tier: str, scores: Sequence[CaseScore]) -> TierSummary:
        """Means over all measured cases of the tier, failed ones at 0 (ZeroSense Eq. 7), and the pairs of the gaps."""
        counts = count_tier(tier, scores)
        columns: dict[str, dict[str, float]] = {}
        for s in scores:
            if tier in s.case.tiers and not s.inapplicable:
                columns[s.case.document] = failure_columns(s)
                if s.measured:
                    columns[s.case.document] |= _columns(s)
        siblings = _siblings(tier)
        if siblings:
            matched, natural = (
                [s for s in scores if siblings[gap] in s.case.tiers and s.measured]
                for gap in ("prior_gap", "gap_at_ratio")
            )
            for s in matched:
                if "cases" in columns.get(s.case.document, {}):
                    _pair(columns[s.case.document], s)
            if natural:
                _contrast(columns, natural)
        return TierSummary(columns=columns, **counts)

    def needs(self, tier: str, metric: str, tiers: Collection[str]) -> frozenset[str]:
        """The gaps compare with the natural tiers of the same layout and ratio."""
        siblings = _siblings(tier)
        return frozenset({tier, siblings[metric]} if metric in siblings else {tier})

    def explain(
        self,
        case: Case,
        transcript: Transcript,
        metrics: Mapping[str, Any],
        request: Request,
        instruments: Instruments = NO_INSTRUMENTS,
    ) -> Explanation:
        """The first differences between page and transcript."""
        if transcript.outcome != "complete":
            return Explanation(f"{transcript.outcome}: {describe_text(transcript.text)}")
        from pytest_vtcfaith.report.worddiff import hunks

        differences, first = hunks(
            normalise(case.reference, "verbatim", case.lang),
            normalise(transcript.text, "verbatim", case.lang),
            case.lang,
        )
        lines = differences[:6]
        if len(differences) > 6:
            lines.append(f"… and {len(differences) - 6} more places")
        verdict = f"{metrics.get('word_edits')} word edits on {metrics.get('reference_words')} words"
        return Explanation(verdict, tuple(lines), *find_word(request.pages, case.lang, first))


def _siblings(tier: str) -> Mapping[str, str]:
    """The natural tier that each gap compares with, of the same layout, ratio and bucket; none for a natural tier."""
    suite, layout, times, source, *bucket = tier.split("/")
    language = source[-3:] if source[-3:] in ("-zh", "-ko") else ""  # tiers of other languages than English end so
    natural = f"natural{language}"
    if source == natural or source.startswith(MATCHED):
        return {}
    others = {"prior_gap": MATCHED + source, "gap_at_ratio": natural}
    return {gap: "/".join((suite, layout, times, other, *bucket)) for gap, other in others.items()}


def _columns(score: CaseScore) -> dict[str, float]:
    row = {"cases": 1.0}
    for name in (*_ACCURACIES, "compression_ratio", "pixels_per_character", "reference_chars", "hypothesis_chars"):
        row[name] = float(score.metrics.get(name) or 0.0)
    own = token_bucket(score.case.params["budget_text"])
    for bucket in BUCKETS:
        row[f"cases@{bucket}"] = float(bucket == own)
        row[f"word_accuracy@{bucket}"] = row["word_accuracy"] if bucket == own else 0.0
    return row


def _pair(row: dict[str, float], partner: CaseScore) -> None:
    """Adds the natural partner of the same document, if its letters are as large."""
    other = float(partner.metrics.get("pixels_per_character") or 0.0)
    own = row["pixels_per_character"]
    if own and other and abs(other / own - 1.0) <= SAME_SIZE + 1e-9:
        row["matched_pairs"] = 1.0
        row["matched_accuracy"] = float(partner.metrics.get("word_accuracy") or 0.0)
        row["matched_own"] = row["word_accuracy"]


def _contrast(columns: dict[str, dict[str, float]], natural: Sequence[CaseScore]) -> None:
    """Adds what `gap_at_ratio` takes in: the tier's documents and the natural ones, which may be others."""
    for row in columns.values():
        if "cases" in row:
            row |= {
                "own_cases": 1.0,
                "own_accuracy": row["word_accuracy"],
                "natural_cases": 0.0,
                "natural_accuracy": 0.0,
            }
    for s in natural:
        row = columns.setdefault(s.case.document, {})
        row |= {"own_cases": row.get("own_cases", 0.0), "own_accuracy": row.get("own_accuracy", 0.0)}
        row |= {"natural_cases": 1.0, "natural_accuracy": float(s.metrics.get("word_accuracy") or 0.0)}


SUITE = Preservation()
