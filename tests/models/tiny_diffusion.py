"""Stable Diffusion pipelines of some thousand random weights, made from their configurations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def save_tokenizer(folder: Path) -> Any:
    """CLIP's tokenizer with a vocabulary of letters."""
    import transformers

    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,'"
    words = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.json").write_text(json.dumps({word: n for n, word in enumerate(words)}), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")
    made: Any = transformers.CLIPTokenizer
    return made.from_pretrained(folder, model_max_length=77)


def save_pipeline(folder: Path, *, edits: bool, checked: bool = False) -> Path:
    """Saves an InstructPix2Pix pipeline (`edits`) or a Stable Diffusion one; `checked` adds a safety checker that finds
    something in every picture.
    """
    import diffusers
    import torch
    import transformers

    torch.manual_seed(0)
    tokenizer = save_tokenizer(folder / "words")
    unet = diffusers.UNet2DConditionModel(
        sample_size=8,
        in_channels=8 if edits else 4,
        out_channels=4,
        block_out_channels=(8, 16),
        layers_per_block=1,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=16,
        norm_num_groups=4,
        attention_head_dim=4,
    )
    vae = diffusers.AutoencoderKL(
        block_out_channels=(8, 8, 8, 8),
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        latent_channels=4,
        norm_num_groups=4,
    )
    text = transformers.CLIPTextModel(
        transformers.CLIPTextConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            intermediate_size=24,
            num_hidden_layers=1,
            num_attention_heads=2,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )
    )
    family: Any = diffusers.StableDiffusionInstructPix2PixPipeline if edits else diffusers.StableDiffusionPipeline
    checker, picture = _checker() if checked else (None, None)
    pipeline = family(
        vae=vae,
        text_encoder=text,
        tokenizer=tokenizer,
        unet=unet,
        scheduler=diffusers.EulerDiscreteScheduler(steps_offset=1),
        safety_checker=checker,
        feature_extractor=picture,
        requires_safety_checker=checked,
    )
    pipeline.save_pretrained(folder / "pipeline")
    return folder / "pipeline"


def _checker() -> tuple[Any, Any]:
    import torch
    import transformers
    from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    small = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.CLIPConfig(
        text_config=small, vision_config={**small, "image_size": 32, "patch_size": 8}, projection_dim=12
    )
    checker = StableDiffusionSafetyChecker(config)
    torch.nn.init.constant_(checker.concept_embeds_weights, -1.0)  # every cosine is above
    return checker, CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
