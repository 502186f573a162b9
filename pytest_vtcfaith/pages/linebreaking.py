"""What a text looks like once printed, what its words are, and where a line may end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

CLOSING = frozenset("，。、；：？！．）》〉」』】〕〗］｝”’….,;:!?)]}")
"""Punctuation that begins no line."""

OPENING = frozenset("（《〈「『【〔〖［｛“‘([{")
"""Punctuation that ends no line of Chinese text."""

INKLESS = re.compile(
    "[\xad\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]"
)
"""A character that a page drops, because it has neither ink nor width: joiners (U+200C, U+200D and U+180E too, which
`metrics.normalise` keeps), direction marks, soft hyphen, byte order mark, variation selectors."""

# Unicode White_Space but the newline. Python's `\s` takes U+001C-001F too, which are control characters.
_OTHER_SPACES = "\t\x0b\x0c\r\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_SPACES = re.compile(f" *[{_OTHER_SPACES}][ {_OTHER_SPACES}]*|  +")  # but no single space, which stays as it is
_LATIN = "[0-9A-Za-z\xaa\xba\xc0-\xd6\xd8-\xf6\xf8-\u024f\u0300-\u036f\u1e00-\u1eff]"
_HAN_RULE_WORD = re.compile(f"{_LATIN}+(?:(?<=[0-9])[.,-](?=[0-9]){_LATIN}+)*|[^ ]")


class Word(NamedTuple):
    """A word and its offset in the visible text.

    `spaced` says that a space stands before it, `bound` that no line may end before it, `mark` that it is the mark of a
    newline and no word of the text.
    """

    text: str
    start: int
    spaced: bool
    bound: bool = False
    mark: bool = False


def visible_text(text: str) -> str:
    """The text as a page shows it: NFC, one space between words, one newline between paragraphs.

    Characters of `INKLESS` are dropped; a run of white space other than newlines is one space; newlines end
    paragraphs; empty paragraphs vanish.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", INKLESS.sub("", text))
    lines = (_SPACES.sub(" ", line).strip(" ") for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def words(paragraph: str, lang: str, offset: int = 0) -> Iterator[Word]:
    """The words of one paragraph of visible text, which begins at `offset` in the whole (definitions §2).

    English, Korean: what stands between spaces. Chinese and mixed: a run of Latin letters and digits (with inner `.`,
    `,`, `-` between digits), or one other character.
    """
    if lang in ("zh", "mixed"):
        before = ""
        for match in _HAN_RULE_WORD.finditer(paragraph):
            word, start = match[0], match.start()
            spaced = start > 0 and paragraph[start - 1] == " "
            bound = before != "" and not may_break(before, word, spaced=spaced, lang=lang)
            yield Word(word, offset + start, spaced, bound)
            before = word
    else:
        new = tuple.__new__  # Word itself is a Python function, and most pages come this way
        spaced = False
        for word in paragraph.split(" "):
            bound = spaced and word[0] in CLOSING and _begins_with_closing(word)
            yield new(Word, (word, offset, spaced, bound, False))
            offset += len(word) + 1
            spaced = True


def paragraphs(text: str, lang: str, mark: str = "") -> Iterator[list[Word]]:
    """The words of visible text by paragraphs.

    With a `mark` the whole text is one paragraph, and the mark a word of it wherever a newline was.
    """
    flow: list[Word] = []
    offset = 0
    for paragraph in text.split("\n"):
        if flow and mark:
            flow.append(Word(mark, offset - 1, spaced=True, mark=True))
            first, *others = words(paragraph, lang, offset)
            bound = not may_break(mark, first.text, spaced=True, lang=lang)
            flow += [first._replace(spaced=True, bound=bound), *others]
        else:
            flow = list(words(paragraph, lang, offset)) if paragraph else []
        if not mark:
            yield flow
        offset += len(paragraph) + 1
    if mark:
        yield flow


def may_break(before: str, after: str, *, spaced: bool, lang: str) -> bool:
    """Whether a line may end between two neighbouring words; `spaced` says whether a space stands between them.

    A line never begins with closing punctuation. In Chinese and mixed texts it may also end beside a wide character,
    but never with opening punctuation.
    """
    if lang not in ("zh", "mixed"):
        return spaced and not _begins_with_closing(after)
    first, last = after[0], before[-1]
    if first in CLOSING or last in OPENING:
        return False
    return spaced or _wide(last) or _wide(first)


def _begins_with_closing(word: str) -> bool:
    """Whether a spaced word begins with closing punctuation; `’tis`, `.5` and `…and` begin with a part of the word."""
    rest = word.lstrip("’.…")
    return not rest or rest[0] in CLOSING


def may_part(before: str, after: str) -> bool:
    """Whether a word too long for a line may be broken between two neighbouring characters of it."""
    return after not in CLOSING and before not in OPENING and not unicodedata.combining(after)


def _wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F")
