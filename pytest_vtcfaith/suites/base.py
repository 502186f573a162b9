"""What a suite is: five small parts, and the metrics its tiers have. The plugin knows nothing else about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.instruments import Instruments

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.models.protocols import Prompt
    from pytest_vtcfaith.models.registry import ModelSpec
    from pytest_vtcfaith.pages.page import Page

Columns = Mapping[str, Mapping[str, float]]
"""Document → column → sum over the document's cases: what pooling and bootstrapping need of a tier."""


class Inapplicable(Exception):
    """The case lies outside what the model declares it can do; the message says why."""


@dataclass(frozen=True)
class Request:
    """What the model gets for one case: the pages, the prompt, and the visual tokens all pages may cost (None: any).

    The pages are laid out when they are first read: a replayed answer needs none. A text that fits on one page has one;
    of several each is asked by itself, see `part`; a drawing is asked for without any. The text of the prompt is what
    an editor is to do, a question, or what is to be drawn, according to the suite's task.
    """

    lay_out: Callable[[], tuple[Page, ...]] = field(repr=False, compare=False)
    prompt: Prompt
    budget_tokens: int | None = None

    @cached_property
    def pages(self) -> tuple[Page, ...]:
        """The laid-out pages; the picture of each is drawn when `Page.image` is first read."""
        return self.lay_out()

    @property
    def page(self) -> Page:
        """The only page, or the first."""
        return self.pages[0]

    def part(self, page: Page) -> Request:
        """What the model gets of one of several pages; its budget are the tokens the page was fitted to."""
        return Request(lambda: (page,), self.prompt, None if self.budget_tokens is None else page.visual_tokens)


@dataclass(frozen=True, slots=True)
class TierMetric:
    """One number of a tier, as a formula over column sums.

    `better` is +1 when higher is better, -1 when lower is, 0 when neither (never a loss). `low` and `high` bound what
    a threshold may say. `formula` takes the sums (floats, or arrays with one entry per bootstrap draw) and gives the
    value; nan where it is undefined.
    """

    name: str
    better: int
    formula: Callable[[Mapping[str, Any]], Any]
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True)
class TierSummary:
    """A tier's cases with one model, pooled by document.

    `columns` are the sums by document that the metrics are computed from. `expected` counts applicable cases,
    `measured` those the model answered, `failures` those it answered with a failure, by class. `reasons` counts why
    applicable cases were not measured or, in a tier without any, why its cases are inapplicable. `remarks` says by
    metric what has to be known where its gate fails.
    """

    tier: str
    columns: Columns
    expected: int
    measured: int
    inapplicable: int
    failures: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one case reads as it does: `verdict` in one line, `lines` of word differences (already escaped; `-…-` is
    printed, `+…+` was read), and the word to look at: page (index into `Request.pages`) and word on it (index into
    `Page.words`, None for no word). `pictures` are others to look at, each with its label and what draws it.
    """

    verdict: str
    lines: tuple[str, ...] = ()
    page: int = 0
    word: int | None = None
    pictures: tuple[tuple[str, Callable[[], Image.Image]], ...] = ()


class Suite(Protocol):
    """One benchmark. `metrics` are the numbers its tiers have; `primary` is the one shown first."""

    name: str
    task: str
    """What its models are asked to do: one of `models.protocols.TASKS`."""
    primary: str
    metrics: Mapping[str, TierMetric]
    case_metrics: Mapping[str, int]
    """Metrics of one case that a floor may bound, with their better direction."""
    converges: bool
    """Whether the report shows how the means of its tiers settle with the number of documents (ZeroSense Table 4)."""

    def cases(self, folder: Path | None = None, *, prompts: Sequence[str] = ("plain",)) -> list[Case]:
        """Lists the cases of all manifests in `folder` (None: the bundled ones), sorted by id. Renders nothing."""
        ...

    def inapplicable(self, case: Case, spec: ModelSpec) -> str:
        """Why the model cannot be asked this case by its own declaration; "" when it can."""
        ...

    def prerequisites(self, case: Case, cases: Sequence[Case]) -> Sequence[Case]:
        """Those of `cases`, which are the suite's, whose tiers' gates the model must pass before it is asked this."""
        ...

    def request(self, case: Case, spec: ModelSpec) -> Request:
        """What the model gets. Raises Inapplicable when the model's visual tokens cannot reach the case's budget."""
        ...

    def score(
        self, case: Case, transcript: Transcript, request: Request, instruments: Instruments
    ) -> dict[str, float | int | None]:
        """The metrics of one case: plain numbers. What the instruments cannot measure is None."""
        ...

    def summarise(self, tier: str, scores: Sequence[CaseScore]) -> TierSummary:
        """Pools the scores of one tier; `scores` are all scores of one model in the suite, of every tier."""
        ...

    def needs(self, tier: str, metric: str, tiers: Collection[str]) -> frozenset[str]:
        """The tiers whose scores the metric of this tier takes in, itself included.

        `tiers` are those chosen for the run. One that is not among them may be named: then the metric cannot be had.
        """
        ...

    def explain(
        self,
        case: Case,
        transcript: Transcript,
        metrics: Mapping[str, Any],
        request: Request,
        instruments: Instruments,
    ) -> Explanation:
        """What a failing test shows."""
        ...


def ratio(above: Any, below: Any) -> Any:
    """above ÷ below, nan where `below` is 0; floats or arrays."""
    if isinstance(below, (int, float)):
        return above / below if below else float("nan")
    import numpy as np

    below = np.asarray(below, dtype=float)
    return np.divide(above, below, out=np.full(below.shape, np.nan), where=below != 0)


def totals(columns: Columns) -> dict[str, float]:
    """Column sums over all documents, in the order of the documents' names so that floats add up alike everywhere."""
    sums: dict[str, float] = {}
    for document in sorted(columns):
        for name, value in columns[document].items():
            sums[name] = sums.get(name, 0.0) + value
    return sums


