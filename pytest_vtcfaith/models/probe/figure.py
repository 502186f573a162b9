"""The figure of a probe as SVG: cosine of the FFN outputs and ratio of attention, layer by layer (FaithC4 Figure 6)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 960, 400
"""Pixels of the whole figure."""

_TOP, _BOTTOM, _PANEL = 56, 320, 400
_LEFT = (64, 544)
# Told apart without colour too: by dash and by the shape of the marks
_STYLES = (("#0072b2", "", "circle"), ("#d55e00", "7 4", "square"), ("#009e73", "2 4", "triangle"))
_MARK = 3.5
_TICKS = 4
_DIGITS = 6
"""Most decimal places of a number on an axis."""


def figure(results: Mapping[str, Any], title: str) -> str:
    """The SVG of `results` (`results.as_json`); `title` is shown above it, as text."""
    layers = results["layers"]
    kinds = list(results["quartiles"])
    panels = [
        ("cosine", "cosine of FFN outputs with the original page", _cosine_range),
        ("ratio", "attention on the highlight, perturbed ÷ original", _ratio_range),
    ]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"',
        ' font-family="sans-serif" font-size="13" role="img">',
        f"<title>{escape(_visible(title))}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT[0]}" y="24" font-size="15" font-weight="bold">{escape(_visible(title))}</text>',
    ]
    for left, (field, name, span) in zip(_LEFT, panels, strict=True):
        curves = {kind: [row[field][kind] for row in layers] for kind in kinds}
        low, high = span([value for curve in curves.values() for value in curve if value is not None])
        lines += _axes(left, name, len(layers), low, high)
        for (colour, dash, mark), (_, values) in zip(_styles(len(kinds)), curves.items(), strict=True):
            points = [
                (left + _x(layer, len(layers)), _y(value, low, high))
                for layer, value in enumerate(values)
                if value is not None
            ]
            lines += _curve(points, colour, dash, mark)
    for number, (kind, (colour, dash, mark)) in enumerate(zip(kinds, _styles(len(kinds)), strict=True)):
        x = _LEFT[0] + 150 * number
        lines += _curve([(x, HEIGHT - 18), (x + 28, HEIGHT - 18)], colour, dash, mark)
        lines.append(f'<text x="{x + 36}" y="{HEIGHT - 13}">{escape(kind)}</text>')
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def _styles(count: int) -> list[tuple[str, str, str]]:
    return [_STYLES[number % len(_STYLES)] for number in range(count)]


def _visible(text: str) -> str:
    """The text without what XML cannot hold."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _cosine_range(values: Sequence[float]) -> tuple[float, float]:
    least = min(values, default=0.0)
    step = 10.0 ** next((-digits for digits in range(1, _DIGITS) if least < 1 - 10.0**-digits), -_DIGITS)
    every = _TICKS * step  # so that each tick is a whole step
    return 1.0 - math.ceil(round((1.0 - least) / every, 6)) * every, 1.0


def _ratio_range(values: Sequence[float]) -> tuple[float, float]:
    return 0.0, max(2.0, math.ceil(max(values, default=0.0) * 2) / 2)


def _x(layer: int, layers: int) -> float:
    return _PANEL * layer / max(1, layers - 1)


def _y(value: float, low: float, high: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * (value - low) / ((high - low) or 1)


def _axes(left: int, name: str, layers: int, low: float, high: float) -> Iterator[str]:
    yield f'<text x="{left}" y="{_TOP - 12}">{escape(name)}</text>'
    ticks = [low + (high - low) * step / _TICKS for step in range(_TICKS + 1)]
    # As many places as it takes: rounded labels of even steps look uneven
    digits = next(
        (d for d in range(1, _DIGITS) if all(abs(round(v, d) - v) < (high - low) / 1e4 for v in ticks)), _DIGITS
    )
    for value in ticks:
        y = _y(value, low, high)
        yield f'<line x1="{left}" x2="{left + _PANEL}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" font-size="11">{value:.{digits}f}</text>'
    if low < 1 < high:
        y = _y(1, low, high)
        yield f'<line x1="{left}" x2="{left + _PANEL}" y1="{y:.1f}" y2="{y:.1f}" stroke="#555" stroke-dasharray="1 3"/>'
    for layer in sorted({round(number * (layers - 1) / 8) for number in range(9)}):
        x = left + _x(layer, layers)
        yield f'<text x="{x:.1f}" y="{_BOTTOM + 18}" text-anchor="middle" font-size="11">{layer}</text>'
    yield f'<text x="{left + _PANEL / 2}" y="{_BOTTOM + 38}" text-anchor="middle">layer</text>'


def _curve(points: Sequence[tuple[float, float]], colour: str, dash: str, mark: str) -> Iterator[str]:
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>'
    for x, y in points:
        if mark == "circle":
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_MARK}" fill="{colour}"/>'
        elif mark == "square":
            yield (
                f'<rect x="{x - _MARK:.1f}" y="{y - _MARK:.1f}" width="{2 * _MARK}" height="{2 * _MARK}" '
                f'fill="{colour}"/>'
            )
        else:
            tip = f"{x:.1f},{y - _MARK:.1f} {x + _MARK:.1f},{y + _MARK:.1f} {x - _MARK:.1f},{y + _MARK:.1f}"
            yield f'<polygon points="{tip}" fill="{colour}"/>'
