"""The construction: reproducible, resumable at any moment, and honest about what it cannot do."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.zerosense import Attempt, Progress, Recipe, generate
from pytest_vtcfaith.texts.zerosense.vocabulary import token_ids

RECIPE = Recipe(seed=7, tau1=3e-3, tau2=3e-3, batch=4)
COUNTS = {12: 3, 20: 4}
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def uninterrupted(generator: Any, validator: Any, words: tuple[str, ...]) -> list[Attempt]:
    return generate(generator, [validator], words, counts=COUNTS, recipe=RECIPE, budget=100)


def test_equal_arguments_give_equal_sequences(
    generator: Any, validator: Any, words: tuple[str, ...], uninterrupted: list[Attempt], tmp_path: Path
) -> None:
    again = generate(
        generator, [validator], words, counts=COUNTS, recipe=RECIPE, budget=100, journal=tmp_path / "journal"
    )
    assert again == uninterrupted
    assert [one.length for one in again] == [12] * 3 + [20] * 4
    assert all(len(one.text.split(" ")) == one.length for one in again)
    numbers = [one.number for one in again if one.length == 20]
    assert numbers == sorted(set(numbers))
    other = generate(generator, [validator], words, counts={12: 1}, recipe=replace(RECIPE, seed=8), budget=100)
    assert other[0].text != again[0].text


def test_kept_sequences_pass_and_the_others_do_not(
    generator: Any, validator: Any, words: tuple[str, ...], uninterrupted: list[Attempt], tmp_path: Path
) -> None:
    """The oracle: probabilities of the validator in one forward pass over the whole sequence."""
    import torch

    path = tmp_path / "journal"
    generate(generator, [validator], words, counts=COUNTS, recipe=RECIPE, budget=100, journal=path)
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[1:-1]]
    attempts = [Attempt.from_json(one) for line in lines for one in line["attempts"]]
    kept = {(one.length, one.number) for one in uninterrupted}
    last = {length: max(number for own, number in kept if own == length) for length in COUNTS}
    refused = 0
    for one in attempts:
        ids = token_ids(one.text.split(" "), validator.tokenizer)
        with torch.inference_mode():
            logits = validator.model(torch.tensor([[validator.start, *ids]])).logits[0, :-1]
        given = torch.softmax(logits.double(), -1)[range(len(ids)), ids].numpy()
        (stated,) = one.validators
        assert stated.mean == pytest.approx(given.mean(), rel=1e-3)
        assert stated.max == pytest.approx(given.max(), rel=1e-3)
        assert stated.step == int(np.argmax(given)) + 1
        if one.number <= last[one.length]:
            assert ((one.length, one.number) in kept) == (stated.mean < RECIPE.tau2)
            refused += stated.mean >= RECIPE.tau2
    assert refused  # or this test would show nothing


def test_more_sequences_of_the_same_journal_begin_with_the_same(
    generator: Any, validator: Any, words: tuple[str, ...], uninterrupted: list[Attempt], tmp_path: Path
) -> None:
    path = tmp_path / "journal"
    few = generate(generator, [validator], words, counts={20: 2}, recipe=RECIPE, budget=100, journal=path)
    more = generate(generator, [validator], words, counts=COUNTS, recipe=RECIPE, budget=100, journal=path)
    assert more == uninterrupted
    assert more[3:5] == few


def test_another_recipe_does_not_go_on_with_a_journal(
    generator: Any, validator: Any, words: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "journal"
    generate(generator, [validator], words, counts={12: 1}, recipe=RECIPE, budget=100, journal=path)
    with pytest.raises(TextsError, match=r"begun with tau1 = 0\.003, now it is 0\.001"):
        generate(generator, [], words, counts={12: 1}, recipe=replace(RECIPE, tau1=1e-3), journal=path)
    with pytest.raises(TextsError, match="begun with validators = "):
        generate(generator, [], words, counts={12: 1}, recipe=RECIPE, journal=path)


PROGRAM = """
import sys
from pathlib import Path
from pytest_vtcfaith.models.language import load_language_model
from pytest_vtcfaith.texts.zerosense import Recipe, generate, valid_words

generator, validator = (load_language_model(name, threads=1) for name in sys.argv[1:3])
words = valid_words([generator.tokenizer, validator.tokenizer]).words
print("ready", flush=True)
kept = generate(generator, [validator], words, counts={12: 3, 20: 4}, budget=100, journal=Path(sys.argv[3]),
                recipe=Recipe(seed=7, tau1=3e-3, tau2=3e-3, batch=4))
