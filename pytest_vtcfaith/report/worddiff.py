"""Differences between a page and its transcript, word by word, safe to print anywhere."""

from __future__ import annotations

import re
import unicodedata

from pytest_vtcfaith.metrics import align, tokens

_UNSAFE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def visible(text: str) -> str:
    """The text with control, format, surrogate and unassigned characters as escapes (`\\x1b`, `\\u202e`).

    The `[` of `##[`, which begins a command in the logs of GitHub Actions wherever it stands, is escaped too.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(c if c == " " or unicodedata.category(c) not in _UNSAFE else _escape(c) for c in text)
    return text.replace("##[", "##\\x5b")


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def quoted(text: str, longest: int = 40) -> str:
    """The text in quotes, visible, cut to `longest` characters."""
    return f"'{visible(text[:longest])}{'…' if len(text) > longest else ''}'"


def printable(text: str, limit: int = 65536) -> str:
    """Several lines safe to print: newlines and tabs stay; of what is over `limit` characters head and tail."""
    shown = _lines_visible(text) if len(text) <= limit else text
    if len(shown) <= limit:
        return shown
    note = f"\n… {len(text)} characters, the middle is left out …\n"
    half = max(0, limit - len(note)) // 2
    return _lines_visible(text[:half])[:half] + note + _lines_visible(text[len(text) - half :])[-half:]


def _lines_visible(text: str) -> str:
    return re.sub(r"[^\n\t]+", lambda part: visible(part[0]), text)


def hunks(
    reference: str, hypothesis: str, lang: str, *, context: int = 3, longest: int = 60
) -> tuple[list[str], int | None]:
    """Lines `word N: before -printed- +read+ after`, one for every place that differs, and the first word that does.

    `reference` and `hypothesis` are normalised texts; `context` words are shown on both sides; a run longer than
    `longest` characters is cut. The index is None when nothing differs or only words were added at the end.
    """
    printed, read = tokens(reference, lang), tokens(hypothesis, lang)
    space = "" if lang == "zh" else " "

    def show(words: list[str], keep_end: bool = False) -> str:
        text = space.join(words)
        if len(text) <= longest:
            return visible(text)
        return f"…{visible(text[-longest:])}" if keep_end else f"{visible(text[:longest])}…"

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


_DIFFERENCE = re.compile(r"\s*word \d+: ")
_MARKED = re.compile(r"(?<!\S)(?P<mark>[-+])(?=\S).+?(?<=\S)(?P=mark)(?!\S)")
_STYLES = {"-": "\x1b[31m", "+": "\x1b[32m"}


def coloured(line: str) -> str:
    """A line of `hunks` or of a suite's explanation with ANSI colours, for a terminal only: never for files.

    `-printed-` is red, `+read+` green, `+REWRITTEN+` bold red. Any other line comes back as it is.
    """
    if not _DIFFERENCE.match(line):
        return line

    def colour(part: re.Match[str]) -> str:
        style = "\x1b[1;31m" if part[0] == "+REWRITTEN+" else _STYLES[part["mark"]]
        return f"{style}{part[0]}\x1b[0m"

    return _MARKED.sub(colour, line)
