"""The pixels of some pages, pinned: they are the same on every machine with the pinned Pillow."""

from __future__ import annotations

import PIL
import pytest

from pytest_vtcfaith.pages import fit_budget, render
from pytest_vtcfaith.pages.images import pixel_key

PILLOW = "13.0.0"
TEXTS = {
    "en": "The harbour master, Élodie Brandt, counted 1,284 crates before the tide turned; “a long night”, she wrote. "
    * 8,
    "zh": "港务长林晓梅在2024年3月15日清点了1,284箱货物（全部受潮）。“今晚会很长……”她写道：GPT-4.5的价格。" * 6,
    "ko": "항만 관리자 김민수는 2024년 3월에 1,284개의 상자를 세었다. 밤은 “길 것이다”라고 그는 적었다. " * 6,
}
PINS = {
    "en": "6eb93cd8cfbbf6481e3b332a87afca127f8aa46200e782ab00c998ed75635749",
    "zh": "44cd253385b86924b378a549888cd454806fe6439554f1f3e63b88b83faa4c30",
    "ko": "ace3a51b9203d95380e920d96ee2b1dc6b927cb82ba28685f40b4d814b2456d6",
    "glyph 10x": "117b0dbc7bca07c6b7f6c5a0f22d04c12aa8436268eeedb51ef08e8f278689ec",
    "glyph": "67ea141c113e7db203119038a5d72a4b4d6454e8463757df97414bd42fd20160",
    "fox": "ff73d5eca3d529785b4021bbf43bd45800b5717f1303ad1164e590a244250800",
    "omni": "7f7bd0a0cf328b34d312b274477e4878a59e7141feadd966971036e30f505999",
}

pytestmark = pytest.mark.skipif(
    PIL.__version__ != PILLOW, reason=f"pixels are pinned for Pillow {PILLOW}, this is {PIL.__version__}"
)


@pytest.mark.parametrize("lang", TEXTS)
def test_a_faithc4_page(lang: str) -> None:
    assert pixel_key(render(TEXTS[lang], lang=lang).image) == PINS[lang]


@pytest.mark.parametrize("layout", ["glyph", "fox", "omni"])
def test_a_page_at_the_layouts_resolution(layout: str) -> None:
    assert pixel_key(render(TEXTS["en"] + "\n" + TEXTS["en"], layout=layout).image) == PINS[layout]


def test_a_glyph_page_fitted_to_ten_times_compression() -> None:
    fit = fit_budget(400, 10, family="nominal", page_width=595, page_height=842)
    page = render(TEXTS["en"], layout="glyph", size=(fit.width, fit.height), visual_tokens=fit.tokens)
    assert pixel_key(page.image) == PINS["glyph 10x"]
