"""What a stored reply goes by: keys that were given out hold, and every task has its own."""

from __future__ import annotations

from itertools import combinations

from pytest_vtcfaith.engine.store import reply_key
from pytest_vtcfaith.models import ModelSpec, Prompt

READ = Prompt("Read the page.", "en", "plain")
PIXELS = "RGB 60x20 abc"
SPEC = ModelSpec(name="m", load=object, languages=None, revision="r1", adapter="test", options={"max_tokens": 64})
PROMPTLESS = ModelSpec(
    name="m", load=object, languages=frozenset({"en"}), revision="r1", adapter="rapidocr", prompts=False
)
TASKS = ("transcribe", "edit", "answer", "draw")


def test_replies_that_were_stored_before_models_edited_are_still_found() -> None:
    """The keys as the last version that knew transcribers only made them."""
    assert reply_key(SPEC, READ, PIXELS) == "e8e38ba880b384f38f84042e2b3c8de4af2ee6ff54b4f6e4ea25a5122385f901"
    assert reply_key(PROMPTLESS, READ, PIXELS) == "2df377c9823987283f46c19c63f52a82d39ffbf504ac6857ee8e78d68a4a62eb"


def test_the_task_is_part_of_the_key() -> None:
    for spec in (SPEC, PROMPTLESS):
        assert len({reply_key(spec, READ, PIXELS, task) for task in TASKS}) == len(TASKS)


def test_instructions_questions_and_drawing_prompts_always_count() -> None:
    """`prompts=False` says that a transcriber ignores its prompt; an editor never ignores what it is to do."""
    other = Prompt("Replace ‘one’ with ‘two’.", "en", "plain")
    for task in TASKS[1:]:
        for one, two in combinations((READ, other, Prompt(READ.text, "zh")), 2):
            assert reply_key(PROMPTLESS, one, PIXELS, task) != reply_key(PROMPTLESS, two, PIXELS, task)
    assert reply_key(PROMPTLESS, READ, PIXELS) == reply_key(PROMPTLESS, other, PIXELS)


def test_a_drawing_has_no_picture() -> None:
    assert reply_key(SPEC, READ, "", "draw") != reply_key(SPEC, READ, PIXELS, "draw")


def test_what_a_model_is_declared_to_do_changes_no_key() -> None:
    both = ModelSpec(
        name="m",
        load=object,
        languages=None,
        revision="r1",
        adapter="test",
        options={"max_tokens": 64},
        tasks=frozenset({"transcribe", "edit"}),
        keep_ratio=0.5,
        base="other",
    )
    assert reply_key(both, READ, PIXELS) == reply_key(SPEC, READ, PIXELS)
