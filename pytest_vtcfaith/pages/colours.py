"""Colours."""

from __future__ import annotations

RGB = tuple[int, int, int]
"""Red, green, blue, each 0..255."""
