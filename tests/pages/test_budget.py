from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.pages.budget import (
    FAMILIES,
    Unsupported,
    fit_budget,
    picture_cost,
    resize_within,
    smart_resize,
    visual_tokens,
)

SQUARE, A4_72, A4_200 = (1024, 1024), (595, 842), (1654, 2339)
CHECK_VALUES = {
    "qwen2-vl": (1369, 630, 4956),
    "qwen2.5-vl": (1369, 630, 4956),
    "qwen3-vl": (1024, 494, 3796),
    "hunyuan-ocr": (1058, 522, 3871),
    "glm-4.1v": (1369, 630, 4956),
    "glyph": (1369, 630, 4956),
    "deepseek-ocr-tiny": (64, 64, 64),
    "deepseek-ocr-small": (100, 100, 100),
    "deepseek-ocr-base": (256, 181, 182),
    "deepseek-ocr-large": (400, 283, 283),
    "deepseek-ocr-gundam": (656, 856, 856),
    "deepseek-ocr-2": (833, 1121, 1121),
    "internvl3.5": (2560, 1792, 1792),
    "lighton-ocr": (1369, 630, 2145),
    "gemma3": (256, 256, 256),
    "nominal": (256, 140, 962),
    "nominal-32": (1024, 513, 3848),
}
PAGE = {"page_width": 595, "page_height": 842}


@pytest.mark.parametrize("family", CHECK_VALUES)
def test_check_values_of_the_definitions(family: str) -> None:
    assert tuple(visual_tokens(family, *size) for size in (SQUARE, A4_72, A4_200)) == CHECK_VALUES[family]


def test_paddle_keeps_between_its_pixel_bounds() -> None:
    assert visual_tokens("paddleocr-vl", 100, 100) == 14 * 14  # ⌈√147384 ÷ 28⌉ = 14
    assert visual_tokens("paddleocr-vl", 5000, 5000) == 60 * 60  # ⌊√2822400 ÷ 28⌋ = 60


@pytest.mark.parametrize(
    ("family", "size", "tokens"),
    [
        ("deepseek-ocr-gundam", (640, 600), 256),  # fits one tile: the page view alone
        ("deepseek-ocr-gundam", (641, 600), 656),
        ("deepseek-ocr-gundam", (1920, 1920), 256 + 900),
        ("deepseek-ocr-2", (768, 700), 257),
        ("internvl3.5", (448, 448), 256),  # one tile has no thumbnail
        ("internvl3.5", (300, 300), 256),
        ("glm-4.1v", (100, 10), 10),  # grown to 280x28 first: two frames of that are over the minimum
    ],
)
def test_tiles_and_small_pictures(family: str, size: tuple[int, int], tokens: int) -> None:
    assert visual_tokens(family, *size) == tokens


@pytest.mark.parametrize(
    ("family", "size", "resized"),
    [
        ("qwen2.5-vl", (595, 842), (588, 840)),
        ("glm-4.1v", (100, 10), (280, 28)),
        ("paddleocr-vl", (5, 15), (224, 700)),
        ("hunyuan-ocr", (595, 842), (608, 832)),
        ("deepseek-ocr-tiny", (595, 842), (512, 512)),
        ("deepseek-ocr-base", (595, 842), (724, 1024)),
        ("deepseek-ocr-gundam", (320, 640), (512, 1024)),
        ("deepseek-ocr-gundam", (595, 842), (1280, 1920)),
        ("internvl3.5", (595, 842), (896, 1344)),
        ("lighton-ocr", (595, 842), (602, 854)),
        ("gemma3", (595, 842), (896, 896)),
        ("nominal", (595, 842), None),
    ],
)
def test_the_size_a_model_sees(family: str, size: tuple[int, int], resized: tuple[int, int] | None) -> None:
    assert picture_cost(family, *size).resized == resized


@pytest.mark.parametrize(
    ("family", "size", "reason"),
    [
        ("lighton-ocr", (14, 300), "the model sees it at 14x308, which is no token"),
        ("lighton-ocr", (1, 3000), "the model sees it at 0x1540, which is no token"),
        ("deepseek-ocr-2", (3000, 1), "its short side vanishes when the long one becomes 1024 pixels"),
        ("deepseek-ocr-large", (1, 2560), "its short side vanishes when the long one becomes 1280 pixels"),
        ("paddleocr-vl", (2272, 5), "grown to cells of 28: aspect ratio 454.4 is over 200"),
    ],
)
def test_a_picture_that_no_model_could_see(family: str, size: tuple[int, int], reason: str) -> None:
    with pytest.raises(ValueError, match=rf"^picture of {size[0]}x{size[1]} pixels.*{reason}"):
        visual_tokens(family, *size)