print(repr(kept))
"""


def test_killed_at_random_moments_it_ends_in_the_same_bytes(
    model_folders: tuple[Path, Path], uninterrupted: list[Attempt], tmp_path: Path
) -> None:
    journal, whole = tmp_path / "journal", tmp_path / "whole"
    command = [sys.executable, "-c", PROGRAM, *map(str, model_folders)]
    reference = subprocess.run([*command, str(whole)], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    draw, kills, before = random.Random(time.time_ns()), 0, b""
    for delay in (draw.uniform(0, 0.5) for _ in range(4)):
        process = subprocess.Popen([*command, str(journal)], cwd=ROOT, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        now = journal.read_bytes() if journal.exists() else b""
        kept = before[: before.rfind(b"\n") + 1]
        assert now.startswith(kept)  # finished rounds are never lost
        before = now
    assert kills
    resumed = subprocess.run([*command, str(journal)], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    assert resumed == reference
    assert journal.read_bytes() == whole.read_bytes()
    assert resumed.split(b"\n")[1].decode() == repr(uninterrupted)


def test_a_spent_budget_names_the_model_that_refuses(generator: Any, validator: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(TextsError) as caught:
        generate(generator, [validator], words, counts={12: 2}, recipe=replace(RECIPE, tau2=1e-9), budget=3)
    message = str(caught.value)
    for part in (
        f"model {validator.name!r}",
        "τ2 = 1e-09 (mean)",
        "τ1 = 0.003",
        "0 of 2 sequences kept",
        "refuses 8 of 8 attempts",
        "at step ",
        "give a larger τ2",
    ):
        assert part in message


def test_statistics_max_and_all_judge_alike_and_more_strictly_than_mean(
    generator: Any, validator: Any, words: tuple[str, ...]
) -> None:
    found = {
        statistic: generate(
            generator,
            [validator],
            words,
            counts={12: 4},
            recipe=replace(RECIPE, tau2=5e-4, statistic=statistic),
            budget=100,
        )
        for statistic in ("mean", "max", "all")
    }
    assert found["max"] == found["all"] != found["mean"]
    assert all(one.validators[0].max < 5e-4 for one in found["max"])


def test_without_validators_every_attempt_is_kept(generator: Any, words: tuple[str, ...]) -> None:
    found = generate(generator, [], words, counts={5: 6}, recipe=RECIPE, budget=1)
    assert [one.number for one in found] == list(range(6))


def test_progress_ends_with_all_kept_and_counts_rounds_taken_over(
    generator: Any, validator: Any, words: tuple[str, ...], tmp_path: Path
) -> None:
    told: list[Progress] = []
    for _ in range(2):
        told.clear()
        generate(
            generator,
            [validator],
            words,
            counts=COUNTS,
            recipe=RECIPE,
            budget=100,
            journal=tmp_path / "journal",
            progress=told.append,
        )
        assert (told[-1].kept, told[-1].wanted, told[-1].words_wanted) == (7, 7, 0)
        assert told[-1].judged >= told[-1].passed >= 7
    assert all(one.drawn == 0 for one in told)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"counts": {}}, "ask for at least one sequence"),
        ({"counts": {12: 0}}, "ask for at least one sequence"),
        ({"counts": {0: 1}}, "length 0 must be at least 1"),
        ({"budget": 0}, "budget 0 must be at least 1"),
        ({"words": ["apple", "apple"]}, "each once"),
        ({"words": []}, "must have words"),
        ({"words": ["notoneword"]}, "'notoneword' is not one token of"),
        ({"counts": {200: 1}, "recipe": RECIPE}, "reads 128 tokens, no sequence is longer"),
    ],
)
def test_wrong_arguments(generator: Any, words: tuple[str, ...], given: dict[str, Any], problem: str) -> None:
    arguments: dict[str, Any] = {"words": words, "counts": {12: 1}, **given}
    with pytest.raises(TextsError, match=problem):
        generate(generator, [], arguments.pop("words"), **arguments)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"seed": -1}, "seed -1 must be"),
        ({"tau1": 0}, "tau1 0 must lie in"),
        ({"tau2": 2}, "tau2 2 must lie in"),
        ({"batch": 0}, "batch 0 must be at least 1"),
        ({"statistic": "median"}, "statistic 'median' is unknown"),
    ],
)
def test_wrong_recipes(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(TextsError, match=problem):
        Recipe(**given)


def test_an_empty_candidate_set_is_an_error(generator: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(TextsError, match=r"step \d+ of 12, τ1 = 1e-30: the candidate set is empty"):
        generate(generator, [], words, counts={12: 1}, recipe=Recipe(tau1=1e-30))


@pytest.mark.parametrize("change", [{"generator": 7}, {"text": 7}, {"least_candidates": "many"}, {"more": 1}])
def test_a_journal_of_other_attempts(
    generator: Any, words: tuple[str, ...], tmp_path: Path, change: dict[str, Any]
) -> None:
    path = tmp_path / "j"
    generate(generator, [], words, counts={12: 1}, recipe=RECIPE, journal=path)
    header, line, end = path.read_text(encoding="utf-8").split("\n")
    content = json.loads(line)
    content["attempts"][0] |= change
    path.write_text(f"{header}\n{json.dumps(content)}\n{end}", encoding="utf-8")
    with pytest.raises(TextsError, match=r"j: .* are no attempts of a round: remove the file to begin anew"):
        generate(generator, [], words, counts={12: 1}, recipe=RECIPE, journal=path)


def test_the_generator_is_no_validator(generator: Any, validator: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(TextsError, match=r"validator 2, .* has the weights of the generator .*: name another"):
        generate(generator, [validator, replace(generator, name="other")], words, counts={12: 1}, recipe=RECIPE)