class _Recorder(dict[str, float]):
    """Remembers which columns a formula asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def __missing__(self, name: str) -> float:
        self.asked.add(name)
        return 2.0 ** len(self.asked)  # all different: no difference of two columns is 0, no branch is passed over


def usable(metric: TierMetric, columns: Columns) -> Columns:
    """The documents that have every column the metric's formula takes in, with these columns only."""
    recorder = _Recorder()
    metric.formula(recorder)
    names = sorted(recorder.asked)
    return {
        document: {name: row[name] for name in names}
        for document, row in columns.items()
        if recorder.asked <= row.keys()
    }


def value(metric: TierMetric, columns: Columns) -> float | None:
    """The metric of a tier; None when it is undefined there (no document, nothing to divide by, no finite number)."""
    rows = usable(metric, columns)
    if not rows:
        return None
    result = float(metric.formula(totals(rows)))
    return result if math.isfinite(result) else None


def count_tier(tier: str, scores: Sequence[CaseScore]) -> dict[str, Any]:
    """The counts of a TierSummary for the scores that belong to `tier`."""
    own = [s for s in scores if tier in s.case.tiers]
    expected = sum(not s.inapplicable for s in own)
    failures: dict[str, int] = {}
    reasons: dict[str, int] = {}
    for s in own:
        if s.failed:
            failures[s.outcome] = failures.get(s.outcome, 0) + 1
        if not s.measured and s.inapplicable == (expected == 0):
            reasons[s.reason] = reasons.get(s.reason, 0) + 1
    return {
        "tier": tier,
        "expected": expected,
        "measured": sum(s.measured for s in own),
        "inapplicable": sum(s.inapplicable for s in own),
        "failures": dict(sorted(failures.items())),
        "reasons": dict(sorted(reasons.items())),
    }


def failure_columns(score: CaseScore) -> dict[str, float]:
    """What `FAILURE_METRICS` take in of an applicable case."""
    return {
        "applicable": 1.0,
        "failed": float(score.failed),
        "blank": float(score.outcome == "empty"),
        "looped": float(score.outcome == "repetition"),
    }


FAILURE_METRICS = tuple(
    TierMetric(name, -1, lambda sums, column=column: ratio(sums[column], sums["applicable"]))  # type: ignore[misc]
    for name, column in (("failure_rate", "failed"), ("blank_rate", "blank"), ("loop_rate", "looped"))
)
"""Shares of the applicable cases of a tier: that failed, whose reply was `empty`, whose reply was `repetition`."""
