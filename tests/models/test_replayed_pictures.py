"""Replay files with pictures: which pictures are taken, and what is refused with file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_vtcfaith.engine.pictures import picture_of
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models import ModelSpec, resolve

RED = Image.new("RGB", (8, 6), "red")


def replay(folder: Path, *rows: dict[str, Any]) -> ModelSpec:
    """The model of a replay file with these rows, beside the picture `red.png`."""
    folder.mkdir(exist_ok=True)
    RED.save(folder / "red.png")
    file = folder / "answers.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return resolve(f"replay:{file}")


def reply(spec: ModelSpec, case: str = "c") -> Reply:
    found = spec.load().reply(case)
    assert isinstance(found, Reply)
    return found


@pytest.mark.parametrize("row", [{"picture": "red.png"}, {"picture": "./red.png", "text": None, "task": "edit"}])
def test_a_picture_is_the_reply_of_an_editor(tmp_path: Path, row: dict[str, Any]) -> None:
    spec = replay(tmp_path / "made", {"case": "c", **row})
    assert (spec.tasks, spec.needs_picture) == ({"edit"}, False)
    found = picture_of(reply(spec))
    assert found is not None
    assert found.tobytes() == RED.tobytes()


def test_a_picture_in_a_folder_below(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    RED.convert("L").save(tmp_path / "deep" / "grey.png")
    found = picture_of(reply(replay(tmp_path, {"case": "c", "picture": "deep/grey.png"})))
    assert found is not None
    assert found.mode == "RGB"


@pytest.mark.parametrize(
    ("rows", "tasks"),
    [
        ([{"text": "a"}], {"transcribe"}),
        ([{"picture": "red.png", "task": "draw"}], {"draw"}),
        ([{"text": "7", "task": "answer"}], {"answer"}),
        ([{"text": None, "refusal": "no", "task": "edit"}], {"edit"}),
        ([{"text": "a"}, {"picture": "red.png"}], {"transcribe", "edit"}),
        ([{"text": "a", "task": None}, {"text": "b", "task": "answer"}], {"transcribe", "answer"}),
        ([], {"transcribe"}),
    ],
)
def test_the_rows_say_what_was_asked(tmp_path: Path, rows: list[dict[str, Any]], tasks: set[str]) -> None:
    assert replay(tmp_path, *({"case": str(n), **row} for n, row in enumerate(rows))).tasks == tasks


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"picture": "../red.png"}, "outside of .*: put the picture beside the file"),
        ({"picture": "/etc/hostname"}, "outside of .*: put the picture beside the file"),
        ({"picture": "link.png"}, "outside of .*: put the picture beside the file"),
        ({"picture": "blue.png"}, "field 'picture' is 'blue.png': there is no such file"),
        ({"picture": "."}, "there is no such file"),
        ({"picture": ""}, "there is no such file"),
        ({"picture": 7}, "field 'picture' must be text, got 7"),
        ({"text": "a", "task": "paint"}, "field 'task' is 'paint'; it must be one of transcribe, edit, answer, draw"),
        ({"text": "a", "task": ["edit"]}, "field 'task' must be text"),
        ({"task": "edit"}, "field 'text' is missing"),
    ],
)
def test_what_is_refused_names_file_and_line(tmp_path: Path, row: dict[str, Any], says: str) -> None:
    RED.save(tmp_path / "red.png")
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "link.png").symlink_to(tmp_path / "red.png")
    with pytest.raises(ValueError, match=rf"answers\.jsonl, line 2: .*{says}"):
        replay(folder, {"case": "a", "text": "a"}, {"case": "c", **row})


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n"])
def test_a_picture_that_cannot_be_read_is_no_failure_of_the_model(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "torn.png").write_bytes(content)
    found = reply(replay(tmp_path, {"case": "c", "picture": "torn.png"}))
    assert (found.picture, found.text) == (None, None)
    assert "torn.png: no picture that can be read" in (found.error or "")


def test_a_picture_that_is_gone_later(tmp_path: Path) -> None:
    spec = replay(tmp_path, {"case": "c", "picture": "red.png"})
    (tmp_path / "red.png").unlink()
    assert "red.png: no picture that can be read" in (reply(spec).error or "")


def test_another_picture_is_another_revision(tmp_path: Path) -> None:
    row = {"case": "c", "picture": "blue.png"}
    found = []
    for colour in ("blue", "navy", "blue"):
        Image.new("RGB", (8, 6), colour).save(tmp_path / "blue.png")
        found.append(replay(tmp_path, row).revision)
    assert found[0] == found[2] != found[1]


def test_only_the_pictures_of_the_chosen_model_count(tmp_path: Path) -> None:
    rows = [
        {"case": "c", "model": "a", "picture": "red.png"},
        {"case": "c", "model": "b", "picture": "not-there.png", "task": "draw"},
    ]
    with pytest.raises(ValueError, match=r"holds replies of several models \('a', 'b'\)"):
        replay(tmp_path, *rows)
    table = {"one": {"adapter": "replay", "file": str(tmp_path / "answers.jsonl"), "model": "a"}}
    spec = resolve("one", table)
    assert spec.tasks == {"edit"}
    assert reply(spec).picture is not None
    with pytest.raises(ValueError, match=r"not-there\.png"):
        resolve("one", {"one": {**table["one"], "model": "b"}})
