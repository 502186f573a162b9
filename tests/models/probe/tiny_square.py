"""Tiny LLaVA and Gemma 3 models with random weights, whose picture is a square of tokens; made from configurations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tiny_vlm

KINDS = ("llava", "gemma3")
MARKS = ("<image>", "<start_of_image>", "<end_of_image>", "<image_soft_token>")
TEMPLATE = (
    "{{% for m in messages %}}{{% for c in m['content'] %}}{{% if c['type'] == 'image' %}}{mark}"
    "{{% else %}}{{{{ c['text'] }}}}{{% endif %}}{{% endfor %}}{{% endfor %}}\n"
)


def save_tiny_square(kind: str, folder: Path, *, marks: bool = True) -> Path:
    """A model of `kind` with its processor in `folder`, which is returned: 6 × 6 tokens of 14 pixels (LLaVA), 4 × 4 of
    2 × 2 patches of 14 pixels (Gemma 3). `marks=False`: the tokenizer does not say which tokens stand for pictures.
    """
    import torch

    tokenizer = tiny_vlm._tokenizer(2048)
    tokenizer.add_special_tokens({"additional_special_tokens": list(MARKS)})
    ids = {mark: tokenizer.convert_tokens_to_ids(mark) for mark in MARKS}
    if marks and kind == "gemma3":
        tokenizer._set_model_specific_special_tokens(
            {"boi_token": MARKS[1], "eoi_token": MARKS[2], "image_token": MARKS[3]}
        )
    torch.manual_seed(0)
    model, processor = {"llava": _llava, "gemma3": _gemma3}[kind](tokenizer, ids)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _text(tokenizer: Any) -> dict[str, Any]:
    return {
        "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 3,
        "num_attention_heads": 2, "num_key_value_heads": 2, "max_position_embeddings": 2048,
        "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id,
        "initializer_range": 0.2,
    }  # fmt: skip


def _vision(size: int) -> dict[str, Any]:
    return {
        "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
        "image_size": size, "patch_size": 14,
    }  # fmt: skip


def _llava(tokenizer: Any, ids: dict[str, int]) -> tuple[Any, Any]:
    import transformers
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    config = transformers.LlavaConfig(
        text_config=transformers.LlamaConfig(**_text(tokenizer)),
        vision_config=transformers.CLIPVisionConfig(**_vision(84)),
        image_token_index=ids["<image>"],
        image_seq_length=36,
    )
    processor = transformers.LlavaProcessor(
        CLIPImageProcessorPil(size={"shortest_edge": 84}, crop_size={"height": 84, "width": 84}),
        tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE.format(mark="<image>"),
    )
    return transformers.LlavaForConditionalGeneration(config), processor


def _gemma3(tokenizer: Any, ids: dict[str, int]) -> tuple[Any, Any]:
    import transformers
    from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil

    config = transformers.Gemma3Config(
        text_config=transformers.Gemma3TextConfig(**_text(tokenizer), head_dim=16),
        vision_config=transformers.SiglipVisionConfig(**_vision(112)),
        mm_tokens_per_image=16,
        boi_token_index=ids["<start_of_image>"],
        eoi_token_index=ids["<end_of_image>"],
        image_token_index=ids["<image_soft_token>"],
    )
    model = transformers.Gemma3ForConditionalGeneration(config)
    model.model.multi_modal_projector.mm_input_projection_weight.data.normal_(0, 0.2)  # zeros when new
    pictures = Gemma3ImageProcessorPil(size={"height": 112, "width": 112})
    if not hasattr(tokenizer, "boi_token"):
        return model, _Parts(pictures, tokenizer)
    processor = transformers.Gemma3Processor(
        pictures, tokenizer, chat_template=TEMPLATE.format(mark="<start_of_image>"), image_seq_length=16
    )
    return model, processor


class _Parts:
    """A processor that cannot be put together: its parts alone."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def save_pretrained(self, folder: Path) -> None:
        for part in self.parts:
            part.save_pretrained(folder)
