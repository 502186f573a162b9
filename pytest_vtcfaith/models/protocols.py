"""What a model must offer to be measured. All protocols are batched; none is ever given the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_vtcfaith.metrics.outcomes import Reply

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a transcriber is asked: `text` (engines without a language model ignore it), the page's language
    (`en`, `zh`, `ko`) and the name of the prompt condition (FaithC4 appendix F: `plain`, `no_correct`,
    `no_correct+think`).
    """

    text: str
    lang: str
    condition: str = "plain"


TASKS: Mapping[str, str] = {"transcribe": "Transcriber", "edit": "Editor", "answer": "Answerer", "draw": "Illustrator"}
"""What a model may be asked to do, which is also the name of its method, and the protocol that has it."""


class NotInstalled(Exception):
    """Something this machine lacks (language data, an engine, weights); the message names the mend.

    Whatever needed it was not measured: it is never a failure of the model and never passes.
    """


@runtime_checkable
class Transcriber(Protocol):
    """Reads pages."""

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> Sequence[Reply | str]:
        """Reads each picture (RGB, upright, on white) and returns one reply per picture, in their order."""
        ...


@runtime_checkable
class Editor(Protocol):
    """Edits pages."""

    def edit(self, images: Sequence[Image.Image], instructions: Sequence[str]) -> Sequence[Image.Image | Reply]:
        """Does to each picture (RGB, upright, on white) what its instruction asks, and returns one picture for each;
        a `Reply` with `refusal` or `error` in place of a picture says why there is none.
        """
        ...


@runtime_checkable
class Answerer(Protocol):
    """Answers questions about pages."""

    def answer(self, images: Sequence[Image.Image], questions: Sequence[str]) -> Sequence[Reply | str]:
        """Answers each question from its picture (RGB, upright, on white), and returns one reply for each."""
        ...


@runtime_checkable
class Illustrator(Protocol):
    """Draws what it is asked for, text in it."""

    def draw(self, prompts: Sequence[str]) -> Sequence[Image.Image | Reply]:
        """Draws a picture for each prompt; a `Reply` with `refusal` or `error` in its place says why there is none."""
        ...


@runtime_checkable
class Judge(Protocol):
    """Judges statements by words alone."""

    def judge(self, questions: Sequence[str]) -> Sequence[Reply | str]:
        """Answers each question, and returns one reply for each."""
        ...


@runtime_checkable
class Tokenizer(Protocol):
    """Cuts a text into tokens."""

    @property
    def name(self) -> str:
        """What the user calls it."""
        ...

    @property
    def revision(self) -> str:
        """The SHA-256 of the file or files it is made of."""
        ...

    def pieces(self) -> Mapping[bytes, int]:
        """The id of every ordinary token by the bytes of text it stands for; special and control tokens are left out.

        A token that begins a word after a space begins with the byte 0x20, whatever the tokenizer itself writes.
        """
        ...

    def encode(self, text: str) -> list[int]:
        """The ids of the tokens of `text`, without special ones."""
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """A causal language model: how probable is a token after those before it?

    Every sequence begins with what the model itself begins a text with (its BOS token, else its end-of-text token),
    which is never among the tokens given here. Probabilities are over the whole vocabulary, computed in float64 from
    logits in float32.
    """

    @property
    def name(self) -> str:
        """What the user calls it."""
        ...

    @property
    def revision(self) -> str:
        """The SHA-256 of the file or files of its weights."""
        ...

    @property
    def settings(self) -> Mapping[str, str | int]:
        """What else its probabilities depend on: number format, threads, device, versions of libraries."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """Its own tokenizer."""
        ...

    def next_probabilities(
        self, tokens: NDArray[np.int64], candidates: NDArray[np.int64], state: object = None
    ) -> tuple[NDArray[np.float64], object]:
        """How probable each candidate is as the next token, for several sequences at once.

        `tokens` (sequences, n) are what follows what `state` already holds; without a state the sequences begin, and n
        may be 0. `candidates` (k) are token ids. Returns the probabilities (sequences, k), each in [0, 1] or NaN where
        the model computes none, and the state to give at the next call; the state given is used up.
        """
        ...

    def given_probabilities(self, tokens: NDArray[np.int64]) -> NDArray[np.float64]:
        """How probable each token is after those before it: all positions of each sequence in a teacher-forcing pass.

        `tokens` and the result have the shape (sequences, n).
        """
        ...
