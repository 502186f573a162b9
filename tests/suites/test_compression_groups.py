"""Groups of difficult and simple questions: both definitions, their file, and what they refuse to be used for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.suites.compression_groups import (
    DEFINITIONS,
    GROUPS,
    Groups,
    GroupsError,
    factor_of,
    freeze,
    groups_beside,
    groups_bytes,
    read_groups,
    write_groups,
)

ABOUT = {
    "model": "m",
    "adapter": "a",
    "revision": "1",
    "visual_tokens": "qwen2-vl",
    "manifests": {"b.jsonl": "22", "a.jsonl": "11"},
}
RIGHT = {
    "p-read": {1: True, 2: True, 4: False},
    "p-count": {1: True, 2: False, 4: False},
    "q-read": {1: False, 2: True, 4: False},
    "q-count": {1: False, 2: False, 4: True},
}


def frozen(right: dict[str, dict[int, bool]] = RIGHT) -> Groups:
    return freeze(right, **ABOUT)  # type: ignore[arg-type]


def test_the_two_definitions() -> None:
    groups = frozen()
    assert list(groups.factors) == [2, 4]
    assert groups.factors[2]["paper"] == {"difficult": ("p-count", "q-count"), "simple": ("p-read", "q-read")}
    assert groups.factors[2]["code"] == {"difficult": ("p-count",), "simple": ("p-read",)}
    assert groups.factors[4]["paper"] == {"difficult": ("p-count", "p-read", "q-read"), "simple": ("q-count",)}
    assert groups.factors[4]["code"] == {"difficult": ("p-count", "p-read"), "simple": ()}
    assert groups.group_of("p-count", 2) == "difficult"
    assert groups.group_of("q-count", 2) == ""
    assert groups.group_of("q-count", 2, "paper") == "difficult"
    assert groups.group_of("p-count", 3) == ""


ANSWERS = st.dictionaries(
    st.from_regex(r"[a-z]{1,3}-[a-z]{1,3}", fullmatch=True),
    st.fixed_dictionaries({1: st.booleans(), 2: st.booleans(), 3: st.booleans()}),
    min_size=1,
    max_size=12,
)


@given(ANSWERS)
def test_every_question_is_in_at_most_one_group(right: dict[str, dict[int, bool]]) -> None:
    groups = frozen(right)
    for factor in (2, 3):
        for name in DEFINITIONS:
            difficult, simple = (set(groups.factors[factor][name][group]) for group in GROUPS)
            assert not difficult & simple
            counted = set(right) if name == "paper" else {q for q, answers in right.items() if answers[1]}
            assert difficult | simple == counted
            assert all(right[q][factor] for q in simple)
            assert not any(right[q][factor] for q in difficult)
        for group in GROUPS:
            assert set(groups.factors[factor]["code"][group]) <= set(groups.factors[factor]["paper"][group])


@given(ANSWERS, st.randoms())
def test_freezing_twice_gives_the_same_bytes(right: dict[str, dict[int, bool]], random: object) -> None:
    order = list(right)
    random.shuffle(order)  # type: ignore[attr-defined]
    again = {name: dict(reversed(list(right[name].items()))) for name in order}
    assert groups_bytes(frozen(right)) == groups_bytes(frozen(again))


def test_a_file_is_what_was_written(tmp_path: Path) -> None:
    write_groups(tmp_path / "one.groups.json", frozen())
    write_groups(tmp_path / "deeper" / "two.groups.json", frozen())
    assert (tmp_path / "one.groups.json").read_bytes() == (tmp_path / "deeper" / "two.groups.json").read_bytes()
    assert read_groups(tmp_path / "one.groups.json") == frozen()
    assert groups_beside(tmp_path) == frozen()
    assert groups_beside(tmp_path / "deeper" / "none") is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deeper", "one.groups.json"]


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        ({"visual_tokens": "nominal"}, "cost 'qwen2-vl' tokens, not 'nominal'"),
        ({"model": "m", "base": "n"}, "not of 'n'"),
        ({"resampler": "lanczos"}, "by the filter 'bicubic', not 'lanczos'"),
        ({"factor": 3}, "no frozen groups at 3x, only at 2x, 4x"),
        ({"manifests": {"a.jsonl": "11", "b.jsonl": "23"}}, "other cases than those in b.jsonl"),
        ({"manifests": {"a.jsonl": "11"}}, "other cases than those in b.jsonl"),
        ({"manifests": {"a.jsonl": "11", "b.jsonl": "22", "c.jsonl": "3"}}, "other cases than those in c.jsonl"),
    ],
)
def test_what_does_not_fit_is_refused(measured: dict[str, object], words: str) -> None:
    assert words in frozen().misfit(**measured)  # type: ignore[arg-type]
    with pytest.raises(GroupsError, match="vtcfaith groups freeze"):
        frozen().require(**measured)


def test_what_fits_is_not_refused() -> None:
    frozen().require(visual_tokens="qwen2-vl", resampler="bicubic", factor=4, manifests=ABOUT["manifests"])


@pytest.mark.parametrize(
    ("right", "words"),
    [
        ({}, "no answer about a reduced picture"),
        ({"p-a": {1: True}}, "no answer about a reduced picture"),
        ({"p-a": {1: True, 2: True}, "p-b": {2: True}}, "'p-b' was not measured at full size"),
        ({"p-a": {1: True, 2: True, 3: True}, "p-b": {1: True, 2: True}}, "'p-b' was not measured at 3x"),
    ],
)
def test_what_was_not_measured_is_not_frozen(right: dict[str, dict[int, bool]], words: str) -> None:
    with pytest.raises(GroupsError, match=words):
        frozen(right)


@pytest.mark.parametrize(
    ("keep", "factor"), [(0.25, 2), (0.1111, 3), (1 / 9, 3), (0.0625, 4), (0.2, None), (1.0, None)]
)
def test_the_factor_of_a_keep_ratio(keep: float, factor: int | None) -> None:
    assert factor_of(keep, {2: 0, 3: 0, 4: 0}) == factor


def _edited(data: dict[str, object]) -> dict[str, object]:
    return {**data, "model": "other"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: "{", "not JSON"),
        (lambda data: json.dumps([]), "the fields must be"),
        (lambda data: json.dumps({**data, "model": "other"}), "it was edited"),
        (lambda data: json.dumps({k: v for k, v in data.items() if k != "sha256"}), "the fields must be"),
        (lambda data: json.dumps({**data, "more": 1}), "the fields must be"),
    ],
)
def test_a_wrong_file_is_named(change: object, words: str, tmp_path: Path) -> None:
    path = tmp_path / "x.groups.json"
    path.write_text(change(json.loads(groups_bytes(frozen()))), encoding="utf-8")  # type: ignore[operator]
    with pytest.raises(GroupsError, match=words) as caught:
        read_groups(path)
    assert str(path) in str(caught.value)


def test_two_files_beside_the_manifests_are_one_too_many(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_groups(tmp_path / f"{name}.groups.json", frozen())
    with pytest.raises(GroupsError, match=r"keep one of a\.groups\.json, b\.groups\.json"):
        groups_beside(tmp_path)
