"""Preservation (ZeroSense): how much text survives being drawn at a given compression (definitions §3)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics import normalise, text_scores
from pytest_vtcfaith.suites.base import Explanation, Inapplicable, Request, TierSummary, count_tier
from pytest_vtcfaith.suites.bundled import manifests
from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.explain import describe_text, page_word
from pytest_vtcfaith.suites.preservation_metrics import BUCKETS, METRICS, token_bucket
from pytest_vtcfaith.suites.prompts import prompt

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.models.registry import ModelSpec
    from pytest_vtcfaith.pages.page import Page
    from pytest_vtcfaith.texts.manifest import Manifest

MATCHED = "natural-at-"
"""A natural text drawn at the size of the page of its partner, source `natural-at-SOURCE`, for `prior_gap`."""
SAME_SIZE = 0.02
"""Pixels per character may differ by this share in a pair that `prior_gap` compares."""
_ACCURACIES = ("word_accuracy", "word_precision", "word_recall", "word_f1", "char_accuracy")
_RATES = (*_ACCURACIES, "wer", "cer")


class Preservation:
    """The suite of compressed pages: sources × layouts × compression ratios."""

    name = "preservation"
    primary = "word_accuracy"
    metrics = METRICS
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
        found: list[Case] = []
        for manifest in manifests(folder, "vtcfaith/preservation"):
            found += _cases(manifest)
        return sorted(found, key=lambda c: c.id)

    def inapplicable(self, case: Case, spec: ModelSpec) -> str:
        """A language the model does not declare; budgets are decided when the page is laid out."""
        if spec.languages is not None and case.lang not in spec.languages:
            return f"{spec.name} does not declare that it reads {case.lang!r}"
        return ""

    def request(self, case: Case, spec: ModelSpec) -> Request:
        """The whole page of the layout, of a size that costs n_text ÷ ratio visual tokens (definitions §3, Budget)."""
        from pytest_vtcfaith.pages import Unsupported, fit_budget, render
        from pytest_vtcfaith.pages.layouts import layout_named

        layout = layout_named(case.params["layout"])
        try:
            fit = fit_budget(
                case.params["budget_text"],
                case.params["ratio"],
                family=spec.visual_tokens,
                page_width=layout.width_pt,
                page_height=layout.height_pt,
            )
        except Unsupported as problem:
            raise Inapplicable(str(problem)) from problem

        def lay_out() -> Page:
            return render(
                case.reference,
                layout=case.params["layout"],
                lang=case.lang,
                size=(fit.width, fit.height),
                visual_tokens=fit.tokens,
            )

        nominal = spec.visual_tokens.startswith("nominal")
        return Request(lay_out, prompt("plain", case.lang), None if nominal else fit.tokens)

    def score(self, case: Case, transcript: Transcript, request: Request) -> dict[str, float | int | None]:
        """Aligned and set metrics; a failed case scores 0 (definitions §3), and says so in its outcome."""
        if transcript.outcome == "infrastructure_error":
            return {}
        metrics: dict[str, float | int | None] = {"n_text": case.params["n_text"]}
        page = request.page
        if page.visual_tokens:
            metrics["visual_tokens"] = page.visual_tokens
            metrics["compression_ratio"] = case.params["n_text"] / page.visual_tokens
        metrics["pixels_per_character"] = page.pixels_per_character
        if transcript.outcome != "complete":
            return metrics | dict.fromkeys(_ACCURACIES, 0.0)
        rates = text_scores(case.reference, transcript.text, lang=case.lang)
        metrics |= {name: rates[name] for name in (*_RATES, "word_edits", "reference_words")}  # type: ignore[misc]
        return metrics

    def summarise(self, tier: str, scores: Sequence[CaseScore]) -> TierSummary:
        """Means over all measured cases of the tier, failed ones at 0 (ZeroSense Eq. 7), and the pairs of the gaps."""
        counts = count_tier(tier, scores)
        columns: dict[str, dict[str, float]] = {}
        for s in scores:
            if s.case.tier == tier and not s.inapplicable:
                columns[s.case.document] = {"applicable": 1.0, "failed": float(s.failed)}
                if s.measured:
                    columns[s.case.document] |= _columns(s)
        *head, source = tier.split("/")
        if not _is_natural(source):
            for prefix, sibling in (("matched", MATCHED + source), ("natural", "natural" + _language_suffix(source))):
                sibling = "/".join((*head, sibling))
                for s in scores:
                    if s.case.tier == sibling and s.measured and "cases" in columns.get(s.case.document, {}):
                        _pair(columns[s.case.document], s, prefix)
        return TierSummary(columns=columns, **counts)

    def needs(self, tier: str, metric: str, tiers: Collection[str]) -> frozenset[str]:
        """The gaps compare with the natural tiers of the same layout and ratio."""
        *head, source = tier.split("/")
        siblings = {"prior_gap": MATCHED + source, "gap_at_ratio": "natural" + _language_suffix(source)}
        if metric not in siblings or _is_natural(source):
            return frozenset({tier})
        return frozenset({tier, "/".join((*head, siblings[metric]))})

    def explain(self, case: Case, transcript: Transcript, metrics: Mapping[str, Any], request: Request) -> Explanation:
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
        return Explanation(verdict, tuple(lines), page_word(request.page, case.lang, first))


def _language_suffix(source: str) -> str:
    """Tiers of languages other than English carry the language at the end of their source."""
    return source[-3:] if source[-3:] in ("-zh", "-ko") else ""


def _is_natural(source: str) -> bool:
    return source.startswith(MATCHED) or source.removesuffix(_language_suffix(source)) == "natural"


def _cases(manifest: Manifest) -> Iterator[Case]:
    header = manifest.header
    natural = {row["document"]: (line, row) for line, row in manifest.rows if row["source"] == "natural"}
    for line, row in manifest.rows:
        drawn = [(row["source"], line, row)]
        if row["source"] != "natural" and row["document"] in natural:
            drawn.append((MATCHED + row["source"], *natural[row["document"]]))
        suffix = "" if row["lang"] == "en" else f"-{row['lang']}"
        for source, at, shown in drawn:
            for layout in header["layouts"]:
                for ratio in header["ratios"]:
                    times = f"{ratio:g}x"
                    yield Case(
                        id=f"{row['document']}-{source}-{layout}-{times}",
                        suite="preservation",
                        tier=f"preservation/{layout}/{times}/{source}{suffix}",
                        document=row["document"],
                        lang=row["lang"],
                        reference=shown["text"],
                        file=manifest.path,
                        line=at,
                        params={
                            "source": source,
                            "layout": layout,
                            "ratio": ratio,
                            "n_text": shown["n_text"],
                            "budget_text": row["n_text"],
                        },
                    )


def _columns(score: CaseScore) -> dict[str, float]:
    row = {"cases": 1.0}
    for name in (*_ACCURACIES, "compression_ratio", "pixels_per_character"):
        row[name] = float(score.metrics.get(name) or 0.0)
    own = token_bucket(int(score.metrics.get("n_text") or 0))
    for bucket in BUCKETS:
        row[f"cases@{bucket}"] = float(bucket == own)
        row[f"word_accuracy@{bucket}"] = row["word_accuracy"] if bucket == own else 0.0
    return row


def _pair(row: dict[str, float], partner: CaseScore, prefix: str) -> None:
    """Adds a natural partner of the same document; for `prior_gap` only one whose letters are as large."""
    other = float(partner.metrics.get("pixels_per_character") or 0.0)
    own = row["pixels_per_character"]
    if prefix == "matched" and not (own and other and abs(other / own - 1.0) <= SAME_SIZE + 1e-9):
        return
    row[f"{prefix}_pairs"] = 1.0
    row[f"{prefix}_accuracy"] = float(partner.metrics.get("word_accuracy") or 0.0)
    row[f"{prefix}_own"] = row["word_accuracy"]


SUITE = Preservation()
