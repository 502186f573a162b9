"""Tiny vision-language models with random weights (about 0.3 M parameters), made from configurations: no download.

`python tests/models/tiny_vlm.py KIND FOLDER` writes one; the kinds are `KINDS`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

KINDS = ("qwen2-vl", "qwen2.5-vl", "qwen3-vl")
SPECIALS = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>",
    "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>",
)  # fmt: skip
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% if m['content'] is string %}{{ m['content'] }}{% else %}"
    "{% for c in m['content'] %}{% if c['type'] in ('image', 'image_url') %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% elif c['type'] == 'text' %}{{ c['text'] }}{% endif %}{% endfor %}"
    "{% endif %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
MAX_POSITIONS = 2048


def save_tiny_vlm(
    kind: str,
    folder: Path,
    *,
    seed: int = 0,
    template: bool = True,
    sizes: dict[str, int] | None = None,
    dtype: str = "float32",
) -> Path:
    """A model with its tokenizer and processor in `folder`, which is returned.

    `seed` draws the weights; `template=False` leaves the chat template out; `sizes` overrides `hidden`, `layers`,
    `heads`, `vocabulary` and `positions` (the context length). `dtype` is the weights' number format.
    """
    import torch

    size = {"hidden": 64, "layers": 2, "heads": 2, "vocabulary": 0, "positions": MAX_POSITIONS} | (sizes or {})
    tokenizer = _tokenizer(size["positions"])
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in SPECIALS}
    size["vocabulary"] = max(size["vocabulary"], len(tokenizer))
    torch.manual_seed(seed)
    model = _model(kind, ids, size).to(getattr(torch, dtype))
    model.lm_head.weight.data[len(tokenizer) - len(SPECIALS) :] = 0  # never the best: what is written is all printable
    model.generation_config.eos_token_id = ids["<|im_end|>"]
    model.generation_config.pad_token_id = ids["<|endoftext|>"]
    model.generation_config.do_sample = True  # as released checkpoints say; the adapter must not follow
    model.generation_config.temperature = 0.9
    model.generation_config.repetition_penalty = 1.3
    model.save_pretrained(folder)
    _processor(kind, tokenizer, TEMPLATE if template else None).save_pretrained(folder)
    frames = {  # vLLM loads the video half in any case; ours is not there to write it
        "video_processor_type": "Qwen3VLVideoProcessor" if kind == "qwen3-vl" else "Qwen2VLVideoProcessor",
        "patch_size": 16 if kind == "qwen3-vl" else 14, "merge_size": 2, "temporal_patch_size": 2,
    }  # fmt: skip
    (folder / "video_preprocessor_config.json").write_text(json.dumps(frames), encoding="utf-8")
    return folder


def _tokenizer(positions: int) -> Any:
    """One token a character, all printable, so that a text is equal to another exactly where its tokens are."""
    from tokenizers import Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    letters = ["\n", *map(chr, range(0x20, 0x7F)), *map(chr, range(0xC0, 0x180))]
    core = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[]))
    core.decoder = decoders.Fuse()
    core.add_special_tokens(list(SPECIALS))
    return PreTrainedTokenizerFast(
        tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|endoftext|>", model_max_length=positions
    )


def _model(kind: str, ids: dict[str, int], size: dict[str, int]) -> Any:
    import transformers

    hidden, head = size["hidden"], size["hidden"] // size["heads"]
    text: dict[str, Any] = {
        "vocab_size": size["vocabulary"], "hidden_size": hidden, "intermediate_size": 2 * hidden,
        "num_hidden_layers": size["layers"], "num_attention_heads": size["heads"],
        "num_key_value_heads": size["heads"], "max_position_embeddings": size["positions"],
        "bos_token_id": ids["<|endoftext|>"], "eos_token_id": ids["<|im_end|>"], "pad_token_id": ids["<|endoftext|>"],
        "tie_word_embeddings": False, "initializer_range": 0.2,
    }  # fmt: skip
    common = {
        "image_token_id": ids["<|image_pad|>"], "video_token_id": ids["<|video_pad|>"],
        "vision_start_token_id": ids["<|vision_start|>"], "vision_end_token_id": ids["<|vision_end|>"],
    }  # fmt: skip
    vision: dict[str, Any] = {
        "depth": 2, "hidden_size": 64, "num_heads": 2, "patch_size": 14, "spatial_merge_size": 2,
        "temporal_patch_size": 2, "in_channels": 3, "initializer_range": 0.2,
    }  # fmt: skip
    sections = [head // 8, head // 2 - head // 8 - head // 4, head // 4]
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": sections}
    if kind == "qwen2-vl":
        vision |= {"embed_dim": 64, "hidden_size": hidden, "mlp_ratio": 2}
        return transformers.Qwen2VLForConditionalGeneration(
            transformers.Qwen2VLConfig(text_config=text | {"rope_parameters": rope}, vision_config=vision, **common)
        )
    if kind == "qwen2.5-vl":
        vision |= {
            "out_hidden_size": hidden,
            "intermediate_size": 128,
            "window_size": 112,
            "fullatt_block_indexes": [1],
        }
        return transformers.Qwen2_5_VLForConditionalGeneration(
            transformers.Qwen2_5_VLConfig(text_config=text | {"rope_parameters": rope}, vision_config=vision, **common)
        )
    vision |= {
        "out_hidden_size": hidden, "intermediate_size": 128, "patch_size": 16, "deepstack_visual_indexes": [0],
        "num_position_embeddings": 64,
    }  # fmt: skip
    third = head // 6
    rope = {
        "rope_type": "default", "rope_theta": 1e6, "mrope_interleaved": True,
        "mrope_section": [head // 2 - 2 * third, third, third],
    }  # fmt: skip
    return transformers.Qwen3VLForConditionalGeneration(
        transformers.Qwen3VLConfig(
            text_config=text | {"head_dim": head, "rope_parameters": rope}, vision_config=vision, **common
        )
    )


def _processor(kind: str, tokenizer: Any, template: str | None) -> Any:
    """With the picture processor in Pillow and without a video processor, since torchvision need not be there."""
    import transformers
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    from pytest_vtcfaith.models.processor import without_video

    patch = 16 if kind == "qwen3-vl" else 14
    pixels = (65_536, 16_777_216) if kind == "qwen3-vl" else (3136, 12_845_056)
    pictures = Qwen2VLImageProcessorPil(
        patch_size=patch, merge_size=2, temporal_patch_size=2, min_pixels=pixels[0], max_pixels=pixels[1]
    )
    family = {
        "qwen2-vl": transformers.Qwen2VLProcessor,
        "qwen2.5-vl": transformers.Qwen2_5_VLProcessor,
        "qwen3-vl": transformers.Qwen3VLProcessor,
    }[kind]
    return without_video(family)(image_processor=pictures, tokenizer=tokenizer, chat_template=template)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    print(save_tiny_vlm(sys.argv[1], Path(sys.argv[2])))
