"""The compression suite: conditions, what a method is asked, right and missing answers, groups, what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_cases import answer, bare_score, no_page, spec
from PIL import Image

from pytest_vtcfaith.models.protocols import Prompt
from pytest_vtcfaith.pages import visual_tokens
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import Inapplicable, Request, value
from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.compression_cases import compression_cases, manifest_hashes, question_of
from pytest_vtcfaith.suites.compression_groups import GroupsError, freeze, write_groups
from pytest_vtcfaith.texts.manifest import write_manifest
from pytest_vtcfaith.texts.questions.build import build_questions

SUITE = load_suite("compression")
DRAFT = build_questions(pages=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four pages with four questions each, without groups."""
    write_manifest(tmp_path / "q.jsonl", DRAFT.header, DRAFT.rows)
    return tmp_path


def put_groups(folder: Path, right: set[tuple[str, int]] | None = None, **about: object) -> None:
    """Groups in which the given pairs of question and factor are right when reduced (None: those of charts at 2x)."""
    cases = compression_cases(folder, grouped=False)
    rights: dict[str, dict[int, bool]] = {}
    for case in cases:
        name, factor = question_of(case), case.params["factor"]
        kept = "q-chart" in name and factor == 2 if right is None else (name, factor) in right
        rights.setdefault(name, {})[factor] = factor == 1 or kept
    fields = {"model": "base", "adapter": "a", "revision": "1", "visual_tokens": "nominal", **about}
    fields.setdefault("manifests", manifest_hashes(folder))
    write_groups(folder / "x.groups.json", freeze(rights, **fields))  # type: ignore[arg-type]


def case_named(folder: Path, name: str) -> Case:
    return next(case for case in SUITE.cases(folder) if case.id == name)


def scored(case: Case, text: str, outcome: str = "complete", **fields: object) -> CaseScore:
    made = spec(**{"base": "base", **fields})
    metrics = SUITE.score(case, answer(text, outcome), SUITE.request(case, made))
    return CaseScore(case, "m", outcome, metrics)


def tier_value(tier: str, metric: str, scores: list[CaseScore]) -> float | None:
    return value(SUITE.metrics[metric], SUITE.summarise(tier, scores).columns)


def test_every_question_is_asked_under_every_condition(folder: Path) -> None:
    cases = SUITE.cases(folder)
    assert len(cases) == 4 * 4 * 4
    assert {case.tier for case in cases} == {"compression/full", *(f"compression/downsample/{r}x" for r in (2, 3, 4))}
    assert [case.id for case in cases] == sorted({case.id for case in cases})
    by_question: dict[str, set[int]] = {}
    for case in cases:
        by_question.setdefault(question_of(case), set()).add(case.params["factor"])
    assert set(map(frozenset, by_question.values())) == {frozenset({1, 2, 3, 4})}
    assert case_named(folder, "q-chart-01-count-full").parts == ("compression/full/count",)


def test_groups_beside_the_manifests_make_finer_tiers(folder: Path) -> None:
    put_groups(folder)
    assert case_named(folder, "q-chart-01-count-2x").parts[-1] == "compression/downsample/2x/simple"
    assert case_named(folder, "q-chart-01-count-3x").parts[-1] == "compression/downsample/3x/difficult"
    assert case_named(folder, "q-chart-01-count-full").parts == ("compression/full/count",)


def test_groups_of_other_cases_are_refused(folder: Path) -> None:
    put_groups(folder, manifests={"q.jsonl": "0" * 64})
    with pytest.raises(GroupsError, match=r"other cases than those in q\.jsonl"):
        SUITE.cases(folder)
    assert len(compression_cases(folder, grouped=False)) == 64


def test_a_reduced_picture_is_what_the_model_gets(folder: Path) -> None:
    full = SUITE.request(case_named(folder, "q-table-01-count-full".replace("count", "read-value")), spec())
    half = SUITE.request(case_named(folder, "q-table-01-read-value-2x"), spec())
    width, height = full.page.image.size
    assert half.page.image.size == (round(width / 2), round(height / 2))
    expected = full.page.image.resize(half.page.image.size, Image.Resampling.BICUBIC)
    assert half.page.image.tobytes() == expected.tobytes()
    assert half.page.fingerprint != full.page.fingerprint
    assert half.prompt == Prompt(half.prompt.text, "en")
    assert half.prompt.text.startswith("Which number is in the column Sacks of the row ")
    assert "page" not in vars(SUITE.request(case_named(folder, "q-table-01-read-value-2x"), spec()))


