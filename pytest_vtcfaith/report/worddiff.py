"""Differences between a page and its transcript, word by word, safe to print anywhere."""

from __future__ import annotations

import re
import unicodedata

from pytest_vtcfaith.metrics import align, tokens

_UNSAFE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def visible(text: str) -> str:
    """The text with control, format, surrogate and unassigned characters as escapes (`\\x1b`, `\\u202e`)."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c == " " or unicodedata.category(c) not in _UNSAFE else _escape(c) for c in text)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def printable(text: str, limit: int = 65536) -> str:
    """Several lines safe to print: newlines and tabs stay, a text over `limit` characters keeps its head and tail."""
    if len(text) > limit:
        half = limit // 2
        text = f"{text[:half]}\n… {len(text) - 2 * half} of {len(text)} characters left out …\n{text[-half:]}"
    if re.fullmatch(r"[\x20-\x7e\n\t]*", text):
        return text
    return "".join(c if c in "\n\t" else visible(c) for c in text)


def hunks(reference: str, hypothesis: str, lang: str, *, context: int = 3, longest: int = 60) -> tuple[list[str], int | None]:
    """Lines `word N: before -printed- +read+ after`, one for every place that differs, and the first word that does.

    `reference` and `hypothesis` are normalised texts; `context` words are shown on both sides; a run longer than
    `longest` characters is cut. The index is None when nothing differs or only words were added at the end.
    """
    printed, read = tokens(reference, lang), tokens(hypothesis, lang)
    space = "" if lang == "zh" else " "

    def show(words: list[str], keep_end: bool = False) -> str:
        text = visible(space.join(words))
        if len(text) <= longest:
            return text
        return f"…{text[-longest:]}" if keep_end else f"{text[:longest]}…"

    lines: list[str] = []
    first: int | None = None
    for op in align(printed, read).script():
        if op.kind == "equal":
            continue
        if first is None and op.start < len(printed):
            first = op.start
        parts = [
            show(printed[max(0, op.start - context) : op.start], keep_end=True),
            f"-{show(printed[op.start : op.stop])}-" if op.stop > op.start else "",
            f"+{show(read[op.read_start : op.read_stop])}+" if op.read_stop > op.read_start else "",
            show(printed[op.stop : op.stop + context]),
        ]
        lines.append(f"word {op.start + 1}: " + " ".join(p for p in parts if p))
    return lines, first
