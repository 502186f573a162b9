"""Hooks on tiny models: what they record is what the layers computed, and they are gone afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra 'torch' is not installed")

from PIL import Image  # noqa: E402

from pytest_vtcfaith.models.probe.layers import cosine, decoder_layers, recording  # noqa: E402
from pytest_vtcfaith.models.vlm import Question  # noqa: E402

KINDS = ("qwen2-vl", "qwen2.5-vl", "qwen3-vl")
QUESTION = Question(Image.new("RGB", (280, 140), "grey"), "Which word?")


def hooks(network: Any) -> int:
    return sum(len(each) for module in network.modules() for each in (module._forward_hooks, module._forward_pre_hooks))


@pytest.mark.parametrize("kind", KINDS)
def test_the_layers_are_those_of_the_decoder(tiny_model: Callable[..., Any], kind: str) -> None:
    network = tiny_model(kind).network
    layers = decoder_layers(network)
    own = network.model.language_model.layers
    assert len(layers) == len(own) == 3
    assert [layer.ffn for layer in layers] == [layer.mlp for layer in own]
    assert [layer.attention for layer in layers] == [layer.self_attn for layer in own]


def test_a_vision_tower_of_as_many_layers_is_not_taken() -> None:
    """Both towers have 2 layers in the smallest model."""
    import tiny_vlm

    ids = {token: number for number, token in enumerate(tiny_vlm.SPECIALS)}
    size = {"hidden": 64, "layers": 2, "heads": 2, "vocabulary": 64, "positions": 64}
    network = tiny_vlm._model("qwen2.5-vl", ids, size)
    assert len(network.model.visual.blocks) == 2
    assert [layer.ffn for layer in decoder_layers(network)] == [x.mlp for x in network.model.language_model.layers]


def test_a_network_without_such_layers_is_refused() -> None:
    class Config:
        num_hidden_layers = 4

        def get_text_config(self) -> Any:
            return self

    network = torch.nn.Sequential(torch.nn.Linear(2, 2))
    network.config = Config()
    with pytest.raises(ValueError, match="Sequential has 0 lists of 4 layers with an FFN"):
        decoder_layers(network)


@pytest.mark.parametrize("kind", KINDS)
def test_the_record_is_what_transformers_itself_gives(tiny_model: Callable[..., Any], kind: str) -> None:
    """Attention by `output_attentions`; the FFN's output by adding up the residual stream of the last layer."""
    model = tiny_model(kind)
    network, inputs = model.network, model.inputs([QUESTION])
    positions = [4, 7, 9]
    with torch.inference_mode(), recording(decoder_layers(network), positions) as record:
        network(**inputs)
    with torch.inference_mode():
        expected = network(**inputs, output_attentions=True, output_hidden_states=True)
    assert len(record.attention) == len(record.ffn) == 3
    for own, weights in zip(record.attention, expected.attentions, strict=True):
        assert own == pytest.approx(float(weights[0, :, -1, positions].mean()), rel=1e-5)
    layer = network.model.language_model.layers[0]
    kept: list[Any] = []
    handle = layer.post_attention_layernorm.register_forward_hook(lambda _m, given, _out: kept.append(given[0]))
    with torch.inference_mode():
        states = network(**inputs, output_hidden_states=True).hidden_states
    handle.remove()
    if kind != "qwen3-vl":  # which adds picture features to the stream between its layers
        residual = states[1][0, -1] - kept[0][0, -1]
        assert torch.allclose(record.ffn[0], residual, atol=1e-4)


def test_hooks_are_removed_also_after_an_error(tiny_model: Callable[..., Any]) -> None:
    model = tiny_model("qwen2-vl")
    layers = decoder_layers(model.network)
    before = hooks(model.network)
    with recording(layers, [1]):
        assert hooks(model.network) == before + 2 * len(layers)
        model.network(**model.inputs([QUESTION]))
    assert hooks(model.network) == before
    with pytest.raises(ZeroDivisionError), recording(layers, [1]):
        raise ZeroDivisionError
    assert hooks(model.network) == before
    with pytest.raises(TypeError), recording(layers, [1]):
        model.network(**model.inputs([QUESTION]), no_such_argument=1, labels="wrong")
    assert hooks(model.network) == before


def test_without_weights_it_says_what_to_do(tiny_model: Callable[..., Any]) -> None:
    model = tiny_model("qwen2-vl", "sdpa")
    with (
        pytest.raises(ValueError, match='load the model with attention = "eager"'),
        recording(decoder_layers(model.network), [1]),
    ):
        model.network(**model.inputs([QUESTION]))
    assert hooks(model.network) == 0


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [([1, 0], [2, 0], 1), ([1, 0], [0, 3], 0), ([1, 2], [-1, -2], -1), ([3, 4], [4, 3], 0.96)],
)
def test_cosine(first: list[float], second: list[float], expected: float) -> None:
    assert cosine(torch.tensor(first).float(), torch.tensor(second).float()) == pytest.approx(expected, abs=1e-12)


def test_the_cosine_of_nothing_is_undefined() -> None:
    assert cosine(torch.zeros(3), torch.ones(3)) != cosine(torch.zeros(3), torch.ones(3))
