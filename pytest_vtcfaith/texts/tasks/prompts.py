"""What illustrators are asked to draw, and a task's solution as they should write it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_STYLE = (
    "Draw a page of plain black text on a white ground, in one column of printed letters, without LaTeX notation and \
without pictures."
)


def drawing_prompt(row: Mapping[str, Any]) -> str:
    """What is asked of an illustrator: to draw the passage of a rendering row as it is, or the solution of a task.

    `row`: a row of `vtcfaith/reasoning`. Source: Reasoning Fidelity, 1. and 3. (one template, the steps written out).
    """
    if row["kind"] == "rendering":
        return f"{_STYLE} The page shows exactly this text and nothing else:\n\n{row['text']}"
    how = "Write every step of the reasoning on a line of its own that begins with 'Step 1:', 'Step 2:' and so on. "
    if row["kind"] == "facts":
        how += "Explain in a step of its own for each option why it is right or wrong. "
    last = "a last line 'Answer:' with the letter of the right option" if _choice(row) else "a last line 'Answer:'"
    return f"{_STYLE} The page shows the solution of this task. {how}End with {last}.\n\n{question_text(row)}"


def question_text(row: Mapping[str, Any]) -> str:
    """The task alone: its passage, its question, its options, each from a new line."""
    options = [f"{letter}: {option['text']}" for letter, option in row.get("record", {}).get("options", {}).items()]
    return "\n".join([*([row["context"]] if row.get("context") else []), row["question"], *options])


def solution_text(row: Mapping[str, Any]) -> str:
    """The task's own solution, as a page should show it."""
    return written(tuple(step["text"] for step in row.get("steps", ())), row["answer"]["text"])


def written(steps: tuple[str, ...], answer: str) -> str:
    """Steps and an answer, each on a line of its own."""
    return "\n".join([*(f"Step {number}: {text}" for number, text in enumerate(steps, 1)), f"Answer: {answer}"])


def _choice(row: Mapping[str, Any]) -> bool:
    return bool(row["answer"]["kind"] == "choice")