def test_the_published_modes_of_deepseek_ocr() -> None:
    """DeepSeek-OCR (arXiv 2510.18234), Table 1: tokens of each mode; a square picture has no padding."""
    modes = {"tiny": (512, 64), "small": (640, 100), "base": (1024, 256), "large": (1280, 400)}
    for mode, (side, tokens) in modes.items():
        assert visual_tokens(f"deepseek-ocr-{mode}", side, side) == tokens
    gundam = {visual_tokens("deepseek-ocr-gundam", 640 * c, 640 * r) for c in range(1, 10) for r in range(1, 10)}
    assert gundam == {256 + 100 * n for n in (0, 2, 3, 4, 5, 6, 7, 8, 9)}


def test_unknown_family_names_the_nearest_first() -> None:
    with pytest.raises(
        ValueError, match=r"unknown visual-token family 'qwen-2.5-vl'; known, nearest first: qwen2\.5-vl"
    ):
        visual_tokens("qwen-2.5-vl", 10, 10)


@pytest.mark.parametrize("family", ["nominal-0", "nominal--3", "nominal-x", ""])
def test_bad_stride_is_an_unknown_family(family: str) -> None:
    with pytest.raises(ValueError, match="unknown visual-token family"):
        visual_tokens(family, 10, 10)


@pytest.mark.parametrize(
    ("size", "factor", "bounds", "expected"),
    [
        ((650, 30), 28, (3136, 20 * 28**2), (560, 28)),  # no side of 0
        ((2048, 16), 32, (65_536, 16_777_216), (2912, 32)),  # 16/32 rounds to even, which is 0
        ((1800, 9), 28, (3136, 12_845_056), (812, 28)),  # exactly 200 is allowed; 9/28 rounds to 0: too small
        ((42, 42), 28, (0, 10**9), (56, 56)),  # 1.5 rounds to 2
        ((70, 70), 28, (0, 10**9), (56, 56)),  # 2.5 rounds to 2
        ((4000, 20), 28, (3136, 64 * 28**2), (113 * 28, 28)),
        ((5600, 28), 28, (3136, 100 * 28**2), (141 * 28, 28)),
    ],
)
def test_smart_resize(size: tuple[int, int], factor: int, bounds: tuple[int, int], expected: tuple[int, int]) -> None:
    assert smart_resize(*size, factor, *bounds) == expected
    assert smart_resize(*size[::-1], factor, *bounds) == expected[::-1]


@pytest.mark.parametrize("size", [(1801, 9), (9, 1801)])
@pytest.mark.parametrize("family", ["qwen2.5-vl", "qwen3-vl", "glm-4.1v", "hunyuan-ocr", "paddleocr-vl"])
def test_aspect_ratio_over_200_is_an_error(size: tuple[int, int], family: str) -> None:
    with pytest.raises(ValueError, match=r"aspect ratio 200\.1 is over 200"):
        visual_tokens(family, *size)


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (-1, 5)])
def test_sides_under_one_pixel_are_errors(size: tuple[int, int]) -> None:
    for family in FAMILIES:
        with pytest.raises(ValueError, match="at least 1 pixel"):
            visual_tokens(family, *size)


@pytest.mark.parametrize(("size", "allowed", "least"), [((4000, 20), 64, 113), ((5600, 28), 100, 141)])
def test_a_budget_the_short_side_breaks_is_unsupported(size: tuple[int, int], allowed: int, least: int) -> None:
    with pytest.raises(Unsupported, match=rf"{least} tokens at the least, {allowed} allowed"):
        resize_within(*size, factor=28, max_tokens=allowed)


def test_resize_within_a_budget() -> None:
    assert resize_within(650, 30, factor=28, max_tokens=20) == (560, 28)


sides = st.integers(1, 6000)


@given(sides, sides, st.sampled_from([14, 28, 32]))
def test_smart_resize_gives_multiples_within_bounds(width: int, height: int, factor: int) -> None:
    low, high = 4 * factor**2, 4000 * factor**2
    if max(width, height) > 200 * min(width, height):
        with pytest.raises(ValueError, match="over 200"):
            smart_resize(width, height, factor, low, high)
        return
    new_width, new_height = smart_resize(width, height, factor, low, high)
    assert new_width % factor == new_height % factor == 0
    assert min(new_width, new_height) >= factor
    assert new_width * new_height >= low
    assert new_width * new_height <= high or min(new_width, new_height) == factor
    if max(new_width, new_height) <= 200 * min(new_width, new_height):  # 29x5608 becomes 28x5614
        assert smart_resize(new_width, new_height, factor, low, high) == (new_width, new_height)


@given(sides, sides)
def test_glm_counts_two_frames_against_its_bounds(width: int, height: int) -> None:
    if min(width, height) < 28 or max(width, height) > 200 * min(width, height):
        return
    columns, rows = round(width / 28), round(height / 28)
    if 12_544 <= 2 * columns * rows * 784 <= 9_633_792:
        assert visual_tokens("glm-4.1v", width, height) == columns * rows


