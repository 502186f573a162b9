"""Presets: complete for the papers' systems, chosen by name or by match, and what they make of a question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from pytest_vtcfaith.models import Prompt, resolve
from pytest_vtcfaith.models.markup import RULES
from pytest_vtcfaith.models.presets import GENERAL, Preset, choose_preset
from pytest_vtcfaith.models.presets.table import MATCHES, MODEL_TYPES, PRESETS
from pytest_vtcfaith.models.two_step import Block, cut, parse_layout
from pytest_vtcfaith.models.vlm import Generated, Question, read_pages
from pytest_vtcfaith.pages import visual_tokens

PAPERS = {
    "deepseek-ocr", "deepseek-ocr-2", "hunyuan-ocr", "qwen2.5-vl", "qwen3-vl", "qwen3.5", "internvl3.5", "gemma3",
    "glm-4.1v", "glyph", "paddleocr-vl", "olmocr-2", "mineru2.5", "lighton-ocr-2",
}  # fmt: skip
PLAIN = Prompt("Read it.", "en")
FIELDS = "primary_language: en\nis_rotation_valid: True\nrotation_correction: 0\nis_table: False\nis_diagram: False\n"
PAGE = Image.new("RGB", (200, 100), "white")


def test_every_system_of_the_papers_has_one_that_holds_together() -> None:
    assert set(PRESETS) == PAPERS
    for name, preset in PRESETS.items():
        assert preset.name == name
        assert preset.source
        assert visual_tokens(preset.visual_tokens, 1024, 1024) > 0
        assert set(preset.markup) <= set(RULES)
        assert preset.literal is None or "{prompt}" in preset.literal
    assert {preset for _, preset in MATCHES} == PAPERS
    assert set(MODEL_TYPES.values()) <= PAPERS


def test_zerosense_tables() -> None:
    """Table A3's prompts and Table A2's engine parameters, copied here from the paper by hand."""
    assert PRESETS["deepseek-ocr"].literal == "<image>\n{prompt}"
    assert PRESETS["deepseek-ocr"].prompt == "Free OCR."
    assert PRESETS["hunyuan-ocr"].prompt == "OCR the document."
    assert PRESETS["qwen2.5-vl"].prompt == (
        "Read all the text in this image. Output the text exactly as it appears, line by line."
        " Do not add any explanation."
    )
    table = {name: PRESETS[name].engine for name in ("deepseek-ocr", "hunyuan-ocr", "qwen2.5-vl")}
    assert [table[name]["max_model_len"] for name in table] == [4096, 4096, 8192]
    assert [table[name]["max_num_seqs"] for name in table] == [256, 128, 128]
    assert {(engine["dtype"], engine["gpu_memory_utilization"]) for engine in table.values()} == {("bfloat16", 0.85)}


@pytest.mark.parametrize(
    ("identifier", "preset"),
    [
        ("deepseek-ai/DeepSeek-OCR", "deepseek-ocr"),
        ("deepseek-ai/DeepSeek-OCR-2", "deepseek-ocr-2"),
        ("tencent/HunyuanOCR", "hunyuan-ocr"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl"),
        ("Qwen/Qwen2-VL-2B-Instruct", "qwen2.5-vl"),
        ("Qwen/Qwen3-VL-4B-Instruct", "qwen3-vl"),
        ("Qwen/Qwen3.5-4B", "qwen3.5"),
        ("OpenGVLab/InternVL3_5-4B-HF", "internvl3.5"),
        ("google/gemma-3-4b-it", "gemma3"),
        ("google/gemma-3n-E4B-it", "none"),
        ("zai-org/GLM-4.1V-9B-Thinking", "glm-4.1v"),
        ("zai-org/Glyph", "glyph"),
        ("PaddlePaddle/PaddleOCR-VL-1.5", "paddleocr-vl"),
        ("allenai/olmOCR-2-7B-1025-FP8", "olmocr-2"),
        ("opendatalab/MinerU2.5-2509-1.2B", "mineru2.5"),
        ("lightonai/LightOnOCR-2-1B", "lighton-ocr-2"),
        ("/models/glyph/our-own", "none"),  # the last part counts
        ("/models/deepseek-ocr/", "deepseek-ocr"),
        ("org/something", "none"),
    ],
)
def test_matching_by_name(identifier: str, preset: str) -> None:
    assert choose_preset(None, identifier, None, "m").name == preset


def test_the_option_comes_first_then_the_name_then_the_configuration() -> None:
    assert choose_preset("glyph", "Qwen/Qwen3-VL-4B", "qwen3_vl", "m").name == "glyph"
    assert choose_preset("none", "Qwen/Qwen3-VL-4B", "qwen3_vl", "m") is GENERAL
    assert choose_preset(None, "/models/olmocr-2-tuned", "qwen2_5_vl", "m").name == "olmocr-2"
    assert choose_preset(None, "/models/last-night", "qwen2_5_vl", "m").name == "qwen2.5-vl"
    assert choose_preset(None, "/models/last-night", "llava", "m") is GENERAL
    with pytest.raises(ValueError, match=r"model 'm': unknown preset 'deepseekocr'.*nearest first: deepseek-ocr, "):
        choose_preset("deepseekocr", "x", None, "m")
    for wrong in (["glyph"], {}, 3, True):
        with pytest.raises(ValueError, match=r"model 'm': unknown preset .*nearest first: "):
            choose_preset(wrong, "x", None, "m")  # type: ignore[arg-type]


class Engine:
    """Answers with what it is told to, and keeps what it was asked."""

    def __init__(self, *answers: Sequence[Generated]) -> None:
        self.answers = list(answers)
        self.asked: list[list[Question]] = []

    def __call__(self, questions: Sequence[Question]) -> Sequence[Generated]:
        self.asked.append(list(questions))
        return self.answers.pop(0)


def ask(
    preset: Preset, prompt: Prompt = PLAIN, chosen: str | None = None, text: str = ""
) -> tuple[Question, str | None]:
    engine = Engine([Generated(text=text, finish_reason="stop")])
    (reply,) = read_pages(engine, preset, prompt, [PAGE], chosen=chosen)
    return engine.asked[0][0], reply.text


def test_whose_prompt_is_asked() -> None:
    ocr, general = PRESETS["hunyuan-ocr"], PRESETS["qwen3-vl"]
    assert ask(ocr)[0].text == "OCR the document."
    assert ask(ocr, chosen="Spell it.")[0].text == "Spell it."
    assert ask(ocr, chosen="suite")[0].text == "Read it."
    assert ask(general)[0].text == "Read it."
    assert ask(general, chosen="")[0].text == ""
    assert ask(PRESETS["lighton-ocr-2"])[0].text == ""


def test_reasoning_is_asked_for_where_the_template_knows_it() -> None:
    think = Prompt("Read it.", "en", "no_correct+think")
    assert ask(PRESETS["qwen3.5"], think)[0].thinking is True
    assert ask(PRESETS["qwen3.5"])[0].thinking is False
    assert ask(PRESETS["qwen3-vl"], think)[0].thinking is None


@pytest.mark.parametrize(
    ("preset", "text", "left"),
    [
        ("deepseek-ocr-2", "<|ref|>text<|/ref|><|det|>[[1, 2, 3, 4]]<|/det|>\nThe pier", "The pier"),
        ("qwen2.5-vl", "```markdown\nThe pier\n```", "The pier"),
        ("glm-4.1v", "<think>x</think><answer>The pier</answer>", "The pier"),
        ("qwen3-vl", "<think>x</think>\n\nThe pier", "The pier"),
        ("olmocr-2", f"---\n{FIELDS}---\nThe pier", "The pier"),
        # a rule of another preset is not applied
        ("qwen2.5-vl", "<think>x</think>The pier", "<think>x</think>The pier"),
        ("qwen2.5-vl", f"---\n{FIELDS}---\nThe pier", f"---\n{FIELDS}---\nThe pier"),
    ],
)
def test_markup_of_the_preset_only(preset: str, text: str, left: str) -> None:
    assert ask(PRESETS[preset], text=text)[1] == left


def test_a_reply_that_began_in_thought() -> None:
    engine = Engine([Generated(text="so much", finish_reason="length", in_thought=True)])
    (reply,) = read_pages(engine, PRESETS["qwen3.5"], PLAIN, [PAGE])
    assert reply.text == ""
    assert reply.finish_reason == "length"


def test_errors_and_usage_reach_the_reply() -> None:
    engine = Engine(
        [Generated(error="too long"), Generated("a", "stop", 50, 24, completion_tokens=1, max_tokens=9)],
        [Generated("a", "stop", 50, 273, completion_tokens=1, max_tokens=9)],
    )
    failed, fine = read_pages(engine, PRESETS["qwen3-vl"], PLAIN, [PAGE, PAGE])
    assert (failed.text, failed.error) == (None, "too long")
    assert (fine.image_tokens, fine.completion_tokens, fine.max_tokens) == (24, 1, 9)
    (uncounted,) = read_pages(engine, PRESETS["deepseek-ocr"], PLAIN, [PAGE])
    assert uncounted.image_tokens is None  # its input holds separators that its modes do not count


def layout(*boxes: tuple[str, str]) -> Generated:
    lines = (f"<|box_start|>{box}<|box_end|><|ref_start|>{kind}<|ref_end|><|rotate_up|>" for kind, box in boxes)
    return Generated("\n".join(lines), "stop", completion_tokens=10)


def test_two_steps() -> None:
    engine = Engine(
        [
            layout(("title", "100 100 900 200"), ("image", "0 0 10 10"), ("table", "100 300 900 900")),
            layout(),
            layout(("text", "0 0 1000 1000")),
            Generated(error="broken"),
        ],
        [
            Generated("Harbour news", "stop", completion_tokens=2),
            Generated("<fcel>a<fcel>b<nl><fcel>c<ecel><nl>", "stop", completion_tokens=3),
            Generated("All is", "length", completion_tokens=4),
        ],
    )
    replies = read_pages(engine, PRESETS["mineru2.5"], PLAIN, [PAGE] * 4)
    steps = [[question.text for question in questions] for questions in engine.asked]
    assert steps == [
        ["\nLayout Detection:"] * 4,
        ["\nText Recognition:", "\nTable Recognition:", "\nText Recognition:"],
    ]
    assert {question.image.size for question in engine.asked[0]} == {(1036, 1036)}
    assert {question.system for questions in engine.asked for question in questions} == {"You are a helpful assistant."}
    assert [reply.text for reply in replies] == ["Harbour news\n\na b\nc", "", "All is", None]
    assert [reply.finish_reason for reply in replies] == ["stop", "stop", "length", None]
    assert [reply.completion_tokens for reply in replies] == [15, 10, 14, None]
    assert replies[3].error == "broken"


def test_layout_boxes() -> None:
    text = (
        "<|box_start|>900 200 100 100<|box_end|><|ref_start|>title<|ref_end|><|rotate_right|>"
        "<|box_start|>0 0 1001 5<|box_end|><|ref_start|>text<|ref_end|>"  # beyond the page
        "<|box_start|>5 5 5 9<|box_end|><|ref_start|>text<|ref_end|>"  # no area
        "\n<|box_start|>001 002 003 004<|box_end|><|ref_start|>Text<|ref_end|>"
    )
    assert parse_layout(text) == [Block("title", (100, 100, 900, 200), 90), Block("text", (1, 2, 3, 4))]
    assert parse_layout("The pier") == []


@pytest.mark.parametrize(
    ("box", "turn", "size"),
    [
        ((0, 0, 500, 1000), 0, (500, 500)),
        ((0, 0, 500, 500), 90, (250, 500)),
        ((0, 0, 1000, 10), 0, (1400, 28)),  # 1000 × 5, padded to 1000 × 20
        ((0, 0, 1, 1), 0, (28, 28)),
        ((999, 999, 1000, 1000), 0, (28, 28)),
    ],
)
def test_cutting_blocks(box: tuple[int, int, int, int], turn: int, size: tuple[int, int]) -> None:
    made = cut(Image.new("RGB", (1000, 500), "white"), Block("text", box, turn))
    assert made.size == size


def test_the_pixels_cut_are_the_block() -> None:
    page = Image.new("RGB", (1000, 500), "white")
    page.paste((0, 0, 0), (100, 50, 400, 150))
    assert cut(page, Block("text", (100, 100, 400, 300))).getcolors() == [(300 * 100, (0, 0, 0))]


def test_specs(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "qwen3_vl"}), encoding="utf-8")
    for adapter in ("transformers", "vllm"):
        found = resolve(f"{adapter}:{tmp_path}")
        assert (found.lives, found.visual_tokens, found.options["preset"]) == ("host", "qwen3-vl", "qwen3-vl")
        assert found.prompts
        fixed = resolve("m", {"m": {"adapter": adapter, "model": str(tmp_path), "preset": "paddleocr-vl"}})
        assert (fixed.prompts, fixed.options["prompt"], fixed.visual_tokens) == (False, "OCR:", "paddleocr-vl")
        own = resolve("m", {"m": {"adapter": adapter, "model": str(tmp_path), "preset": "paddleocr-vl",
                                  "prompt": "suite", "visual_tokens": "nominal", "languages": ["en"]}})  # fmt: skip
        assert (own.prompts, own.visual_tokens, own.languages) == (True, "nominal", {"en"})
        json.dumps(own.identity)
    engine = resolve("m", {"m": {"adapter": "vllm", "model": str(tmp_path), "preset": "qwen2.5-vl", "max_num_seqs": 4}})
    assert (engine.options["max_num_seqs"], engine.options["max_model_len"]) == (4, 8192)  # options override presets
