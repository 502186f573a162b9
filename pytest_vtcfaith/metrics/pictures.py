"""Likeness of two pictures by their pixels: PSNR, SSIM and where they differ (definitions §5).

A picture is an array of numbers from 0 to 255, of shape height × width or height × width × channels, as
`numpy.asarray(pages.images.upright_rgb(picture))` gives it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Picture = NDArray[numpy.number]

IDENTICAL_PSNR = 100.0
"""What `psnr` gives for identical pictures, in dB; a picture with few wrong pixels can lie above it."""
DIFFERENCE = 32
"""By more than this of 255 a pixel differs from another (`differing_box`)."""
WINDOW = 7
"""Side of the windows that SSIM compares, in pixels."""

_MEDIAN = 5  # side of the median's window, in pixels
_K1, _K2 = 0.01, 0.03


def identical(reference: Picture, picture: Picture) -> bool:
    """Whether all pixels are equal. Raises ValueError as `psnr`."""
    reference, picture = _pair(reference, picture)
    return bool((reference == picture).all())


def psnr(reference: Picture, picture: Picture) -> float:
    """Peak signal-to-noise ratio in dB: 10·log₁₀(255² ÷ mean squared error); 100 for identical pictures.

    Because 100 is no measurement, means leave identical pictures out and report them apart (`identical`).
    Raises ValueError unless both are pictures as this module's head says, of one shape.
    Source: VDE Bench F.3.1, Eq. 20; definitions §5.
    """
    import numpy as np

    reference, picture = _pair(reference, picture)
    error = float(np.mean((reference.astype(np.float64) - picture) ** 2))
    return float(10 * np.log10(255**2 / error)) if error else IDENTICAL_PSNR


def ssim(reference: Picture, picture: Picture) -> float:
    """Structural similarity, in [−1, 1]: the mean of `ssim_map`; arguments and errors as there.

    Equal to scikit-image's `structural_similarity` with `data_range=255`. Source: VDE Bench F.3.2, Eq. 21.
    """
    return float(ssim_map(reference, picture).mean())


def ssim_map(reference: Picture, picture: Picture) -> NDArray[numpy.float64]:
    """Structural similarity of every window of 7 × 7 pixels that lies in the picture, mean over the channels.

    Windows have equal weights; variances are those of samples; K₁ = 0.01, K₂ = 0.03. Where a side has fewer than seven
    pixels, the window is the largest odd one that fits. The result has window − 1 rows and columns less than the
    picture. Raises ValueError as `psnr`, and for a picture of under three pixels in height or width.
    Source: Wang et al., IEEE Trans. Image Process. 13(4), 2004.
    """
    import numpy as np

    reference, picture = _pair(reference, picture)
    side = window(reference.shape)
    channels = [(reference, picture)] if reference.ndim == 2 else list(_channels(reference, picture))
    total = np.zeros((reference.shape[0] - side + 1, reference.shape[1] - side + 1))
    before: tuple[Picture, Picture] | None = None
    for ours, theirs in channels:
        if before is None or not (np.array_equal(ours, before[0]) and np.array_equal(theirs, before[1])):  # grey pages
            found = _ssim_of_channel(ours, theirs, side)
        before = ours, theirs
        total += found
    return total / len(channels)


def window(shape: tuple[int, ...]) -> int:
    """The side of SSIM's window for a picture of this shape. Raises ValueError for one with a side under 3 pixels."""
    shorter = min(shape[:2])
    if shorter < 3:
        raise ValueError(f"a picture of {shape[1]} x {shape[0]} pixels is too small for SSIM: 3 x 3 is the least")
    return min(WINDOW, shorter - 1 + shorter % 2)


def differing_box(reference: Picture, picture: Picture) -> tuple[int, int, int, int] | None:
    """The box (left, top, right, bottom) of the pixels that differ, or None when none does.

    A pixel differs when the median over 5 × 5 pixels of the difference, the largest of all channels, is over 32 of 255;
    beyond the edges the picture is mirrored. Raises ValueError as `psnr`. Source: definitions §5, `localization`.
    """
    import numpy as np

    reference, picture = _pair(reference, picture)
    apart = np.abs(reference.astype(np.float64) - picture) > DIFFERENCE
    mask = apart if apart.ndim == 2 else apart.any(axis=2)
    # The median of a window is over a bound exactly when most of its values are
    counts = _sums(np.pad(mask, _MEDIAN // 2, mode="symmetric").astype(np.int64), _MEDIAN)
    differs = counts > _MEDIAN**2 // 2
    rows, columns = (np.flatnonzero(differs.any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _pair(reference: Picture, picture: Picture) -> tuple[Picture, Picture]:
    import numpy as np

    for name, array in (("reference", reference), ("picture", picture)):
        if not isinstance(array, np.ndarray) or array.ndim not in (2, 3) or array.dtype.kind not in "uif":
            raise ValueError(
                f"{name} must be a numeric array, height × width (× channels): numpy.asarray(upright_rgb(…))"
            )
        if not array.size or not (array.min() >= 0 and array.max() <= 255):
            raise ValueError(f"{name} must hold pixels, and values from 0 to 255")
    if reference.shape != picture.shape:
        raise ValueError(
            f"the shapes {reference.shape} and {picture.shape} differ: resize the picture to the reference"
        )
    return reference, picture


def _channels(reference: Picture, picture: Picture) -> list[tuple[Picture, Picture]]:
    return [(reference[..., number], picture[..., number]) for number in range(reference.shape[2])]


def _ssim_of_channel(reference: Picture, picture: Picture, side: int) -> NDArray[numpy.float64]:
    import numpy as np

    if np.array_equal(reference, picture):
        return np.ones((reference.shape[0] - side + 1, reference.shape[1] - side + 1))
    # Whole numbers are summed exactly
    wide = np.float64 if "f" in (reference.dtype.kind, picture.dtype.kind) else np.int64
    x, y = reference.astype(wide), picture.astype(wide)
    count = side**2
    mean_x, mean_y = _sums(x, side) / count, _sums(y, side) / count
    sample = count / (count - 1)
    square_x = sample * (_sums(x * x, side) / count - mean_x**2)
    square_y = sample * (_sums(y * y, side) / count - mean_y**2)
    product = sample * (_sums(x * y, side) / count - mean_x * mean_y)
    c1, c2 = (_K1 * 255) ** 2, (_K2 * 255) ** 2
    above = (2 * mean_x * mean_y + c1) * (2 * product + c2)
    below = (mean_x**2 + mean_y**2 + c1) * (square_x + square_y + c2)
    return np.asarray(above / below, dtype=np.float64)


def _sums(values: NDArray[numpy.number], side: int) -> NDArray[numpy.number]:
    """The sums over all windows of side × side values."""
    import numpy as np

    for turned in (False, True):
        lines = values.T if turned else values
        ends = np.cumsum(lines, axis=0)
        sums = ends[side - 1 :].copy()
        sums[1:] -= ends[:-side]
        values = sums.T if turned else sums
    return values
