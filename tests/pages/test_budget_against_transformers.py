"""The families' rules against the processors of `transformers`, built from their configuration without weights.

A processor gets a picture and the placeholder of one, and what is counted is the placeholders it leaves in the token
ids: what the model will see. The tokenizers hold the special tokens alone. Hypothesis sizes take the short cut that
vLLM takes, the processor's own count for a size, which makes no pixels.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.pages.budget import FAMILIES, picture_cost, visual_tokens

for package in ("torch", "transformers"):
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed: pip install torch transformers", allow_module_level=True)
try:
    import transformers
    from transformers.models.deepseek_ocr2.image_processing_pil_deepseek_ocr2 import (
        DeepseekOcr2ImageProcessorPil,
        get_optimal_tiled_canvas,
    )
    from transformers.models.deepseek_ocr2.processing_deepseek_ocr2 import DeepseekOcr2Processor
    from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil
    from transformers.models.gemma3.processing_gemma3 import Gemma3Processor
    from transformers.models.glm4v.image_processing_pil_glm4v import Glm4vImageProcessorPil
    from transformers.models.glm4v.processing_glm4v import Glm4vProcessor
    from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil
    from transformers.models.hunyuan_vl.image_processing_pil_hunyuan_vl import HunYuanVLImageProcessorPil
    from transformers.models.hunyuan_vl.processing_hunyuan_vl import HunYuanVLProcessor
    from transformers.models.internvl.processing_internvl import InternVLProcessor
    from transformers.models.lighton_ocr.processing_lighton_ocr import LightOnOcrProcessor
    from transformers.models.paddleocr_vl.image_processing_pil_paddleocr_vl import PaddleOCRVLImageProcessorPil
    from transformers.models.paddleocr_vl.processing_paddleocr_vl import PaddleOCRVLProcessor
    from transformers.models.pixtral.image_processing_pil_pixtral import PixtralImageProcessorPil
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
    from transformers.models.qwen2_vl.processing_qwen2_vl import Qwen2VLProcessor
    from transformers.models.qwen3_vl.processing_qwen3_vl import Qwen3VLProcessor
except (ImportError, RuntimeError) as error:  # older versions lack families; a torchvision for another torch fails
    pytest.skip(f"transformers 5.24 with its image processors is needed: {error}", allow_module_level=True)

PLACEHOLDER = "<image>"


def _tokenizer(**special: str) -> Any:
    from tokenizers import Tokenizer, models

    special = {"image_token": PLACEHOLDER} | special
    words = {word: number for number, word in enumerate(dict.fromkeys(["<unk>", "<pad>", *special.values()]))}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel(words, unk_token="<unk>")),
        unk_token="<unk>",
        pad_token="<pad>",
        extra_special_tokens=special,
    )


def _pictures_only(processor: type[Any]) -> type[Any]:
    """The processor without its part for videos, which needs torchvision; pictures never meet it."""
    return type(processor.__name__, (processor,), {"check_argument_for_proper_class": lambda self, name, given: None})


# --- what each family is built from: the numbers of its configuration files, written down here a second time --------


def _qwen2_vl() -> Any:
    pictures = Qwen2VLImageProcessorPil(
        size={"shortest_edge": 3136, "longest_edge": 12845056}, patch_size=14, merge_size=2
    )
    return _pictures_only(Qwen2VLProcessor)(pictures, _tokenizer(video_token="<video>"))


def _qwen3_vl() -> Any:
    pictures = Qwen2VLImageProcessorPil(
        size={"shortest_edge": 65536, "longest_edge": 16777216}, patch_size=16, merge_size=2
    )
    return _pictures_only(Qwen3VLProcessor)(
        pictures,
        _tokenizer(video_token="<video>", vision_start_token="<start>", vision_end_token="<end>"),
    )


def _glm_4_1v() -> Any:
    pictures = Glm4vImageProcessorPil(size={"shortest_edge": 12544, "longest_edge": 9633792})
    return _pictures_only(Glm4vProcessor)(pictures, _tokenizer(video_token="<video>"))


def _hunyuan() -> Any:
    tokens = _tokenizer(image_start_token="<start>", image_end_token="<end>")
    return HunYuanVLProcessor(HunYuanVLImageProcessorPil(), tokens)


def _paddle() -> Any:
    return PaddleOCRVLProcessor(PaddleOCRVLImageProcessorPil(min_pixels=147384, max_pixels=2822400), _tokenizer())


def _deepseek_2() -> Any:
    return DeepseekOcr2Processor(DeepseekOcr2ImageProcessorPil(), _tokenizer())


def _internvl() -> Any:
    pictures = GotOcr2ImageProcessorPil(size={"height": 448, "width": 448}, min_patches=1, max_patches=12)
    tokens = _tokenizer(
        start_image_token="<start>", end_image_token="<end>", context_image_token=PLACEHOLDER, video_token="<video>"
    )
    return _pictures_only(InternVLProcessor)(pictures, tokens, image_seq_length=256)


def _lighton() -> Any:
    pictures = PixtralImageProcessorPil(size={"longest_edge": 1540}, patch_size={"height": 14, "width": 14})
    tokens = _tokenizer(image_break_token="<break>", image_end_token="<end>")
    return LightOnOcrProcessor(pictures, tokens, patch_size=14, spatial_merge_size=2)


def _gemma() -> Any:
    pictures = Gemma3ImageProcessorPil(size={"height": 896, "width": 896})
    return Gemma3Processor(pictures, _tokenizer(boi_token="<start>", eoi_token="<end>"), image_seq_length=256)


BUILDERS: dict[str, Callable[[], Any]] = {
    "qwen2-vl": _qwen2_vl,
    "qwen2.5-vl": _qwen2_vl,
    "qwen3-vl": _qwen3_vl,
    "hunyuan-ocr": _hunyuan,
    "glm-4.1v": _glm_4_1v,
    "glyph": _glm_4_1v,
    "paddleocr-vl": _paddle,
    "deepseek-ocr-2": _deepseek_2,
    "internvl3.5": _internvl,
    "lighton-ocr": _lighton,
    "gemma3": _gemma,
}
PROMPTS = {"hunyuan-ocr": f"<start>{PLACEHOLDER}<end>", "gemma3": "<start>"}
# The first of a pair built alike; the other has the same rule object, see the last test
JUDGED = [family for family in BUILDERS if family not in ("qwen2.5-vl", "glyph")]
SIZES = [
    (1024, 1024),  # the check values of definitions §3
    (595, 842),
    (1654, 2339),
    (612, 792),  # the page of the layout fox
    (1, 1),
    (14, 14),
    (15, 15),
    (28, 40),
    (30, 650),
    (2048, 16),  # half a cell of Qwen3-VL
    (1800, 9),  # an aspect ratio of exactly 200
    (1801, 9),
    (10, 3000),
    (5, 15),  # under a cell of PaddleOCR-VL
    (640, 640),
    (641, 600),
    (768, 500),
    (769, 500),
    (448, 449),
    (896, 448),  # as near to 2 tiles as to 2 x 4: the area decides
    (1540, 1089),
    (2000, 1143),
    (1, 3000),  # vanishes on a square canvas
]


@functools.cache
def _processor(family: str) -> Any:
    return BUILDERS[family]()


def _outputs(family: str, width: int, height: int) -> Any:
    from PIL import Image

    picture = Image.new("RGB", (width, height), "white")
    return _processor(family)(images=[picture], text=[PROMPTS.get(family, PLACEHOLDER)], return_tensors="np")


def _tokens_in_sequence(family: str, outputs: Any) -> int:
    wanted = _processor(family).tokenizer.convert_tokens_to_ids(PLACEHOLDER)
    return int((outputs["input_ids"] == wanted).sum())


def _size_seen(family: str, outputs: Any) -> tuple[int, int] | None:
    """The size (width, height) that the processor's pixels have; None where they do not tell it."""
    if "image_grid_thw" in outputs:
        _, rows, columns = (int(number) for number in outputs["image_grid_thw"][0])
        patch = _processor(family).image_processor.patch_size
        return columns * patch, rows * patch
    if "image_sizes" in outputs:
        height, width = (int(side) for side in outputs["image_sizes"][0])
        return width, height
    if family == "gemma3":
        height, width = outputs["pixel_values"].shape[-2:]
        return int(width), int(height)
    return None


