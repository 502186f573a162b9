"""The journal: what was finished stays, whatever moment the process dies at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.zerosense.journal import Journal

PARAMETERS: dict[str, Any] = {"seed": 7, "tau1": 1e-8, "generator": {"name": "g", "threads": 2}}
ROUNDS = {(300, 0): [{"text": "a b"}], (300, 1): [{"text": "c\u2028"}], (500, 0): [{"text": "d"}, {"text": "e"}]}


def filled(path: Path) -> bytes:
    journal = Journal(path, PARAMETERS)
    for (length, number), attempts in ROUNDS.items():
        journal.add(length, number, attempts)
    return path.read_bytes()


def test_rounds_are_taken_over(tmp_path: Path) -> None:
    filled(tmp_path / "j")
    assert Journal(tmp_path / "j", PARAMETERS).rounds == ROUNDS


@given(cut=st.integers(0))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_a_file_cut_anywhere_keeps_its_whole_lines_and_ends_the_same(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "j"
    path.unlink(missing_ok=True)
    data = filled(path)
    path.write_bytes(data[: cut % (len(data) + 1)])
    whole = data[: cut % (len(data) + 1)].count(b"\n")
    journal = Journal(path, PARAMETERS)
    assert list(journal.rounds) == list(ROUNDS)[: max(0, whole - 1)]
    for length, number in list(ROUNDS)[len(journal.rounds) :]:
        journal.add(length, number, ROUNDS[length, number])
    assert path.read_bytes() == data


def test_zeros_after_a_crash_of_the_system_are_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "j"
    data = filled(path)
    path.write_bytes(data + b"\0\0\0\n")
    assert Journal(path, PARAMETERS).rounds == ROUNDS
    assert path.read_bytes() == data


def test_a_broken_line_amid_others_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "j"
    lines = filled(path).split(b"\n")
    lines[2] = b'{"length": 300}'
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(TextsError, match=r"j:3: .* is no line of a journal: remove the file"):
        Journal(path, PARAMETERS)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"seed": 8}, "begun with seed = 7, now it is 8: give the same options to go on"),
        ({"generator": {"name": "g", "threads": 1}}, r'generator = \{"threads": 2\}, now it is \{"threads": 1\}'),
        ({"dtype": "float32"}, 'dtype = null, now it is "float32"'),
    ],
)
def test_other_parameters(tmp_path: Path, changed: dict[str, Any], problem: str) -> None:
    data = filled(tmp_path / "j")
    with pytest.raises(TextsError, match=problem):
        Journal(tmp_path / "j", {**PARAMETERS, **changed})
    assert (tmp_path / "j").read_bytes() == data


def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "j").write_text("my notes\n", encoding="utf-8")
    with pytest.raises(TextsError, match="j:1: 'my notes' is no line of a journal"):
        Journal(tmp_path / "j", PARAMETERS)
    assert (tmp_path / "j").read_text(encoding="utf-8") == "my notes\n"


def test_lines_are_json_with_line_ends_of_one_kind(tmp_path: Path) -> None:
    lines = filled(tmp_path / "j").split(b"\n")
    assert len(lines) == len(ROUNDS) + 2
    assert all(isinstance(json.loads(line), dict) for line in lines[:-1])


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "j").mkdir()
    with pytest.raises(TextsError, match="the journal cannot be used"):
        Journal(tmp_path / "j", PARAMETERS)


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 200_000,
        b'{"length": 300, "round": 0, "attempts": 7}',
        b'{"length": 300, "round": 0, "attempts": [7]}',
        b"[]",
    ],
)
def test_lines_of_another_kind(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "j"
    lines = filled(path).split(b"\n")
    lines[1] = line
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(TextsError, match=r"j:2: .* is no line of a journal: remove the file"):
        Journal(path, PARAMETERS)


def test_a_header_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(b"[]\n")
    with pytest.raises(TextsError, match=r"j:1: '\[\]' is no line of a journal"):
        Journal(tmp_path / "j", PARAMETERS)
