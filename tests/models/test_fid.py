"""FID: the distance against scipy's and torchmetrics' formulas, the network with narrow random weights."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.linalg import sqrtm

from pytest_vtcfaith.models import NotInstalled
from pytest_vtcfaith.models.scorers import fid, inception
from pytest_vtcfaith.models.scorers.inception import BLOCKS, LAYERS

torch: Any = pytest.importorskip("torch", reason="the extra 'edit' is not installed")
SETS = st.tuples(st.integers(1, 6), st.integers(0, 9999)).map(
    lambda drawn: tuple(
        np.random.default_rng(drawn[1] + n).normal(n / 2, 1 + n, (drawn[0] + 4 + n, drawn[0])) for n in (0, 1)
    )
)


@given(SETS)
def test_against_the_matrix_square_root(sets: tuple[Any, Any]) -> None:
    first, second = (np.atleast_2d(np.cov(each, rowvar=False)) for each in sets)
    apart = ((sets[0].mean(axis=0) - sets[1].mean(axis=0)) ** 2).sum()
    expected = apart + np.trace(first + second - 2 * np.real(sqrtm(first @ second)))
    assert fid(*sets) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.skipif(find_spec("torchmetrics") is None, reason="torchmetrics, another implementation, is not installed")
def test_against_torchmetrics() -> None:
    from torchmetrics.image.fid import _compute_fid

    sets = [np.random.default_rng(n).normal(n, 1 + n, (40, 12)) for n in (0, 1)]
    means, covariances = (
        [torch.tensor(each.mean(axis=0)) for each in sets],
        [torch.tensor(np.cov(each.T)) for each in sets],
    )
    expected = float(_compute_fid(means[0], covariances[0], means[1], covariances[1]))
    assert fid(*sets) == pytest.approx(expected, rel=1e-6)


@given(SETS)
def test_properties(sets: tuple[Any, Any]) -> None:
    one, other = sets
    assert fid(one, one) == pytest.approx(0, abs=1e-9)
    assert fid(one, one[::-1]) == pytest.approx(0, abs=1e-9)
    assert fid(one, other) == pytest.approx(fid(other, one), rel=1e-6, abs=1e-9)
    assert (fid(one, other) or 0) > 0
    assert fid(one, one + 3) == pytest.approx(9 * one.shape[1], rel=1e-6)


@pytest.mark.parametrize(
    ("pictures", "features", "measured"), [(1, 1, False), (3, 64, False), (5, 5, False), (6, 5, True)]
)
def test_it_needs_more_pictures_than_features(pictures: int, features: int, measured: bool) -> None:
    few = np.random.default_rng(0).normal(size=(pictures, features))
    many = np.random.default_rng(1).normal(size=(200, features))
    assert (fid(few, many) is not None) is (fid(many, few) is not None) is measured


def test_a_feature_that_never_changes() -> None:
    same = np.hstack([np.random.default_rng(0).normal(size=(20, 3)), np.ones((20, 1))])
    assert fid(same, same) == pytest.approx(0, abs=1e-9)
    assert fid(same, same + np.array([0, 0, 0, 2])) == pytest.approx(4)


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (np.zeros(3), np.zeros((9, 2)), "one row for a picture"),
        (np.full((9, 2), np.nan), np.zeros((9, 2)), "give finite numbers"),
        (np.zeros((9, 2)), np.zeros((9, 3)), "2 features of the reference, 3 of the output"),
    ],
)
def test_what_are_no_features(one: Any, other: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        fid(one, other)


def narrow() -> dict[str, Any]:
    """Weights with the names of FID's Inception v3, an eighth as wide."""
    state: dict[str, Any] = {}
    generator = torch.Generator().manual_seed(0)

    def unit(name: str, before: int, after: int, side: tuple[int, int]) -> int:
        state[f"{name}.conv.weight"] = torch.randn(after, before, *side, generator=generator) / (before * 9) ** 0.5
        for part in ("weight", "bias", "running_mean"):
            state[f"{name}.bn.{part}"] = torch.rand(after, generator=generator) / 2 + (part == "weight")
        state[f"{name}.bn.running_var"] = torch.rand(after, generator=generator) + 0.5
        return after

    width = 3
    for name, after, side in (
        ("Conv2d_1a_3x3", 4, 3),
        ("Conv2d_2a_3x3", 4, 3),
        ("Conv2d_2b_3x3", 8, 3),
        ("Conv2d_3b_1x1", 10, 1),
        ("Conv2d_4a_3x3", 24, 3),
    ):
        width = unit(name, width, after, (side, side))
    sides = {"1x1": (1, 1), "5x5_2": (5, 5), "pool": (1, 1), "3x3_2a": (1, 3), "3x3_2b": (3, 1)}
    sides |= {"3x3dbl_3a": (1, 3), "3x3dbl_3b": (3, 1), "3x3": (3, 3), "7x7x3_2": (1, 7), "7x7x3_3": (7, 1)}
    sides |= {"7x7_2": (1, 7), "7x7_3": (7, 1), "7x7x3_4": (3, 3), "3x3_2": (3, 3)}
    sides |= {f"7x7dbl_{number}": (7, 1) if number % 2 == 0 else (1, 7) for number in (2, 3, 4, 5)}
    sides |= {f"3x3dbl_{number}": (3, 3) for number in (2, 3)}
    for block, branches in BLOCKS.items():
        out = 0
        for branch in branches:
            here = width
            for step in branch:
                forks = [fork.partition("/")[0] for fork in ((step,) if isinstance(step, str) else step)]
                named = [fork for fork in forks if fork not in ("average", "most")]
                widths = [
                    unit(f"{block}.{fork}", here, 6, sides.get(fork.removeprefix("branch").lstrip("_"), (1, 1)))
                    for fork in named
                ]
                here = sum(widths) or here
            out += here
        width = out
    return state


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("fid") / "inception.pth"
    torch.save(narrow(), file)
    return file


def shade(grey: int, size: tuple[int, int] = (60, 40)) -> Image.Image:
    picture = Image.new("RGB", size, (grey, 128, 255 - grey))
    picture.paste((0, 0, 0), (0, 0, size[0] // 2, size[1] // 3))
    return picture


@pytest.mark.parametrize("layer", LAYERS)
def test_features_of_each_layer(weights: Path, layer: int) -> None:
    network = inception(weights, layer)
    assert network.revision.startswith("sha256:")
    found = network.features([shade(0), shade(90, (300, 310)), shade(0)])
    assert found.shape[0] == 3
    assert found.shape[1] > 0
    assert np.isfinite(found).all()
    assert (found[0] == found[2]).all()
    assert (found[0] != found[1]).any()


def test_layers_are_four_depths(weights: Path) -> None:
    assert [inception(weights, layer).features([shade(0)]).shape[1] for layer in LAYERS] == [8, 24, 24, 36]


def test_weights_of_something_else(tmp_path: Path, weights: Path) -> None:
    with pytest.raises(ValueError, match="layer 100 of Inception is unknown: choose one of 64, 192, 768, 2048"):
        inception(weights, 100)
    torch.save({"features.0.weight": torch.zeros(1, 3, 3, 3)}, tmp_path / "other.pth")
    with pytest.raises(ValueError, match=r"not those of FID's Inception v3 \('Conv2d_1a_3x3\.conv\.weight'\)"):
        inception(tmp_path / "other.pth")
    with pytest.raises(NotInstalled, match="no such file or folder"):
        inception(tmp_path / "absent.pth")
