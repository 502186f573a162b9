"""Stored replies: what is a hit, what is never stored, and what a damaged file does."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from pytest_vtcfaith.engine.run import ask
from pytest_vtcfaith.engine.store import ResponseStore, StoreWarning, reply_key
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models import ModelSpec, Prompt

TEXT = "tide table for the north pier and the south pier"
PROMPT = Prompt("Read the page.", "en")


class Counting:
    """Answers in turn with `replies`; the last one stays."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.calls = 0

    def transcribe(self, images, prompt):
        self.calls += 1
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return [reply]


def spec(**changes) -> ModelSpec:
    return ModelSpec(**{"name": "m", "load": Counting, "languages": None, "adapter": "test", **changes})


def asked(model, store, *, image=None, prompt=PROMPT, spec_=None, page_text=TEXT, **more):
    image = Image.new("RGB", (60, 20), "white") if image is None else image
    return ask(spec_ or spec(), model, image, prompt, case_id="c", page_text=page_text, lang="en", store=store, **more)


@pytest.fixture
def store(tmp_path):
    opened = ResponseStore(tmp_path / "deep" / "replies.sqlite")
    yield opened
    opened.close()


def test_a_complete_reply_is_asked_for_once(store):
    model = Counting(Reply(text=TEXT, finish_reason="stop", completion_tokens=12))
    first, second = asked(model, store), asked(model, store)
    assert (first.cached, second.cached, model.calls) == (False, True, 1)
    assert first.reply == second.reply
    assert second.outcome == "complete"
    other = ResponseStore(store.path)
    assert asked(model, other).cached
    other.close()


@pytest.mark.parametrize(
    "bad",
    [
        RuntimeError("server down"),
        Reply(text=None, error="timeout"),
        Reply(text=None, refusal="no"),
        Reply(text="I'm sorry, I can't help with that image."),
        Reply(text=""),
        Reply(text=TEXT[:30], finish_reason="length"),
    ],
)
def test_what_is_not_complete_is_asked_again(store, bad):
    model = Counting(bad, Reply(text=TEXT))
    assert asked(model, store).outcome != "complete"
    assert (asked(model, store).outcome, asked(model, store).cached, model.calls) == ("complete", True, 2)


def test_a_blank_page_read_as_blank_is_stored_and_invented_text_is_not(store):
    model = Counting("invented", "")
    assert asked(model, store, page_text="").outcome == "spurious_text"
    assert asked(model, store, page_text="").outcome == "complete"
    assert asked(model, store, page_text="").cached


def test_a_stored_reply_over_this_budget_is_asked_afresh(store):
    model = Counting(Reply(text=TEXT, image_tokens=100))
    assert asked(model, store, budget_tokens=100).outcome == "complete"
    assert asked(model, store, budget_tokens=200).cached
    over = asked(model, store, budget_tokens=64)
    assert (over.outcome, over.cached, over.reply.budget_tokens) == ("budget_not_applied", False, 64)


def test_everything_that_shapes_a_reply_is_in_the_key():
    base = {
        "adapter": "a",
        "revision": "1",
        "options": {"max_tokens": 256, "seed": 1},
    }
    variants = [
        (base, PROMPT, "p"),
        ({**base, "adapter": "b"}, PROMPT, "p"),
        ({**base, "revision": "2"}, PROMPT, "p"),
        ({**base, "options": {"max_tokens": 4096, "seed": 1}}, PROMPT, "p"),
        ({**base, "prompts": False}, PROMPT, "p"),
        (base, Prompt("Read it.", "en"), "p"),
        (base, Prompt("Read the page.", "zh"), "p"),
        (base, Prompt("Read the page.", "en", "no_correct"), "p"),
        (base, PROMPT, "q"),
    ]
    assert len({reply_key(spec(**given), prompt, pixels) for given, prompt, pixels in variants}) == len(variants)
    turned = {**base, "options": {"seed": 1, "max_tokens": 256}, "name": "another name"}
    assert reply_key(spec(**turned), PROMPT, "p") == reply_key(spec(**base), PROMPT, "p")


def test_an_engine_without_prompts_is_asked_once_for_all_of_them(store):
    model, engine = Counting(TEXT), spec(prompts=False)
    asked(model, store, spec_=engine)
    assert asked(model, store, spec_=engine, prompt=Prompt("Do not correct.", "en", "no_correct")).cached
    assert not asked(model, store, spec_=engine, prompt=Prompt("Read the page.", "zh")).cached


def test_keys_are_the_same_in_every_process():
    code = (
        "from pytest_vtcfaith.engine.store import reply_key; from pytest_vtcfaith.models import ModelSpec, Prompt;"
        "spec = ModelSpec('m', dict, frozenset({'en', 'zh', 'ko'}), options={'b': 1, 'a': 2});"
        "print(reply_key(spec, Prompt('读\\ud83d', 'zh'), 'p'))"
    )
    keys = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout for _ in "ab"
    }
    assert len(keys) == 1
    assert len(keys.pop().strip()) == 64


