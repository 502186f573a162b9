"""Compression difficulty (VTC-Bench): what is answered when a picture costs fewer visual tokens (definitions §6).

Conditions are the picture at full size, and reduced by each of the manifest's factors, which is the built-in method
`downsample`. A compression method is a model that declares its keep ratio: it is asked at full size only, since it
compresses by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.answers import AnswerKey, is_right
from pytest_vtcfaith.metrics.assertions import units_of
from pytest_vtcfaith.models.protocols import Prompt
from pytest_vtcfaith.pages.budget import visual_tokens
from pytest_vtcfaith.pages.questions.reduced import full_size, question_page, reduced_size
from pytest_vtcfaith.suites.base import (
    FAILURE_METRICS,
    Explanation,
    Inapplicable,
    Request,
    TierMetric,
    TierSummary,
    count_tier,
    failure_columns,
    ratio,
)
from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.compression_cases import FULL, compression_cases
from pytest_vtcfaith.suites.compression_groups import GROUPS, Groups, factor_of, groups_beside
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS, Instruments

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.models.registry import ModelSpec

MISSING = ("empty", "refused")
"""Outcomes without an answer. Every failure counts as wrong; these are counted as missing too."""
FLAGS = {f"{group}@paper" if of == "paper" else group: (of, group) for of in ("code", "paper") for group in GROUPS}
"""Names of what a score says of groups → definition and group; the plain names are those of `code`."""


@dataclass(frozen=True)
class QuestionRequest(Request):
    """A request that knows what its picture costs, `tokens` as it is (by a method's own word, its share of all) and
    `full_tokens` at full size (None: unknown), and by `FLAGS` whether the question is in a group.
    """

    tokens: int | None = None
    full_tokens: int | None = None
    flags: tuple[tuple[str, int], ...] = ()


def _mean(column: str, cases: str = "cases") -> Any:
    return lambda sums: ratio(sums[column], sums[cases])


class Compression:
    """The suite of questions about pictures, at full size and reduced."""

    name = "compression"
    task = "answer"
    primary = "accuracy"
    metrics: Mapping[str, TierMetric] = {
        m.name: m
        for m in (
            TierMetric("accuracy", +1, _mean("accuracy")),
            *(TierMetric(f"accuracy_{flag}", +1, _mean(f"right@{flag}", f"cases@{flag}")) for flag in FLAGS),
            TierMetric("missing_rate", -1, _mean("missing", "applicable")),
            TierMetric("kept_tokens", 0, _mean("tokens", "full_tokens"), high=float("inf")),
            *FAILURE_METRICS,
        )
    }
    case_metrics: Mapping[str, int] = {"accuracy": 1}
    converges = False

    def cases(self, folder: Path | None = None, *, prompts: Sequence[str] = ("plain",)) -> list[Case]:
        """One case for every question and condition."""
        return compression_cases(folder)

    def inapplicable(self, case: Case, spec: ModelSpec) -> str:
        """A language the model does not declare; a reduced picture for a method that compresses by itself."""
        if spec.languages is not None and case.lang not in spec.languages:
            return f"{spec.name} does not declare that it reads {case.lang!r}"
        if spec.keep_ratio is not None and case.params["factor"] != FULL:
            return f"{spec.name} keeps {spec.keep_ratio:g} of the tokens by itself: it is asked at full size only"
        return ""

    def prerequisites(self, case: Case, cases: Sequence[Case]) -> Sequence[Case]:
        """None: every question may be asked."""
        return ()

    def request(self, case: Case, spec: ModelSpec) -> QuestionRequest:
        """The picture, reduced by the case's factor, and the question.

        Raises Inapplicable for a row without a picture where the model needs one, for a picture that the model's rule
        of visual tokens does not take, and for a method without frozen groups of its keep ratio.
        """
        row, factor, folder = case.params["row"], case.params["factor"], case.file.parent
        groups = groups_beside(folder)
        of = _group_factor(groups, case, spec)
        size = full_size(row, folder)
        if size is None and spec.needs_picture:
            raise Inapplicable(f"{case.document} has no picture here: replay its answers")
        tokens = full = None
        if size is not None:
            try:
                full = visual_tokens(spec.visual_tokens, *size)
                tokens = full if factor == FULL else visual_tokens(spec.visual_tokens, *reduced_size(*size, factor))
            except ValueError as error:
                raise Inapplicable(str(error)) from error
            if spec.keep_ratio is not None:
                tokens = max(1, round(full * spec.keep_ratio))
        flags = {
            flag: int((of, *FLAGS[flag]) in case.params["groups"])
            for flag in FLAGS
            if any((each, definition) == (of, FLAGS[flag][0]) for each, definition, _ in case.params["groups"])
        }
        return QuestionRequest(
            lay_out=lambda: () if size is None else (question_page(row, folder, factor),),
            prompt=Prompt(case.params["question"]["question"], case.lang),
            tokens=tokens,
            full_tokens=full,
            flags=tuple(flags.items()),
        )

    def score(
        self, case: Case, transcript: Transcript, request: Request, instruments: Instruments = NO_INSTRUMENTS
    ) -> dict[str, float | int | None]:
        """Whether the answer is right; a missing or failed one is wrong (definitions §6)."""
        if transcript.outcome == "infrastructure_error":
            return {}
        complete = transcript.outcome == "complete"
        right = complete and is_right(answer_key(case), transcript.text, lang=case.lang)
        metrics: dict[str, float | int | None] = {
            "accuracy": float(right),
            "missing": int(transcript.outcome in MISSING),
        }
        if isinstance(request, QuestionRequest):
            if request.tokens is not None:
                metrics |= {"visual_tokens": request.tokens, "full_tokens": request.full_tokens}
            metrics |= dict(request.flags)
        return metrics

    def summarise(self, tier: str, scores: Sequence[CaseScore]) -> TierSummary:
        """Means over all measured cases of the tier, pooled by page, and the same over the groups.

        A tier that is a group (`…/2x/difficult`) has no value for a model that the groups do not fit.
        """
        columns: dict[str, dict[str, float]] = {}
        group = tier.rpartition("/")[2]
        for score in scores:
            unfit = group in GROUPS and score.measured and group not in score.metrics
            if tier in score.case.tiers and not score.inapplicable and not unfit:
                row = columns.setdefault(score.case.document, {})
                for name, value in {**failure_columns(score), **_columns(score)}.items():
                    row[name] = row.get(name, 0.0) + value
        return TierSummary(columns=columns, **count_tier(tier, scores))

    def needs(self, tier: str, metric: str, tiers: Collection[str]) -> frozenset[str]:
        """Only the tier itself: groups are frozen, not taken from this run."""
        return frozenset({tier})

    def explain(
        self,
        case: Case,
        transcript: Transcript,
        metrics: Mapping[str, Any],
        request: Request,
        instruments: Instruments = NO_INSTRUMENTS,
    ) -> Explanation:
        """The question, what was expected and what was given."""
        from pytest_vtcfaith.report.worddiff import quoted

        key = answer_key(case)
        expected = " or ".join(quoted(answer) for answer in key.answers)
        if key.kind == "choice":
            expected += " (" + quoted(key.options["ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(key.answers[0])]) + ")"
        given = quoted(transcript.text, 200) if transcript.text.strip() else "nothing"
        factor = case.params["factor"]
        lines = [
            f"question: {quoted(case.params['question']['question'], 300)}",
            f"expected: {expected}  ({key.kind})",
            f"given: {given}",
            f"picture: {'full size' if factor == FULL else f'both sides divided by {factor}'}"
            + (f", {metrics['visual_tokens']} visual tokens" if metrics.get("visual_tokens") else ""),
        ]
        failed = transcript.outcome not in ("complete", "infrastructure_error")
        verdict = f"{transcript.outcome}: no answer" if failed else "wrong answer"
        return Explanation(verdict, tuple(lines))


def answer_key(case: Case) -> AnswerKey:
    """What a right answer to a case of this suite is."""
    question = case.params["question"]
    return AnswerKey(
        question["kind"],
        tuple(question["answers"]),
        tuple(question.get("options", ())),
        question.get("tolerance", 0.0),
        units_of(question["question"]),
    )


def misfit_of(groups: Groups, spec: ModelSpec) -> str:
    """Why groups do not count for a model, with the mend; "" where they do."""
    return groups.misfit(visual_tokens=spec.visual_tokens, model=spec.name, base=spec.base)


def _group_factor(groups: Groups | None, case: Case, spec: ModelSpec) -> int | None:
    """At which factor the groups count for this case and model; None where they do not.

    Raises Inapplicable for a method whose keep ratio has no groups that fit it.
    """
    if spec.keep_ratio is None:
        if groups is None or case.params["factor"] == FULL or misfit_of(groups, spec):
            return None
        return int(case.params["factor"])
    if groups is None:
        raise Inapplicable(f"{case.file.parent} has no frozen groups (*.groups.json): run vtcfaith groups freeze")
    factor = factor_of(spec.keep_ratio, groups.factors)
    problem = misfit_of(groups, spec)
    if not problem and factor is None:
        known = ", ".join(f"{1 / each**2:.4g}" for each in groups.factors)
        problem = f"no frozen groups are of the keep ratio {spec.keep_ratio:g}, only of {known}: freeze such groups"
    if problem:
        raise Inapplicable(problem)
    return factor


def _columns(score: CaseScore) -> dict[str, float]:
    if not score.measured:
        return {"missing": 0.0}
    right = float(score.metrics.get("accuracy") or 0.0)
    row = {"cases": 1.0, "accuracy": right, "missing": float(score.metrics.get("missing") or 0)}
    for name in ("tokens", "full_tokens"):
        value = score.metrics.get("visual_tokens" if name == "tokens" else name)
        if value is not None:
            row[name] = float(value)
    for flag in FLAGS:
        member = score.metrics.get(flag)
        if member is not None:
            row[f"cases@{flag}"] = float(member)
            row[f"right@{flag}"] = right * float(member)
    return row


SUITE = Compression()
