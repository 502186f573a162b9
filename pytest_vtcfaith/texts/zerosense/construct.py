"""The construction of ZeroSense texts: generate, validate, keep, round by round (definitions §3, ZeroSense §4.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.texts.errors import TextsError, show
from pytest_vtcfaith.texts.zerosense.attempts import Attempt, Maker, Recipe
from pytest_vtcfaith.texts.zerosense.journal import Journal
from pytest_vtcfaith.texts.zerosense.vocabulary import words_sha256

if TYPE_CHECKING:
    from pytest_vtcfaith.models.protocols import LanguageModel


PAPER = Recipe()
"""The recipe of definitions §3, with seed 0."""

BUDGET = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a construction stands: sequences kept and wanted, attempts judged and passed (rounds taken over from the
    journal included), words drawn in this run, and words of the sequences still wanted.
    """

    wanted: int
    words_wanted: int
    kept: int = 0
    judged: int = 0
    passed: int = 0
    drawn: int = 0


def generate(
    generator: LanguageModel,
    validators: Sequence[LanguageModel],
    words: Sequence[str],
    *,
    counts: Mapping[int, int],
    recipe: Recipe = PAPER,
    budget: int = BUDGET,
    journal: Path | None = None,
    progress: Callable[[Progress], None] = lambda progress: None,
) -> list[Attempt]:
    """Sequences of words that neither the generator nor any validator expects.

    `words` is V_valid (`valid_words` over the tokenizers of all these models), `counts` the number of sequences by
    their length in words. Every word is drawn uniformly from those with P_G < τ1 (Eq. 9); a sequence is kept when its
    statistic (`mean`: Eq. 10) is under τ2 for every validator.

    Round r of a length always makes the attempts r·batch … r·batch + batch - 1, each seeded by seed, length and
    number; sequences are kept in the order of attempts. So equal arguments give equal sequences on one machine, also
    when `journal`, a file of the finished rounds, was begun by a run that was killed; `counts` and `budget` may then
    differ. At most `budget` attempts a sequence are made, rounded up to whole rounds. `progress` is called after every
    word and every round.

    Returns the kept attempts by ascending length. Raises TextsError naming model, step and τ for an empty candidate
    set, a NaN probability or a spent budget, for a validator that is the generator
    (`check_models`), and for a wrong argument or journal.
    """
    _check(words, counts, budget)
    check_models(generator, validators)
    maker = Maker(generator, validators, words, recipe)
    book = None if journal is None else Journal(journal, parameters(generator, validators, words, recipe))
    batch = recipe.batch
    wanted = sum(length * count for length, count in counts.items())
    state = Progress(wanted=sum(counts.values()), words_wanted=wanted)
    kept: list[Attempt] = []
    for length in sorted(counts):
        found: list[Attempt] = []
        judged: list[Attempt] = []
        while len(found) < counts[length]:
            first = len(judged)
            if first >= budget * counts[length]:
                raise _spent(maker, judged, len(found), counts[length], recipe)
            saved = book.rounds.get((length, first // batch)) if book else None
            if saved is not None:
                made = _taken_over(journal, saved)
            else:
                before = state.drawn

                def step_done(words: int, before: int = before, now: Progress = state) -> None:
                    progress(replace(now, drawn=before + words))

                made = maker.make(length, range(first, first + batch), step_done)
                state = replace(state, drawn=before + length * batch)
                if book is not None:
                    book.add(length, first // batch, [one.as_json() for one in made])
            judged += made
            good = [one for one in made if one.passes(recipe.statistic, recipe.tau2)]
            new = good[: counts[length] - len(found)]
            found += new
            state = replace(
                state,
                kept=state.kept + len(new),
                judged=state.judged + len(made),
                passed=state.passed + len(good),
                words_wanted=state.words_wanted - length * len(new),
            )
            progress(state)
        kept += found
    return kept


def _taken_over(journal: Path | None, saved: Sequence[Mapping[str, Any]]) -> list[Attempt]:
    try:
        return [Attempt.from_json(one) for one in saved]
    except (TypeError, KeyError, AttributeError) as error:
        raise TextsError(
            f"{journal}: {show(saved)} are no attempts of a round: remove the file to begin anew"
        ) from error


def check_models(generator: LanguageModel, validators: Sequence[LanguageModel]) -> None:
    """Raises TextsError for a validator that is the generator: it would judge what it chose itself (Eq. 10)."""
    for place, validator in enumerate(validators, 1):
        if validator.revision == generator.revision:
            raise TextsError(
                f"validator {place}, {show(validator.name)}, has the weights of the generator {show(generator.name)} "
                f"(SHA-256 {generator.revision[:12]}…): a model finds its own choices improbable: name another"
            )


def parameters(
    generator: LanguageModel, validators: Sequence[LanguageModel], words: Sequence[str], recipe: Recipe
) -> dict[str, Any]:
    """Everything that shapes the attempts, as journal and records hold it; arguments as `generate`."""
    generating, *validating = [
        {"name": model.name, "revision": model.revision, **model.settings} for model in (generator, *validators)
    ]
    return {
        **asdict(recipe),
        "vocabulary": {"words": len(words), "sha256": words_sha256(words)},
        "generator": generating,
        "validators": validating,
    }


def _check(words: Sequence[str], counts: Mapping[int, int], budget: int) -> None:
    for name, value in [("budget", budget), *(("length", length) for length in counts)]:
        if value < 1:
            raise TextsError(f"{name} {show(value)} must be at least 1")
    if not counts or min(counts.values()) < 1:
        raise TextsError(f"counts {show(dict(counts))}: ask for at least one sequence of each length")
    if len(set(words)) < len(words) or not words:
        raise TextsError(f"the vocabulary of {len(words)} words must have words, each once")


def _spent(maker: Maker, judged: Sequence[Attempt], found: int, wanted: int, recipe: Recipe) -> TextsError:
    """The error of a spent budget: which validator refuses most, how near it came, and the word it expects most."""
    refused = [
        sum(not one.validators[place].passes(recipe.statistic, recipe.tau2) for one in judged)
        for place in range(len(maker.validators))
    ]
    place = refused.index(max(refused))
    field = "mean" if recipe.statistic == "mean" else "max"
    nearest = min(judged, key=lambda one: float(getattr(one.validators[place], field)))
    least = nearest.validators[place]
    word = nearest.text.split(" ")[least.step - 1]
    return TextsError(
        f"model {maker.validators[place].name!r}, τ2 = {recipe.tau2:g} ({recipe.statistic}), τ1 = {recipe.tau1:g}, "
        f"length {nearest.length}: the budget is spent with {found} of {wanted} sequences kept; this model refuses "
        f"{refused[place]} of {len(judged)} attempts; the nearest has mean {least.mean:.3g} and its greatest "
        f"P = {least.max:.3g} at step {least.step} ({show(word)}): give a larger τ2 or budget, or a smaller τ1"
    )
