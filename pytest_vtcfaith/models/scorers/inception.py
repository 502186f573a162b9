"""The Inception network that FID is defined with, as a function of its weights (Inception v3 of December 2015)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_vtcfaith.models.scorers.scorer import import_torch

if TYPE_CHECKING:
    from torch import Tensor

SIDE = 299
"""Pictures are resized to this width and height."""
EPSILON = 0.001  # of its batch normalisation
LAYERS = (64, 192, 768, 2048)
"""Where features are taken, by how many there are: after the first and second pooling, after Mixed_6e and Mixed_7c."""

Step = str | tuple[str, ...]  # one unit, "/2" where it halves the picture; or a fork into several
_DOUBLE = ("branch3x3dbl_1", "branch3x3dbl_2", "branch3x3dbl_3")
_SEVEN = tuple(f"branch7x7_{number}" for number in (1, 2, 3))
_SEVEN_DOUBLE = tuple(f"branch7x7dbl_{number}" for number in (1, 2, 3, 4, 5))
_A: tuple[tuple[Step, ...], ...] = (("branch1x1",), ("branch5x5_1", "branch5x5_2"), _DOUBLE, ("average", "branch_pool"))
_C: tuple[tuple[Step, ...], ...] = (("branch1x1",), _SEVEN, _SEVEN_DOUBLE, ("average", "branch_pool"))
_FORKS: tuple[tuple[Step, ...], ...] = (
    ("branch1x1",),
    ("branch3x3_1", ("branch3x3_2a", "branch3x3_2b")),
    ("branch3x3dbl_1", "branch3x3dbl_2", ("branch3x3dbl_3a", "branch3x3dbl_3b")),
)
BLOCKS: Mapping[str, tuple[tuple[Step, ...], ...]] = {
    "Mixed_5b": _A,
    "Mixed_5c": _A,
    "Mixed_5d": _A,
    "Mixed_6a": (("branch3x3/2",), ("branch3x3dbl_1", "branch3x3dbl_2", "branch3x3dbl_3/2"), ("most/2",)),
    "Mixed_6b": _C,
    "Mixed_6c": _C,
    "Mixed_6d": _C,
    "Mixed_6e": _C,
    "Mixed_7a": (
        ("branch3x3_1", "branch3x3_2/2"),
        ("branch7x7x3_1", "branch7x7x3_2", "branch7x7x3_3", "branch7x7x3_4/2"),
        ("most/2",),
    ),
    "Mixed_7b": (*_FORKS, ("average", "branch_pool")),
    "Mixed_7c": (*_FORKS, ("most", "branch_pool")),
}
"""The branches of each block, whose results are put side by side in this order."""


def inception_features(weights: Mapping[str, Tensor], pictures: Tensor, layer: int) -> Tensor:
    """The features of pictures (n, 3, height, width) with values from 0 to 255 at one of `LAYERS`, as (n, features).

    Every convolution is padded so that it keeps the size, unless it halves it or stands in the stem; averages leave the
    padding out of account. Raises KeyError for weights that are missing.
    Source: Heusel et al., NeurIPS 2017; Szegedy et al., CVPR 2016.
    """
    pool = import_torch().nn.functional
    shown: Tensor = (_resized(pictures.float()) - 128) / 128
    for name, stride, padded in (("Conv2d_1a_3x3", 2, False), ("Conv2d_2a_3x3", 1, False), ("Conv2d_2b_3x3", 1, True)):
        shown = _unit(weights, name, shown, stride, padded=padded)
    shown = pool.max_pool2d(shown, 3, 2)
    if layer == LAYERS[0]:
        return shown.mean((2, 3))
    for name in ("Conv2d_3b_1x1", "Conv2d_4a_3x3"):
        shown = _unit(weights, name, shown, 1, padded=False)
    shown = pool.max_pool2d(shown, 3, 2)
    if layer == LAYERS[1]:
        return shown.mean((2, 3))
    for block in BLOCKS:
        shown = _block(weights, block, shown)
        if block == "Mixed_6e" and layer == LAYERS[2]:
            break
    return shown.mean((2, 3))


def _block(weights: Mapping[str, Tensor], block: str, shown: Tensor) -> Tensor:
    torch = import_torch()
    results = []
    for branch in BLOCKS[block]:
        result = shown
        for step in branch:
            forks = (step,) if isinstance(step, str) else step
            result = torch.cat([_step(weights, block, fork, result) for fork in forks], 1)
        results.append(result)
    joined: Tensor = torch.cat(results, 1)
    return joined


def _step(weights: Mapping[str, Tensor], block: str, step: str, shown: Tensor) -> Tensor:
    pool = import_torch().nn.functional
    name, halves, _ = step.partition("/")
    stride = 2 if halves else 1
    if name == "average":
        pooled: Tensor = pool.avg_pool2d(shown, 3, 1, padding=1, count_include_pad=False)
        return pooled
    if name == "most":
        most: Tensor = pool.max_pool2d(shown, 3, stride, padding=0 if halves else 1)
        return most
    return _unit(weights, f"{block}.{name}", shown, stride, padded=not halves)


def _unit(weights: Mapping[str, Tensor], name: str, shown: Tensor, stride: int, *, padded: bool) -> Tensor:
    """A convolution, batch normalisation and ReLU."""
    function = import_torch().nn.functional
    kernel = weights[f"{name}.conv.weight"]
    padding = tuple(side // 2 for side in kernel.shape[2:]) if padded else 0
    shown = function.conv2d(shown, kernel, stride=stride, padding=padding)
    mean, variance, weight, bias = (
        weights[f"{name}.bn.{part}"] for part in ("running_mean", "running_var", "weight", "bias")
    )
    normalised: Tensor = function.relu(function.batch_norm(shown, mean, variance, weight, bias, eps=EPSILON))
    return normalised


def _resized(pictures: Tensor) -> Tensor:
    """The pictures at 299 × 299, bilinear as TensorFlow 1 does it, which FID was defined with: pixel i of the result is
    taken at i × scale, without antialiasing.
    """
    torch = import_torch()
    for axis in (2, 3):
        length = pictures.shape[axis]
        places = torch.arange(SIDE, dtype=torch.float32) * (length / SIDE)
        before = places.floor().long().clamp(max=length - 1)
        after = (before + 1).clamp(max=length - 1)
        share = (places - before).reshape((-1, 1) if axis == 2 else (-1,))
        lower, upper = pictures.index_select(axis, before), pictures.index_select(axis, after)
        pictures = lower + (upper - lower) * share
    return pictures
