"""What the score of a case holds, by suite: whether a row of a results file can be one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.compression import FLAGS
from pytest_vtcfaith.suites.editing_metrics import SECOND, SECOND_CEILINGS
from pytest_vtcfaith.suites.editing_scores import CEILINGS, PROPERTIES, SCOPES, TEXT_METRICS
from pytest_vtcfaith.suites.reasoning_scores import LEGIBILITY
from pytest_vtcfaith.suites.rewriting import CLASSES
from pytest_vtcfaith.suites.rewriting_metrics import LENGTHS
from pytest_vtcfaith.texts.errors import show

LARGEST = 2**53
"""No score is larger: up to here floats count."""
NEAR = 1e-6


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of metrics by kind: `counts` are whole numbers from 0; `shares` lie in 0–1, `likenesses` in −1–1 and
    `rates` are 0 or more, all three None where undefined; of the `optional` ones, which stand among them too, any may
    be absent.
    """

    counts: frozenset[str] = frozenset()
    shares: frozenset[str] = frozenset()
    rates: frozenset[str] = frozenset()
    likenesses: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()

    def __or__(self, other: Fields) -> Fields:
        return Fields(
            self.counts | other.counts,
            self.shares | other.shares,
            self.rates | other.rates,
            self.likenesses | other.likenesses,
            self.optional | other.optional,
        )

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return self.counts | self.shares | self.rates | self.likenesses


_READ = Fields(
    counts=frozenset({"word_edits", "word_matches", "reference_words"})
    | {"char_edits", "reference_chars", "hypothesis_chars", "char_longest"},
    shares=frozenset({"word_accuracy", "char_accuracy"}),
    rates=frozenset({"wer", "cer", "cer_spaceless"}),
)
_BY_LENGTH = frozenset(f"{name}@{bucket}" for name in ("perturbed", "rewritten") for bucket in LENGTHS)
_PERTURBED = Fields(
    counts=frozenset({*CLASSES, "perturbed", "leaked", "other_errors", "other_words"}) | _BY_LENGTH,
    shares=frozenset({"rewrite_rate", "verbatim_rate"}),
    optional=_BY_LENGTH | {"rewrite_rate", "verbatim_rate"},
)
_PAGE = Fields(
    counts=frozenset({"n_text", "visual_tokens", "pages"}),
    rates=frozenset({"compression_ratio", "pixels_per_character"}),
    optional=frozenset({"visual_tokens", "pages", "compression_ratio"}),
)
_ACCURACIES = Fields(shares=frozenset({"word_accuracy", "word_precision", "word_recall", "word_f1", "char_accuracy"}))
_COMPRESSED = Fields(
    counts=frozenset({"word_edits", "reference_words", "reference_chars", "hypothesis_chars"}),
    rates=frozenset({"wer", "cer"}),
)
_RATIOS = (
    ("word_accuracy", "word_matches", "reference_words"),
    ("wer", "word_edits", "reference_words"),
    ("cer", "char_edits", "reference_chars"),
    ("rewrite_rate", "rewritten", "perturbed"),
    ("verbatim_rate", "verbatim", "perturbed"),
)


_SCOPED = {scope: frozenset(f"{name}_{scope}" for name in TEXT_METRICS) for scope in SCOPES}
_LIKE = frozenset({"edit_fidelity", "visual_fidelity", "preservation_outside"})
_FAILED_EDIT = Fields(
    shares=frozenset({*PROPERTIES} - _LIKE).union(*_SCOPED.values()),
    likenesses=_LIKE,
)
_SECOND = frozenset(f"{name}_second" for name in (*SECOND, *SECOND_CEILINGS))
_EDITED = Fields(
    counts=frozenset({"resized"}).union(*({f"identical_{s}", f"tables_not_scored_{s}"} for s in SCOPES)),
    shares=frozenset(f"ceiling_{name}" for name in CEILINGS if name not in _LIKE).union(
        *({f"{name}_published" for name in _SCOPED[s]} | {f"spurious_{s}"} for s in SCOPES),
        (name for name in _SECOND if "edit_fidelity" not in name),
    ),
    rates=frozenset().union(*({f"psnr_{s}", f"psnr_{s}_published", f"lpips_{s}"} for s in SCOPES)),
    likenesses=frozenset(f"ceiling_{name}" for name in _LIKE).union(
        (f"{name}_{s}" for s in SCOPES for name in ("ssim", "clip")),
        (name for name in _SECOND if "edit_fidelity" in name),
    ),
    optional=_SECOND,
)