@pytest.mark.parametrize("family", JUDGED)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_picture_costs_what_its_processor_puts_into_the_sequence(family: str, size: tuple[int, int]) -> None:
    try:
        outputs = _outputs(family, *size)
    except Exception:  # the processor refuses the picture, each in its own way
        outputs = None
    judged = 0 if outputs is None else _tokens_in_sequence(family, outputs)
    if judged == 0:
        with pytest.raises(ValueError, match=rf"^picture of {size[0]}x{size[1]} pixels"):
            visual_tokens(family, *size)
        return
    cost = picture_cost(family, *size)
    assert cost.tokens == judged
    assert cost.resized is not None
    assert _size_seen(family, outputs) in (None, cost.resized)


def _count_without_pixels(family: str, width: int, height: int) -> int:
    processor = _processor(family)
    pictures = processor.image_processor
    if family == "deepseek-ocr-2":
        # Its PIL backend's own short cut tiles by the page view, so that it disagrees with its pixels
        tile, tiles = pictures.tile_size, 0
        if max(width, height) > tile:
            tiles = math.prod(
                get_optimal_tiled_canvas((height, width), (tile, tile), pictures.min_patches, pictures.max_patches)
            )
        return processor.replace_image_token({"num_local_patches": [tiles]}, 0).count(PLACEHOLDER)
    if family == "paddleocr-vl":
        return pictures.get_number_of_image_patches(height, width) // pictures.merge_size**2
    (tokens,) = processor._get_num_multimodal_tokens(image_sizes=[[height, width]])["num_image_tokens"]
    return int(tokens) - (2 if family == "internvl3.5" else 0)  # it counts the picture's two ends here


