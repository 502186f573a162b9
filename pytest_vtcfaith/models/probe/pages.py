"""The pages of the probe: one highlighted word a page, as it was and perturbed (FaithC4 §4.2, Figure 5)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vtcfaith.pages.highlight import Pixels, highlighted, marked_boxes
from pytest_vtcfaith.texts.build import derived_seed
from pytest_vtcfaith.texts.documents import Document
from pytest_vtcfaith.texts.draws import shuffled
from pytest_vtcfaith.texts.perturb import document_words, eligible_words, perturb

if TYPE_CHECKING:
    from PIL import Image

ORIGINAL = "original"


@dataclass(frozen=True, slots=True)
class ProbePage:
    """One page of a word: its `condition` (`original` or a kind of perturbation), the `form` of the word that is
    printed and highlighted there, the picture (RGB), and the boxes of the highlight in its pixels.
    """

    condition: str
    form: str
    image: Image.Image
    boxes: tuple[Pixels, ...]


@dataclass(frozen=True, slots=True)
class ProbeWord:
    """A word of a document: where it begins in the text, and its forms by condition, `original` first."""

    document: str
    text: str
    start: int
    forms: tuple[tuple[str, str], ...]

    @property
    def word(self) -> str:
        """The word as it was."""
        return self.forms[0][1]

    def pages(self, lang: str, layout: str) -> Iterator[ProbePage]:
        """Its pages, one a condition; errors as `pages.render`."""
        from pytest_vtcfaith.pages import render

        for condition, form in self.forms:
            stop = self.start + len(form)
            text = self.text[: self.start] + form + self.text[self.start + len(self.word) :]
            page = render(text, layout=layout, lang=lang)
            boxes = marked_boxes(page, self.start, stop)
            yield ProbePage(condition, form, highlighted(page, boxes), boxes)


def probe_words(
    documents: Sequence[Document], lang: str, kinds: Sequence[str], *, each: int = 1, seed: int = 0
) -> list[ProbeWord]:
    """`each` words of every document, drawn uniformly among those that have a form of every kind.

    - `documents`: their texts as `documents.clean` leaves them; fewer words come of a document that has fewer.
    - `kinds`: as `texts.perturb`; no form is another word of its document.
    - `seed`: equal seeds give equal words and forms on every machine.

    Words are those that FaithC4 perturbs (definitions §4, "Eligible"): 4 or more characters; in Chinese 4 in a row
    without white space between them. Raises TextsError for an unknown language or kind.
    """
    found: list[ProbeWord] = []
    for document in documents:
        own = [places for places in eligible_words(document.text, lang) if places[-1] - places[0] == len(places) - 1]
        taken = document_words(document.text)
        left = each
        for index in shuffled(range(len(own)), random.Random(derived_seed(seed, document.slug, "probe")).random):
            if not left:
                break
            start, stop = own[index][0], own[index][-1] + 1
            word = document.text[start:stop]
            forms = [(ORIGINAL, word)]
            for kind in kinds:
                own_seed = derived_seed(seed, f"{document.slug}@{start}", kind)
                form = perturb(word, kind, lang=lang, rate=1, seed=own_seed, lexicon=taken)
                if form != word:
                    forms.append((kind, form))
            if len(forms) == len(kinds) + 1:
                found.append(ProbeWord(document.slug, document.text, start, tuple(forms)))
                left -= 1
    return found
