"""Language models of random weights and their tokenizers, made here: the real code path without a hub.

`python tests/texts/zerosense/tiny_language.py FOLDER` writes two, `generator` and `validator`.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TQDM_DISABLE", "1")

WORDS = (
    *("apple", "brook", "candle", "dragon", "ember", "forest", "garden", "harbor", "island", "jungle", "kettle"),
    *("lantern", "meadow", "needle", "orchard", "pepper", "quarry", "river", "saddle", "temple", "umbrella", "valley"),
    *("window", "yellow", "zipper", "anchor", "basket", "copper", "desert", "engine", "feather", "glacier", "hammer"),
    *("insect", "jacket", "kitchen", "ladder", "marble", "napkin", "oyster", "parrot", "quilt", "ribbon", "spider"),
    *("tunnel", "uncle", "velvet", "walnut", "yogurt", "zebra"),
)
"""Words that both tokenizers learn as one token each."""


def corpus() -> list[str]:
    """Lines of these words in random order, with some that stay in pieces."""
    shuffled = random.Random(0)
    lines = []
    for number in range(200):
        words = [*WORDS, "to"]
        shuffled.shuffle(words)
        lines.append("to " + " ".join([*words, f"rare{number:x}"]))
    return lines


def byte_level() -> Any:
    """A byte-level BPE tokenizer, as those of GPT-2, Qwen, DeepSeek."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        corpus(),
        trainers.BpeTrainer(
            vocab_size=600,
            show_progress=False,
            special_tokens=["<s>", "</s>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    return tokenizer


def metaspace() -> Any:
    """A BPE tokenizer that writes ▁ for a space and falls back to bytes, as those of Llama and Gemma."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokenizer.train_from_iterator(
        corpus(), trainers.BpeTrainer(vocab_size=640, show_progress=False, special_tokens=special)
    )
    return tokenizer


def save_model(folder: Path, tokenizer: Any, *, seed: int, bos: bool = True) -> Path:
    """Saves a Llama of two small layers with random weights, large enough that words differ much in probability."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        initializer_range=0.5,
        bos_token_id=tokenizer.token_to_id("<s>"),
        eos_token_id=tokenizer.token_to_id("</s>"),
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    own = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>", **({"bos_token": "<s>"} if bos else {}))
    own.save_pretrained(folder)
    return folder


if __name__ == "__main__":
    sys.modules["torchvision"] = None  # type: ignore[assignment]
    save_model(Path(sys.argv[1]) / "generator", byte_level(), seed=1)
    save_model(Path(sys.argv[1]) / "validator", metaspace(), seed=2)
