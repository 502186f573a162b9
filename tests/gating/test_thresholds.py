"""The thresholds file: whatever cannot be meant is refused, with file, table, field, value and mend."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.gating.thresholds import Thresholds, ThresholdsError, load_thresholds, nearest
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.texts.bundled import bundled_folder

GATE = '[[gate]]\nwhere = "rewriting/*"\nmetric = "rewrite_rate"\nmax = 0.05\n'


def load(folder: Path, text: str | bytes) -> Thresholds:
    path = folder / "limits.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return load_thresholds(path)


def gate(where: str = "rewriting/*", metric: str = "rewrite_rate", bounds: str = "max = 0.05") -> str:
    return f'[[gate]]\nwhere = "{where}"\nmetric = "{metric}"\n{bounds}\n'


def floor(where: str = "rewriting/*", metric: str = "word_accuracy", bounds: str = "min = 0.5") -> str:
    return gate() + f'[[floor]]\nwhere = "{where}"\nmetric = "{metric}"\n{bounds}\n'


def test_a_whole_file(tmp_path: Path) -> None:
    text = (
        GATE
        + '[[floor]]\nwhere = "rewriting/en/*"\nmetric = "wer"\nmax = 2\n[suite.rewriting]\nmax_inapplicable = 0.5\n'
    )
    found = load(tmp_path, "\ufeff" + text)
    assert [rule.max for rule in found.gate] == [0.05]
    assert found.gate[0].min_coverage == 1.0
    assert found.gate[0].confidence == 0.95
    assert [rule.max for rule in found.floors("rewriting/en/visual")] == [2.0]
    assert found.floors("rewriting/ko/visual") == []
    assert found.suite["rewriting"].max_inapplicable == 0.5


def test_the_bundled_file_is_accepted() -> None:
    assert len(load_thresholds(bundled_folder() / "thresholds.toml").gate) > 10


@pytest.mark.parametrize("field", ["min", "max"])
@pytest.mark.parametrize(
    "value", ["nan", "-nan", "inf", "-inf", "-0.1", "1.1", "1e400", "true", '"0.5"', "[0.5]", "1979-05-27", "9" * 400]
)
def test_a_bound_that_is_no_share_is_refused(tmp_path: Path, field: str, value: str) -> None:
    for text, table in (
        (gate(bounds=f"{field} = {value}"), "[[gate]] number 1"),
        (floor(bounds=f"{field} = {value}"), "[[floor]] number 1"),
    ):
        with pytest.raises(ThresholdsError) as caught:
            load(tmp_path, text)
        message = str(caught.value)
        assert str(tmp_path / "limits.toml") in message
        assert table in message
        assert "where = 'rewriting/*'" in message
        assert f"{field} = " in message


@pytest.mark.parametrize("field", ["max_regression", "min_coverage", "confidence"])
@pytest.mark.parametrize("value", ["nan", "inf", "-0.01", "1.5", "false", '"high"'])
def test_other_numbers_of_a_gate(tmp_path: Path, field: str, value: str) -> None:
    with pytest.raises(ThresholdsError, match=rf"number 1 .*{field} = "):
        load(tmp_path, gate(bounds=f"max = 0.1\n{field} = {value}"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["no [[gate]]", "add one"]),
        ("[suite.rewriting]\nmax_inapplicable = 0.1\n", ["no [[gate]]"]),
        (gate(bounds="maximum = 0.1"), ["[[gate]] number 1", "maximum = 0.1", "unknown key", "did you mean 'max'"]),
        (GATE + gate(bounds="mix = 0.1"), ["[[gate]] number 2"]),
        (GATE + "[[gates]]\n", ["'gates'", "unknown table", "did you mean 'gate'"]),
        ("[gate]\nwhere = 'x'\n", ["[[gate]]"]),
        ("gate = 3\n", ["[[gate]]"]),
        ("gate = [3]\n", ["[[gate]] number 1", "must be a table"]),
        (GATE + "suite = 3\n".replace("suite", "[suite]\nrewriting"), ["[suite.rewriting]", "must be a table"]),
        ('[[gate]]\nmetric = "rewrite_rate"\nmax = 0.1\n', ["where is missing", "add it"]),
        ('[[gate]]\nwhere = "rewriting/*"\nmax = 0.1\n', ["metric is missing"]),
        (gate(where=""), ["where = ''"]),
        (gate(where="rewritting/*"), ["unknown suite 'rewritting'", "did you mean 'rewriting'"]),
        (gate(where="drawing/*"), ["unknown suite 'drawing'", "known:"]),
        (gate(where="rewriting"), ["selects no tier", "rewriting/*"]),
        (gate(where="rewrit"), ["selects no tier", "rewriting/*"]),
        (gate(metric="rewrite_rates"), ["metric = 'rewrite_rates'", "rewriting", "did you mean 'rewrite_rate'"]),
        (gate(where="*", metric="rewrite_rate"), ["compression, which where selects"]),
        (gate(where="*n/*", metric="prior_gap"), ["compression, which where selects"]),
        (floor(metric="failure_rate"), ["[[floor]] number 1", "no metric of a case"]),
        (gate(bounds="min = 0.9\nmax = 0.1"), ["min = 0.9 is over max = 0.1"]),
        (floor(bounds="min = 0.9\nmax = 0.1"), ["min = 0.9 is over max = 0.1"]),
        (gate(bounds=""), ["bounds nothing", "give min, max or max_regression"]),
        (gate(bounds="min_coverage = 0.5"), ["bounds nothing"]),
        (floor(bounds=""), ["bounds nothing", "case_tolerance"]),
        (gate(metric="close_rate", bounds="max_regression = 0.1"), ["no better direction", "remove max_regression"]),
        (gate(bounds="max_regression = 2.0"), ["max_regression = 2.0", "more than rewrite_rate can lose"]),
        (floor(bounds="case_tolerance = 5"), ["case_tolerance = 5", "can lose"]),
        (gate(where="preservation/*", metric="A", bounds="max_regression = 0.1"), ["A_M"]),
        (gate(where="preservation/*", metric="prior_gap", bounds="max = 1.5"), ["max = 1.5", "-1 to 1"]),
        (GATE + "[suite.rewritin]\n", ["[suite.rewritin]", "did you mean 'rewriting'"]),
        (GATE + "[suite.rewriting]\nmax_inaplicable = 0.1\n", ["[suite.rewriting]", "did you mean 'max_inapplicable'"]),
        (GATE + "[suite.rewriting]\nmax_inapplicable = nan\n", ["[suite.rewriting]", "max_inapplicable = nan"]),
        (GATE + "[suite.rewriting]\nmax_inapplicable = 1.2\n", ["max_inapplicable = 1.2"]),
        ("[[gate]\n", ["is not TOML"]),
        (GATE + "max = 0.1\n", ["is not TOML"]),
        (b"\xff\xfe[\x00[\x00", ["not UTF-8", "save the file as UTF-8"]),
        ("# Schwelle f\xfcr\n".encode("latin-1") + GATE.encode(), ["byte 12", "not UTF-8"]),
        ("a = " + "[" * 5000, ["is not TOML"]),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str | bytes, words: list[str]) -> None:
    with pytest.raises(ThresholdsError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(str(tmp_path / "limits.toml"))
    for word in words:
        assert word in message


def test_every_problem_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ThresholdsError) as caught:
        load(tmp_path, gate(bounds="max = nan") + gate(bounds="min = -inf"))
    first, second = str(caught.value).split("\n")
    assert "number 1" in first
    assert "number 2" in second


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ThresholdsError, match="no such thresholds file; name one with --vtc-thresholds"):
        load_thresholds(tmp_path / "none.toml")
    with pytest.raises(ThresholdsError, match="cannot be read"):
        load_thresholds(tmp_path)


@pytest.mark.parametrize(
    ("where", "selected", "left"),
    [
        (
            "rewriting/*",
            ["rewriting/en/original", "rewriting/ko/visual/no_correct+think"],
            ["preservation/glyph/5x/natural"],
        ),
        (
            "rewriting/*/original*",
            ["rewriting/en/original", "rewriting/en/original/no_correct"],
            ["rewriting/en/visual"],
        ),
        ("rewriting/en/visual", ["rewriting/en/visual"], ["rewriting/en/visual/no_correct"]),
        ("*/visual", ["rewriting/zh/visual"], ["rewriting/zh/random"]),
        ("rew*en*", ["rewriting/en/visual"], ["rewriting/ko/visual"]),
        ("rewriting/[ez]?/visual", ["rewriting/en/visual", "rewriting/zh/visual"], ["rewriting/ko/visual"]),
    ],
)
def test_where_selects_tiers(tmp_path: Path, where: str, selected: list[str], left: list[str]) -> None:
    found = load(tmp_path, gate(where=where, metric="failure_rate"))
    assert [tier for tier in [*selected, *left] if found.gates(tier)] == selected


@pytest.mark.parametrize(
    ("bounds", "metric", "covered"),
    [
        ("max = 0.05", "failure_rate", True),
        ("min = 0.05", "failure_rate", False),
        ("max = 0.05", "rewrite_rate", False),
        ("max_regression = 0.05", "failure_rate", False),
    ],
)
def test_only_an_upper_bound_of_the_failure_rate_covers_failures(
    tmp_path: Path, bounds: str, metric: str, covered: bool
) -> None:
    found = load(tmp_path, gate("rewriting/en/*", metric, bounds))
    assert found.covers_failures("rewriting/en/visual") is covered
    assert found.covers_failures("rewriting/zh/visual") is False


@pytest.mark.parametrize("name", ["preservation", "rewriting"])
def test_a_bound_at_the_end_of_its_range_is_accepted(tmp_path: Path, name: str) -> None:
    for metric in load_suite(name).metrics.values():
        bounds = [f"min = {metric.low}"] if metric.low > float("-inf") else []
        bounds += [f"max = {metric.high}"] if metric.high < float("inf") else []
        if bounds:
            found = load(tmp_path, gate(f"{name}/*", metric.name, "\n".join(bounds)))
            assert found.gate[0].metric == metric.name


toml_value = st.one_of(
    st.floats().map(lambda x: repr(x)),
    st.integers(-(10**30), 10**30).map(str),
    st.sampled_from(["true", "[]", "{}", '""', "2024-01-01", '"\\u0000"', "nan", "[1, {a = 2}]", "{b = [[]]}"]),
)
key = st.sampled_from(["where", "metric", "min", "max", "max_regression", "min_coverage", "confidence", "x", '"\\n"'])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["[[gate]]", "[[floor]]", "[gate]", "[suite.rewriting]", "[suite]", "[[suite]]", "[z]"]),
            st.dictionaries(key, toml_value, max_size=5),
        ),
        max_size=3,
    )
)
def test_whatever_the_file_says_is_accepted_or_refused_with_its_name(
    tmp_path: Path, tables: list[tuple[str, dict[str, str]]]
) -> None:
    text = "".join(f"{head}\n" + "".join(f"{k} = {v}\n" for k, v in body.items()) for head, body in tables)
    said = ""
    try:
        assert load(tmp_path, text).gate
    except ThresholdsError as problem:
        said = str(problem)
    assert not said or all(line.startswith(str(tmp_path / "limits.toml")) for line in said.split("\n"))


@pytest.mark.parametrize(
    ("given_name", "first"),
    [("rewrite_rat", "rewrite_rate"), ("rewriet_rate", "rewrite_rate"), ("accuracy", "word_accuracy")],
)
def test_the_nearest_name_comes_first(given_name: str, first: str) -> None:
    message = nearest(given_name, ["word_accuracy", "rewrite_rate", "failure_rate"])
    assert message.startswith(f"did you mean {first!r}? known: {first}, ")
    assert nearest("x", []) == "none is known"


# --- how a regression is judged ---


def test_how_a_regression_is_judged_can_be_chosen(tmp_path: Path) -> None:
    chosen = 'max_regression = 0.02\nequivalence = true\ninterval = "bca"\nholm = false'
    found = load(tmp_path, gate(bounds=chosen)).gate[0]
    assert (found.equivalence, found.interval, found.holm) == (True, "bca", False)
    plain = load(tmp_path, gate(bounds="max_regression = 0.02")).gate[0]
    assert (plain.equivalence, plain.interval, plain.holm) == (False, None, True)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ("max = 0.1\nequivalence = true", ["equivalence = true", "max_regression, which is missing"]),
        ("max = 0.1\nholm = false", ["holm = false", "max_regression, which is missing"]),
        ('max = 0.1\ninterval = "exact"', ["interval = 'exact'", "'percentile' or 'bca'"]),
        ("max_regression = 0.1\nequivalence = 1", ["equivalence = 1", "boolean"]),
        ("max_regression = 0.1\nequivalent = true", ["did you mean 'equivalence'"]),
    ],
)
def test_what_cannot_be_meant_about_a_regression(tmp_path: Path, bounds: str, words: list[str]) -> None:
    with pytest.raises(ThresholdsError) as caught:
        load(tmp_path, gate(bounds=bounds))
    for word in words:
        assert word in str(caught.value)


def test_a_metric_without_direction_may_be_bounded_both_ways(tmp_path: Path) -> None:
    text = "max_regression = 0.1"
    with pytest.raises(ThresholdsError, match="or bound both directions: equivalence = true"):
        load(tmp_path, gate(metric="close_rate", bounds=text))
    assert load(tmp_path, gate(metric="close_rate", bounds=f"{text}\nequivalence = true")).gate[0].equivalence