@pytest.mark.parametrize("family", ["nominal", "qwen2.5-vl", "qwen3-vl", "gemma3"])
def test_tokens_are_measured_after_the_models_own_resize(folder: Path, family: str) -> None:
    case = case_named(folder, "q-notice-01-place-2x")
    found = scored(case, "x", visual_tokens=family).metrics
    full = case.params["row"]["page"]["width"], case.params["row"]["page"]["height"]
    assert found["full_tokens"] == visual_tokens(family, *full)
    assert found["visual_tokens"] == visual_tokens(family, *SUITE.request(case, spec()).page.image.size)
    kept = tier_value("compression/downsample/2x", "kept_tokens", [scored(case, "x", visual_tokens=family)])
    assert kept == found["visual_tokens"] / found["full_tokens"]  # type: ignore[operator]


def test_right_wrong_and_missing_answers(folder: Path) -> None:
    cases = [case for case in SUITE.cases(folder) if case.tier == "compression/full"][:4]
    scores = [
        scored(cases[0], cases[0].reference),
        scored(cases[1], "something else"),
        scored(cases[2], "", "empty"),
        scored(cases[3], cases[3].reference, "truncated"),
    ]
    assert [score.metrics["accuracy"] for score in scores] == [1.0, 0.0, 0.0, 0.0]
    assert [score.metrics["missing"] for score in scores] == [0, 0, 1, 0]
    assert tier_value("compression/full", "accuracy", scores) == 0.25
    assert tier_value("compression/full", "missing_rate", scores) == 0.25
    assert tier_value("compression/full", "failure_rate", scores) == 0.5
    summary = SUITE.summarise("compression/full", scores)
    assert (summary.expected, summary.measured, dict(summary.failures)) == (4, 4, {"empty": 1, "truncated": 1})


def test_an_infrastructure_error_is_no_wrong_answer(folder: Path) -> None:
    cases = [case for case in SUITE.cases(folder) if case.tier == "compression/full"][:2]
    lost = bare_score(cases[1], "infrastructure_error", reason="server down")
    scores = [scored(cases[0], cases[0].reference), lost]
    assert SUITE.score(cases[1], answer(None, "infrastructure_error"), Request(no_page, Prompt("", "en"))) == {}
    assert tier_value("compression/full", "accuracy", scores) == 1.0
    assert SUITE.summarise("compression/full", scores).measured == 1
    assert tier_value("compression/full", "accuracy", [lost]) is None


def test_a_method_is_asked_at_full_size_only(folder: Path) -> None:
    put_groups(folder)
    method = spec(keep_ratio=0.25)
    for case in SUITE.cases(folder):
        reason = SUITE.inapplicable(case, method)
        assert (reason == "") is (case.params["factor"] == 1)
        assert SUITE.inapplicable(case, spec()) == ""
    assert "keeps 0.25 of the tokens by itself" in SUITE.inapplicable(case_named(folder, "q-list-01-count-2x"), method)


@pytest.mark.parametrize(
    ("keep", "chart"), [(0.25, "simple"), (0.1111, "difficult"), (1 / 16, "difficult")], ids=["2x", "3x", "4x"]
)
def test_a_method_is_measured_on_the_groups_of_its_own_ratio(folder: Path, keep: float, chart: str) -> None:
    put_groups(folder)
    full = [case for case in SUITE.cases(folder) if case.tier == "compression/full"]
    scores = [scored(case, case.reference if "chart" in case.id else "?", keep_ratio=keep) for case in full]
    found = {group: tier_value("compression/full", f"accuracy_{group}", scores) for group in ("difficult", "simple")}
    if chart == "simple":
        assert found == {"difficult": 0.0, "simple": 1.0}
    else:
        assert found == {"difficult": 0.25, "simple": None}
    assert tier_value("compression/full", "accuracy_difficult@paper", scores) == found["difficult"]
    tokens, all_tokens = (scores[0].metrics[name] for name in ("visual_tokens", "full_tokens"))
    assert tokens == max(1, round((all_tokens or 0) * keep))


def test_down_sampling_on_its_own_groups_is_what_they_say(folder: Path) -> None:
    put_groups(folder)
    tier = "compression/downsample/2x"
    cases = [case for case in SUITE.cases(folder) if case.tier == tier]
    scores = [scored(case, case.reference if "chart" in case.id else "?") for case in cases]
    assert tier_value(tier, "accuracy_difficult", scores) == 0.0
    assert tier_value(tier, "accuracy_simple", scores) == 1.0
    assert tier_value(f"{tier}/simple", "accuracy", scores) == 1.0
    assert tier_value(f"{tier}/find-word", "accuracy", scores) == 0.0
    assert tier_value("compression/full", "accuracy_difficult", scores) is None


