"""`vtcfaith page`: the picture of a case, as a model gets it."""

from __future__ import annotations

import difflib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pytest_vtcfaith.cli.output import errors_in_one_line, say
from pytest_vtcfaith.cli.outputs import check_files
from pytest_vtcfaith.report.results import write_bytes
from pytest_vtcfaith.texts.errors import TextsError

if TYPE_CHECKING:
    from PIL import Image


def pages_of(name: str, folder: Path | None, visual_tokens: str) -> list[Image.Image]:
    """The pages of the case `name`, of editing its source, for a model of the family `visual_tokens`.

    `folder` holds the manifests (None: the bundled ones). Raises TextsError for an unknown case or family, and for a
    case that has no page for such a model.
    """
    from pytest_vtcfaith.models.spec import ModelSpec
    from pytest_vtcfaith.suites import load_suite, suite_names
    from pytest_vtcfaith.suites.base import Inapplicable

    known = {case.id: case for suite in suite_names() for case in load_suite(suite).cases(folder)}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3)
        raise TextsError(f"case {name!r} is unknown" + (f": did you mean {', '.join(near)}?" if near else ""))
    try:
        spec = ModelSpec("page", lambda: None, None, visual_tokens=visual_tokens)
        pages = [page.image for page in load_suite(known[name].suite).request(known[name], spec).pages]
    except (Inapplicable, ValueError) as problem:
        raise TextsError(f"case {name!r}: {problem}") from None
    if not pages:
        raise TextsError(f"case {name!r} has no page: its model is asked for a picture")
    return pages


def page(
    case: Annotated[str, typer.Argument(metavar="CASE", help="Id of the case, as vtcfaith cases prints it.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="PNG to write; of several pages FILE-2.png and so on too.")],
    vtc_cases: Annotated[Path | None, typer.Option(help="Folder of manifests; default: the bundled ones.")] = None,
    visual_tokens: Annotated[str, typer.Option(help="Family of visual tokens that pages are fitted to.")] = "nominal",
) -> None:
    """Draws the page of a case as PNG, pixel for pixel what a model gets; of editing the page to be edited. Asks no
    model. A case of reasoning has no page: its model is to draw one.

    \b
    Example
      vtcfaith page en-01-harbour-notice-visual --out page.png
    """
    with errors_in_one_line():
        if out.suffix.lower() != ".png":
            raise TextsError(f"--out {out}: the picture is a PNG: give it a name that ends in .png")
        check_files({"--out": out})
        for number, image in enumerate(pages_of(case, vtc_cases, visual_tokens), start=1):
            path = out if number == 1 else out.with_name(f"{out.stem}-{number}{out.suffix}")
            png = io.BytesIO()
            image.save(png, format="PNG")
            write_bytes(path, png.getvalue())
            say(f"{path}: {image.width} × {image.height} pixels", "green")
