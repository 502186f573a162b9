"""The block layouts that come with the package; their geometry is our own, after the look of the papers' pages."""

from __future__ import annotations

from pytest_vtcfaith.pages.blocks import Block, BlockLayout, Figure

FOX = BlockLayout(
    # A dense page of US letter proportions: headings of a line, paragraphs over the full width.
    name="fox",
    width_pt=612,
    height_pt=792,
    blocks=(
        Block("title", 44, 36, 524, 34, max_lines=1),
        Block("body", 44, 76, 524, 196),
        Block("heading", 44, 280, 340, 22, max_lines=1),
        Block("body", 44, 304, 524, 206),
        Block("heading", 44, 518, 340, 22, max_lines=1),
        Block("body", 44, 542, 524, 218),
    ),
)
OMNI = BlockLayout(
    # A magazine's page: title and lead over the full width, then two columns with figures and their captions, then
    # the side notes.
    name="omni",
    width_pt=595,
    height_pt=842,
    blocks=(
        Block("title", 36, 34, 523, 62),
        Block("heading", 36, 104, 523, 40),
        Block("body", 36, 156, 196, 250),
        Block("heading", 36, 416, 196, 22, max_lines=1),
        Block("body", 36, 440, 196, 362),
        Block("caption", 246, 282, 196, 36),
        Block("body", 246, 330, 196, 302),
        Block("caption", 246, 764, 196, 38),
        Block("note", 462, 162, 91, 300),
        Block("note", 462, 488, 91, 308),
    ),
    figures=(Figure(246, 156, 196, 120), Figure(246, 644, 196, 114)),
)