def test_pictures_that_differ_in_size_or_mode_are_different_questions(store):
    model = Counting(TEXT)
    data = bytes(range(48))
    pictures = [
        Image.frombytes("L", (8, 6), data),
        Image.frombytes("L", (6, 8), data),
        Image.frombytes("RGB", (4, 4), data),
    ]
    for picture in pictures:
        asked(model, store, image=picture)
    assert model.calls == 3
    assert asked(model, store, image=pictures[0].convert("RGB")).cached  # the model sees the same


def test_a_page_drawn_before_is_not_drawn_again(store):
    drawn = []

    def draw():
        drawn.append(1)
        return Image.new("RGB", (30, 30), "white")

    model = Counting(TEXT)
    assert not asked(model, store, image=draw, picture_key="page-1").cached
    assert asked(model, store, image=draw, picture_key="page-1").cached
    assert len(drawn) == 1
    assert asked(model, store, image=draw, picture_key="page-2").cached  # another page with the same pixels
    assert len(drawn) == 2
    assert not asked(model, store, image=draw, picture_key="page-1", prompt=Prompt("Other.", "en")).cached
    assert (len(drawn), model.calls) == (3, 2)


replies = st.builds(
    Reply,
    text=st.none() | st.text(st.characters()),
    finish_reason=st.none() | st.sampled_from(["stop", "length"]),
    completion_tokens=st.none() | st.integers(0, 10**6),
    image_tokens=st.none() | st.integers(0, 10**6),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(replies, replies)
def test_what_is_put_is_got_for_every_code_point(store, first, second):
    store.put("a", first)
    store.put("b", second)
    assert (store.get("a"), store.get("b"), store.get("c")) == (first, second, None)


def work(path: str, worker: int) -> int:
    """Writes 30 entries, 10 of them shared by all workers, and reads back; returns how many came back wrong."""
    warnings.simplefilter("error")
    own = ResponseStore(Path(path))
    wrong = 0
    for number in range(30):
        key = f"shared-{number}" if number < 10 else f"{worker}-{number}"
        own.put(key, Reply(text=f"text of {key}"))
        got = own.get(key)
        wrong += got is None or got.text != f"text of {key}"
    own.close()
    return wrong


@pytest.mark.parametrize("before", [None, b"not a database, but long enough to look like one" * 50])
def test_eight_processes_write_at_once_also_when_they_find_a_corrupt_file(tmp_path, before):
    path = tmp_path / "replies.sqlite"
    if before is not None:
        path.write_bytes(before)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(8, mp_context=context) as pool:
        wrong = list(pool.map(work, [str(path)] * 8, range(8)))
    assert wrong == [0] * 8
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM replies").fetchone() == (10 + 8 * 20,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()
    assert len(list(tmp_path.glob("*.corrupt-*"))) == (before is not None)


def test_a_corrupt_file_is_set_aside_with_a_warning(tmp_path):
    path = tmp_path / "replies.sqlite"
    for number in (1, 2):
        path.write_bytes(b"garbage " * 1000)
        store = ResponseStore(path)
        with pytest.warns(StoreWarning, match=rf"set aside as replies\.sqlite\.corrupt-{number}"):
            assert store.get("a") is None
        store.put("a", Reply(text="fresh"))
        assert store.get("a") == Reply(text="fresh")
        store.close()
        assert (tmp_path / f"replies.sqlite.corrupt-{number}").read_bytes().startswith(b"garbage")


def test_a_file_damaged_in_its_middle(tmp_path):
    path = tmp_path / "replies.sqlite"
    store = ResponseStore(path)
    for number in range(200):
        store.put(f"k{number}", Reply(text="x" * 500))
    store.close()
    data = bytearray(path.read_bytes())
    data[4096 : len(data) - 4096] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)
    store = ResponseStore(path)
    with pytest.warns(StoreWarning, match="set aside"):
        found = [store.get(f"k{number}") for number in range(200)]
    assert all(reply is None or reply.text == "x" * 500 for reply in found)
    store.put("k0", Reply(text="again"))
    assert store.get("k0").text == "again"
    store.close()


@pytest.mark.parametrize(
    "damage",
    [
        '{"text": "cu',
        "[]",
        "7",
        '{"words": 1}',
        "",
        '{"text": 5}',
        '{"text": "a", "image_tokens": "9"}',
        '{"text": ' + "[" * 100_000,
        b'{"text": "\xff"}',
        b"\xff\xfe\x00",
    ],
)
def test_a_damaged_entry_is_a_miss_and_removed(store, damage):
    store.put("a", Reply(text="whole"))
    store.close()
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE replies SET reply = CAST(? AS TEXT)", (damage,))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.get("a") is None
        assert db.execute("SELECT count(*) FROM replies").fetchone() == (0,)
        store.put("a", Reply(text="again"))
        assert store.get("a") == Reply(text="again")
    db.close()