@given(sides, sides, st.integers(1, 300))
def test_nominal_counts_started_cells(width: int, height: int, stride: int) -> None:
    cells = len(range(0, width, stride)) * len(range(0, height, stride))
    assert visual_tokens(f"nominal-{stride}", width, height) == cells


@settings(deadline=None)
@given(
    st.sampled_from([*FAMILIES, "nominal-32"]),
    st.integers(1, 3000),
    st.floats(0.5, 20),
    st.sampled_from([(595, 842), (842, 595), (600, 600), (1240, 500)]),
)
def test_a_fit_keeps_its_promises(family: str, n_text: int, ratio: float, page: tuple[int, int]) -> None:
    target = n_text / ratio
    fit, reason = None, ""
    try:
        fit = fit_budget(n_text, ratio, family=family, page_width=page[0], page_height=page[1])
    except Unsupported as error:
        reason = str(error)
    if fit is None:
        assert f"{target:g}" in reason
        return
    assert fit.target == target
    assert fit.tokens == visual_tokens(family, fit.width, fit.height)
    assert fit.tokens <= target + 1e-6
    assert target - fit.tokens <= max(1, 0.05 * target) + 1e-6
    assert abs(fit.width / fit.height / (page[0] / page[1]) - 1) <= 0.15 + 1e-6


@pytest.mark.parametrize(("family", "quantum"), [("qwen2.5-vl", 28), ("hunyuan-ocr", 32)])
def test_of_equal_costs_whole_cells_nearest_in_shape_are_taken(family: str, quantum: int) -> None:
    """Oracle: every size of whole cells."""
    aspect = 595 / 842
    nearest: dict[int, float] = {}
    for columns in range(1, 25):
        for rows in range(1, 36):
            off = abs(columns / rows / aspect - 1)
            tokens = visual_tokens(family, columns * quantum, rows * quantum)
            whole = rows * columns if family == "qwen2.5-vl" else rows * (columns + 1) + 2
            if off <= 0.15 and tokens == whole:
                nearest[tokens] = min(nearest.get(tokens, math.inf), off)
    assert len(nearest) > 50
    for tokens, off in nearest.items():
        fit = fit_budget(tokens, 1.0, family=family, **PAGE)
        assert fit.tokens == tokens
        assert fit.width % quantum == fit.height % quantum == 0
        assert abs(fit.width / fit.height / aspect - 1) == pytest.approx(off)


def _taken_as_it_is(family: str, width: int, height: int) -> bool:
    """Whether the rule neither scales a picture up to its minimum nor down to its maximum."""
    if max(width, height) > 200 * min(width, height):
        return family not in BOUNDS
    if family == "lighton-ocr":
        return min(width, height) > 14 and max(width, height) <= 1540
    if family not in BOUNDS:
        return True
    factor, low, high = BOUNDS[family]
    return low <= round(width / factor) * round(height / factor) * factor**2 <= high and min(width, height) >= factor


BOUNDS = {
    "qwen2.5-vl": (28, 3136, 12_845_056),
    "qwen3-vl": (32, 65_536, 16_777_216),
    "glm-4.1v": (28, 6272, 4_816_896),
    "hunyuan-ocr": (32, 512**2, 2048**2),
    "paddleocr-vl": (28, 147_384, 2_822_400),
}


@pytest.mark.parametrize(
    ("family", "targets", "longest"),
    [
        ("qwen2.5-vl", range(4, 41), 280),
        ("qwen3-vl", range(64, 91), 440),
        ("glm-4.1v", range(8, 41), 280),
        ("lighton-ocr", range(1, 31), 280),
        ("nominal-16", range(1, 41), 160),
    ],
)
def test_no_size_at_all_comes_nearer_to_a_small_target(family: str, targets: range, longest: int) -> None:
    """Oracle: every size up to `longest` pixels within the tolerance."""
    aspect = 595 / 842
    costs = {
        visual_tokens(family, width, height)
        for height in range(1, longest + 1)
        for width in range(math.ceil(0.85 * aspect * height), math.floor(1.15 * aspect * height) + 1)
        if _taken_as_it_is(family, width, height)
    }
    assert max(costs) > targets[-1]
    for target in targets:
        best = max((cost for cost in costs if cost <= target), default=0)
        if best and target - best <= max(1, 0.05 * target):
            assert fit_budget(target, 1, family=family, **PAGE).tokens == best
        else:
            with pytest.raises(Unsupported):
                fit_budget(target, 1, family=family, **PAGE)


