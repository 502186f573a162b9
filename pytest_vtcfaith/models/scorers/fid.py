"""Fréchet Inception Distance: how far the pictures of a set are from those of another, as clouds of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.models.scorers.inception import LAYERS, inception_features
from pytest_vtcfaith.models.scorers.scorer import import_torch
from pytest_vtcfaith.models.scorers.weights import digest, read_tensors, weight_files

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from PIL import Image
    from torch import Tensor

    Features = NDArray[numpy.floating[Any]]


def fid(reference: Features, output: Features) -> float | None:
    """The Fréchet distance of two sets of features (pictures × features), 0 or more; 0 for equal sets.

    None unless each set has more pictures than features: a covariance of fewer has no full rank, and the distance would
    measure the number of pictures. Covariances are those of samples. Raises ValueError for arrays of another shape, of
    different widths, or with values that are not finite. Source: Heusel et al., NeurIPS 2017, Eq. 6; definitions §5.
    """
    import numpy as np

    ours, theirs = (np.asarray(each, dtype=np.float64) for each in (reference, output))
    for name, each in (("reference", ours), ("output", theirs)):
        if each.ndim != 2 or not each.shape[1] or not np.isfinite(each).all():
            raise ValueError(f"features of {name}, of shape {each.shape}: give finite numbers, one row for a picture")
    if ours.shape[1] != theirs.shape[1]:
        raise ValueError(
            f"{ours.shape[1]} features of the reference, {theirs.shape[1]} of the output: take one network"
        )
    features = ours.shape[1]
    if min(len(ours), len(theirs)) <= features:
        return None
    first, second = (np.atleast_2d(np.cov(each, rowvar=False)) for each in (ours, theirs))
    values, vectors = np.linalg.eigh(first)
    root = (vectors * np.sqrt(values.clip(min=0))) @ vectors.T
    # Σ₁Σ₂ has the eigenvalues of this symmetric matrix, so they are real, and 0 or more but for dust
    shared = np.sqrt(np.linalg.eigvalsh(root @ second @ root).clip(min=0)).sum()
    apart = ((ours.mean(axis=0) - theirs.mean(axis=0)) ** 2).sum()
    return float(max(0.0, apart + np.trace(first) + np.trace(second) - 2 * shared))


def inception(weights: str | Path, layer: int = 2048) -> Inception:
    """The network whose weights a user names (`weights.weight_files`): the state dict of FID's Inception v3, as
    pytorch-fid and torch-fidelity publish it.

    `layer` is how many features a picture has, one of 64, 192, 768 and 2048; `fid` needs more pictures than that, and
    distances at different layers cannot be compared. Raises NotInstalled for what is not there, ValueError for another
    layer and for weights of another network.
    """
    if layer not in LAYERS:
        raise ValueError(f"layer {layer!r} of Inception is unknown: choose one of {', '.join(map(str, LAYERS))}")
    files = weight_files(weights)
    return Inception(read_tensors(files), layer, place=str(weights), revision=digest(files))


class Inception:
    """FID's network. Raises ValueError, naming `place`, for tensors of another one."""

    def __init__(self, tensors: Mapping[str, Tensor], layer: int = 2048, *, place: str, revision: str = "") -> None:
        self.revision = revision
        self._tensors = {name: each.float() for name, each in tensors.items()}
        self._layer = layer
        torch = import_torch()
        try:
            with torch.inference_mode():
                inception_features(self._tensors, torch.zeros(1, 3, 1, 1), layer)
        except (KeyError, RuntimeError) as error:
            raise ValueError(f"weights {place!r} are not those of FID's Inception v3 ({error})") from error

    def features(self, images: Sequence[Image.Image]) -> Features:
        """The features of each picture, as (pictures, features); pictures may differ in size."""
        import numpy as np

        torch = import_torch()
        rows = []
        for image in images:
            pixels = torch.from_numpy(np.asarray(image.convert("RGB")).copy()).permute(2, 0, 1)[None]
            with torch.inference_mode():
                rows.append(inception_features(self._tensors, pixels, self._layer)[0].numpy())
        return np.stack(rows)
