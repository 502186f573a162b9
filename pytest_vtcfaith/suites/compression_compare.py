"""Whether a compression method is better than down-sampling (VTC-Bench, Step 3): what counts is group A.

A method is praised only for what down-sampling cannot do. Being right more often on simple questions, which reducing
the picture answers as well, says nothing about compression.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb

from pytest_vtcfaith.suites.compression_groups import GROUPS, Groups, GroupsError

ALPHA = 0.05
"""How probable the gain on group A may be by chance for a method to count as better."""
MARGIN = 0.05
"""How much accuracy a method may lose on group B and still count as equal there."""
VERDICTS = ("better", "trade-off", "not better", "worse")


@dataclass(frozen=True, slots=True)
class Pair:
    """Accuracies of method and down-sampling on one group of `questions`, and on how many documents each was better."""

    questions: int
    method: float
    downsample: float
    gained: int
    lost: int

    @property
    def gain(self) -> float:
        """Accuracy of the method less that of down-sampling."""
        return self.method - self.downsample

    @property
    def chance(self) -> float:
        """Probability that as many documents or more are gained where gain and loss are equally likely (sign test)."""
        return _tail(self.gained, self.gained + self.lost)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A verdict of `VERDICTS`, why, and the figures of both groups."""

    verdict: str
    reason: str
    difficult: Pair
    simple: Pair


def compare(
    method: Mapping[str, bool],
    downsample: Mapping[str, bool],
    groups: Groups,
    factor: int,
    documents: Mapping[str, str],
    *,
    definition: str = "code",
    margin: float = MARGIN,
) -> Comparison:
    """Compares a method with down-sampling by `factor`.

    `method`, `downsample`: for every question of the groups whether the answer was right, a missing one being wrong.
    `documents`: the document of every question, which is the cluster.

    - `better`: gains on difficult questions that chance does not explain (sign test over documents, one-sided, 5 %),
      and at most `margin` lost on simple ones.
    - `trade-off`: such gains, and more than `margin` lost on simple ones.
    - `worse`: losses on difficult questions that chance does not explain. `not better`: anything else, gains on simple
      questions only among it.

    Raises GroupsError for a factor without groups, an empty group, and a question of a group that was not measured.
    """
    groups.require(factor=factor)
    difficult, simple = (
        _pair(groups.factors[factor][definition][group], group, method, downsample, documents) for group in GROUPS
    )
    if difficult.gain > 0 and difficult.chance <= ALPHA:
        if -simple.gain <= margin + 1e-9:
            return Comparison("better", "better on difficult questions, not worse on simple ones", difficult, simple)
        reason = f"better on difficult questions, but {-simple.gain:.1%} worse on simple ones"
        return Comparison("trade-off", reason, difficult, simple)
    if difficult.gain < 0 and _tail(difficult.lost, difficult.gained + difficult.lost) <= ALPHA:
        return Comparison("worse", "worse on difficult questions", difficult, simple)
    reason = "no gain on difficult questions beyond chance"
    if simple.gain > 0:
        reason += "; gains on simple ones, which down-sampling answers too, do not count"
    return Comparison("not better", reason, difficult, simple)


def _pair(
    questions: tuple[str, ...],
    group: str,
    method: Mapping[str, bool],
    downsample: Mapping[str, bool],
    documents: Mapping[str, str],
) -> Pair:
    if not questions:
        raise GroupsError(f"the group {group!r} is empty: take another factor, or harder pictures")
    balance: dict[str, int] = {}
    for question in questions:
        for who, answers in (("method", method), ("down-sampling", downsample)):
            if question not in answers:
                raise GroupsError(f"question {question!r} ({group}) was not measured with the {who}: run all of them")
        document = documents[question]
        balance[document] = balance.get(document, 0) + method[question] - downsample[question]
    return Pair(
        questions=len(questions),
        method=sum(method[question] for question in questions) / len(questions),
        downsample=sum(downsample[question] for question in questions) / len(questions),
        gained=sum(value > 0 for value in balance.values()),
        lost=sum(value < 0 for value in balance.values()),
    )


def _tail(successes: int, trials: int) -> float:
    """Probability of at least `successes` of `trials` at one half."""
    return float(sum(comb(trials, k) for k in range(successes, trials + 1)) / 2**trials)
