"""Removes what a model writes around the page's text; each rule is applied only for a model known to write that way.

A transcriber does not see what the page prints, so each rule takes only what is unmistakably the model's frame: the
outermost pair at the very ends of the reply, or a pair of grounding tokens with coordinates. The same marks anywhere
else are kept as text of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

_LABELS = (
    "text|title|sub_title|list|image|image_caption|figure|figure_caption|figure_title|table|table_caption|"
    "table_footnote|equation|formula|code|header|footer|page_number|footnote|caption|reference|aside_text|chart"
)
_NUMBER = r"\s*\d+(?:\.\d+)?\s*"
_BOX = rf"\s*\[{_NUMBER}(?:,{_NUMBER}){{3}}\]\s*"
_COORDINATES = rf"\[{_BOX}(?:,{_BOX})*\]"
_REF = r"[^<]*(?:<(?!\|/?ref\|>)[^<]*)*"  # anything up to the next of the two tokens
_GROUNDING = re.compile(
    rf"<\|ref\|>(?P<ref>{_REF})<\|/ref\|>[ \t]*(?:\r?\n[ \t]*)?"
    rf"<\|det\|>\s*{_COORDINATES}\s*<\|/det\|>(?P<end>[ \t]*\r?\n)?"
)
THINK = r"(?:[a-z]+:)?think(?:ing)?"
"""What tags of reasoning are called: `think`, `thinking`, `mm:think`."""
_OPENING, _CLOSING = re.compile(rf"<({THINK})>"), re.compile(rf"</{THINK}>")
_PROSE = " \t\u00a0\u3000`'\"\u2018\u2019\u201c\u201d\u300c\u300d()[]"  # beside a tag that a text speaks of
_ENDS = {
    "deepseek": re.compile(r"<[|\uff5c]end[\u2581_ ]of[\u2581_ ]sentence[|\uff5c]>\Z"),
    "glm": re.compile(r"<\|(?:user|observation|endoftext)\|>\Z"),
    "qwen": re.compile(r"<\|(?:im_end|endoftext)\|>\Z"),
}
LONGEST_END = 32
_FENCE = re.compile(r"(?P<marks>`{3,})(?P<info>[^`\n]*)|(?P<tildes>~{3,})(?P<words>[^\n]*)")
_PAGE_FENCES = ("markdown", "md")  # a fence that says it holds the whole page; a page may print others
_PLAIN_FENCES = ("", "text", "txt", "plaintext", "plain")
_FIELDS = ["primary_language", "is_rotation_valid", "rotation_correction", "is_table", "is_diagram"]
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?P<fields>(?:\w+:[^\n]*\n){5})---[ \t]*(?:\r?\n|$)")


def clean(text: str, rules: Sequence[str], *, thinking: bool | None = None) -> str:
    """The reply without the markup of `rules` (names of `RULES`), applied in their order.

    `thinking`: whether the prompt itself opened a think block, so that the reply begins inside it; None where that is
    not known. Raises KeyError for an unknown rule.
    """
    for rule in rules:
        text = remove_think(text, opened=thinking) if rule == "think" else RULES[rule](text)
    return text


def remove_think(text: str, *, opened: bool | None = None) -> str:
    """Without the think block that the reply begins with; a block that never closes leaves nothing.

    `opened`: the prompt already holds `<think>`. Where that is not known (None), as behind a server, the first
    `</think>` ends a block if no `<think>` is before it and nothing beside it says that a text speaks of it: no space,
    quote or bracket. Else a reply that does not begin with a block is returned as it is.
    """
    body = text.lstrip()
    begun = _OPENING.match(body)
    if begun is not None:
        _, closed, rest = body.partition(f"</{begun[1]}>")
        return rest.lstrip("\r\n") if closed else ""
    closing = _CLOSING.search(body)
    if opened:
        return body[closing.end() :].lstrip("\r\n") if closing is not None else ""
    if opened is None and closing is not None:
        before, after = body[: closing.start()], body[closing.end() :]
        spoken_of = any(beside and beside in _PROSE for beside in (before[-1:], after[:1]))
        if not spoken_of and _OPENING.search(before) is None:
            return after.lstrip("\r\n")
    return text


def remove_fence(text: str) -> str:
    """Without the one code fence, of backticks or tildes, around the whole reply.

    The fence must open in the first line and close in the last. One marked `markdown` or `md` may hold further fences,
    in pairs, and its closing marks may stand at the end of the last line of text; an unmarked or `text` one must be the
    only one, else first and last line belong to two blocks of the page. A fence of another kind (`python`) is the
    page's own.
    """
    lines = text.strip().split("\n")
    opening, last = _FENCE.fullmatch(lines[0].rstrip()), lines[-1].strip()
    if len(lines) < 2 or opening is None:
        return text
    marks, info = opening["marks"] or opening["tildes"], (opening["info"] or opening["words"] or "").strip().lower()
    inner = sum(line.strip().startswith(("```", "~~~")) for line in lines[1:-1])
    alone, whole = last == marks, info in _PAGE_FENCES and inner % 2 == 0
    if alone and (whole or (info in _PLAIN_FENCES and inner == 0)):
        return "\n".join(lines[1:-1]).removesuffix("\r")
    if whole and last.count(marks) == 1 and last.endswith(marks) and not last.endswith(marks[0] + marks):
        return "\n".join([*lines[1:-1], lines[-1].rstrip().removesuffix(marks).rstrip()])
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


def remove_end(text: str, family: str) -> str:
    """Without the tokens that end a reply of the family (`deepseek`, `glm`, `qwen`), where they stand at its end.

    For models whose special tokens are decoded because their markup is made of them.
    """
    body = text.rstrip()
    while (token := _ENDS[family].search(body, max(0, len(body) - LONGEST_END))) is not None:
        text = body = body[: token.start()].rstrip()
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
    **{f"{family}_end": partial(remove_end, family=family) for family in _ENDS},
}
"""Name → rule, as presets list them."""
