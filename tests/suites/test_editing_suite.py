"""The editing suite: cases and tiers, what an editor is given, scores of failures, means, and what a failure shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from made_cases import bare_score, spec
from PIL import Image

from pytest_vtcfaith.engine.pictures import picture_reply
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics import Reply
from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.models.protocols import NotInstalled
from pytest_vtcfaith.pages.images import pixel_key
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import value
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.editing_cases import pair_of
from pytest_vtcfaith.suites.editing_metrics import METRICS, SECOND, SECOND_CEILINGS
from pytest_vtcfaith.suites.editing_pictures import FRAME
from pytest_vtcfaith.suites.editing_scores import PROPERTIES, SCOPES, TEXT_METRICS
from pytest_vtcfaith.suites.instruments import Instruments

if TYPE_CHECKING:
    from pytest_vtcfaith.suites.base import Request

EDITING: Any = load_suite("editing")
CASES: list[Case] = EDITING.cases()
BY_ID = {case.id: case for case in CASES}
CASE = BY_ID["en-form-plot"]
REQUEST: Request = EDITING.request(CASE, spec())


class Blind:
    """Reads nothing."""

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        return [[] for _ in images]


class Knowing(Blind):
    """Reads the region of the reference where it sees it, and nothing else."""

    def __init__(self, case: Case) -> None:
        pair = pair_of(case)
        (self.region,) = pair.regions
        self.crop = pixel_key(pair.reference.crop(self.region))
        self.text = case.reference

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        return [self._blocks(image) for image in images]

    def _blocks(self, image: Image.Image) -> list[Block]:
        width, height = self.region[2] - self.region[0], self.region[3] - self.region[1]
        left, top = (image.width - width) // 2, (image.height - height) // 2
        if image.width > width + 200 or pixel_key(image.crop((left, top, left + width, top + height))) != self.crop:
            return []
        return [Block((left, top, left + width, top + height), self.text)]


BLIND = Instruments(reader=Blind)


def edited(picture: Image.Image | None, outcome: str = "complete", **reply: Any) -> Transcript:
    given = Reply(text=None, **reply) if picture is None else picture_reply(picture)
    return Transcript(given, outcome, 0.1, False)


def test_tiers_and_finer_tiers() -> None:
    assert len(CASES) >= 84
    assert {case.suite for case in CASES} == {"editing"}
    assert CASE.tier == "editing/text/modify/en"
    assert CASE.tiers == ("editing/text/modify/en", "editing/global/text/modify/en", "editing/local/text/modify/en")
    wanted = {
        f"editing/{region}/{operation}/{lang}"
        for region in ("text", "table")
        for operation in ("modify", "add", "delete", "structure")
        for lang in ("en", "zh", "mixed")
    }
    assert {case.tier for case in CASES} == wanted
    assert all(sum(case.tier == tier for case in CASES) >= 3 for tier in wanted)
    assert EDITING.cases(prompts=("plain", "verbatim")) == CASES


def test_an_editor_is_given_the_source_and_the_instruction() -> None:
    assert EDITING.task == "edit"
    assert REQUEST.prompt.text == CASE.params["instruction"]
    assert REQUEST.prompt.lang == "en"
    assert REQUEST.budget_tokens is None
    page = REQUEST.page
    pair = pair_of(CASE)
    assert page.image.tobytes() == pair.source.tobytes()
    assert page.image.size == (page.width, page.height)
    assert page.text == CASE.params["source_text"]
    assert CASE.reference not in page.text


def test_fingerprints_name_pages_not_edits() -> None:
    """The edits of one document share its picture, which is drawn and found in the store once."""
    found: dict[str, set[str]] = {}
    for case in CASES:
        found.setdefault(case.document, set()).add(EDITING.request(case, spec()).page.fingerprint)
    assert {len(prints) for prints in found.values()} == {1}
    assert len({next(iter(prints)) for prints in found.values()}) == len(found)
    assert len({case.fingerprint for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("languages", "case", "reason"),
    [
        (None, "mixed", ""),
        (frozenset({"en"}), "en", ""),
        (frozenset({"en"}), "zh", "m does not declare that it reads 'zh'"),
        (frozenset({"en", "zh"}), "mixed", ""),
        (frozenset({"en"}), "mixed", "m does not declare that it reads 'zh'"),
        (frozenset({"zh"}), "mixed", "m does not declare that it reads 'en'"),
    ],
)
def test_languages_that_are_not_declared(languages: frozenset[str] | None, case: str, reason: str) -> None:
    chosen = next(c for c in CASES if c.lang == case)
    assert EDITING.inapplicable(chosen, spec(languages=languages)) == reason


@pytest.mark.parametrize("outcome", ["empty", "refused"])
def test_a_failure_scores_nothing_in_everything_that_gates_bound(outcome: str) -> None:
    score = EDITING.score(CASE, edited(None, outcome), REQUEST, Instruments())
    assert set(score.values()) == {0.0}
    assert {"edit_fidelity", *PROPERTIES} <= score.keys()
    assert {f"{name}_{scope}" for name in TEXT_METRICS for scope in SCOPES} <= score.keys()


def test_what_was_not_answered_has_no_score() -> None:
    assert EDITING.score(CASE, edited(None, "infrastructure_error", error="503"), REQUEST, BLIND) == {}


def test_without_an_engine_nothing_is_scored() -> None:
    with pytest.raises(NotInstalled, match="--vtc-ocr"):
        EDITING.score(CASE, edited(pair_of(CASE).reference), REQUEST)


def test_the_right_edit_and_none() -> None:
    pair = pair_of(CASE)
    instruments = Instruments(reader=lambda: Knowing(CASE))
    right = EDITING.score(CASE, edited(pair.reference), REQUEST, instruments)
    assert (right["text_correctness"], right["completeness"], right["ceiling_text_correctness"]) == (1.0, 1.0, 1.0)
    assert right.keys() <= {*METRICS}
    nothing = EDITING.score(CASE, edited(pair.source), REQUEST, instruments)
    assert (nothing["edit_fidelity"], nothing["completeness"], nothing["resized"]) == (0.0, 0.0, 0)
    assert nothing["ceiling_edit_fidelity"] == right["edit_fidelity"]


def test_a_second_engine_is_taken_beside_the_first() -> None:
    picture = pair_of(CASE).reference
    score = EDITING.score(CASE, edited(picture), REQUEST, Instruments(lambda: Knowing(CASE), second=Blind))
    alone = EDITING.score(CASE, edited(picture), REQUEST, BLIND)
    for name in SECOND:
        assert score[f"{name}_second"] == alone[name]
    for name in SECOND_CEILINGS:
        assert score[f"{name}_second"] == alone[name]
    assert score["text_correctness"] == 1.0
    assert score["text_correctness_second"] == 0.0
    assert not any(name.endswith("_second") for name in alone)


TIER, LOCAL, GLOBAL = CASE.tiers[0], CASE.tiers[2], CASE.tiers[1]
OTHER = BY_ID["en-report-supplier"]


def test_means_over_the_cases_of_a_tier() -> None:
    scores = [
        bare_score(CASE, metrics={"edit_fidelity": 1.0, "cdm_local": 0.5, "cdm_global": 1.0, "teds_local": None}),
        bare_score(OTHER, metrics={"edit_fidelity": 0.0, "cdm_local": 0.0, "cdm_global": 0.5, "teds_local": 0.25}),
        bare_score(BY_ID["en-form-shelf"], metrics={"edit_fidelity": 0.7}),
    ]
    assert OTHER.tier == TIER
    summary = EDITING.summarise(TIER, scores)
    assert (summary.expected, summary.measured, set(summary.columns)) == (2, 2, {"en-form", "en-report"})
    found = {name: value(METRICS[name], summary.columns) for name in METRICS}
    assert (found["edit_fidelity"], found["cdm_local"], found["cdm_global"]) == (0.5, 0.25, 0.75)
    assert found["teds_local"] == 0.25  # the mean of those that have one
    assert found["failure_rate"] == 0.0
    assert found["cdm"] is None
    assert found["psnr_local"] is None


@pytest.mark.parametrize(("tier", "right"), [(LOCAL, 0.25), (GLOBAL, 0.75)])
def test_in_a_tier_of_one_scope_its_metrics_have_short_names(tier: str, right: float) -> None:
    scores = [
        bare_score(
            CASE, metrics={"edit_fidelity": 1.0, "cdm_local": 0.5, "cdm_global": 1.0, "cdm_local_published": 0.9}
        ),
        bare_score(
            OTHER, metrics={"edit_fidelity": 0.0, "cdm_local": 0.0, "cdm_global": 0.5, "cdm_local_published": 0.7}
        ),
    ]
    columns = EDITING.summarise(tier, scores).columns
    assert value(METRICS["cdm"], columns) == right
    published = value(METRICS["cdm_published"], columns)
    assert published == (pytest.approx(0.8) if tier == LOCAL else None)


def test_failures_inapplicable_and_unmeasured_cases() -> None:
    scores = [
        bare_score(CASE, "refused", {"edit_fidelity": 0.0}),
        bare_score(OTHER, "infrastructure_error", reason="503"),
        bare_score(BY_ID["en-tables-fog"], "", reason="m does not declare that it reads 'en'"),
        bare_score(BY_ID["en-slide-drivers"], metrics={"edit_fidelity": 0.5}),
    ]
    summary = EDITING.summarise(TIER, scores)
    assert (summary.expected, summary.measured, summary.inapplicable) == (3, 2, 1)
    assert summary.failures == {"refused": 1}
    assert summary.reasons == {"503": 1}
    assert value(METRICS["edit_fidelity"], summary.columns) == 0.25
    assert value(METRICS["failure_rate"], summary.columns) == pytest.approx(1 / 3)


def test_it_needs_its_own_tier_only() -> None:
    assert EDITING.needs(LOCAL, "cdm", [TIER, LOCAL]) == {LOCAL}
    assert EDITING.prerequisites(CASE, CASES) == ()


def test_a_failure_shows_instruction_region_and_pictures() -> None:
    pair = pair_of(CASE)
    instruments = Instruments(reader=lambda: Knowing(CASE), ocr="the OCR known")
    transcript = edited(pair.source)
    metrics = EDITING.score(CASE, transcript, REQUEST, instruments)
    assert metrics["ceiling_edit_fidelity"] > 0
    found = EDITING.explain(CASE, transcript, metrics, REQUEST, instruments)
    assert found.verdict == "edit_fidelity 0: the edit is missing, nothing is read in the region, as in the source"
    assert found.lines[0] == f"instruction: '{CASE.params['instruction']}'"
    assert "expected '62 North'" in found.lines[1]
    assert found.lines[3] == (
        "ceiling, what the OCR known makes of the untouched reference: "
        "edit_fidelity 1  text_correctness 1  completeness 1"
    )
    assert [label for label, _ in found.pictures] == ["reference", "output", "difference"]
    drawn = {label: draw() for label, draw in found.pictures}
    assert {picture.size for picture in drawn.values()} == {pair.source.size}
    left, top, right, bottom = pair.regions[0]
    frames = {label: picture.getpixel((left - 4, top - 4)) for label, picture in drawn.items()}
    assert frames == {"reference": FRAME, "output": FRAME, "difference": (0, 0, 0)}
    inside = (left, top, right, bottom)
    assert drawn["reference"].crop(inside).tobytes() == pair.reference.crop(inside).tobytes()
    assert drawn["output"].crop(inside).tobytes() == pair.source.crop(inside).tobytes()
    found_colours = {colour for _, colour in drawn["difference"].crop(inside).getcolors(1 << 16)}
    assert any(blue - red > 100 for red, _, blue in found_colours)
    assert any(red - blue > 100 for red, _, blue in found_colours)
    outside = drawn["difference"].copy()
    outside.paste((255, 255, 255), (left - 4, top - 4, right + 4, bottom + 4))
    assert {r - b for _, (r, _, b) in outside.getcolors(1 << 16)} == {0}  # nothing but the faint reference


@pytest.mark.parametrize(
    ("metrics", "verdict"),
    [
        ({"edit_fidelity": 0.2, "completeness": 0.5, "text_correctness": 0.9, "preservation_outside": 0.3}, "beyond"),
        (
            {"edit_fidelity": 0.2, "completeness": 0.5, "text_correctness": 0.1, "preservation_outside": 0.9},
            "does not say",
        ),
        ({"edit_fidelity": None, "completeness": None}, "edit_fidelity not measured"),
    ],
)
def test_verdicts(metrics: dict[str, float | None], verdict: str) -> None:
    found = EDITING.explain(CASE, edited(pair_of(CASE).source), metrics, REQUEST, BLIND)
    assert verdict in found.verdict


def test_without_a_reader_all_but_what_was_read_is_shown() -> None:
    found = EDITING.explain(CASE, edited(pair_of(CASE).source), {"completeness": 0, "edit_fidelity": 0.0}, REQUEST)
    assert found.verdict == "edit_fidelity 0: the edit is missing"
    assert not any(line.startswith("region:") for line in found.lines)
    assert [label for label, _ in found.pictures] == ["reference", "output", "difference"]


def test_a_reply_without_a_picture_shows_the_reference() -> None:
    found = EDITING.explain(CASE, edited(None, "refused", refusal="no"), {}, REQUEST, Instruments())
    assert found.verdict.startswith("refused: no picture")
    assert [label for label, _ in found.pictures] == ["reference"]


def test_an_output_of_another_size_is_shown_in_the_size_of_the_page() -> None:
    picture = pair_of(CASE).reference.resize((300, 200))
    found = EDITING.explain(CASE, edited(picture), {}, REQUEST, BLIND)
    assert {draw().size for _, draw in found.pictures} == {pair_of(CASE).reference.size}
