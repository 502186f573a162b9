"""The regression gates of a run together: Holm's correction, and what each can see among the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_vtcfaith.gating.holm import holm
from pytest_vtcfaith.gating.judge import Verdict
from pytest_vtcfaith.gating.regression import Regression, describe_regression
from pytest_vtcfaith.gating.thresholds import SLACK

_JUDGED = ("pass", "fail", "inconclusive")


def settle(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The final verdicts of a run, in the given order; anything but a judged regression stays as it is.

    Each verdict is that of a gate by itself (`judge.judge_regression`). A failure stays one where its p-value, adjusted
    over all regression gates that take part, is at most its level; else the gate cannot tell, and is inconclusive. So
    the probability that any gate fails whose true loss is within its margin is at most the largest of the levels, for
    the default confidence 2.5 %. A pass needs no correction: a run is green only where every gate passes, and it errs
    only where one gate errs whose tier lost more than its margin.
    Settling twice changes nothing.
    """
    judged = [i for i, v in enumerate(verdicts) if v.regression is not None and v.verdict in _JUDGED]
    family = [i for i in judged if verdicts[i].regression.holm]  # type: ignore[union-attr]
    adjusted = dict(zip(family, holm([verdicts[i].regression.p for i in family]), strict=True))  # type: ignore[union-attr]
    settled = list(verdicts)
    for i in judged:
        verdict, before = verdicts[i], verdicts[i].regression
        assert before is not None
        found = replace(before.among(len(judged)), p_holm=adjusted.get(i))
        word = verdict.verdict
        if word == "fail" and found.p_holm is not None and found.p_holm > found.level + SLACK:
            word = "inconclusive"
        added = verdict.message.removeprefix(_said(verdict, before))  # lines of documents, and what the caller added
        settled[i] = replace(verdict, verdict=word, regression=found, message=_said(verdict, found) + added)
    return settled


def _said(verdict: Verdict, found: Regression) -> str:
    assert verdict.baseline is not None
    assert verdict.value is not None
    return describe_regression(verdict.metric, verdict.baseline, verdict.value, found)
