"""How large the text of a picture is, before anything was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

TINY_PITCH = 13.0  # between 9/10 pt at 2.5× compression (11.5 px, better up-scaled) and 9/10.8 pt at 100 dpi (15 px)
PROMINENCE = 0.2  # finds the pitch of every bundled text from 6 px up; higher misses Chinese, lower sees strokes


def line_pitch(image: Image.Image) -> int | None:
    """The distance of two printed lines in pixels, None for a blank picture.

    It is the first peak in the autocorrelation of the row sums of ink that stands out from the valley before it. Where
    nothing repeats (a single line) the height of the inked rows stands in.
    """
    import numpy as np

    grey = np.asarray(image.convert("L"), dtype=np.float64)
    ink = np.abs(grey - np.median(grey)).sum(axis=1)
    if ink.max() == 0:
        return None
    inked = np.flatnonzero(ink > 0.02 * ink.max())
    profile = np.sqrt(ink[inked[0] : inked[-1] + 1])  # so that short lines count nearly as much as full ones
    rows = len(profile)
    centred = profile - profile.mean()
    products = np.correlate(centred, centred, "full")[rows - 1 :]
    if products[0] == 0:
        return rows
    correlation = products / products[0] * rows / np.arange(rows, 0, -1)
    valley = 1.0
    for lag in range(1, rows * 2 // 3 - 1):  # longer lags rest on too few rows
        here = correlation[lag]
        valley = min(valley, here)
        if correlation[lag - 1] <= here >= correlation[lag + 1] and here - valley >= PROMINENCE:
            return lag
    return rows


def is_tiny(image: Image.Image) -> bool:
    """Whether the text is so small that the engines read it better enlarged, as measured on Glyph pages."""
    pitch = line_pitch(image)
    return pitch is not None and pitch < TINY_PITCH
