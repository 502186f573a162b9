"""The presets of the papers' systems (ZeroSense Tables A1–A3, FaithC4 Table A.2); else their model cards."""

from __future__ import annotations

from pytest_vtcfaith.models.presets import Preset

_A2 = "FaithC4 Table A.2: the uniform prompt, which is the suite's"
_VLLM = {"dtype": "bfloat16", "gpu_memory_utilization": 0.85}
_CHAT = "<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>{prompt}<|im_end|>\n<|im_start|>assistant\n"
_OLMOCR = (
    "Attached is one page of a document that you must process. "
    "Just return the plain text representation of this document as if you were reading it naturally. "
    "Convert equations to LateX and tables to HTML.\n"
    "If there are any figures or charts, label them with the following markdown syntax "
    "![Alt text describing the contents of the figure](page_startx_starty_width_height.png)\n"
    "Return your output as markdown, with a front matter section on top specifying values for the primary_language, "
    "is_rotation_valid, rotation_correction, is_table, and is_diagram parameters."
)

_ALL = (
    Preset(
        "deepseek-ocr",
        "ZeroSense Tables A2, A3; the card of deepseek-ai/DeepSeek-OCR",
        visual_tokens="deepseek-ocr-gundam",  # what vLLM runs; Table A1's 256 tokens are the mode base
        prompt="Free OCR.",
        literal="<image>\n{prompt}",
        markup=("deepseek_end", "grounding", "fence"),
        special_tokens=True,
        counted=False,  # its input has a separator for every row, which the modes' counts leave out
        engine={**_VLLM, "max_model_len": 4096, "max_num_seqs": 256},
    ),
    Preset(
        "deepseek-ocr-2",
        "FaithC4 Table A.2 (<|grounding|>); the wording from the card of deepseek-ai/DeepSeek-OCR-2",
        visual_tokens="deepseek-ocr-2",
        prompt="<|grounding|>Convert the document to markdown.",
        literal="<image>\n{prompt}",
        markup=("deepseek_end", "grounding", "fence"),
        special_tokens=True,
    ),
    Preset(
        "hunyuan-ocr",
        "ZeroSense Tables A2, A3; the empty system message from the card of tencent/HunyuanOCR",
        visual_tokens="hunyuan-ocr",
        prompt="OCR the document.",
        system="",
        engine={**_VLLM, "max_model_len": 4096, "max_num_seqs": 128},
    ),
    Preset(
        "qwen2.5-vl",
        "ZeroSense Tables A2, A3",
        visual_tokens="qwen2.5-vl",
        prompt=(
            "Read all the text in this image. Output the text exactly as it appears, line by line. "
            "Do not add any explanation."
        ),
        literal=_CHAT,
        engine={**_VLLM, "max_model_len": 8192, "max_num_seqs": 128},
    ),
    Preset("qwen3-vl", _A2, visual_tokens="qwen3-vl", literal=_CHAT, markup=("think", "fence")),
    Preset("qwen3.5", _A2, visual_tokens="qwen3-vl", literal=_CHAT, markup=("think", "fence"), thinking=True),
    Preset("internvl3.5", _A2, visual_tokens="internvl3.5", markup=("think", "fence")),
    Preset("gemma3", f"{_A2} (there Gemma 4)", visual_tokens="gemma3"),
    Preset(
        "glm-4.1v",
        "the card of zai-org/GLM-4.1V-9B-Thinking; the suite's prompt",
        visual_tokens="glm-4.1v",
        markup=("glm_end", "think", "answer", "fence"),
        special_tokens=True,
        thinking=True,
    ),
    Preset(
        "glyph",
        "the card of zai-org/Glyph, a GLM-4.1V; the suite's prompt",
        visual_tokens="glyph",
        markup=("glm_end", "think", "answer", "fence"),
        special_tokens=True,
        thinking=True,
    ),
    Preset(
        "paddleocr-vl",
        "FaithC4 Table A.2; the card of PaddlePaddle/PaddleOCR-VL",
        visual_tokens="paddleocr-vl",
        prompt="OCR:",
    ),
    Preset(
        "olmocr-2",
        "FaithC4 Table A.2 (the olmocr library: its prompt no_anchoring_v4_yaml); a Qwen2.5-VL",
        visual_tokens="qwen2.5-vl",
        prompt=_OLMOCR,
        markup=("fence", "front_matter"),
    ),
    Preset(
        "mineru2.5",
        "FaithC4 Table A.2 (two-step); prompts and tokens from the card and mineru-vl-utils; a Qwen2-VL",
        visual_tokens="nominal",  # layout on a fixed square, then one picture a block: a page has no cost of its own
        prompt="",
        system="You are a helpful assistant.",
        markup=("qwen_end",),
        special_tokens=True,
        two_step=True,
        counted=False,
    ),
    Preset(
        "lighton-ocr-2",
        "FaithC4 Table A.2 (picture alone); the card of lightonai/LightOnOCR-2-1B",
        visual_tokens="lighton-ocr",
        prompt="",
    ),
)

PRESETS = {preset.name: preset for preset in _ALL}
"""Name → preset."""

MATCHES = (
    (r"deepseek[-_]?ocr[-_]?2", "deepseek-ocr-2"),
    (r"deepseek[-_]?ocr", "deepseek-ocr"),
    (r"hunyuan[-_]?ocr", "hunyuan-ocr"),
    (r"olmocr[-_]?2", "olmocr-2"),
    (r"mineru[-_]?2\.5", "mineru2.5"),
    (r"lighton[-_]?ocr[-_]?2", "lighton-ocr-2"),
    (r"paddleocr[-_]?vl", "paddleocr-vl"),
    (r"glyph", "glyph"),
    (r"glm-4\.1v", "glm-4.1v"),
    (r"internvl-?3[._]5", "internvl3.5"),
    (r"gemma-?3(?!n)", "gemma3"),
    (r"qwen3\.5", "qwen3.5"),
    (r"qwen3-?vl", "qwen3-vl"),
    (r"qwen2(\.5)?-?vl", "qwen2.5-vl"),
)
"""Patterns looked for, in this order, in the last part of a path or hub name, in lower case; and the preset."""

MODEL_TYPES = {
    "deepseek_ocr2": "deepseek-ocr-2",
    "hunyuan_vl": "hunyuan-ocr",
    "paddleocr_vl": "paddleocr-vl",
    "lighton_ocr": "lighton-ocr-2",
    "glm4v": "glm-4.1v",
    "internvl": "internvl3.5",
    "gemma3": "gemma3",
    "qwen3_5": "qwen3.5",
    "qwen3_5_moe": "qwen3.5",
    "qwen3_vl": "qwen3-vl",
    "qwen3_vl_moe": "qwen3-vl",
    "qwen2_5_vl": "qwen2.5-vl",
    "qwen2_vl": "qwen2.5-vl",
}
"""`model_type` of a folder's config.json → preset, where the name says nothing."""
