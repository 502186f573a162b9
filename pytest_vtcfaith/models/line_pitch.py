"""How large the text of a picture is, before anything was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

TINY_PITCH = 13.0  # between 9/10 pt at 2.5× compression (11.5 px, better up-scaled) and 9/10.8 pt at 100 dpi (15 px)


def line_pitch(image: Image.Image) -> int | None:
    """The distance of two printed lines in pixels, None for a blank picture.

    It is the first strong peak in the autocorrelation of the row sums of ink. Where nothing repeats (a single line)
    the height of the inked rows stands in.
    """
    import numpy as np

    grey = np.asarray(image.convert("L"), dtype=np.float64)
    ink = np.abs(grey - np.median(grey)).sum(axis=1)
    if ink.max() == 0:
        return None
    inked = np.flatnonzero(ink > 0.02 * ink.max())
    # the blur lets lines whose distance is no whole number of rows still fall on each other
    profile = np.convolve(ink, [0.25, 0.5, 0.25], "same")[inked[0] : inked[-1] + 1]
    rows = len(profile)
    centred = profile - profile.mean()
    if not centred.any():
        return rows
    raw = np.correlate(centred, centred, "full")[rows - 1 :]
    correlation = raw / raw[0] * rows / np.arange(rows, 0, -1)
    lags = correlation[: max(2, rows * 2 // 3)]  # longer lags rest on too few rows
    below = np.flatnonzero(lags < 0)
    if len(below) == 0:
        return rows
    start = int(below[0])
    strong = 0.6 * lags[start:].max()
    if strong < 0.2:
        return rows
    for lag in range(start + 1, len(lags) - 1):
        if lags[lag] >= strong and lags[lag - 1] <= lags[lag] >= lags[lag + 1]:
            return lag
    return rows


def is_tiny(image: Image.Image) -> bool:
    """Whether the text is so small that the engines read it better enlarged (measured; see docs/validation.md)."""
    pitch = line_pitch(image)
    return pitch is not None and pitch < TINY_PITCH
