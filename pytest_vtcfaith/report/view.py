"""What a run found, as the reports show it: plain values, so that terminal, Markdown and later HTML agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_vtcfaith.gating.judge import Verdict

BAD = ("fail", "inconclusive", "not_measured")


_LONGEST = 1000


def concise(message: str) -> str:
    """A line as every report shows it: whole, or up to the last sentence within 1,000 characters, and `…`."""
    if len(message) <= _LONGEST:
        return message
    kept = message[: _LONGEST - 2]
    for end in ("; ", ". ", ": ", ", ", " "):
        if end in kept[_LONGEST // 2 :]:
            return kept[: kept.rindex(end)] + f"{end[0].strip()} …"
    return kept + " …"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed test: its id, manifest and line of its case ("" for none), and its message's `concise` first line."""

    test: str
    file: str
    line: int
    message: str


@dataclass(frozen=True)
class RunView:
    """A whole run. `verdicts` are by suite in the order they were judged; `notes` are lines to be known beside them;
    `problems` say why the run is not green whatever the verdicts; `thresholds` is the thresholds file; `shard`
    is `I/N` where only a part of the documents was run; `cases` counts the cases that were asked, of all models.
    """

    models: Sequence[str]
    limit: int | None
    verdicts: Mapping[str, Sequence[Verdict]]
    failures: Sequence[Failure]
    notes: Sequence[str]
    problems: Sequence[str]
    folder: Path
    thresholds: str
    primary: Mapping[str, str] = field(default_factory=dict)
    shard: str | None = None
    cases: int = 0


def accepted(verdict: Verdict, view: RunView) -> bool:
    """Whether a gate is inconclusive and its test did not fail, as `--vtc-inconclusive` asks for."""
    return verdict.verdict == "inconclusive" and not any(f"[{verdict.gate}]" in f.test for f in view.failures)


def headline(view: RunView) -> tuple[str, str]:
    """The run in a word, `red`, `inconclusive`, `none` (nothing was judged), `limited` (passed, on few documents)
    or `green`, and in a sentence."""
    verdicts = [v for of_suite in view.verdicts.values() for v in of_suite]
    forgiven = sum(accepted(v, view) for v in verdicts)
    bad = sum(v.verdict in BAD for v in verdicts) - forgiven
    passed = sum(v.verdict == "pass" for v in verdicts)
    if bad or view.problems or view.failures:
        return "red", _red(view, bad)
    if forgiven:
        return "inconclusive", f"{forgiven} of {len(verdicts)} gates could not be decided, none failed."
    if not passed:
        return "none", "no gate had anything to judge."
    told = f"{passed} of {len(verdicts)} gates passed, none failed"
    if view.limit is not None:
        documents = f"{view.limit} document{'s' * (view.limit != 1)} per tier"
        return "limited", f"{told}, only {documents} asked: no release verdict."
    return "green", f"{told}."


def failed_beside_gates(view: RunView) -> str:
    """How many cases failed, and how many tests that are neither those of cases nor those of gates that did not pass:
    whatever went wrong in a run is counted once, here or among the gates."""
    gates = [f"[{v.gate}]" for verdicts in view.verdicts.values() for v in verdicts if v.verdict in BAD]
    own = [f for f in view.failures if not any(gate in f.test for gate in gates)]
    cases = {f.test.partition("[")[2] for f in own if f.file}
    asked = max(view.cases, len(cases))  # a case whose test broke off has no result
    told = f"{len(cases)} of {asked} case{'s' * (asked != 1)} failed"
    others = sum(not f.file for f in own)
    return f"{told}, {others} other test{'s' * (others != 1)} failed" if others else told


def _red(view: RunView, bad: int) -> str:
    gates = sum(len(verdicts) for verdicts in view.verdicts.values())
    told = f"{bad} of {gates} gate{'s' * (gates != 1)} did not pass" if gates else "nothing was judged by a gate"
    return f"{told}, {failed_beside_gates(view)}."


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a suite's table."""

    tier: str
    model: str
    n: str
    metric: str
    value: str
    threshold: str
    verdict: str


def rows(verdicts: Iterable[Verdict], primary: str) -> list[Row]:
    """The rows of a table: for a tier and model the gates that did not pass, else one row for all that passed.

    That row shows the gate of the metric `primary`, or else the first gate, and says how many passed.
    """
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.model, verdict.tier), []).append(verdict)
    found: list[Row] = []
    for group in groups.values():
        bad = [v for v in group if v.verdict in BAD]
        if bad:
            found += [_row(v, v.verdict.replace("_", " ").upper()) for v in bad]
            continue
        passed = [v for v in group if v.verdict == "pass"]
        if not passed:
            found.append(_row(group[0], "new" if "no baseline" in group[0].message else "n/a"))
            continue
        shown = next((v for v in passed if v.metric == primary), passed[0])
        found.append(_row(shown, f"pass ({len(passed)} gates)" if len(passed) > 1 else "pass"))
    return found


def _row(verdict: Verdict, word: str) -> Row:
    bounds = [
        f"≥ {verdict.min:g}" if verdict.min is not None else "",
        f"≤ {verdict.max:g}" if verdict.max is not None else "",
    ]
    if verdict.baseline is not None and verdict.min is None and verdict.max is None:
        bounds.append(f"was {verdict.baseline:.4f}")
    return Row(
        tier=verdict.tier,
        model=verdict.model,
        n=f"{verdict.measured}/{verdict.expected}" + ("*" if verdict.stored else ""),
        metric=verdict.metric,
        value="–" if verdict.value is None else f"{verdict.value:.4f}",
        threshold=" ".join(b for b in bounds if b),
        verdict=word,
    )
