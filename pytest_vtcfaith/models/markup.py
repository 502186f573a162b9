"""Removes what a model writes around the page's text; each rule is applied only for a model known to write that way.

A transcriber does not see what the page prints, so each rule takes only what is unmistakably the model's frame: the
outermost pair at the very ends of the reply, or a pair of grounding tokens with coordinates. The same marks anywhere
else are kept as text of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_LABELS = (
    "text|title|sub_title|list|image|image_caption|figure|figure_caption|figure_title|table|table_caption|"
    "table_footnote|equation|formula|code|header|footer|page_number|footnote|caption|reference|aside_text|chart"
)
_COORDINATES = r"\[\[\s*\d+(?:\s*,\s*\d+){3}\s*\](?:\s*,\s*\[\s*\d+(?:\s*,\s*\d+){3}\s*\])*\s*\]"
_REF = r"[^<]*(?:<(?!\|/?ref\|>)[^<]*)*"  # anything up to the next of the two tokens
_GROUNDING = re.compile(rf"<\|ref\|>(?P<ref>{_REF})<\|/ref\|><\|det\|>{_COORDINATES}<\|/det\|>(?P<end>[ \t]*\r?\n)?")
_FENCE = re.compile(r"(?P<marks>`{3,})(?P<info>[^`\n]*)")
_PAGE_FENCES = ("markdown", "md")  # a fence that says it holds the whole page; a page may print others
_PLAIN_FENCES = ("", "text", "txt", "plaintext", "plain")
_FIELDS = ["primary_language", "is_rotation_valid", "rotation_correction", "is_table", "is_diagram"]
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?P<fields>(?:\w+:[^\n]*\n){5})---[ \t]*(?:\r?\n|$)")


def clean(text: str, rules: Sequence[str], *, thinking: bool = False) -> str:
    """The reply without the markup of `rules` (names of `RULES`), applied in their order.

    `thinking`: the prompt itself opened a think block, so the reply begins inside it. Raises KeyError for an unknown
    rule.
    """
    for rule in rules:
        text = remove_think(text, opened=thinking) if rule == "think" else RULES[rule](text)
    return text


def remove_think(text: str, *, opened: bool = False) -> str:
    """Without the think block that the reply begins with; a block that never closes leaves nothing.

    `opened`: the prompt already holds `<think>`. A reply that does not begin with a block is returned as it is, also
    where `</think>` occurs further on.
    """
    body = text.lstrip()
    if not opened:
        if not body.startswith("<think>"):
            return text
        body = body.removeprefix("<think>")
    _, closed, rest = body.partition("</think>")
    return rest.lstrip("\r\n") if closed else ""


def remove_fence(text: str) -> str:
    """Without the one code fence around the whole reply.

    The fence must open in the first line and close in the last. One marked `markdown` or `md` may hold further fences,
    in pairs; an unmarked or `text` one must be the only one, else first and last line belong to two blocks of the page.
    A fence of another kind (`python`) is the page's own.
    """
    lines = text.strip().split("\n")
    opening, last = _FENCE.fullmatch(lines[0].rstrip()), lines[-1].strip()
    if len(lines) < 2 or opening is None or last != opening["marks"]:
        return text
    inner = sum(line.strip().startswith("```") for line in lines[1:-1])
    info = opening["info"].strip().lower()
    if (info in _PAGE_FENCES and inner % 2 == 0) or (info in _PLAIN_FENCES and inner == 0):
        return "\n".join(lines[1:-1]).removesuffix("\r")
    return text


def remove_grounding(text: str) -> str:
    """Without DeepSeek's pairs `<|ref|>…<|/ref|><|det|>[[x1, y1, x2, y2]]<|/det|>`.

    A pair whose `ref` is the name of a kind of block (`title`, `sub_title`, …) goes with its line break; any other
    `ref` is text that was read and stays. Tokens that are not paired, or without coordinates, stay.
    """

    def replace(pair: re.Match[str]) -> str:
        if re.fullmatch(_LABELS, pair["ref"].strip()):
            return ""
        return pair["ref"] + (pair["end"] or "")

    return _GROUNDING.sub(replace, text)


def remove_answer(text: str) -> str:
    """Without the `<answer>…</answer>` and `<|begin_of_box|>…<|end_of_box|>` around the whole reply (GLM-V)."""
    for opening, closing in (("<answer>", "</answer>"), ("<|begin_of_box|>", "<|end_of_box|>")):
        body = text.strip()
        inside = body.removeprefix(opening).removesuffix(closing)
        if len(inside) == len(body) - len(opening) - len(closing) and opening not in inside and closing not in inside:
            text = inside.strip("\r\n")
    return text


def remove_front_matter(text: str) -> str:
    """Without olmOCR's front matter: the lines between `---` at the beginning, if they are its five fields, each once.

    olmOCR is asked for all five; fewer, or others beside them, may be the page's own.
    """
    body = text.lstrip()
    found = _FRONT_MATTER.match(body)
    if found is None or sorted(re.findall(r"(?m)^\w+(?=:)", found["fields"])) != sorted(_FIELDS):
        return text
    return body[found.end() :].lstrip("\r\n")


RULES: dict[str, Callable[[str], str]] = {
    "think": remove_think,
    "fence": remove_fence,
    "grounding": remove_grounding,
    "answer": remove_answer,
    "front_matter": remove_front_matter,
}
"""Name → rule, as presets list them."""
