"""What a comparison with the baseline found, as numbers and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_vtcfaith.gating.power import detectable_loss, documents_needed, level, quiet_margin

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
    `documents_needed`: how many documents make `margin` that one. `floor` is the noise floor. `improved`: surely better
    by more than the margin, which is suspicious. None stands for what is unknown.
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

    @classmethod
    def of(cls, loss: Loss, rule: GateRule, floor: float | None) -> Regression:
        """The comparison of one gate judged by itself."""
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
        ).among(1)

    def among(self, gates: int) -> Regression:
        """The same as one of `gates` regression gates: what it can see, and what keeps the whole run quiet."""
        unknown = self.documents < 2 or self.low is None
        sides = gates * (1 + self.equivalence)
        seen: dict[str, float] = {"confidence": self.confidence}
        return replace(
            self,
            gates=gates,
            detectable=None
            if unknown
            else detectable_loss(
                self.margin, self.spread, self.worst, self.documents, gates=gates if self.holm else 1, **seen
            ),
            quiet_margin=None
            if unknown
            else quiet_margin(self.spread, self.worst, self.documents, gates=sides, **seen),
            documents_needed=None
            if unknown
            else documents_needed(self.margin, self.spread, self.worst, self.documents, gates=sides, **seen),
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
    elif found.detectable is not None:
        family = f" among {found.gates} gates" if found.gates > 1 else ""
        said.append(f"smallest {word} it could see {found.detectable:.4f}{family}")
        said.append(_advice(found, family))
    return "; ".join(part for part in said if part)


def _advice(found: Regression, family: str) -> str:
    """How to have at most 5 % of unchanged runs red; "" where the gate is quiet as it is."""
    if found.quiet_margin is None or found.margin >= found.quiet_margin:
        return ""
    margin = math.ceil(found.quiet_margin * 1e4) / 1e4
    text = f"without any change it is red too often{family}: allow {margin:g}"
    return f"{text}, or measure {found.documents_needed} documents" if found.documents_needed else text
