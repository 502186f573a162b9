"""Editing (VDE Bench): did the editor change what was asked, where it was asked, and nothing else? (definitions §5)"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.engine.pictures import picture_of
from pytest_vtcfaith.metrics.blocks import by_place
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt
from pytest_vtcfaith.pages.edits.pair import EditPair
from pytest_vtcfaith.report.worddiff import quoted
from pytest_vtcfaith.suites.base import Explanation, Request, TierSummary, count_tier
from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.editing_cases import editing_cases, pair_of, source_of
from pytest_vtcfaith.suites.editing_metrics import METRICS, SECOND, SECOND_CEILINGS, columns_of
from pytest_vtcfaith.suites.editing_pictures import difference, framed
from pytest_vtcfaith.suites.editing_scores import (
    PROPERTIES,
    SCOPES,
    TEXT_METRICS,
    fitted,
    read_picture,
    read_regions,
    read_source,
    score_output,
)
from pytest_vtcfaith.suites.editing_verdict import RegionTexts, number, region_texts, verdict
from pytest_vtcfaith.suites.explain import describe_text
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS, Instruments
from pytest_vtcfaith.suites.readback import Compared

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.models.registry import ModelSpec

_FAILED = ("edit_fidelity", *PROPERTIES, *(f"{name}_{scope}" for name in TEXT_METRICS for scope in SCOPES))
_CEILING = ("edit_fidelity", "text_correctness", "completeness")
_SHOWN = 200
"""Characters of a text in a line of the explanation."""


class Editing:
    """Edits of drawn or published pages: text, tables × modify, add, delete, structure × en, zh, mixed, two scopes."""

    name = "editing"
    task = "edit"
    primary = "edit_fidelity"
    metrics = METRICS
    converges = False
    case_metrics: Mapping[str, int] = {
        "edit_fidelity": 1,
        **dict.fromkeys(PROPERTIES, 1),
        **{f"{name}_{scope}": 1 for scope in SCOPES for name in TEXT_METRICS},
        **{f"ssim_{scope}": 1 for scope in SCOPES},
    }

    def cases(self, folder: Path | None = None, *, prompts: Sequence[str] = ("plain",)) -> list[Case]:
        """One case for each edit, whatever the prompt conditions: what an editor is told is the instruction."""
        return editing_cases(folder)

    def inapplicable(self, case: Case, spec: ModelSpec) -> str:
        """A language that the editor does not declare; a page of several languages takes English and Chinese."""
        needed = {"en", "zh"} if case.lang == "mixed" else {case.lang}
        lacking = needed - (spec.languages or needed)
        return f"{spec.name} does not declare that it reads {min(lacking)!r}" if lacking else ""

    def prerequisites(self, case: Case, cases: Sequence[Case]) -> Sequence[Case]:
        """None."""
        return ()

    def request(self, case: Case, spec: ModelSpec) -> Request:
        """The source page and the instruction, in the page's language (VDE Bench D.1)."""
        return Request(lambda: (source_of(case),), Prompt(case.params["instruction"], case.lang))

    def score(
        self, case: Case, transcript: Transcript, request: Request, instruments: Instruments = NO_INSTRUMENTS
    ) -> dict[str, float | int | None]:
        """Both columns, the five properties and the ceiling, by `score_output`; without a picture everything is 0.

        With a second engine what `SECOND` names is taken with it too. What an instrument raises is raised.
        """
        if transcript.outcome == "infrastructure_error":
            return {}
        output = picture_of(transcript.reply)
        if transcript.outcome != "complete" or output is None:
            return dict.fromkeys(_FAILED, 0.0)
        pair = pair_of(case)
        metrics = score_output(instruments.reader(), pair, output, instruments.scorers())
        second = instruments.second()
        if second is not None:
            again = score_output(second, pair, output)
            metrics |= {f"{name}_second": again[name] for name in (*SECOND, *SECOND_CEILINGS)}
        return metrics

    def summarise(self, tier: str, scores: Sequence[CaseScore]) -> TierSummary:
        """Means over the cases of the tier; in a tier of one scope its metrics have short names too."""
        own = [score for score in scores if tier in score.case.tiers]
        scope = tier.split("/")[1]
        return TierSummary(columns=columns_of(own, scope if scope in SCOPES else ""), **count_tier(tier, scores))

    def needs(self, tier: str, metric: str, tiers: Collection[str]) -> frozenset[str]:
        """The tier itself."""
        return frozenset({tier})

    def explain(
        self,
        case: Case,
        transcript: Transcript,
        metrics: Mapping[str, Any],
        request: Request,
        instruments: Instruments = NO_INSTRUMENTS,
    ) -> Explanation:
        """The instruction, what the region should say and what was read there, properties and ceiling; reference,
        output and their difference with the regions framed. Without a reader, all but what was read.
        """
        pair = pair_of(case)
        asked = f"instruction: {quoted(pair.instruction, _SHOWN)}"
        reference: tuple[str, Callable[[], Image.Image]] = "reference", lambda: framed(pair.reference, pair.regions)
        output = picture_of(transcript.reply)
        if transcript.outcome != "complete" or output is None:
            said = describe_text(transcript.text)
            return Explanation(f"{transcript.outcome}: no picture, {said}", (asked,), pictures=(reference,))
        texts = _texts(instruments, pair, output)
        shown, _ = fitted(output, pair)
        lines = (
            asked,
            *([] if texts is None else [_region(texts)]),
            "  ".join(f"{name} {number(metrics.get(name))}" for name in PROPERTIES),
            f"ceiling, what {instruments.ocr} makes of the untouched reference: "
            + "  ".join(f"{name} {number(metrics.get(f'ceiling_{name}'))}" for name in _CEILING),
        )
        return Explanation(
            verdict(metrics, texts, case.lang, instruments.ocr),
            lines,
            pictures=(
                reference,
                ("output", lambda: framed(shown, pair.regions)),
                ("difference", lambda: difference(pair.reference, shown, pair.regions)),
            ),
        )

    def read_back(self, case: Case, transcript: Transcript, instruments: Instruments) -> dict[str, str]:
        """The texts of the regions and outside them, line by line as the metrics match them: what should stand there,
        and what was read of the output. In the regions that is the reference's text (or what was read of it, where it
        is not known), outside what was read of the source.
        """
        output = picture_of(transcript.reply)
        if transcript.outcome != "complete" or output is None:
            return {}
        pair, reader = pair_of(case), instruments.reader()
        wanted = read_regions(reader, pair, pair.reference) if pair.region_blocks is None else pair.region_blocks
        made = read_picture(reader, pair, fitted(output, pair)[0])
        return {
            **_by_line("region", by_place(wanted, made.region)),
            **_by_line("outside", by_place(read_source(reader, pair).outside, made.outside)),
        }

    def compared(self, case: Case, read: Mapping[str, str]) -> Sequence[Compared]:
        """The edited region, then the page around it."""
        parts = (("edited region", "region"), ("page outside the edited region", "outside"))
        return [Compared(label, read[f"{part}_expected"], read[part], by_line=True) for label, part in parts]


def _by_line(part: str, pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The texts of blocks, each in a line of its own: to metrics, the ends of lines in a block are spaces."""
    ours, theirs = ("\n".join(pair[side].replace("\n", " ") for pair in pairs) for side in (0, 1))
    return {f"{part}_expected": ours, part: theirs}


def _texts(instruments: Instruments, pair: EditPair, output: Image.Image) -> RegionTexts | None:
    try:
        return region_texts(instruments.reader(), pair, output)
    except NotInstalled:
        return None


def _region(texts: RegionTexts) -> str:
    return f"region: expected {quoted(texts.wanted, _SHOWN)}  read +{quoted(texts.read, _SHOWN)}+"


SUITE = Editing()
