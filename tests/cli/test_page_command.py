"""`vtcfaith page`."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.suites import load_suite


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["page", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.mark.parametrize("family", ["nominal", "qwen2.5-vl"])
def test_the_page_is_pixel_for_pixel_what_a_model_gets(family: str, tmp_path: Path) -> None:
    suite = load_suite("preservation")
    case = next(case for case in suite.cases() if case.tier == "preservation/glyph/5x/natural")
    run(case.id, "--out", tmp_path / "new" / "x.png", "--visual-tokens", family)
    page = suite.request(case, ModelSpec("m", lambda: None, None, visual_tokens=family)).page
    with Image.open(tmp_path / "new" / "x.png") as image:
        assert (image.size, image.convert("RGB").tobytes()) == (page.image.size, page.image.tobytes())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("en-01-harbour-notice-visuel",), "did you mean en-01-harbour-notice-visual"),
        (("no-case-of-this-name-at-all-0",), "is unknown"),
        (("en-01-harbour-notice-visual", "--visual-tokens", "eyes"), "eyes"),
        (("facts-animal-class-1",), "has no page"),
    ],
)
def test_what_cannot_be_drawn_is_said(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert message in run(*arguments, "--out", tmp_path / "x.png", code=2)
    assert not (tmp_path / "x.png").exists()


@pytest.mark.parametrize(("out", "message"), [("x.jpg", "ends in .png"), ("a-file/x.png", "cannot be written")])
def test_where_it_cannot_be_written_is_said_first(out: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a-file").write_text("", encoding="utf-8")
    assert message in run("en-01-harbour-notice-visual", "--out", tmp_path / out, code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["a-file"]
