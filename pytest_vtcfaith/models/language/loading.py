"""From the name a user gives to a language model or its tokenizer."""

from __future__ import annotations

import inspect
import os
import sys
from importlib import import_module
from typing import Any

from pytest_vtcfaith.models.language.sources import find_source, revision
from pytest_vtcfaith.models.language.transformers import TransformersModel, check_dtype
from pytest_vtcfaith.models.protocols import LanguageModel, Tokenizer
from pytest_vtcfaith.texts.errors import TextsError, import_extra, show
from pytest_vtcfaith.texts.zerosense.tokenfiles import JsonTokenizer, open_tokenizer


def load_language_model(
    name: str, *, dtype: str = "float32", threads: int | None = None, device: str = "cpu"
) -> LanguageModel:
    """Loads a causal language model with transformers.

    `name` is a folder, a GGUF file, `pip:PACKAGE` or a hub name (`sources.find_source`); `dtype` is float32, bfloat16
    or float16; `threads` (1 or more; None: one a processor) is set for all of PyTorch; `device` is PyTorch's name of
    one, e.g. `cuda`. Raises TextsError naming the model when something of it is missing or wrong, MissingExtra without
    torch, transformers, or for GGUF files gguf.
    """
    check_dtype(dtype)
    if threads is not None and threads < 1:
        raise TextsError(f"threads {threads} must be at least 1")
    source = find_source(name)
    weights = source.weights()
    transformers, torch = _libraries(gguf=source.gguf is not None)
    torch.set_num_threads(threads or os.cpu_count() or 1)
    given = {} if source.gguf is None else {"gguf_file": source.gguf}
    try:
        own = transformers.AutoTokenizer.from_pretrained(source.folder, **given)
        model = transformers.AutoModelForCausalLM.from_pretrained(
            source.folder, dtype=getattr(torch, dtype), **given
        ).to(device)
    except Exception as error:  # of many kinds: files missing or torn, an unknown architecture, no memory, no device
        problem = " ".join(str(error).split())
        raise TextsError(f"model {show(name)} cannot be loaded ({problem}): mend its files, or name another") from error
    digest = revision(weights)
    return TransformersModel(
        name=name,
        revision=digest,
        model=model.eval(),
        tokenizer=_fast(name, digest, own),
        start=_start(name, own),
        cache="cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values",
        settings={
            "dtype": dtype,
            "threads": torch.get_num_threads(),
            "device": device,
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
    )


def load_tokenizer(name: str) -> Tokenizer:
    """Loads a tokenizer: from a file or package (`tokenfiles.open_tokenizer`), or that of a model `find_source` finds.

    Raises TextsError when there is none, MissingExtra when the package that reads it is missing.
    """
    found = open_tokenizer(name)
    if found is not None:
        return found
    source = find_source(name)
    transformers, _ = _libraries(gguf=source.gguf is not None)
    given = {} if source.gguf is None else {"gguf_file": source.gguf}
    try:
        own = transformers.AutoTokenizer.from_pretrained(source.folder, **given)
    except Exception as error:  # of many kinds: no tokenizer in the folder, a torn file
        problem = " ".join(str(error).split())
        raise TextsError(f"tokenizer {show(name)} cannot be loaded ({problem}): name another") from error
    files = source.weights() if source.gguf else sorted(source.folder.glob("tokenizer*"))
    return _fast(name, revision(files), own)


def _libraries(*, gguf: bool) -> tuple[Any, Any]:
    """transformers and torch. A torchvision that is installed but broken would break transformers: it is hidden."""
    os.environ.setdefault("TQDM_DISABLE", "1")  # its bars would run into our own line of progress
    torch = import_extra("torch", "torch")
    try:
        import_module("torchvision")
    except Exception:  # a build for another torch raises RuntimeError, a missing one ImportError
        sys.modules["torchvision"] = None  # type: ignore[assignment]
    transformers = import_extra("transformers", "torch")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    if gguf:
        import_extra("gguf", "torch")
        import_extra("accelerate", "torch")
    return transformers, torch


def _fast(name: str, digest: str, own: Any) -> JsonTokenizer:
    if not own.is_fast:
        raise TextsError(f"model {show(name)}: its tokenizer has no fast form: give a model with a tokenizer.json")
    return JsonTokenizer(name, digest, own.backend_tokenizer)


def _start(name: str, own: Any) -> int:
    """The token a text begins with: BOS, else the end-of-text token, which models without BOS were trained after."""
    for token in (own.bos_token_id, own.eos_token_id):
        if token is not None:
            return int(token)
    raise TextsError(f"model {show(name)} has neither a BOS nor an end-of-text token: name another")
