"""Passages whose lengths a visual-token family can compress to every ratio of a manifest."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise

from pytest_vtcfaith.texts.checks import check_ratio
from pytest_vtcfaith.texts.documents import Document
from pytest_vtcfaith.texts.errors import TextsError

_REACH = 20
_SENTENCE_ENDS = ".!?。！？…"
_CLOSING = "\"'”’)]}」』）】》"


def supported_lengths(family: str, layouts: Sequence[str], ratios: Sequence[float]) -> Callable[[int], bool]:
    """Tells of a number of text tokens (at least 1) whether it can be put on a page of each layout at each ratio.

    `family` is a visual-token family, `layouts` are names of bundled layouts, `ratios` text tokens a visual token,
    from 0.1 to 1000. Raises TextsError for an unknown family or layout and other ratios. Source: definitions §3.
    """
    from pytest_vtcfaith.pages import Unsupported, fit_budget, visual_tokens
    from pytest_vtcfaith.pages.layouts import layout_named

    for ratio in ratios:
        check_ratio("ratio", ratio)
    try:
        sizes = [(layout.width_pt, layout.height_pt) for layout in map(layout_named, layouts)]
        for width, height in sizes:
            visual_tokens(family, width, height)
    except ValueError as error:
        raise TextsError(str(error)) from None

    @cache
    def supported(n_text: int) -> bool:
        try:
            for width, height in sizes:
                for ratio in ratios:
                    fit_budget(n_text, ratio, family=family, page_width=width, page_height=height)
        except Unsupported:
            return False
        return True

    return supported


def passages(
    starts: Sequence[Document],
    folder: Sequence[Document],
    lengths: Sequence[int],
    *,
    lang: str,
    count: Callable[[str], int],
    supported: Callable[[int], bool],
) -> list[str]:
    """For each of `starts` a passage of a supported length, paragraphs kept, as a page shows it.

    A passage begins with its document and goes on with those of `folder` that the passages have used least, the
    following ones first (cyclic), so that passages share text only where the folder is too small. That of the k-th
    document is cut at the end of a sentence in the band of supported lengths nearest to the k-th of `lengths` (in turn;
    tokens, at least 1), or of a word where no sentence ends there. `count` gives the tokens of a text, `supported` is a
    `supported_lengths`. Raises TextsError where the folder has no passage of a supported length from half to twice the
    wanted one.
    """
    from pytest_vtcfaith.pages.linebreaking import visible_text

    for length in lengths:
        if length < 1:
            raise TextsError(f"length {length} must be at least 1 token")
    order = [document.slug for document in folder]
    used = Counter(document.slug for document in starts)
    found = []
    for number, start in enumerate(starts):
        length = lengths[number % len(lengths)]
        place = order.index(start.slug)
        following = sorted([*folder[place + 1 :], *folder[:place]], key=lambda document: used[document.slug])
        text = visible_text(start.text)
        begins: dict[str, int] = {}
        for document in following:
            if count(text) >= 2 * length:
                break
            begins[document.slug] = len(text)
            text = f"{text}\n{visible_text(document.text)}"
        passage = _cut(text, length, lang=lang, count=count, supported=supported)
        if passage is None:
            raise TextsError(
                f"{start.path}: no passage of it and the following texts has, near {length} tokens, a length that can "
                "be compressed to every ratio: give longer texts, another length or fewer ratios"
            )
        used.update(slug for slug, begin in begins.items() if begin < len(passage))
        found.append(passage)
    return found


def _cut(
    text: str, length: int, *, lang: str, count: Callable[[str], int], supported: Callable[[int], bool]
) -> str | None:
    ends = list(_ends(text, lang))

    @cache
    def tokens(number: int) -> int:
        return count(text[: ends[number][0]])

    def first(least: int) -> int:
        return bisect_left(range(len(ends)), least, key=tokens)

    most = min(2 * length, tokens(len(ends) - 1))
    for nearest in sorted(range(max(1, length // 2), most + 1), key=lambda n: abs(n - length)):
        if not supported(nearest):
            continue
        low = high = nearest
        # a sentence's length, since for some families nearly every number of tokens is in the band
        while low > max(1, nearest - _REACH) and supported(low - 1):
            low -= 1
        while high < nearest + _REACH and supported(high + 1):
            high += 1
        inside = [number for number in range(first(low), first(high + 1)) if supported(tokens(number))]
        if inside:
            best = min(inside, key=lambda number: (not ends[number][1], abs(tokens(number) - length)))
            return text[: ends[best][0]]
    return None


def _ends(text: str, lang: str) -> Iterator[tuple[int, bool]]:
    """Where a passage may be cut, by offset, each with whether a sentence ends there."""
    from pytest_vtcfaith.pages.linebreaking import may_break, words

    offset = 0
    for paragraph in text.split("\n"):
        found = list(words(paragraph, lang, offset))
        for word, after in pairwise(found):
            if may_break(word.text, after.text, spaced=after.spaced, lang=lang):
                yield word.start + len(word.text), word.text.rstrip(_CLOSING).endswith(tuple(_SENTENCE_ENDS))
        offset += len(paragraph)
        yield offset, True
        offset += 1