@settings(deadline=None)
@given(
    st.sampled_from([*BOUNDS, "lighton-ocr", "nominal-32", "deepseek-ocr-gundam", "deepseek-ocr-2", "internvl3.5"]),
    st.sampled_from([(595, 842), (842, 595), (600, 600), (1240, 500), (77, 60)]),
    st.integers(20, 1500),
    st.floats(0.85, 1.15),
)
def test_the_cost_of_any_size_near_the_shape_can_be_asked_for(
    family: str, page: tuple[int, int], height: int, stretch: float
) -> None:
    aspect = page[0] / page[1]
    width = max(20, round(height * aspect * stretch))
    if abs(width / height / aspect - 1) > 0.15 or not _taken_as_it_is(family, width, height):
        return
    tokens = visual_tokens(family, width, height)
    assert fit_budget(tokens, 1, family=family, page_width=page[0], page_height=page[1]).tokens == tokens


@pytest.mark.parametrize(
    ("family", "tokens", "side"), [("deepseek-ocr-gundam", 256, 640), ("deepseek-ocr-2", 257, 768)]
)
def test_a_page_that_fits_into_one_tile(family: str, tokens: int, side: int) -> None:
    fit = fit_budget(tokens, 1, family=family, **PAGE)
    assert (fit.tokens, fit.height, fit.width) == (tokens, side, round(side * 595 / 842))


def test_a_grid_off_the_shape_is_met_at_the_edge_of_the_tolerance() -> None:
    fit = fit_budget(84, 1, family="qwen3-vl", **PAGE)  # 7 x 12 cells are 224x384, narrower than the tolerance
    assert (fit.width, fit.height) == (231, 384)


def test_a_page_nearly_too_long_for_a_family_is_still_fitted() -> None:
    fit = fit_budget(205, 1, family="qwen2.5-vl", page_width=2000, page_height=10)
    assert (fit.width, fit.height, fit.tokens) == (
        5600,
        28,
        200,
    )  # a row of 201 cells is over 200 times as wide as high


@pytest.mark.parametrize("target", [26, 27, 40, 53, 80, 97, 160])
def test_no_trimmed_page_comes_nearer_to_the_target(target: int) -> None:
    """Oracle: a grid of cells is reachable when some page that starts its last cells is near enough in shape."""
    aspect = 595 / 842
    reachable = [
        columns * rows
        for columns in range(1, 60)
        for rows in range(1, 60)
        if columns * rows <= target
        and (64 * (columns - 1) + 1) / (64 * rows) <= 1.15 * aspect
        and 64 * columns / (64 * (rows - 1) + 1) >= 0.85 * aspect
    ]
    best = max(reachable)
    if target - best > max(1, 0.05 * target):
        with pytest.raises(Unsupported, match=rf"{target} visual tokens.* costs {best}"):
            fit_budget(target, 1.0, family="nominal", **PAGE)
    else:
        assert fit_budget(target, 1.0, family="nominal", **PAGE).tokens == best


def test_a_nominal_page_is_trimmed_to_the_shape_of_the_layout() -> None:
    fit = fit_budget(400, 10, family="nominal", **PAGE)
    assert (fit.width, fit.height, fit.tokens) == (320, 453, 40)
    assert round(320 * 842 / 595) == 453


@pytest.mark.parametrize(
    ("family", "n_text", "ratio", "reason"),
    [
        ("qwen3-vl", 400, 10, r"target is 40 visual tokens, the least a page of this shape costs is 66"),
        ("deepseek-ocr-gundam", 400, 1, r"target is 400 visual tokens, the nearest .* does not pass it costs 256"),
        ("deepseek-ocr-gundam", 255, 1, r"target is 255 visual tokens, the least a page of this shape costs is 256"),
        ("internvl3.5", 256, 1, r"target is 256 visual tokens, the least a page of this shape costs is 1792"),
        ("gemma3", 5000, 10, r"target is 500 visual tokens, the nearest size that does not pass it costs 256"),
        ("qwen2.5-vl", 400, 7.5, r"target is 53\.3333 visual tokens, the nearest size that does not pass it costs 48"),
    ],
)
def test_out_of_reach_is_unsupported_with_both_numbers(family: str, n_text: int, ratio: float, reason: str) -> None:
    with pytest.raises(Unsupported, match=reason):
        fit_budget(n_text, ratio, family=family, **PAGE)


@pytest.mark.parametrize(("n_text", "ratio"), [(0, 1), (-5, 1), (100, 0), (100, -2), (100, math.nan), (100, math.inf)])
def test_numbers_out_of_range_are_errors(n_text: int, ratio: float) -> None:
    with pytest.raises(ValueError, match="n_text must be at least 1") as caught:
        fit_budget(n_text, ratio, family="nominal", **PAGE)
    assert not isinstance(caught.value, Unsupported)


def test_the_fixed_families_take_a_page_that_fills_their_canvas() -> None:
    fit = fit_budget(256, 1, family="gemma3", **PAGE)
    assert (fit.width, fit.height) == (633, 896)
