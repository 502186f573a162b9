"""What a model writes around the text goes, what the page prints stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.models import markup

BOX = "<|det|>[[12, 34, 560, 78]]<|/det|>"


@pytest.mark.parametrize(
    ("given_text", "left"),
    [
        ("```markdown\nThe pier\nwas closed.\n```", "The pier\nwas closed."),
        ("```\nThe pier\n```\n", "The pier"),
        ("````md\nThe pier\n````", "The pier"),
        ("```text\nThe pier\n```", "The pier"),
        ("```markdown\r\nThe pier\r\nwas closed.\r\n```\r\n", "The pier\r\nwas closed."),
        ("```\r\n\r\n```", ""),
        ("```markdown\nCall it:\n```python\nx = 1\n```\nDone.\n```", "Call it:\n```python\nx = 1\n```\nDone."),
        ("~~~\nThe pier\n~~~", "The pier"),
        ("~~~markdown\nThe pier\n```\nx\n```\n~~~~", None),
        ("~~~~md\nThe pier\n~~~~", "The pier"),
        ("```markdown\nThe pier\nwas closed.```", "The pier\nwas closed."),
        ("~~~markdown\nThe pier~~~\n", "The pier"),
        # a page that prints fences
        ("~~~python\nx = 1\n~~~", None),
        ("~~~\nx\n~~~\nand\n~~~\ny\n~~~", None),
        ("```\nThe pier```", None),
        ("```markdown\nwrite ```x```", None),
        ("```markdown\nThe pier````", None),
        ("```\nx = 1\n```\nand\n```\ny = 2\n```", None),
        ("Call it:\n```\nx = 1\n```", None),
        ("```python\nx = 1\n```", None),
        ("```markdown\nnever closed", None),
        ("```", None),
        ("``` ` ```", None),
        ("```markdown\na\n````", None),
        ("", None),
    ],
)
def test_outer_fence(given_text: str, left: str | None) -> None:
    assert markup.remove_fence(given_text) == (given_text if left is None else left)


@pytest.mark.parametrize(
    ("given_text", "left"),
    [
        (f"<|ref|>title<|/ref|>{BOX}\n# News\n\n<|ref|>text<|/ref|>{BOX}\nAll is well.", "# News\n\nAll is well."),
        ("<|ref|>text<|/ref|><|det|>[[1, 2, 3, 4], [5, 6, 7, 8]]<|/det|>\nAll", "All"),
        (f"<|ref|>Harbour news<|/ref|>{BOX}\n<|ref|>All<|/ref|>{BOX}\n", "Harbour news\nAll\n"),  # its text mode
        (f"<|ref|>a < b<|/ref|>{BOX}\n<|ref|><b> <|x|> </ref><|/ref|>{BOX}", "a < b\n<b> <|x|> </ref>"),
        (f"<|ref|>title<|/ref|>{BOX}\r\n# News", "# News"),
        ("<|ref|>title<|/ref|><|det|>[[12.5, 34.0, 560.25, 78]]<|/det|>\n# News", "# News"),
        (f"<|ref|>title<|/ref|>\n{BOX}\n# News", "# News"),
        (f"<|ref|>title<|/ref|>\r\n {BOX}\n# News", "# News"),
        (f"<|ref|>title<|/ref|>\n\n{BOX}", None),
        (f"<|ref|> opens, <|ref|>a<|/ref|>{BOX}", "<|ref|> opens, a"),  # up to its own closing token
        # what a page about the model prints
        ("write <|ref|>title<|/ref|> here", None),
        ("write <|ref|>title<|/ref|><|det|>boxes<|/det|> here", None),
        ("write <|det|>[[1, 2, 3, 4]]<|/det|> here", None),
        ("the interval [[1, 2, 3, 4]]", None),
    ],
)  # fmt: skip
def test_grounding(given_text: str, left: str | None) -> None:
    assert markup.remove_grounding(given_text) == (given_text if left is None else left)


@pytest.mark.parametrize(
    ("given_text", "opened", "left"),
    [
        ("<think>It says pier.</think>\n\nThe pier", False, "The pier"),
        ("\n<think>\n\n</think>\n\nThe pier", False, "The pier"),
        ("It says pier.</think>\nThe pier", True, "The pier"),
        ("<think>It says pier.</think>\r\n\r\nThe pier", False, "The pier"),
        ("It says pier. It might", True, ""),  # the limit came before the answer: nothing was transcribed
        ("<think>It says", False, ""),
        ("<think>a</think>b <think>c</think>", False, "b <think>c</think>"),
        ("<mm:think>plan</mm:think>The pier", False, "The pier"),
        ("<thinking>plan</thinking>The pier", False, "The pier"),
        ("plan\n</think>\nThe pier", None, "The pier"),  # whether the prompt opened it is not known
        ("plan.</think>\n\nThe pier", None, "The pier"),
        ("plan</think>The pier", None, "The pier"),
        ("plan</mm:think>The pier", None, "The pier"),
        ("</think>The pier", None, "The pier"),
        ("plan</think>", None, ""),
        # what a page prints
        ("The tag </think> closes it", None, None),
        ("ends with the tag </think>\nand goes on", None, None),
        ("ends with the tag\n</think> and goes on", None, None),
        ("write `</think>`", None, None),
        ("Write <think>so</think> here", None, None),
        ("The pier", None, None),
        ("plan</think>The pier", False, None),
        ("The tag </think> closes it", False, None),
        ("Write <think>so</think> here", False, None),
        ("The pier", False, None),
    ],
)
def test_think_blocks(given_text: str, opened: bool | None, left: str | None) -> None:
    assert markup.remove_think(given_text, opened=opened) == (given_text if left is None else left)


@pytest.mark.parametrize(
    ("given_text", "left"),
    [
        ("<answer>The pier</answer>", "The pier"),
        ("<|begin_of_box|>The pier<|end_of_box|>", "The pier"),
        ("<answer>\n<|begin_of_box|>The pier<|end_of_box|>\n</answer>\n", "The pier"),
        ("<answer>a</answer> and <answer>b</answer>", None),
        ("<answer>a", None),
        ("in <answer>a</answer>", None),
        ("<answer></answer>", ""),
        ("<answer>\r\nThe pier\r\n</answer>\r\n", "The pier"),
    ],
)
def test_answer(given_text: str, left: str | None) -> None:
    assert markup.remove_answer(given_text) == (given_text if left is None else left)


@pytest.mark.parametrize(
    ("given_text", "left"),
    [
        ("---\nprimary_language: en\nis_rotation_valid: True\nrotation_correction: 0\nis_table: False\n"
         "is_diagram: False\n---\n\nThe pier", "The pier"),
        ("---\nis_table: False\nis_rotation_valid: True\nrotation_correction: 0\nprimary_language: null\n"
         "is_diagram: False\n---", ""),
        ("---\r\nprimary_language: en\r\nis_rotation_valid: True\r\nrotation_correction: 0\r\nis_table: False\r\n"
         "is_diagram: False\r\n---\r\n\r\nThe pier", "The pier"),
        # not the five
        ("---\nprimary_language: en\n---", None),
        ("---\nis_table: False\n---\nText", None),
        ("---\nprimary_language: en\nis_rotation_valid: True\nrotation_correction: 0\nis_table: False\n"
         "is_table: False\n---\nText", None),
        ("---\nprimary_language: en\nis_rotation_valid: True\nrotation_correction: 0\nis_table: False\n"
         "is_diagram: False\ntitle: The pier\n---\nText", None),
        # a page that begins with rules or with a front matter of its own
        ("---\nThe pier\n---", None),
        ("---\ntitle: The pier\nis_table: False\n---\nText", None),
        ("The pier\n---\nis_table: False\n---\n", None),
        ("---\n---\n", None),
    ],
)  # fmt: skip
def test_front_matter(given_text: str, left: str | None) -> None:
    assert markup.remove_front_matter(given_text) == (given_text if left is None else left)


@pytest.mark.parametrize(
    ("family", "given_text", "left"),
    [
        ("deepseek", "The pier<|end▁of▁sentence|>", "The pier"),
        ("deepseek", "The pier<｜end▁of▁sentence｜>\n", "The pier"),
        ("deepseek", "The pier<｜end of sentence｜>", "The pier"),
        ("deepseek", "The pier\n<|end_of_sentence|><|end_of_sentence|>", "The pier"),
        ("glm", "The pier<|user|>", "The pier"),
        ("glm", "The pier <|endoftext|><|user|>\n", "The pier"),
        ("qwen", "The pier<|im_end|>", "The pier"),
        # another model's, and what a page prints
        ("deepseek", "The pier<|user|>", None),
        ("glm", "The pier<|im_end|>", None),
        ("glm", "write <|user|> here", None),
        ("glm", "The pier \n", None),
    ],
)
def test_ends(family: str, given_text: str, left: str | None) -> None:
    assert markup.RULES[f"{family}_end"](given_text) == (given_text if left is None else left)


def test_rules_apply_in_order_and_only_where_named() -> None:
    reply = "<think>hm</think>\n```markdown\nThe pier\n```"
    assert markup.clean(reply, ("think", "fence")) == "The pier"
    assert markup.clean(reply, ("think",)) == "```markdown\nThe pier\n```"
    assert markup.clean(reply, ()) == reply
    assert markup.clean("hm</think>The pier", ("think", "fence"), thinking=True) == "The pier"
    with pytest.raises(KeyError):
        markup.clean(reply, ("fences",))


WORDS = st.lists(
    st.text(st.characters(exclude_characters="`~<-", exclude_categories=("Cs", "Cc")), min_size=1), min_size=1
)


@given(WORDS)
def test_text_without_markup_is_kept_to_the_character(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert markup.clean(text, tuple(markup.RULES)) == text


@given(WORDS)
def test_what_is_wrapped_comes_back(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert markup.remove_fence(f"```markdown\n{text}\n```") == text
    assert markup.remove_think(f"<think>{text}</think>{text}x") == (f"{text}x").lstrip("\n")
    assert markup.remove_grounding(f"<|ref|>text<|/ref|>{BOX}\n{text}") == text
