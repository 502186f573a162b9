"""Replay files: what is read, and what is refused with file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models import resolve
from pytest_vtcfaith.models.replay import read_rows, replies_of

FILE = Path("answers.jsonl")


def read_replies(data: bytes, file: Path) -> dict[str, Reply]:
    return replies_of(read_rows(data, file), file)


def lines(*rows: dict) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_a_file_is_a_model_that_needs_no_picture(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_bytes(lines({"case": "c1", "text": "low tide"}))
    spec = resolve("replay:a.jsonl")
    assert (spec.name, spec.languages, spec.needs_picture) == ("replay:a.jsonl", None, False)
    model = spec.load()
    monkeypatch.chdir("/")
    assert model.reply("c1").text == "low tide"
    missing = model.reply("c2")
    assert missing.text is None
    assert missing.error == "no line for case c2 in a.jsonl"


def test_all_fields_arrive():
    row = {
        "case": "c",
        "text": "cut",
        "finish_reason": "length",
        "usage": {"completion_tokens": 64, "max_tokens": 64, "image_tokens": 100, "prompt_tokens": 9},
        "suite": "rewriting",
    }
    reply = read_replies(lines(row), FILE)["c"]
    assert (reply.text, reply.finish_reason) == ("cut", "length")
    assert (reply.completion_tokens, reply.max_tokens, reply.image_tokens) == (64, 64, 100)
    refused = read_replies(lines({"case": "c", "text": None, "refusal": "no"}), FILE)["c"]
    assert (refused.text, refused.refusal) == (None, "no")


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\n\n  \n"])
def test_an_empty_file_answers_nothing(data):
    assert read_replies(data, FILE) == {}


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbf{"case": "c", "text": "t"}\n',
        b'{"case": "c", "text": "t"}\r\n',
        b'{"case": "c", "text": "t"}',
        b'\n{"case": "c", "text": "t"}\n\n',
    ],
)
def test_line_ends_and_byte_order_mark(data):
    assert read_replies(data, FILE)["c"].text == "t"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"case": "c", "te', "not a JSON object"),
        (b"\xff\xfe", "not a JSON object in UTF-8"),
        (b'{"case": "c", "text": "\xff"}', "UTF-8"),
        (b"[" * 100_000, "not a JSON object"),
        (b"[1]", "must be an object .* got list"),
        (b'{"text": "t"}', "field 'case' must be text, got null"),
        (b'{"case": 3, "text": "t"}', "field 'case' must be text, got 3"),
        (b'{"case": "", "text": "t"}', "field 'case' is empty"),
        (b'{"case": "c"}', "field 'text' is missing"),
        (b'{"case": "c", "text": 5}', "field 'text' must be text, got 5"),
        (b'{"case": "c", "text": "", "finish_reason": 1}', "field 'finish_reason' must be text"),
        (b'{"case": "c", "text": "", "usage": []}', "field 'usage' must be an object"),
        (b'{"case": "c", "text": "", "usage": {"image_tokens": -1}}', "usage.image_tokens must be a whole number"),
        (b'{"case": "c", "text": "", "usage": {"max_tokens": 1.5}}', "usage.max_tokens must be a whole number"),
        (b'{"case": "c", "text": "", "usage": {"max_tokens": true}}', "usage.max_tokens must be a whole number"),
    ],
)
def test_a_bad_line_names_file_and_line(line, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_replies(lines({"case": "first", "text": ""}) + b"\n" + line + b"\n", FILE)
    assert str(caught.value).startswith("answers.jsonl, line 3: ")


def test_two_replies_to_one_case_name_both_lines():
    rows = lines({"case": "a", "text": "1"}, {"case": "b", "text": ""}, {"case": "a", "text": "1"})
    with pytest.raises(ValueError, match="case 'a' is answered twice, in lines 1 and 3"):
        read_replies(rows, FILE)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"cannot read the replay file .*gone\.jsonl: No such file"):
        resolve(f"replay:{tmp_path / 'gone.jsonl'}")
    with pytest.raises(ValueError, match="cannot read"):
        resolve(f"replay:{tmp_path}")
    with pytest.raises(
        ValueError, match=r"model 'replay:a\\x00': cannot read the replay file '.*a\\x00': embedded null"
    ):
        resolve("replay:a\x00")


def test_names_of_models_are_printed_escaped_and_not_all(tmp_path):
    names = ["\u202eevil\x1b[31m\ud83d\n", *(f"鱼{n}" for n in range(50))]
    rows = [{"case": "c", "text": "1", "model": name} for name in names]
    (tmp_path / "a.jsonl").write_bytes(lines(*rows))
    for table in ({}, {"model": "none"}):
        with pytest.raises(ValueError, match="more") as caught:
            resolve("m", {"m": {"adapter": "replay", "file": str(tmp_path / "a.jsonl"), **table}})
        message = str(caught.value)
        assert message.isprintable()
        assert r"'\u202eevil\x1b[31m\ud83d\n'" in message
        assert "鱼40" not in message


def test_several_models_need_a_choice(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines({"case": "c", "text": "1", "model": "x"}, {"case": "c", "text": "2", "model": "y"}))
    with pytest.raises(ValueError, match=r"several models \('x', 'y'\).*file = "):
        resolve(f"replay:{file}")

    def table(model: str) -> dict:
        return {"m": {"adapter": "replay", "file": str(file), "model": model}}

    first, second = resolve("m", table("x")), resolve("m", table("y"))
    assert (first.load().reply("c").text, second.load().reply("c").text) == ("1", "2")
    assert first.identity != second.identity
    with pytest.raises(ValueError, match="no replies of the model 'z'; it has: 'x', 'y'"):
        resolve("m", table("z"))


def test_one_model_needs_none_and_an_edited_file_is_another_model(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines({"case": "c", "text": "1", "model": "x"}))
    before = resolve(f"replay:{file}")
    assert before.load().reply("c").text == "1"
    file.write_bytes(lines({"case": "c", "text": "2", "model": "x"}))
    assert resolve(f"replay:{file}").identity != before.identity


@given(st.dictionaries(st.text(st.characters(), min_size=1), st.text(st.characters()), max_size=5))
def test_every_code_point_survives_lone_surrogates_too(texts):
    rows = lines(*({"case": case, "text": text} for case, text in texts.items()))
    assert {case: reply.text for case, reply in read_replies(rows, FILE).items()} == texts


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_unescaped_text_survives_whatever_python_calls_a_line_end(text):
    data = json.dumps({"case": "c", "text": text}, ensure_ascii=False).encode()
    assert read_replies(data, FILE)["c"].text == text


def test_a_lone_surrogate_in_the_case_of_a_missing_reply_is_no_crash(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"")
    assert resolve(f"replay:{file}").load().reply("\ud83d").error is not None


def test_a_table_declares_what_the_model_that_answered_declared(tmp_path):
    file = tmp_path / "r.jsonl"
    file.write_text('{"case": "c", "text": "t"}\n', encoding="utf-8")
    table = {"adapter": "replay", "model": str(file), "languages": ["en"], "visual_tokens": "gemma3", "prompts": True}
    found = resolve("m", {"m": table})
    assert (found.languages, found.visual_tokens, found.prompts) == (frozenset({"en"}), "gemma3", True)
    assert resolve("m", {"m": {**table, "keep_ratio": 0.25}}).keep_ratio == 0.25
    assert resolve("m", {"m": {**table, "keep_ratio": 0.25, "base": "b"}}).base == "b"
    for option, value in {
        "base": 2,
        "keep_ratio": 2,
        "languages": "en",
        "visual_tokens": "gemma9",
        "prompts": "yes",
    }.items():
        with pytest.raises(ValueError, match="'m'"):
            resolve("m", {"m": {**table, option: value}})


def test_what_was_asked_is_said_by_line_by_table_or_left_open(tmp_path):
    file = tmp_path / "r.jsonl"
    file.write_text('{"case": "c", "text": "t"}\n{"case": "d", "text": "t", "task": "draw"}\n', encoding="utf-8")
    table = {"adapter": "replay", "model": str(file)}
    found = resolve("m", {"m": table})
    assert (found.tasks, found.replayed) == (frozenset({"transcribe", "draw"}), {"c": "", "d": "draw"})
    found = resolve("m", {"m": {**table, "task": "answer"}})
    assert (found.tasks, found.replayed) == (frozenset({"answer", "draw"}), {"c": "answer", "d": "draw"})
    for task in ("reply", ["answer"], ""):
        with pytest.raises(ValueError, match=r"task = .* must be one of transcribe, edit, answer, draw"):
            resolve("m", {"m": {**table, "task": task}})
    file.write_bytes(b"")
    assert resolve("m", {"m": {**table, "task": "answer"}}).tasks == frozenset({"answer"})
