"""The visual-token families of definitions §3: which rule with which numbers, and where each number comes from.

`preprocessor_config.json` and `processor_config.json` are the files beside the named model's weights on the Hugging
Face hub; where they say nothing, the default of the class in `transformers` 5.24 holds, and is named.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from pytest_vtcfaith.pages.candidate_sizes import (
    canvas_sizes,
    grid_sizes,
    gundam_sizes,
    half_to_even,
    tile_sizes,
    trimmed_sizes,
    up_to_half_then_down,
)
from pytest_vtcfaith.pages.token_rules import (
    Cost,
    glm_cost,
    gundam_cost,
    hunyuan_cost,
    internvl_cost,
    nominal_cost,
    padded_cost,
    paddle_cost,
    pixtral_cost,
    smart_cost,
    square_cost,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """`cost(width, height)` of a picture in pixels; `sizes(aspect, limit)` as `candidate_sizes` describes them."""

    cost: Callable[[int, int], Cost]
    sizes: Callable[[float, int], Iterable[tuple[int, int]]]


def _cells(cost: Callable[..., Cost], factor: int, min_pixels: int, max_pixels: int, *, frames: int = 1) -> Rule:
    return Rule(
        partial(cost, factor=factor, min_pixels=min_pixels, max_pixels=max_pixels),
        partial(
            grid_sizes,
            quantum=factor,
            cell=half_to_even,
            min_pixels=min_pixels // frames,
            max_pixels=max_pixels // frames,
        ),
    )


def _square(side: int, tokens: int) -> Rule:
    return Rule(partial(square_cost, side=side, tokens=tokens), partial(canvas_sizes, side=side))


def _padded(side: int, tokens: int) -> Rule:
    return Rule(partial(padded_cost, side=side, tokens=tokens), partial(canvas_sizes, side=side))


def _gundam(page: int, tile: int, per_tile: int, most: int) -> Rule:
    return Rule(
        # The page view has 1024 x 1024 pixels in both versions: BASE_SIZE of deepseek-ai/DeepSeek-OCR, config.py, and
        # `size` of DeepseekOcr2ImageProcessor
        partial(gundam_cost, page_side=1024, page=page, tile=tile, per_tile=per_tile, most=most),
        partial(gundam_sizes, tile=tile, most=most),
    )


def _nominal(stride: int) -> Rule:
    return Rule(partial(nominal_cost, stride=stride), partial(trimmed_sizes, stride=stride))


# Qwen/Qwen2-VL-7B-Instruct and Qwen2.5-VL-7B-Instruct, preprocessor_config.json: patch_size 14, merge_size 2,
# min_pixels 3136, max_pixels 12845056
_QWEN2 = _cells(smart_cost, 28, 3136, 12_845_056)
# zai-org/GLM-4.1V-9B-Thinking and zai-org/Glyph, preprocessor_config.json: patch_size 14, merge_size 2,
# temporal_patch_size 2, size 12544 to 9633792
_GLM = _cells(glm_cost, 28, 12_544, 9_633_792, frames=2)

RULES: dict[str, Rule] = {
    "qwen2-vl": _QWEN2,
    "qwen2.5-vl": _QWEN2,
    # Qwen/Qwen3-VL-8B-Instruct, preprocessor_config.json: patch_size 16, merge_size 2, size 65536 to 16777216
    "qwen3-vl": _cells(smart_cost, 32, 65_536, 16_777_216),
    # tencent/HunyuanOCR, preprocessor_config.json = defaults of HunYuanVLImageProcessor: patch_size 16, merge_size 2,
    # size 512² to 2048²; row separators and ends: HunYuanVLProcessor (cat_extra_token)
    "hunyuan-ocr": _cells(hunyuan_cost, 32, 512**2, 2048**2),
    "glm-4.1v": _GLM,
    "glyph": _GLM,
    # PaddlePaddle/PaddleOCR-VL, preprocessor_config.json: patch_size 14, merge_size 2, min_pixels 147384,
    # max_pixels 2822400 (the class's own default is 384² to 1536²)
    "paddleocr-vl": _cells(paddle_cost, 28, 147_384, 2_822_400),
    # DeepSeek-OCR (arXiv 2510.18234), Table 1: resolution, tokens and process (resize or padding) of each mode;
    # Gundam has n x 640² tiles + 1024², n x 100 + 256 tokens, 2 ≤ n ≤ 9 (§3.2.2)
    "deepseek-ocr-tiny": _square(512, 64),
    "deepseek-ocr-small": _square(640, 100),
    "deepseek-ocr-base": _padded(1024, 256),
    "deepseek-ocr-large": _padded(1280, 400),
    "deepseek-ocr-gundam": _gundam(256, 640, 100, 9),
    # Defaults of DeepseekOcr2ImageProcessor (tile_size 768, max_patches 6) and of DeepseekOcr2Processor (patch_size 16,
    # downsample_ratio 4): (1024 ÷ 64)² and one separator, (768 ÷ 64)² a tile
    "deepseek-ocr-2": _gundam(16**2 + 1, 768, 12**2, 6),
    # OpenGVLab/InternVL3_5-8B-HF, preprocessor_config.json: size 448, max_patches 12; processor_config.json:
    # image_seq_length 256
    "internvl3.5": Rule(
        partial(internvl_cost, tile=448, per_tile=256, most=12), partial(tile_sizes, tile=448, most=12)
    ),
    # lightonai/LightOnOCR-1B-1025, processor_config.json: patch_size 14, spatial_merge_size 2, longest_edge 1540
    "lighton-ocr": Rule(
        partial(pixtral_cost, patch=14, merge=2, longest=1540),
        partial(grid_sizes, quantum=28, cell=up_to_half_then_down, max_side=1540),
    ),
    # google/gemma-3-4b-it, preprocessor_config.json: size 896, do_pan_and_scan null; processor_config.json:
    # image_seq_length 256
    "gemma3": _square(896, 256),
    "nominal": _nominal(64),
}
FAMILIES: tuple[str, ...] = tuple(RULES)


def rule_named(family: str) -> Rule:
    """The rule of a name of `FAMILIES`, or of `nominal-S` for a stride of S pixels.

    Raises ValueError for an unknown family; the known ones are listed, the nearest first.
    """
    if family in RULES:
        return RULES[family]
    if match := re.fullmatch(r"nominal-([1-9][0-9]{0,4})", family):
        return _nominal(int(match[1]))
    nearest = difflib.get_close_matches(family, FAMILIES, n=len(FAMILIES), cutoff=0.0)
    raise ValueError(
        f"unknown visual-token family {family!r}; known, nearest first: {', '.join(nearest)}, "
        "nominal-S for a stride of S pixels"
    )
