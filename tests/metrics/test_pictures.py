"""PSNR, SSIM and where pictures differ (`metrics/pictures.py`), against scikit-image and scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import median_filter

from pytest_vtcfaith.metrics import psnr, ssim
from pytest_vtcfaith.metrics.pictures import differing_box, identical, ssim_map, window


def flat(level: int, height: int = 32, width: int = 40) -> np.ndarray:
    return np.full((height, width), level, dtype=np.uint8)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A picture and the same with noise in a part of it."""
    shape: tuple[int, ...] = (draw(st.integers(3, 24)), draw(st.integers(3, 24)))
    shape += draw(st.sampled_from([(), (3,), (1,)]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    first = random.choice([0, 128, 255], shape).astype(np.uint8)
    second = first.copy()
    rows = slice(*sorted(draw(st.tuples(st.integers(0, 24), st.integers(0, 24)))))
    second[rows] = random.integers(0, 256, second[rows].shape)
    return first, second


def test_psnr() -> None:
    assert psnr(flat(12), flat(10)) == psnr(flat(10), flat(12)) == pytest.approx(10 * np.log10(255**2 / 4))
    assert psnr(flat(0), flat(255)) == 0.0
    assert psnr(flat(10), flat(10)) == 100.0
    assert identical(flat(10), flat(10))
    assert not identical(flat(10), flat(11))
    large = np.zeros((2000, 2000), dtype=np.uint8)
    speck = large.copy()
    speck[3, 3] = 1
    assert psnr(large, speck) > 100  # why identical pictures must be told apart by `identical`


def test_ssim_of_flat_pages_is_high_all_the_same() -> None:
    assert ssim(flat(255), flat(200)) == pytest.approx(0.9712, abs=1e-4)
    assert ssim(flat(0), flat(255)) == pytest.approx(0.0001, abs=1e-4)
    assert ssim(flat(7), flat(7)) == 1.0


@settings(max_examples=150, deadline=None)
@given(pairs())
def test_equal_scikit_image(pair: tuple[np.ndarray, np.ndarray]) -> None:
    metrics: Any = pytest.importorskip("skimage.metrics", reason="needs scikit-image")
    first, second = pair
    if not identical(first, second):
        assert psnr(first, second) == pytest.approx(metrics.peak_signal_noise_ratio(first, second), abs=1e-9)
    theirs, whole = metrics.structural_similarity(
        first,
        second,
        data_range=255,
        win_size=window(first.shape),
        channel_axis=-1 if first.ndim == 3 else None,
        full=True,
    )
    assert ssim(first, second) == pytest.approx(theirs, abs=1e-9)
    margin = window(first.shape) // 2
    inner = whole[margin : first.shape[0] - margin, margin : first.shape[1] - margin]
    assert ssim_map(first, second) == pytest.approx(inner if first.ndim == 2 else inner.mean(axis=2), abs=1e-9)
    assert ssim(first / 1.0, second / 1.0) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("side", "expected"), [(3, 3), (4, 3), (5, 5), (6, 5), (7, 7), (8, 7), (50, 7)])
def test_the_window_of_a_low_picture(side: int, expected: int) -> None:
    assert window((side, 50)) == window((50, side, 3)) == expected
    assert ssim(flat(9, side, 50), flat(9, side, 50)) == 1.0


def test_too_small_for_ssim() -> None:
    with pytest.raises(ValueError, match="a picture of 50 x 2 pixels is too small for SSIM"):
        ssim(flat(1, 2, 50), flat(1, 2, 50))


@settings(max_examples=150, deadline=None)
@given(pairs())
def test_differing_box_against_the_median(pair: tuple[np.ndarray, np.ndarray]) -> None:
    first, second = (picture if picture.ndim == 3 else picture[..., None] for picture in pair)
    apart = median_filter(np.abs(first.astype(int) - second).max(axis=2), size=5, mode="reflect") > 32
    rows, columns = np.nonzero(apart)
    expected = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1) if rows.size else None
    assert differing_box(*pair) == expected


def test_specks_and_faint_changes_do_not_count() -> None:
    page, changed = flat(255, 60, 60), flat(255, 60, 60)
    changed[5, 5] = 0  # a speck
    changed[40:50, 40:50] = 255 - 32  # a shade
    assert differing_box(page, changed) is None
    changed[20:30, 10:25] = 0
    assert differing_box(page, changed) == (10, 20, 25, 30)


@pytest.mark.parametrize(
    ("reference", "picture", "message"),
    [
        (flat(1), flat(1, 32, 41), r"the shapes \(32, 40\) and \(32, 41\) differ"),
        (flat(1), [[1]], "picture must be a numeric array"),
        (flat(1) > 0, flat(1), "reference must be a numeric array"),
        (np.zeros(5), np.zeros(5), "reference must be a numeric array"),
        (np.zeros((0, 5)), np.zeros((0, 5)), "reference must hold pixels"),
        (flat(1), flat(1) * 300.0, "picture must hold pixels, and values from 0 to 255"),
        (flat(1), np.full((32, 40), np.nan), "picture must hold pixels"),
        (flat(1) * -1.0, flat(1), "reference must hold pixels"),
    ],
)
def test_no_pictures(reference: Any, picture: Any, message: str) -> None:
    for metric in (psnr, ssim, differing_box, identical):
        with pytest.raises(ValueError, match=message):
            metric(reference, picture)
