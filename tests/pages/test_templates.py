from __future__ import annotations

import json
import os
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.pages import BlockLayout, layout_named, render
from pytest_vtcfaith.pages.blocks import overlap


def poly(left: float, top: float, right: float, bottom: float) -> list[float]:
    return [left, top, right, top, right, bottom, left, bottom]


def det(category: str, box: tuple[float, float, float, float], order: object = None, **more: object) -> dict[str, Any]:
    return {"category_type": category, "poly": poly(*box), "order": order, "ignore": False, "anno_id": 0, **more}


def page(*dets: object, width: object = 1000, height: object = 2000, image: str = "a.jpg") -> dict[str, Any]:
    return {
        "layout_dets": list(dets),
        "page_info": {"page_no": 0, "width": width, "height": height, "image_path": image},
        "extra": {"relation": []},
    }


BODY = det("text_block", (100, 200, 900, 1200), 1)


def written(folder: Path, content: object) -> Path:
    path = folder / "annotations.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def read(folder: Path, content: object, suffix: str = "") -> BlockLayout:
    layout = layout_named(f"template:{written(folder, content)}{suffix}")
    assert isinstance(layout, BlockLayout)
    return layout


def test_blocks_are_filled_in_reading_order(tmp_path: Path) -> None:
    layout = read(
        tmp_path,
        [
            page(
                det("text_block", (520, 300, 900, 1900), 3),
                det("text_block", (100, 300, 480, 1200), 2),
                det("title", (100, 100, 900, 200), 1),
                det("figure", (100, 1250, 480, 1600)),
                det("figure_caption", (100, 1610, 480, 1700), 4),
                det("page_number", (480, 1950, 520, 1990)),
                det("header", (100, 10, 900, 60), 0),
                det("equation_isolated", (100, 1710, 480, 1800), 5),
                det("abandon", (0, 0, 50, 2000), 6),
                det("text_block", (100, 1820, 480, 1900), 7, ignore=True),
            )
        ],
    )
    assert (layout.width_pt, layout.height_pt) == (421, 842)
    assert [block.role for block in layout.blocks] == ["note", "title", "body", "body", "caption"]
    assert [round(block.left_pt / 0.421) for block in layout.blocks] == [100, 100, 100, 520, 100]
    assert [round(f.top_pt / 0.421) for f in layout.figures] == [1250]
    text = "tide and time wait for no man " * 60
    drawn = render(text, layout=layout)
    assert drawn.text == text.strip()
    tops = [word.top / (layout.dpi / 72) / 0.421 for word in drawn.words]
    assert 10 <= tops[0] < 60
    assert 1610 <= tops[-1] < 1700
    assert drawn.layout == layout.name == f"template:{tmp_path / 'annotations.json'}"


@pytest.mark.parametrize(
    ("category", "role"),
    [
        ("title", "title"),
        ("text_block", "body"),
        ("list_group", "body"),
        ("reference", "body"),
        ("code_txt", "body"),
        ("table_caption", "caption"),
        ("code_txt_caption", "caption"),
        ("equation_caption", "caption"),
        ("table_footnote", "note"),
        ("figure_footnote", "note"),
        ("page_footnote", "note"),
        ("footer", "note"),
        ("page_number", "note"),
    ],
)
def test_categories(tmp_path: Path, category: str, role: str) -> None:
    layout = read(tmp_path, page(det(category, (0, 0, 500, 100), 1)))
    assert [block.role for block in layout.blocks] == [role]


def test_pages_are_chosen_by_number_or_image(tmp_path: Path) -> None:
    pages = [
        page(det("title", (0, 0, 500, 100), 1), image="images/eins.jpg"),
        page(BODY, image="zwei.png"),
        page(det("footer", (0, 0, 500, 100), 1), image="drei.jpg"),
    ]
    roles = {
        suffix: read(tmp_path, pages, suffix).blocks[0].role
        for suffix in ("", "#1", "#2", "#3", "#eins", "#images/eins.jpg", "#eins.jpg", "#zwei.png", "#drei")
    }
    assert list(roles.values()) == ["title", "title", "body", "note", "title", "title", "title", "body", "note"]


def test_a_file_whose_name_has_a_hash(tmp_path: Path) -> None:
    path = tmp_path / "pages#2.json"
    path.write_text(json.dumps(page(BODY)), encoding="utf-8")
    assert layout_named(f"template:{path}") == layout_named(f"template:{path}")
    assert layout_named(f"template:{path}#1").width_pt == 421


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    assert read(tmp_path, page(BODY)).height_pt == 842
    path = written(tmp_path, page(BODY, height=1000))
    os.utime(path, ns=(1, 1))
    assert layout_named(f"template:{path}").width_pt == 842


