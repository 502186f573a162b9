"""Causal language models of the library transformers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.models.protocols import Tokenizer
from pytest_vtcfaith.texts.errors import TextsError, show

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DTYPES = ("float32", "bfloat16", "float16")


def check_dtype(dtype: str) -> None:
    """Raises TextsError unless the dtype is one of `DTYPES`."""
    if dtype not in DTYPES:
        raise TextsError(f"dtype {show(dtype)} is unknown: choose one of {', '.join(DTYPES)}")


_POSITIONS = 256  # a pass, so that the logits of a large vocabulary (262,144 × 4 bytes each) stay under 300 MB
_ROWS = 32  # a block of logits in float64


@dataclass(frozen=True, slots=True)
class TransformersModel:
    """A `LanguageModel`. `model` is what AutoModelForCausalLM gives, `start` the id of the token a text begins with,
    `cache` what this version of transformers calls the keys and values of the tokens before.
    """

    name: str
    revision: str
    model: Any
    tokenizer: Tokenizer
    start: int
    cache: str
    settings: Mapping[str, str | int]

    def next_probabilities(
        self, tokens: NDArray[np.int64], candidates: NDArray[np.int64], state: object = None
    ) -> tuple[NDArray[np.float64], object]:
        """As `LanguageModel.next_probabilities`; the state is the cache of keys and values."""
        import numpy as np
        import torch

        if state is None:
            tokens = np.concatenate([np.full((len(tokens), 1), self.start, dtype=np.int64), tokens], axis=1)
        device = self.model.device
        with torch.inference_mode():
            logits, cache = self._run(torch.from_numpy(tokens).to(device), state)
            last = logits[:, -1].float()
            chosen = last[:, torch.from_numpy(candidates).to(device)].double()
            probabilities = (chosen - last.double().logsumexp(-1, keepdim=True)).exp()
        return probabilities.cpu().numpy(), cache

    def given_probabilities(self, tokens: NDArray[np.int64]) -> NDArray[np.float64]:
        """As `LanguageModel.given_probabilities`, in passes of some hundred positions with a cache between them."""
        import torch

        device, (sequences, length) = self.model.device, tokens.shape
        given = torch.from_numpy(tokens).to(device)
        before = torch.cat([torch.full((sequences, 1), self.start, device=device), given[:, :-1]], dim=1)
        found, cache, step = [], None, max(1, _POSITIONS // sequences)
        with torch.inference_mode():
            for first in range(0, length, step):
                logits, cache = self._run(before[:, first : first + step], cache)
                rows, wanted = logits.flatten(0, 1), given[:, first : first + step].flatten()
                parts = []
                for row in range(0, len(rows), _ROWS):
                    block = rows[row : row + _ROWS].double()
                    chosen = block.gather(1, wanted[row : row + _ROWS, None])[:, 0]
                    parts.append((chosen - block.logsumexp(-1)).exp())
                found.append(torch.cat(parts).view(sequences, -1))
        result: NDArray[np.float64] = torch.cat(found, dim=1).cpu().numpy()
        return result

    def _run(self, tokens: Any, cache: Any) -> tuple[Any, Any]:
        held = 0 if cache is None else cache.get_seq_length()
        context = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        if context is not None and held + tokens.shape[1] > context:
            raise TextsError(f"model {self.name!r} reads {context} tokens, no sequence is longer: ask for fewer words")
        output = self.model(input_ids=tokens, use_cache=True, **{self.cache: cache})
        return output.logits, output[self.cache]
