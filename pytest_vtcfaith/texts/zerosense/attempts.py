"""One attempt at a sequence: what was drawn, and what every model says of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING, Any, Self

from pytest_vtcfaith.pages.checks import is_number
from pytest_vtcfaith.texts.checks import check_seed, check_share
from pytest_vtcfaith.texts.errors import TextsError, show
from pytest_vtcfaith.texts.zerosense.sampling import Drawn, attempt_seed, generate_batch
from pytest_vtcfaith.texts.zerosense.validation import Statistics, check_statistic, statistics, validate
from pytest_vtcfaith.texts.zerosense.vocabulary import token_ids

if TYPE_CHECKING:
    from pytest_vtcfaith.models.protocols import LanguageModel


@dataclass(frozen=True, slots=True)
class Recipe:
    """What shapes the attempts beside models and words: the seed (0 or more), τ1 and τ2 (in (0, 1]), the statistic
    compared with τ2 (`Statistics.passes`), and how many attempts are made at once (1 or more). Raises TextsError for
    anything else.
    """

    seed: int = 0
    tau1: float = 1e-8
    tau2: float = 1e-5
    statistic: str = "mean"
    batch: int = 16

    def __post_init__(self) -> None:
        check_seed(self.seed)
        check_share("tau1", self.tau1)
        check_share("tau2", self.tau2)
        check_statistic(self.statistic)
        if self.batch < 1:
            raise TextsError(f"batch {show(self.batch)} must be at least 1")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sequence of `length` words, the number of the attempt at this length, and what the models say of it.

    `least_candidates` and `mean_candidates` are sizes of the sets its words were drawn from; `validators` stand in the
    order of the validators.
    """

    length: int
    number: int
    text: str
    least_candidates: int
    mean_candidates: float
    generator: Statistics
    validators: tuple[Statistics, ...]

    def passes(self, statistic: str, tau2: float) -> bool:
        """Whether it is improbable enough for every validator; arguments as `Statistics.passes`."""
        return all(one.passes(statistic, tau2) for one in self.validators)

    def as_json(self) -> dict[str, Any]:
        """The attempt as the journal keeps it."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The attempt that `as_json` gave. Raises TypeError or KeyError for anything else."""
        found = cls(
            **{
                **value,
                "generator": Statistics(**value["generator"]),
                "validators": tuple(Statistics(**one) for one in value["validators"]),
            }
        )
        numbers = [found.length, found.number, found.least_candidates, found.mean_candidates]
        for told in (found.generator, *found.validators):
            numbers += astuple(told)
        if not isinstance(found.text, str) or not all(map(is_number, numbers)):
            raise TypeError("an attempt has a text and numbers")
        return found


class Maker:
    """Makes attempts with a generator and validators over the words of V_valid, a batch at a time."""

    def __init__(
        self,
        generator: LanguageModel,
        validators: Sequence[LanguageModel],
        words: Sequence[str],
        recipe: Recipe,
    ) -> None:
        import numpy as np

        self.generator, self.validators, self.words, self.recipe = generator, validators, words, recipe
        self._candidates = np.array(token_ids(words, generator.tokenizer), dtype=np.int64)
        self._own = [np.array(token_ids(words, one.tokenizer), dtype=np.int64) for one in validators]

    def make(self, length: int, numbers: range, step_done: Callable[[int], None]) -> list[Attempt]:
        """The attempts of these numbers at one length; errors as `generate_batch` and `validate`."""
        import numpy as np

        recipe = self.recipe
        seeds = [attempt_seed(recipe.seed, length, number) for number in numbers]
        drawn = generate_batch(self.generator, self._candidates, length, seeds, recipe.tau1, step_done)
        places = np.array([one.words for one in drawn], dtype=np.int64)
        judged = [
            validate(validator, ids[places], recipe.tau2)
            for validator, ids in zip(self.validators, self._own, strict=True)
        ]
        return [
            self._attempt(length, number, one, tuple(each[row] for each in judged))
            for row, (number, one) in enumerate(zip(numbers, drawn, strict=True))
        ]

    def _attempt(self, length: int, number: int, drawn: Drawn, validators: tuple[Statistics, ...]) -> Attempt:
        return Attempt(
            length=length,
            number=number,
            text=" ".join(self.words[place] for place in drawn.words),
            least_candidates=min(drawn.candidates),
            mean_candidates=math.fsum(drawn.candidates) / length,
            generator=statistics(drawn.probabilities, self.recipe.tau2),
            validators=validators,
        )