def test_the_longer_side_is_842_pt(tmp_path: Path) -> None:
    layout = read(tmp_path, page(det("title", (0, 0, 300, 100), 1), width=3000, height=1500))
    assert (layout.width_pt, layout.height_pt) == (842, 421)


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ((880, 200, 1000, 1200), (900, 200, 1000, 1200)),
        ((0, 300, 120, 900), (0, 300, 100, 900)),
        ((100, 1150, 900, 1400), (100, 1200, 900, 1400)),
        ((100, 100, 900, 250), (100, 100, 900, 200)),
        ((100, 1200, 900, 1400), (100, 1200, 900, 1400)),
    ],
)
def test_a_block_is_cut_back_to_what_is_beside_an_earlier_one(
    tmp_path: Path, second: tuple[int, int, int, int], expected: tuple[int, int, int, int]
) -> None:
    layout = read(tmp_path, page(det("text_block", second, 2), BODY))
    block = layout.blocks[1]
    found = (block.left_pt, block.top_pt, block.left_pt + block.width_pt, block.top_pt + block.height_pt)
    assert found == pytest.approx([side * 0.421 for side in expected])
    assert not any(overlap(a, b) for a, b in combinations(layout.blocks, 2))


def test_a_skewed_poly_counts_by_its_upright_rectangle_on_the_page(tmp_path: Path) -> None:
    skewed = {**BODY, "poly": [-50, 100, 900, 80, 950, 1200, 20, 1220]}
    block = read(tmp_path, page(skewed)).blocks[0]
    assert (block.left_pt, block.top_pt) == (0, pytest.approx(80 * 0.421))
    assert (block.width_pt, block.height_pt) == (pytest.approx(950 * 0.421), pytest.approx(1140 * 0.421))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], r"annotations\.json: the list of pages is empty"),
        ("text", r"annotations\.json, page 1: a page must be an object, got str"),
        ({"layout_dets": []}, r"page 1: page_info is missing"),
        (page(BODY, width=None), r"page 1: page_info\.width must be at least 1 pixel and at most 100000, got None"),
        (page(BODY, width=10**400), r"page 1: page_info\.width must be at least 1 pixel .*, got 1000"),
        (page(BODY, height=1e300), r"page_info\.height must be at least 1 pixel and at most 100000, got 1e\+300"),
        (page(BODY, width=1, height=100_000), "page 1: page_info has 1 x 100000 pixels: no side may be over 20 times"),
        (page(det("title", (0, 0, 500, 100), 10**400)), r"page 1, layout_dets\[0\] \(title\): order must be a number"),
        (page({**BODY, "poly": [10**400] * 8}), r"layout_dets\[0\] \(text_block\): poly must be 8 numbers, got \[1000"),
        (page(BODY, height=0), r"page 1: page_info\.height must be at least 1 pixel and at most 100000, got 0"),
        ({**page(), "layout_dets": None}, "page 1: layout_dets must be a list, got NoneType"),
        (page(7), r"page 1, layout_dets\[0\]: a block must be an object with a category_type, got 7"),
        (page(), "page 1: no block to fill"),
        (page({**BODY, "order": None}), "page 1: no block to fill"),
        (page({**BODY, "ignore": True}), "page 1: no block to fill"),
        (
            page(BODY, {**BODY, "order": "2"}),
            r"page 1, layout_dets\[1\] \(text_block\): order must be a number or null, got '2'",
        ),
        (
            page({**BODY, "poly": [1, 2, 3]}),
            r"layout_dets\[0\] \(text_block\): poly must be 8 numbers, got \[1, 2, 3\]",
        ),
        (page({**BODY, "poly": None}), "poly must be 8 numbers, got None"),
        (page({**BODY, "poly": ["1"] * 8}), "poly must be 8 numbers"),
        (
            page({**BODY, "poly": poly(5, 5, 5, 50)}),
            r"layout_dets\[0\] \(text_block\): poly .* has no area on the page",
        ),
        (page({**BODY, "poly": poly(2000, 5, 3000, 50)}), "has no area on the page"),
        (
            page(BODY, det("title", (150, 300, 600, 900), 2)),
            r"layout_dets\[1\] \(title\): over half of the block is covered by earlier blocks",
        ),
    ],
)
def test_bad_annotations_name_file_page_and_block(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(tmp_path, content)


@pytest.mark.parametrize(
    ("suffix", "message"),
    [
        ("#0", "there is no page 0, it has 1"),
        ("#2", "there is no page 2, it has 1"),
        ("#b.jpg", "image_path is 'b.jpg'"),
    ],
)
def test_a_page_that_is_not_there(tmp_path: Path, suffix: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(tmp_path, page(BODY), suffix)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"gone\.json: the annotation file cannot be read: No such file"):
        layout_named(f"template:{tmp_path / 'gone.json'}")
    broken = tmp_path / "broken.json"
    broken.write_bytes(b'[{"page_info": \xff}')
    with pytest.raises(ValueError, match=r"broken\.json: no annotation file in JSON \(UTF-8\)"):
        layout_named(f"template:{broken}")


def test_json_nested_too_deeply_and_a_pipe(tmp_path: Path) -> None:
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(ValueError, match=r"deep\.json: no annotation file in JSON"):
        layout_named(f"template:{deep}")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(ValueError, match=r"pipe\.json: the annotation file cannot be read: it is no regular file"):
        layout_named(f"template:{tmp_path / 'pipe.json'}")


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    path = tmp_path / "bom.json"
    path.write_text(json.dumps(page(BODY)), encoding="utf-8-sig")
    assert layout_named(f"template:{path}").width_pt == 421