def test_groups_of_another_family_do_not_count(folder: Path) -> None:
    put_groups(folder)
    case = case_named(folder, "q-chart-01-count-2x")
    assert "difficult" in scored(case, "4").metrics
    assert "difficult" not in scored(case, "4", visual_tokens="qwen2-vl").metrics


@pytest.mark.parametrize(
    ("family", "fields", "fits"),
    [
        ("nominal", {"name": "base"}, True),
        ("nominal", {"name": "other", "base": "base"}, True),
        ("nominal", {"name": "other"}, False),
        ("nominal", {"name": "base", "base": "other"}, False),
        ("nominal-16", {"name": "other"}, False),
        ("qwen2-vl", {"name": "other"}, True),
        ("qwen2-vl", {"name": "other", "base": "third"}, False),
    ],
)
def test_groups_count_for_the_models_that_they_are_of(
    folder: Path, family: str, fields: dict[str, str], fits: bool
) -> None:
    """Without a family of visual tokens nothing but the name says whose they are."""
    put_groups(folder, visual_tokens=family)
    tier = "compression/downsample/2x"
    case = case_named(folder, "q-chart-01-count-2x")
    score = scored(case, case.reference, **{"base": "", "visual_tokens": family, **fields})
    values = {
        tier_value(tier, "accuracy_simple", [score]),
        tier_value(f"{tier}/simple", "accuracy", [score]),
    }
    assert values == ({1.0} if fits else {None})
    assert tier_value(tier, "accuracy", [score]) == 1.0
    full = case_named(folder, "q-chart-01-count-full")
    method = spec(**{"visual_tokens": family, "keep_ratio": 0.25, **fields})
    if fits:
        assert dict(SUITE.request(full, method).flags)["simple"] == 1
    else:
        with pytest.raises(Inapplicable, match="the frozen groups are those of 'base', not of"):
            SUITE.request(full, method)


@pytest.mark.parametrize(
    ("groups", "fields", "words"),
    [
        (False, {"keep_ratio": 0.25}, "has no frozen groups"),
        (
            True,
            {"keep_ratio": 0.2, "base": "base"},
            r"of the keep ratio 0\.2, only of 0\.25, 0\.1111, 0\.0625",
        ),
        (True, {"keep_ratio": 0.25}, r"those of 'base', not of 'm': .* of a method of 'base' declare base = 'base'"),
        (True, {"keep_ratio": 0.25, "visual_tokens": "qwen2-vl"}, "cost 'nominal' tokens, not 'qwen2-vl'"),
    ],
)
def test_a_method_without_groups_of_its_own_is_told_why(
    folder: Path, groups: bool, fields: dict[str, object], words: str
) -> None:
    if groups:
        put_groups(folder)
    with pytest.raises(Inapplicable, match=words):
        SUITE.request(case_named(folder, "q-chart-01-count-full"), spec(**fields))


def test_a_language_that_is_not_declared(folder: Path) -> None:
    case = case_named(folder, "q-chart-01-count-full")
    assert "does not declare" in SUITE.inapplicable(case, spec(languages=frozenset({"zh"})))


def test_a_row_without_a_picture_can_only_be_replayed(tmp_path: Path) -> None:
    row = {**DRAFT.rows[0]}
    del row["page"]
    write_manifest(tmp_path / "q.jsonl", DRAFT.header, [row])
    case = case_named(tmp_path, "q-chart-01-count-2x")
    with pytest.raises(Inapplicable, match="no picture here: replay"):
        SUITE.request(case, spec())
    request = SUITE.request(case, spec(needs_picture=False))
    assert request.pages == ()
    assert SUITE.score(case, answer(case.reference), request) == {"accuracy": 1.0, "missing": 0}


def test_what_a_wrong_answer_shows(folder: Path) -> None:
    case = case_named(folder, "q-chart-01-compare-bars-2x")
    wrong = "A" if case.reference == "B" else "B"
    request = SUITE.request(case, spec())
    metrics = SUITE.score(case, answer(wrong), request)
    found = SUITE.explain(case, answer(wrong), metrics, request)
    assert found.verdict == "wrong answer"
    text = "\n".join(found.lines)
    assert "question: 'Which bar is taller: A. " in text
    assert f"expected: {case.reference!r} (" in text
    assert f"given: {wrong!r}" in text
    assert "both sides divided by 2" in text
    blank = SUITE.explain(case, answer("", "empty"), {}, request)
    assert blank.verdict == "empty: no answer"
    assert "given: nothing" in blank.lines
