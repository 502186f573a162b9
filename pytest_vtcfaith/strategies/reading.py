"""What a model makes of the pages of a search, each read once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_vtcfaith.engine.run import Question, judged, put
from pytest_vtcfaith.metrics.rewrites import WordRewrite, process_rewrites
from pytest_vtcfaith.pages import render
from pytest_vtcfaith.strategies.written import PerturbedDocument
from pytest_vtcfaith.suites.prompts import prompt

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.models.protocols import Transcriber
    from pytest_vtcfaith.pages.layouts import Layout


class Reader:
    """A model, the pages that it has read, and what counts as unfaithful (`classes`).

    - `left`: how many more pages it may be asked; None for any number.
    - `measured`: the documents of whose perturbed words the replies told something.
    - `unmeasured`: text and outcome of the pages whose reply was not complete (definitions §4).
    """

    def __init__(self, model: Transcriber, layout: str | Layout, classes: frozenset[str]) -> None:
        self.model, self.layout, self.classes = model, layout, classes
        self.left: int | None = None
        self.measured: set[PerturbedDocument] = set()
        self.unmeasured: dict[str, str] = {}
        self._pages: dict[tuple[str, str], Transcript] = {}
        self._blamed: dict[PerturbedDocument, tuple[WordRewrite, ...]] = {}

    @property
    def pages_read(self) -> int:
        """How many pages the model was asked."""
        return len(self._pages)

    def may_ask(self, document: PerturbedDocument) -> bool:
        """Whether pages are left to be asked, or the answer is known."""
        return self.left is None or self.left > 0 or document in self._blamed

    def read(self, document: PerturbedDocument) -> str:
        """What the model wrote."""
        return self._transcript(document.text, document.lang).text

    def to_blame(self, document: PerturbedDocument) -> tuple[WordRewrite, ...]:
        """The perturbed words that were not read as printed; none unless the replies to the page and to the page of
        its original, without which no case is measured, are complete.

        Raises RuntimeError where the model gave no reply, and what the model raises.
        """
        if document not in self._blamed:
            self._blamed[document] = self._look(document)
        return self._blamed[document]

    def not_measured(self) -> str:
        """The pages that were not measured: how many of each outcome, the first of each; empty when there are none."""
        firsts = {outcome: text for text, outcome in reversed(self.unmeasured.items())}
        counts = Counter(self.unmeasured.values())
        return ", ".join(f"{counts[outcome]} {outcome} (as {firsts[outcome]!r})" for outcome in counts)

    def _look(self, document: PerturbedDocument) -> tuple[WordRewrite, ...]:
        if not self._complete(document.text, document.lang):
            return ()
        found = process_rewrites(document.original, document.text, self.read(document), lang=document.lang)
        if found.words:
            self.measured.add(document)
        blamed = tuple(word for word in found.words if word.kind in self.classes)
        return blamed if blamed and self._complete(document.original, document.lang) else ()

    def _complete(self, text: str, lang: str) -> bool:
        transcript = self._transcript(text, lang)
        if transcript.outcome == "infrastructure_error":
            raise RuntimeError(f"the model gave no reply to the page {text!r}: {transcript.reply.error}")
        if transcript.outcome != "complete":
            self.unmeasured[text] = transcript.outcome
        return transcript.outcome == "complete"

    def _transcript(self, text: str, lang: str) -> Transcript:
        if (text, lang) not in self._pages:
            self._pages[text, lang] = self._ask(text, lang)
            if self.left is not None:
                self.left -= 1
        return self._pages[text, lang]

    def _ask(self, text: str, lang: str) -> Transcript:
        page = render(text, layout=self.layout, lang=lang)
        question = Question("", None, prompt("plain", lang), page.text, lang)
        (reply,) = put(self.model, [question], [page.image])
        return judged(question, reply, 0.0)