_DRAWN = frozenset({*LEGIBILITY, "read_scale"})
_LEGIBLE = Fields(shares=_DRAWN, optional=_DRAWN)
_DRAWN_PASSAGE = _LEGIBLE | Fields(
    counts=frozenset({"char_edits", "reference_chars", "word_edits", "reference_words"}),
    shares=frozenset({"confidence"}),
    rates=frozenset({"cer", "wer", "char_edits_second"}),
    optional=frozenset({"confidence", "char_edits_second"}),
)
_DRAWN_SOLUTION = _LEGIBLE | Fields(
    counts=frozenset({"steps", "valid_steps", "undecided_steps"}),
    shares=frozenset(f"{name}{second}" for name in ("answer_score", "process_score") for second in ("", "_second")),
    rates=frozenset({"ceiling_answer", "ceiling_process"}),
    optional=frozenset({"ceiling_answer", "ceiling_process", "answer_score_second", "process_score_second"}),
)


_ANSWERED = Fields(
    counts=frozenset({"missing", "visual_tokens", "full_tokens", *FLAGS}),
    shares=frozenset({"accuracy"}),
    optional=frozenset({"visual_tokens", "full_tokens", *FLAGS}),
)


def score_fields(case: Case, outcome: str) -> Fields | None:
    """What a score of the case holds; None where its suite says nothing of it here."""
    if outcome in ("", "infrastructure_error"):
        return Fields()
    if case.suite == "rewriting":
        if outcome != "complete":
            return Fields(shares=_READ.shares)
        return _READ if case.params["condition"] == "original" else _READ | _PERTURBED
    if case.suite == "preservation":
        return _PAGE | _ACCURACIES | (_COMPRESSED if outcome == "complete" else Fields())
    if case.suite == "editing":
        return _FAILED_EDIT | (_EDITED if outcome == "complete" else Fields())
    if case.suite == "compression":
        return _ANSWERED
    if case.suite == "reasoning":
        return _DRAWN_PASSAGE if case.params["kind"] == "rendering" else _DRAWN_SOLUTION
    return None


def wrong_score(case: Case, outcome: str, metrics: Mapping[str, Any]) -> str:
    """Why these metrics are no score of the case; "" where they may be one.

    `outcome` is "" for an inapplicable case; `metrics` are numbers or None.
    """
    for name, value in metrics.items():
        if value is not None and not abs(value) <= LARGEST:
            return f"{name} is {show(value)}, which no metric can be"
    fields = score_fields(case, outcome)
    if fields is None:
        return ""
    if lacking := sorted(fields.names - fields.optional - metrics.keys()):
        return f"metrics lacks {lacking[0]!r}, which a case with outcome {outcome!r} has"
    if unknown := sorted(metrics.keys() - fields.names):
        return f"metrics has {show(unknown[0])}, which no case with outcome {outcome!r} has"
    for name, value in metrics.items():
        if name in fields.counts:
            if not isinstance(value, int) or value < 0:
                return f"{name} is {show(value)}, no count"
        elif value is not None and (wrong := _out_of_range(name, value, fields)):
            return f"{name} is {show(value)}, no {wrong}"
        elif outcome != "complete" and name in fields.shares | fields.likenesses and value != 0:
            return f"{name} is {show(value)}, which a failed case cannot be"
    return _contradiction(metrics)


def _out_of_range(name: str, value: float, fields: Fields) -> str:
    """What the value should be; "" where it can be that."""
    if name in fields.likenesses:
        return "" if -1 <= value <= 1 else "likeness from -1 to 1"
    if name in fields.shares:
        return "" if 0 <= value <= 1 else "share from 0 to 1"
    return "" if value >= 0 else "rate of 0 or more"


def _contradiction(metrics: Mapping[str, Any]) -> str:
    """Rates that their own counts contradict, and counts that contradict one another."""
    rates = [(name, metrics[above] / metrics[below]) for name, above, below in _present(metrics)]
    if metrics.get("char_longest"):
        rates.append(("char_accuracy", 1 - metrics["char_edits"] / metrics["char_longest"]))
    for name, right in rates:
        if metrics[name] is None or abs(metrics[name] - right) > NEAR:
            return f"{name} is {show(metrics[name])}, its counts make it {right:.6f}"
    if "perturbed" in metrics and sum(metrics[kind] for kind in CLASSES) != metrics["perturbed"]:
        return f"perturbed is {metrics['perturbed']}, which is not the sum of {', '.join(CLASSES)}"
    if metrics.get("leaked", 0) > metrics.get("perturbed", 0):
        return f"leaked is {metrics['leaked']}, more than are perturbed"
    return ""


def _present(metrics: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [ratio for ratio in _RATIOS if ratio[0] in metrics and ratio[1] in metrics and metrics.get(ratio[2])]
