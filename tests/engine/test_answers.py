"""The files of answers: what is read of them while others write, and what ends a wait."""

from __future__ import annotations

import json
import shutil
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vtcfaith.engine.answers import (
    ALL,
    Answers,
    Tail,
    answer_line,
    answered,
    answers_file,
    append,
    error_line,
    wanted_file,
    watched_file,
)
from pytest_vtcfaith.engine.failures import LONGEST_MESSAGE
from pytest_vtcfaith.engine.pictures import picture_reply
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.outcomes import Reply

REPLY = Reply(text="tide \ud83d\u2028 {}\t\n", finish_reason="stop", completion_tokens=3)
GIVEN = Transcript(REPLY, "complete", 0.25, False)


def answers(folder, alive=lambda: True) -> Answers:
    return Answers(folder, alive)


def test_what_was_written_is_read_back(tmp_path):
    append(answers_file(tmp_path), [answer_line("a", GIVEN), error_line("b", "gone")])
    known = answers(tmp_path)
    assert known.get("a") == GIVEN
    assert known.get("b").outcome == "infrastructure_error"
    assert known.get("b").reply == Reply(text=None, error="gone")
    assert known.get("c") is None


@given(text=st.text(), outcome=st.sampled_from(["complete", "empty"]), cached=st.booleans())
def test_every_text_survives(tmp_path_factory, text, outcome, cached):
    folder = tmp_path_factory.mktemp("answers")
    transcript = Transcript(Reply(text=text), outcome, 1.5, cached)
    append(answers_file(folder), [answer_line("a", transcript)])
    assert answers(folder).get("a") == transcript


def test_a_picture_survives(tmp_path):
    transcript = Transcript(picture_reply(Image.effect_noise((300, 200), 80)), "complete", 1.5, False)
    line = answer_line("a", transcript)
    assert b"\n" not in line
    append(answers_file(tmp_path), [line, answer_line("b", GIVEN)])
    assert answers(tmp_path).get("a") == transcript
    assert answers(tmp_path).get("b") == GIVEN


def test_the_first_of_two_answers_counts(tmp_path):
    append(answers_file(tmp_path), [answer_line("a", GIVEN)])
    known = answers(tmp_path)
    append(answers_file(tmp_path), [error_line("a", "late")])
    assert known.get("a") == GIVEN
    assert answers(tmp_path).get("a") == GIVEN


def test_a_line_torn_anywhere_counts_as_none_and_spoils_no_other(tmp_path):
    whole = answer_line("a", GIVEN)
    for length in range(len(whole)):
        assert answered(whole[:length]) is None
        file = answers_file(tmp_path)
        file.write_bytes(b"\n" + whole[:length])
        known = answers(tmp_path)
        assert known.get("a") is None
        append(file, [answer_line("b", GIVEN)])
        assert known.get("b") == GIVEN
        assert known.get("a") is None


def test_lines_are_given_when_they_are_whole(tmp_path):
    file = tmp_path / "f"
    tail = Tail(file)
    assert list(tail.lines()) == []
    file.write_bytes(b"\none\n\ntw")
    assert list(tail.lines()) == [(1, b"one")]
    file.write_bytes(b"\none\n\ntwo\n")
    assert list(tail.lines()) == [(6, b"two")]
    assert list(tail.lines()) == []


def test_writers_at_once_lose_nothing(tmp_path):
    file = answers_file(tmp_path)

    def write(name: str) -> None:
        for number in range(200):
            append(file, [answer_line(f"{name}{number}", GIVEN)])

    threads = [threading.Thread(target=write, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    known = answers(tmp_path)
    assert all(known.get(f"{name}{number}") == GIVEN for name in "xyz" for number in range(200))


def test_a_wait_names_its_case_and_ends_with_the_answer(tmp_path):
    watched_file(tmp_path).touch()

    def serve() -> None:
        tail = Tail(wanted_file(tmp_path))
        while not (wanted := [line.decode() for _, line in tail.lines()]):
            time.sleep(0.01)
        append(answers_file(tmp_path), [answer_line(case, GIVEN) for case in wanted])

    thread = threading.Thread(target=serve)
    thread.start()
    assert answers(tmp_path).wait("a") == GIVEN
    thread.join()


@pytest.mark.parametrize("how", ["told", "orphaned", "removed", "unwatched"])
def test_a_wait_ends_when_no_answer_can_come(tmp_path, how):
    folder = tmp_path / "fake"
    folder.mkdir()
    watched_file(folder).touch()
    ended = threading.Event()

    def end() -> None:
        time.sleep(0.1)
        if how == "told":
            append(answers_file(folder), [error_line(ALL, "no card")])
        elif how == "removed":
            shutil.rmtree(folder)
        elif how == "unwatched":
            watched_file(folder).unlink()
        ended.set()

    thread = threading.Thread(target=end)
    thread.start()
    found = answers(folder, alive=lambda: how != "orphaned" or not ended.is_set()).wait("a")
    thread.join()
    assert found.outcome == "infrastructure_error"
    assert ("no card" if how == "told" else "has ended") in found.reply.error


def test_a_last_answer_is_found_though_nobody_watches_any_more(tmp_path):
    append(answers_file(tmp_path), [answer_line("a", GIVEN)])
    assert answers(tmp_path).wait("a") == GIVEN


def test_a_wait_that_cannot_ask_ends(tmp_path):
    watched_file(tmp_path).touch()
    wanted_file(tmp_path).mkdir()  # opening it for writing fails, as it does on a full disk
    found = answers(tmp_path).wait("a")
    assert found.outcome == "infrastructure_error"
    assert "cannot be used" in found.reply.error


def test_a_long_reason_is_shortened():
    _, content = answered(error_line("a", "begin" + "x" * 10_000 + "end"))
    error = json.loads(content)["reply"]["error"]
    assert len(error) == LONGEST_MESSAGE
    assert error.startswith("begin")
    assert error.endswith("end")
    assert "10008 characters" in error


def test_whether_hosts_have_begun(tmp_path):
    assert not answers(tmp_path).begun
    append(answers_file(tmp_path), [])
    assert answers(tmp_path).begun
