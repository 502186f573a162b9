"""Rewriting (FaithC4): does the model write what is printed, or the word it expects there? (definitions §4)"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics import normalise, process_rewrites, text_scores
from pytest_vtcfaith.suites.base import (
    FAILURE_METRICS,
    Explanation,
    Request,
    TierSummary,
    count_tier,
    failure_columns,
)
from pytest_vtcfaith.suites.bundled import manifests
from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.explain import describe_text, find_word
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS, Instruments
from pytest_vtcfaith.suites.prompts import prompt
from pytest_vtcfaith.suites.rewriting_metrics import LENGTHS, METRICS, length_bucket

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.metrics.rewrites import WordRewrite
    from pytest_vtcfaith.models.registry import ModelSpec
    from pytest_vtcfaith.pages.page import Page

CLASSES = ("verbatim", "rewritten", "close", "moderate", "missing", "wrong")
_POOLED = (
    "word_edits",
    "word_matches",
    "reference_words",
    "char_edits",
    "reference_chars",
    "hypothesis_chars",
    "char_longest",
)


class Rewriting:
    """The suite of perturbed documents: English, Chinese, Korean; original, scramble, random, visual."""

    name = "rewriting"
    task = "transcribe"
    primary = "rewrite_rate"
    metrics = METRICS
    converges = False
    case_metrics: Mapping[str, int] = {
        "word_accuracy": 1,
        "char_accuracy": 1,
        "wer": -1,
        "cer": -1,
        "rewritten": -1,
        "rewrite_rate": -1,
        "verbatim_rate": 1,
    }

    def cases(self, folder: Path | None = None, *, prompts: Sequence[str] = ("plain",)) -> list[Case]:
        """One case for every row and prompt condition."""
        found = []
        for manifest in manifests(folder, "vtcfaith/rewriting"):
            for line, row in manifest.rows:
                for asked in prompts:
                    suffix = "" if asked == "plain" else f"-{asked.replace('_', '-').replace('+', '-')}"
                    tier = f"rewriting/{row['lang']}/{row['condition']}"
                    found.append(
                        Case(
                            id=row["case"] + suffix,
                            suite=self.name,
                            tier=tier if asked == "plain" else f"{tier}/{asked}",
                            document=row["document"],
                            lang=row["lang"],
                            reference=row["text"],
                            file=manifest.path,
                            line=line,
                            params={"condition": row["condition"], "original": row["original"], "prompt": asked},
                        )
                    )
        return sorted(found, key=lambda c: c.id)

    def inapplicable(self, case: Case, spec: ModelSpec) -> str:
        """A language the model does not declare, or a prompt condition for an engine without prompts."""
        if spec.languages is not None and case.lang not in spec.languages:
            return f"{spec.name} does not declare that it reads {case.lang!r}"
        if case.params["prompt"] != "plain" and not spec.prompts:
            return f"{spec.name} takes no prompt, so {case.params['prompt']!r} cannot be asked"
        return ""

    def prerequisites(self, case: Case, cases: Sequence[Case]) -> Sequence[Case]:
        """None."""
        return ()

    def request(self, case: Case, spec: ModelSpec) -> Request:
        """The FaithC4 page: 9 pt serif on 1.2 line height (FaithC4 §3.1), and as many more as a long text takes."""

        def lay_out() -> tuple[Page, ...]:
            from pytest_vtcfaith.pages import PageOverflow, render, render_pages

            try:
                return (render(case.reference, layout="faithc4", lang=case.lang),)
            except PageOverflow:  # looking for the ends of pages takes longer than laying one out
                return render_pages(case.reference, layout="faithc4", lang=case.lang)

        return Request(lay_out, prompt(case.params["prompt"], case.lang))

    def score(
        self, case: Case, transcript: Transcript, request: Request, instruments: Instruments = NO_INSTRUMENTS
    ) -> dict[str, float | int | None]:
        """Text rates, classes of the perturbed words (all and by length), errors on the other words."""
        if transcript.outcome == "infrastructure_error":
            return {}
        if transcript.outcome != "complete":
            return {"word_accuracy": 0.0, "char_accuracy": 0.0}
        rates = text_scores(case.reference, transcript.text, lang=case.lang)
        metrics: dict[str, float | int | None] = {k: rates[k] for k in (*_POOLED, *TEXT_RATES)}  # type: ignore[misc]
        if case.params["condition"] == "original":
            return metrics
        found = process_rewrites(case.params["original"], case.reference, transcript.text, lang=case.lang)
        for kind in CLASSES:
            metrics[kind] = sum(w.kind == kind for w in found.words)
        metrics["perturbed"] = len(found.words)
        metrics["leaked"] = sum(w.leaked for w in found.words)
        metrics["other_errors"] = found.unperturbed_errors
        metrics["other_words"] = found.unperturbed_words
        if found.words:
            metrics["rewrite_rate"] = metrics["rewritten"] / len(found.words)  # type: ignore[operator]
            metrics["verbatim_rate"] = metrics["verbatim"] / len(found.words)  # type: ignore[operator]
        if case.lang != "zh":
            for w in found.words:
                bucket = length_bucket(w.length)
                for name in ("perturbed", *(("rewritten",) if w.kind == "rewritten" else ())):
                    key = f"{name}@{bucket}"
                    metrics[key] = (metrics.get(key) or 0) + 1
        return metrics

    def summarise(self, tier: str, scores: Sequence[CaseScore]) -> TierSummary:
        """Pools over the documents that completed in every condition of the model and language (FaithC4 §3.3)."""
        counts = count_tier(tier, scores)
        own = [s for s in scores if s.case.tier == tier]
        if not own:
            return TierSummary(columns={}, **counts)
        lang, asked = own[0].case.lang, own[0].case.params["prompt"]
        group = [s for s in scores if s.case.lang == lang and s.case.params["prompt"] == asked]
        documents: dict[str, dict[str, CaseScore]] = {}
        for s in group:
            documents.setdefault(s.case.document, {})[s.case.params["condition"]] = s
        conditions = {s.case.params["condition"] for s in group}
        condition = own[0].case.params["condition"]
        columns: dict[str, dict[str, float]] = {}
        for s in own:
            if not s.inapplicable:
                columns[s.case.document] = failure_columns(s)
        for document, found in documents.items():
            if document in columns and found.keys() == conditions and all(s.complete for s in found.values()):
                columns[document].update(_columns(found[condition], found.get("original")))
        return TierSummary(columns=columns, **counts)

    def needs(self, tier: str, metric: str, tiers: Collection[str]) -> frozenset[str]:
        """Every chosen condition of the language and prompt decides which documents count; deltas need `original`."""
        if metric in {m.name for m in FAILURE_METRICS}:
            return frozenset({tier})
        needed = {t for t in tiers if _group(t) == _group(tier)} | {tier}
        if metric.startswith("delta_") or metric == "error_amplification":
            parts = tier.split("/")
            needed.add("/".join((*parts[:2], "original", *parts[3:])))
        return frozenset(needed)

    def explain(
        self,
        case: Case,
        transcript: Transcript,
        metrics: Mapping[str, Any],
        request: Request,
        instruments: Instruments = NO_INSTRUMENTS,
    ) -> Explanation:
        """Perturbed words that were not kept first, original, printed and read form of each; then the other errors."""
        if transcript.outcome != "complete":
            return Explanation(f"{transcript.outcome}: {describe_text(transcript.text)}")
        words: list[WordRewrite] = []
        if case.params["condition"] != "original":
            found = process_rewrites(case.params["original"], case.reference, transcript.text, lang=case.lang)
            words = sorted(
                (w for w in found.words if w.kind != "verbatim"), key=lambda w: (w.kind != "rewritten", w.index)
            )
        return explain_words(case, transcript.text, words, metrics, request)


TEXT_RATES = ("wer", "cer", "cer_spaceless", "word_accuracy", "char_accuracy")


def _group(tier: str) -> tuple[str, ...]:
    parts = tier.split("/")
    return (parts[0], parts[1], *parts[3:])


def _columns(own: CaseScore, original: CaseScore | None) -> dict[str, float]:
    row = {name: float(own.metrics[name] or 0) for name in _POOLED}
    for name in ("perturbed", *CLASSES, "leaked", "other_errors", "other_words"):
        if name in own.metrics:
            row[name] = float(own.metrics[name] or 0)
    for bucket in LENGTHS:
        for name in ("perturbed", "rewritten"):
            row[f"{name}@{bucket}"] = float(own.metrics.get(f"{name}@{bucket}") or 0)
    if original is not None:
        row |= {f"original_{name}": float(original.metrics[name] or 0) for name in _POOLED}
    return row


def explain_words(
    case: Case, text: str, words: Sequence[WordRewrite], metrics: Mapping[str, Any], request: Request
) -> Explanation:
    """The lines of a page's perturbed words that were not kept, and of its other differences."""
    from pytest_vtcfaith.report.worddiff import hunks, quoted

    lines = [
        f"word {w.index + 1}: original {quoted(w.original)}  page {quoted(w.page)}  model {quoted(w.read or '')}  "
        f"+{w.kind.upper() if w.kind == 'rewritten' else w.kind}+"
        for w in words[:3]
    ]
    if len(words) > 3:
        lines.append(f"… and {len(words) - 3} more perturbed words")
    differences, first = hunks(
        normalise(case.reference, "verbatim", case.lang), normalise(text, "verbatim", case.lang), case.lang
    )
    lines += differences[: 3 if words else 6]
    rewritten = sum(w.kind == "rewritten" for w in words)
    if rewritten:
        verdict = f"{rewritten} of {metrics.get('perturbed')} perturbed words rewritten to the original"
    elif words:
        verdict = f"{len(words)} of {metrics.get('perturbed')} perturbed words not kept"
    else:
        verdict = f"{metrics.get('word_edits')} word edits on {metrics.get('reference_words')} words"
    index = words[0].index if words else first
    return Explanation(verdict, tuple(lines), *find_word(request.pages, case.lang, index))


SUITE = Rewriting()
