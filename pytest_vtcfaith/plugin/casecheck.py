"""One case's result: booked for the controller, and held against floors and baseline."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vtcfaith.plugin.ledger import PROPERTY, encode_score
from pytest_vtcfaith.plugin.run import Ask, Run, run_of

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.metrics.outcomes import Reply
    from pytest_vtcfaith.suites.base import Request


def book(
    item: pytest.Item,
    ask: Ask,
    outcome: str,
    metrics: Mapping[str, Any],
    reason: str,
    transcript: Transcript | None,
    read: Mapping[str, str] | None = None,
) -> None:
    """Writes the result to this process's results file, then puts its score where the report carries it along."""
    from pytest_vtcfaith.report.results import append_result

    run = run_of(item.config)
    row = result_row(ask, outcome, metrics, reason, transcript) | ({"read": dict(read)} if read else {})
    if transcript is not None and (png := _png(transcript.reply)) is not None:
        from pytest_vtcfaith.report.results import save_picture

        row["picture"] = save_picture(run.report_folder, ask.id, png)
    append_result(run.report_folder, process_name(item.config), row, run.session_id)
    item.user_properties.append((PROPERTY, encode_score(ask, outcome, metrics, reason)))


def process_name(config: pytest.Config) -> str:
    """What this process's part of the results is called."""
    return str(getattr(config, "workerinput", {}).get("workerid", "main"))


def result_row(
    ask: Ask, outcome: str, metrics: Mapping[str, Any], reason: str, transcript: Transcript | None
) -> dict[str, Any]:
    """A case's line of results.jsonl."""
    case = ask.case
    row: dict[str, Any] = {
        "case": case.id,
        "suite": case.suite,
        "tier": case.tier,
        "model": ask.spec.name,
        "document": case.document,
        "lang": case.lang,
        "outcome": outcome or "inapplicable",
        "metrics": dict(metrics),
        "reference_sha256": case.reference_sha256,
        "transcript": None if transcript is None else transcript.reply.text,
    }
    if reason:
        row["reason"] = reason
    if transcript is not None:
        if (png := _png(transcript.reply)) is not None:
            row["picture_sha256"] = hashlib.sha256(png).hexdigest()
        row |= {"seconds": round(transcript.seconds, 3), "cached": transcript.cached, **_usage(transcript.reply)}
    return row


def _png(reply: Reply) -> bytes | None:
    from pytest_vtcfaith.engine.pictures import png_of

    try:
        return png_of(reply)
    except ValueError:  # the outcome of a reply that is no picture says it
        return None


def _usage(reply: Reply) -> dict[str, Any]:
    """What beside the text decides the outcome, as a replay file has it."""
    usage = {name: getattr(reply, name) for name in ("completion_tokens", "max_tokens", "image_tokens")}
    found = {
        "finish_reason": reply.finish_reason,
        "refusal": reply.refusal,
        "usage": {name: count for name, count in usage.items() if count is not None},
    }
    return {name: value for name, value in found.items() if value}


class CaseResult:
    """The metrics of one case by name (`score["word_accuracy"]`), with `outcome` and `text`."""

    def __init__(
        self, run: Run, ask: Ask, transcript: Transcript, metrics: Mapping[str, Any], request: Request
    ) -> None:
        self.metrics = metrics
        self.outcome = transcript.outcome
        self.text = transcript.text
        self.case = ask.case
        self._run = run
        self._ask = ask
        self._transcript = transcript
        self._request = request

    def __getitem__(self, name: str) -> Any:
        return self.metrics[name]

    def check(self) -> None:
        """Fails the test when a floor is violated, the case fell below its baseline, or it was not measured.

        A failure that a `failure_rate` gate covers is an expected failure: the gate decides (definitions §8).
        """
        if self.outcome == "infrastructure_error":
            reason = self._transcript.reply.error or "no reply"
            self._fail(f"not measured: {reason}", explain=False)
        thresholds = self._run.thresholds
        if self.outcome != "complete":
            from pytest_vtcfaith.report.worddiff import visible
            from pytest_vtcfaith.suites.explain import describe_text

            said = visible(describe_text(self.text))
            verdict = f"{self.outcome}: {said}"
            finer, whole = self._run.selection.finer_tiers, self._run.selection.is_whole
            if not any(whole(t) and thresholds.covers_failures(t, finer=t in finer) for t in self.case.tiers):
                self._fail(f"{verdict}; no failure_rate gate covers {self.case.tier}")
            verdict = f"{verdict}; the failure_rate gate decides"
            pytest.xfail(verdict)
            self._fail(verdict)  # reached under --runxfail, where pytest.xfail returns
        problems = [*self._floors(), *self._losses()]
        if problems:
            self._fail("; ".join(problems))

    def _floors(self) -> Iterator[str]:
        from pytest_vtcfaith.gating.thresholds import SLACK

        for rule in self._run.thresholds.floors(self.case.tier, self.case.parts):
            found = self.metrics.get(rule.metric)
            if found is None:
                continue
            if rule.min is not None and not found >= rule.min - SLACK:
                yield f"{rule.metric} {_short(found)} < {rule.min:g}"
            if rule.max is not None and not found <= rule.max + SLACK:
                yield f"{rule.metric} {_short(found)} > {rule.max:g}"

    def _losses(self) -> Iterator[str]:
        from pytest_vtcfaith.gating.baselines import BaselineError
        from pytest_vtcfaith.gating.thresholds import SLACK
        from pytest_vtcfaith.plugin.compare import case_baseline

        rules = [
            r for r in self._run.thresholds.floors(self.case.tier, self.case.parts) if r.case_tolerance is not None
        ]
        if not rules or getattr(self._run.config.option, "update_snapshots", False):
            return
        try:
            before = case_baseline(self._run, self._ask)
        except BaselineError as problem:
            yield f"not measured: {problem}"
            return
        if before is None:
            return
        better = self._run.suite(self.case.suite).case_metrics
        for rule in rules:
            old, new = before.get(rule.metric), self.metrics.get(rule.metric)
            if old is None or new is None or rule.case_tolerance is None:
                continue
            loss = (old - new) * better[rule.metric]
            if not loss <= rule.case_tolerance + SLACK:
                yield (
                    f"{rule.metric} was {_short(old)} in the baseline, is {_short(new)}: "
                    f"worse by more than {rule.case_tolerance:g}"
                )

    def _fail(self, verdict: str, *, explain: bool = True) -> None:
        from pytest_vtcfaith.plugin.attachments import attach_to_allure, attaching
        from pytest_vtcfaith.report.failure import failure_text

        run = self._run
        text = failure_text(
            run.suite(self.case.suite),
            self._ask,
            verdict,
            self._transcript,
            self.metrics,
            self._request,
            run.report_folder,
            run.config.rootpath,
            explain=explain,
            pictures=explain or attaching(run.config),  # a thousand pages for nobody when a server is down
            instruments=run.measuring.instruments,
        )
        attach_to_allure(run.config, run.report_folder, self._ask.id, run.by_id)
        pytest.fail(text, pytrace=False)


def _short(number: float) -> str:
    return f"{number:.4f}".rstrip("0").rstrip(".") if isinstance(number, float) else str(number)
