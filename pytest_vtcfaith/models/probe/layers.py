"""What the layers of a decoder do at the last input token: the output of each FFN, the attention to some positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

FFN = ("mlp", "feed_forward", "ffn", "block_sparse_moe", "moe")
ATTENTION = ("self_attn", "self_attention", "attention", "attn")


@dataclass(frozen=True, slots=True)
class Layer:
    """The FFN of a decoder layer, and its attention, None where it has none that weighs tokens (linear attention)."""

    ffn: Any
    attention: Any | None


@dataclass(slots=True)
class Record:
    """By layer: the FFN's output at the last token (float32, on the CPU), and the mean attention weight, over heads and
    the given positions, None where the layer has no such attention.
    """

    ffn: list[torch.Tensor] = field(default_factory=list)
    attention: list[float | None] = field(default_factory=list)


def decoder_layers(network: Any) -> list[Layer]:
    """The decoder layers of a vision-language model, found by structure: the one list of as many layers as the text
    configuration says, each with an FFN, outside the vision tower.

    Raises ValueError where there is no such list, or more than one.
    """
    wanted = network.config.get_text_config().num_hidden_layers
    decoder = network.get_decoder() if hasattr(network, "get_decoder") else None
    found = _layer_lists(decoder, wanted) if decoder is not None else []
    if len(found) != 1:
        found = _layer_lists(network, wanted)
    if len(found) != 1:
        raise ValueError(
            f"{type(network).__name__} has {len(found)} lists of {wanted} layers with an FFN ({', '.join(FFN)}): the "
            "probe does not know which is the decoder"
        )
    return found[0]


def _layer_lists(module: Any, wanted: int) -> list[list[Layer]]:
    import torch

    lists = [each for each in module.modules() if isinstance(each, torch.nn.ModuleList) and len(each) == wanted]
    parts = [[(_child(layer, FFN), _child(layer, ATTENTION)) for layer in each] for each in lists]
    return [
        [Layer(ffn, attention) for ffn, attention in layers]
        for layers in parts
        if all(ffn is not None for ffn, _ in layers) and any(attention is not None for _, attention in layers)
    ]


def _child(layer: Any, names: Sequence[str]) -> Any | None:
    return next((child for name in names if (child := getattr(layer, name, None)) is not None), None)


@contextmanager
def recording(layers: Sequence[Layer], positions: Sequence[int]) -> Iterator[Record]:
    """Records one forward pass of one input; the hooks are gone afterwards, also after an error.

    `positions` are those of the input whose attention is recorded. The model must compute attention `eager`, for other
    ways keep no weights: ValueError is raised inside the pass when there are none.
    """
    outputs: dict[int, torch.Tensor] = {}
    weights: dict[int, float] = {}
    record = Record()

    def keep_ffn(number: int, output: Any) -> None:
        states = output[0] if isinstance(output, tuple) else output
        # Routed experts may come as (tokens, size), one input's tokens in a row
        outputs[number] = states.reshape(-1, states.shape[-1])[-1].detach().float().cpu()

    def keep_attention(number: int, output: Any) -> None:
        found = output[1] if isinstance(output, tuple) and len(output) > 1 else None
        if found is None or getattr(found, "ndim", 0) != 4:
            raise ValueError('the attention weights are not kept: load the model with attention = "eager"')
        weights[number] = float(found[0, :, -1, list(positions)].detach().float().mean())

    with ExitStack() as hooks:
        for number, layer in enumerate(layers):
            hooks.enter_context(_hooked(layer.ffn, lambda output, n=number: keep_ffn(n, output)))
            if layer.attention is not None:
                hooks.enter_context(_hooked(layer.attention, lambda output, n=number: keep_attention(n, output)))
        yield record
    record.ffn = [outputs[number] for number in range(len(layers))]
    record.attention = [weights.get(number) for number in range(len(layers))]


@contextmanager
def _hooked(module: Any, keep: Any) -> Iterator[None]:
    handle = module.register_forward_hook(lambda _module, _inputs, output: keep(output))
    try:
        yield
    finally:
        handle.remove()


def cosine(first: torch.Tensor, second: torch.Tensor) -> float:
    """The cosine of two vectors, computed in float64 and cut to [-1, 1]; nan where one of them is zero."""
    a, b = first.double(), second.double()
    length = float(a.norm() * b.norm())
    return max(-1.0, min(1.0, float(a @ b) / length)) if length else float("nan")