def test_a_damaged_picture_entry_is_a_miss_and_removed(store):
    store.remember_picture("page", "pixels")
    store.close()
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE pictures SET pixel_key = CAST(? AS TEXT)", (b"\xff",))
    assert store.pixel_key("page") is None
    assert db.execute("SELECT count(*) FROM pictures").fetchone() == (0,)
    db.close()
    store.remember_picture("page", "pixels")
    assert store.pixel_key("page") == "pixels"


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE replies (id INTEGER, body TEXT)",
        "CREATE TABLE Replies (id INTEGER)",
        "CREATE TABLE replies (key TEXT, reply TEXT)",
        "CREATE TABLE pictures (fingerprint TEXT)",
        "CREATE TABLE t (a); CREATE INDEX replies ON t (a)",
        "CREATE VIEW replies AS SELECT 'k' AS key, 'r' AS reply",
    ],
)
def test_a_file_with_tables_of_another_kind_is_set_aside(tmp_path, schema):
    path = tmp_path / "replies.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(schema)
    db.close()
    store = ResponseStore(path)
    with pytest.warns(StoreWarning, match=r"not those of a store\): set aside as replies\.sqlite\.corrupt-1"):
        assert store.get("a") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store.put("a", Reply(text="fresh"))
        store.remember_picture("p", "pixels")
        assert (store.get("a"), store.pixel_key("p")) == (Reply(text="fresh"), "pixels")
    store.close()
    with sqlite3.connect(tmp_path / "replies.sqlite.corrupt-1") as db:
        kept = [sql for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
    db.close()
    assert set(schema.split("; ")) <= set(kept)


def hindered(tmp_path, kind: str):
    """A place where nothing can be stored (root may write to any folder, so rights would prove nothing)."""
    if kind == "a file where the folder should be":
        (tmp_path / "folder").write_bytes(b"")
        return tmp_path / "folder" / "replies.sqlite"
    if kind == "a folder where the file should be":
        (tmp_path / "replies.sqlite").mkdir()
        return tmp_path / "replies.sqlite"
    return Path("/dev/full/replies.sqlite")


@pytest.mark.parametrize(
    "kind", ["a file where the folder should be", "a folder where the file should be", "no folder possible"]
)
def test_where_nothing_can_be_stored_it_is_said_once_and_the_case_goes_on(tmp_path, kind):
    store = ResponseStore(hindered(tmp_path, kind))
    model = Counting(TEXT)
    with pytest.warns(StoreWarning, match="replies are not kept") as said:
        outcomes = [asked(model, store, picture_key="p").outcome for _ in range(3)]
    assert (outcomes, model.calls, len(said)) == (["complete"] * 3, 3, 1)


def test_a_full_disk_is_said_once_and_the_case_goes_on(tmp_path):
    code = f"""
import resource, warnings
from pathlib import Path
from pytest_vtcfaith.engine.store import ResponseStore
from pytest_vtcfaith.metrics.outcomes import Reply
store = ResponseStore(Path({str(tmp_path)!r}) / "replies.sqlite")
store.put("a", Reply(text="fits"))
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for number in range(20):
        store.put(f"k{{number}}", Reply(text="x" * 10_000))
print(len(said), said[0].message)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("1 ")
    assert "replies are not kept in this run" in done.stdout


def test_warnings_made_errors_do_not_fail_a_case(tmp_path):
    path = tmp_path / "replies.sqlite"
    path.write_bytes(b"garbage " * 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert asked(Counting(TEXT), ResponseStore(path)).outcome == "complete"
        assert asked(Counting(TEXT), ResponseStore(hindered(tmp_path, "no folder possible"))).outcome == "complete"


def test_a_store_that_another_process_set_aside_is_opened_anew(tmp_path):
    store = ResponseStore(tmp_path / "replies.sqlite")
    store.put("a", Reply(text="old"))
    for file in tmp_path.glob("replies.sqlite*"):
        file.rename(file.with_name(f"moved-{file.name}"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store.put("b", Reply(text="new"))
    store.close()
    fresh = ResponseStore(store.path)
    fresh.put("c", Reply(text="newer"))
    assert fresh.get("c").text == "newer"
    fresh.close()


def test_a_secret_of_an_error_reaches_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-123")
    store = ResponseStore(tmp_path / "replies.sqlite")
    asked(Counting(RuntimeError("401: Authorization: Bearer sk-test-123")), store, picture_key="p")
    store.close()
    assert not [file for file in tmp_path.iterdir() if b"sk-test-123" in file.read_bytes()]
