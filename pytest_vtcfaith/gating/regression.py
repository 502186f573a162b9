"""What a comparison with the baseline found, as numbers and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_vtcfaith.gating.power import detectable_loss, documents_needed, documents_seeing, level, quiet_margin

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.statistics import Loss
    from pytest_vtcfaith.gating.thresholds import GateRule


@dataclass(frozen=True, slots=True)
class Regression:
    """One gate's comparison; losses in the metric's unit, positive when worse.

    `p` is one-sided, of “the loss is within `margin`”, and counts where it is at most `level`; `p_holm` is adjusted for
    the `gates` of the run (None before `family.settle`, or where the gate takes no part: `holm`). `changed` of the
    `documents` have another value of their own. `spread`: standard deviation of the loss over draws; `worst`: the loss
    of one document that fails wholly. `detectable`: the smallest loss that the gate calls a failure with 80 % power.
    `quiet_margin`: the smallest margin at which at most 5 % of runs without any change are not green;
    `documents_needed`: how many documents make `margin` that one. `most` is what the metric can lose from end to end:
    no number is beyond it. Where no loss up to `most` could be seen, `detectable` is None, and `documents_seeing` says
    how many documents show one; where no margin up to it is quiet, `quiet_margin` is None. `floor` is the noise floor.
    `improved`: surely better by more than the margin, which is suspicious. None stands for what is unknown.
    """

    loss: float
    margin: float
    equivalence: bool
    holm: bool
    confidence: float
    level: float
    p: float
    documents: int
    changed: int
    spread: float
    worst: float
    floor: float | None = None
    improved: bool = False
    p_holm: float | None = None
    gates: int = 1
    low: float | None = None
    high: float | None = None
    detectable: float | None = None
    quiet_margin: float | None = None
    documents_needed: int | None = None
    documents_seeing: int | None = None
    most: float | None = None

    @property
    def unknown(self) -> bool:
        """Whether nothing can be said of what other documents would show."""
        return self.documents < 2 or self.low is None

    @classmethod
    def of(cls, loss: Loss, rule: GateRule, floor: float | None, most: float = math.inf) -> Regression:
        """The comparison of one gate judged by itself; `most` is what the metric can lose."""
        margin = rule.max_regression or 0.0
        return cls(
            loss=loss.value,
            margin=margin,
            equivalence=rule.equivalence,
            holm=rule.holm,
            confidence=rule.confidence,
            level=level(rule.confidence),
            p=loss.p,
            documents=loss.documents,
            changed=loss.changed,
            spread=loss.spread,
            worst=loss.worst,
            floor=floor if floor is None or math.isfinite(floor) else None,
            improved=not rule.equivalence and loss.high is not None and loss.high < -margin,
            low=loss.low,
            high=loss.high,
            most=most if math.isfinite(most) else None,
        ).among(1)

    def among(self, gates: int) -> Regression:
        """The same as one of `gates` regression gates: what it can see, and what keeps the whole run quiet."""
        if self.unknown:
            return replace(self, gates=gates)
        tested = gates if self.holm else 1
        sides = gates * (1 + self.equivalence)
        most = math.inf if self.most is None else self.most
        alike = (self.spread, self.worst, self.documents)
        seen = detectable_loss(self.margin, *alike, confidence=self.confidence, gates=tested)
        quiet = quiet_margin(*alike, confidence=self.confidence, gates=sides)
        return replace(
            self,
            gates=gates,
            detectable=seen if seen <= most else None,
            documents_seeing=None
            if seen <= most
            else documents_seeing(most, self.margin, *alike, confidence=self.confidence, gates=tested),
            quiet_margin=quiet if quiet <= most else None,
            documents_needed=documents_needed(self.margin, *alike, confidence=self.confidence, gates=sides),
        )


def describe_regression(metric: str, old: float, new: float, found: Regression) -> str:
    """One line: both values, the loss with its interval, what is allowed, what could be seen, and what to mend."""
    word = "change" if found.equivalence else "loss"
    ends = "interval unknown" if found.low is None or found.high is None else f"{found.low:+.4f} to {found.high:+.4f}"
    said = [
        f"{metric}: {old:.4f} → {new:.4f}, {word} {found.loss:+.4f} ({ends}, on {found.documents} documents, "
        f"{found.changed} changed), allowed {'±' if found.equivalence else ''}{found.margin:g}"
    ]
    if found.p_holm is not None and found.p <= found.level < found.p_holm:
        said.append(
            f"beyond it by itself (p {found.p:.4f}), but not among {found.gates} gates (Holm: {found.p_holm:.4f} > "
            f"{found.level:g})"
        )
    if found.improved:
        said.append(
            "suspicious improvement, surely better by more than the margin: is it the same model, text and scoring?"
        )
    if found.documents < 2:
        said.append("one document shows nothing about others")
    elif not found.unknown:
        family = f" among {found.gates} gates" if found.gates > 1 else ""
        if found.detectable is not None:
            said.append(f"smallest {word} it could see {found.detectable:.4f}{family}")
        else:
            would = f", {found.documents_seeing} would" if found.documents_seeing else ""
            said.append(f"so few documents show no {word} of it at all{family}{would}")
        said.append(_advice(found, family))
    return "; ".join(part for part in said if part)


def _advice(found: Regression, family: str) -> str:
    """How to have at most 5 % of unchanged runs red; "" where the gate is quiet as it is."""
    red = f"without any change it is red too often{family}"
    measure = f"measure {found.documents_needed} documents" if found.documents_needed else ""
    if found.quiet_margin is None:
        return f"{red}, whatever is allowed" + (f": {measure}" if measure else "")
    if found.margin >= found.quiet_margin:
        return ""
    allow = f"allow {math.ceil(found.quiet_margin * 1e4) / 1e4:g}"
    return f"{red}: {allow}" + (f", or {measure}" if measure else "")
