"""Speed of rendering against reportlab and poppler at the same configuration (issue 3).

Run it alone: `pytest tests/bench/test_rendering.py -s -p no:randomly`. It prints ms a page and fails under the target.
"""

from __future__ import annotations

import io
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.pages import drawing, layout_named, render
from pytest_vtcfaith.pages.composing import _measure, fonts_of

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ROOT / "benchmark_cases" / "data" / "texts" / "en"
PAGES, WORDS = 200, 600
TARGET = 8
ROUNDS = 3
POPPLER_PAGES = 40


def corpus() -> list[str]:
    """Pages of the bundled English texts, each from another place on."""
    words = " ".join(path.read_text(encoding="utf-8") for path in sorted(TEXTS.glob("*.txt"))).split()
    step = len(words) // PAGES
    return [" ".join((words + words)[number * step : number * step + WORDS]) for number in range(PAGES)]


def seconds(call: Callable[[], object]) -> float:
    """Processor time of a call, that of the processes it starts included."""
    before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    call()
    after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime for a, b in zip(before, after, strict=True))


def render_all(texts: list[str]) -> None:
    """Every page from a cold start: no word or letter is drawn yet."""
    _measure.cache_clear()
    drawing.stamps.cache_clear()
    drawing._letters.cache_clear()
    drawing._drawn_letter.cache_clear()
    for text in texts:
        assert render(text, layout="glyph").image.size == (595, 842)


def test_rendering_against_reportlab_and_poppler(benchmark: Any, tmp_path: Path) -> None:
    reportlab = pytest.importorskip("reportlab", reason="the comparison needs reportlab")
    if shutil.which("pdftoppm") is None:
        pytest.skip("the comparison needs pdftoppm (poppler)")
    from PIL import Image
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    pdfmetrics.registerFont(TTFont("sans", str(fonts_of(layout_named("glyph"), "en")[0].path)))
    style = ParagraphStyle("glyph", fontName="sans", fontSize=9, leading=10)

    def reportlab_and_poppler(texts: list[str]) -> None:
        for text in texts:
            pdf = io.BytesIO()
            margins = dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), 10)
            SimpleDocTemplate(pdf, pagesize=(595, 842), **margins).build([Paragraph(text, style)])
            subprocess.run(["pdftoppm", "-r", "72", "-", tmp_path / "page"], input=pdf.getvalue(), check=True)
            with Image.open(tmp_path / "page-1.ppm") as picture:
                picture.load()
                assert picture.size == (595, 842)

    texts = corpus()
    render(texts[0], layout="glyph").image.load()  # imports
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(seconds(lambda: render_all(texts)) / PAGES)
        theirs.append(seconds(lambda: reportlab_and_poppler(texts[:POPPLER_PAGES])) / POPPLER_PAGES)
    ratio = min(theirs) / min(ours)
    benchmark.extra_info |= {"ratio": ratio, "reportlab_ms": 1000 * min(theirs), "reportlab": reportlab.Version}
    benchmark.pedantic(render_all, args=(texts,), rounds=1)
    print(f"\nms a page: ours {1000 * min(ours):.2f}, reportlab + poppler {1000 * min(theirs):.1f}: {ratio:.1f} times")
    assert ratio >= TARGET