# Long and thin ones, ordinary ones, and those on the edges of cells
sides = st.one_of(
    st.integers(1, 60),
    st.integers(1, 5000),
    st.builds(lambda k, d: 14 * k + d, st.integers(1, 350), st.integers(-1, 1)),
)


@settings(deadline=None, max_examples=300)
@given(width=sides, height=sides)
@pytest.mark.parametrize("family", JUDGED)
def test_any_size_costs_what_the_processor_counts(family: str, width: int, height: int) -> None:
    try:
        judged = _count_without_pixels(family, width, height)
    except ValueError:  # the aspect ratio
        judged = 0
    # The count goes on where the pixels would vanish: half of one and less on a canvas of 1024
    vanishes = family == "deepseek-ocr-2" and min(width, height) * 2048 <= max(width, height)
    if judged and not vanishes:
        assert visual_tokens(family, width, height) == judged
    else:
        with pytest.raises(ValueError, match=rf"^picture of {width}x{height} pixels"):
            visual_tokens(family, width, height)


def test_every_family_that_transformers_has_is_judged() -> None:
    """DeepSeek-OCR's first version is not in transformers; its modes are checked against the published table."""
    unjudged = [family for family in FAMILIES if family not in BUILDERS]
    assert [family for family in unjudged if not family.startswith("deepseek-ocr-")] == ["nominal"]
    assert find_spec("transformers.models.deepseek_ocr") is None


@pytest.mark.parametrize(("family", "judged"), [("qwen2.5-vl", "qwen2-vl"), ("glyph", "glm-4.1v")])
def test_families_of_one_processor_have_one_rule(family: str, judged: str) -> None:
    from pytest_vtcfaith.pages.families import RULES

    assert RULES[family] is RULES[judged]
    assert BUILDERS[family] is BUILDERS[judged]
