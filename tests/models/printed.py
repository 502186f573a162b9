"""Small printed pages for the engines' tests, made with Pillow alone."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FONTS = {
    "en": ("fontpkg_noto_serif", "files/NotoSerif[wdth,wght].ttf"),
    "zh": ("pylopdf_fonts_zh_cn", "NotoSerifSC-Regular.otf"),
    "ko": ("pylopdf_fonts_ko", "NotoSerifKR-Regular.otf"),
}
LINES = {
    "en": [
        "The harbour master counted nineteen lanterns",
        "on the northern pier before the fog rolled in,",
        "and Margaret Oyelaran wrote down the number.",
        "Nobody answered her letters until the spring.",
    ],
    "zh": [
        "清晨的河面上起了一层薄雾",
        "摆渡人把船系在老柳树旁边",
        "孩子们沿着石阶跑向集市",
        "卖豆腐的老人已经收摊回家",
    ],
    "ko": [
        "새벽 안개가 강을 따라 천천히 내려왔다",
        "어부는 그물을 접어 배 위에 올려 놓고",
        "아이들은 돌계단을 지나 시장으로 뛰어갔다",
    ],
}


def font(lang: str, size: float) -> ImageFont.FreeTypeFont:
    package, file = FONTS[lang]
    found = importlib.util.find_spec(package)
    assert found is not None
    assert found.origin is not None
    return ImageFont.truetype(Path(found.origin).parent / file, size, layout_engine=ImageFont.Layout.BASIC)


def page(
    lines: Sequence[str], lang: str = "en", size: float = 19, pitch: float = 23, scale: float = 1.0
) -> Image.Image:
    """The lines on white, 9 pt at 150 dpi unless said; `scale` shrinks or enlarges the finished page (Lanczos)."""
    letters = font(lang, size)
    width = int(max(letters.getlength(line) for line in lines)) + 60
    image = Image.new("RGB", (width, int(pitch * len(lines)) + 60), "white")
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((30, 30 + number * pitch), line, fill="black", font=letters)
    if scale != 1.0:
        image = image.resize((int(width * scale), int(image.height * scale)), Image.Resampling.LANCZOS)
    return image
