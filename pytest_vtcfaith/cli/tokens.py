"""`vtcfaith tokens`: what pictures cost every family of models in visual tokens."""

from __future__ import annotations

import json
import os
import struct
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pytest_vtcfaith.cli.output import errors_in_one_line, print_lines, say
from pytest_vtcfaith.pages.budget import FAMILIES, picture_cost
from pytest_vtcfaith.pages.reach import PAGES, reach, reach_table
from pytest_vtcfaith.texts.errors import TextsError, reason
from pytest_vtcfaith.texts.tokenizers import count_tokens

if TYPE_CHECKING:
    from PIL import Image

_EXIF_ORIENTATION = 0x0112
_SIDEWAYS = (5, 6, 7, 8)
_CHECKED_SIZE = 1024


def upright_size(path: Path) -> tuple[int, int]:
    """Width and height in pixels of a picture file as it is shown, its EXIF rotation applied.

    Only the header is decoded where the format allows, so that the size of a picture does not matter. Raises
    TextsError, naming the file, for one that is missing or no picture.
    """
    from PIL import Image, UnidentifiedImageError

    limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None  # nothing is decoded: no bomb can go off
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(path) as image:
            width, height = image.size
            huge = limit is not None and width * height > limit
            return (height, width) if _orientation(image, huge) in _SIDEWAYS else (width, height)
    except UnidentifiedImageError:
        raise TextsError(f"{path}: no picture that Pillow knows: give a PNG, JPEG, TIFF, WebP or similar") from None
    except OSError as error:
        raise TextsError(f"{path}: the picture cannot be read ({reason(error)}): mend it, or name another") from None
    except (ValueError, SyntaxError, struct.error, EOFError) as error:
        raise TextsError(f"{path}: the picture is damaged ({error}): save it anew") from None
    finally:
        Image.MAX_IMAGE_PIXELS = limit


def _orientation(image: Image.Image, huge: bool) -> int:
    """The EXIF orientation. A PNG may hold it behind its pixels, which are decoded for it unless they are `huge`."""
    if huge and image.format == "PNG" and "exif" not in image.info:
        return 1
    return int(image.getexif().get(_EXIF_ORIENTATION, 1))


def token_rows(
    size: tuple[int, int], families: Sequence[str] = FAMILIES, n_text: int | None = None
) -> list[dict[str, Any]]:
    """A row for each family: `family`, `tokens`, `resized` ([width, height] in pixels or None), `ratio`, `refused`.

    `size` is (width, height) in pixels; `ratio` is n_text ÷ tokens, None without `n_text`. A picture that the family's
    processor refuses has None for tokens, and the reason in `refused`. Raises ValueError for an unknown family.
    """
    rows = []
    for family in families:
        row: dict[str, Any] = {"family": family, "tokens": None, "resized": None, "ratio": None, "refused": None}
        try:
            cost = picture_cost(family, *size)
        except ValueError as error:
            row["refused"] = str(error)
        else:
            row["tokens"] = cost.tokens
            row["resized"] = list(cost.resized) if cost.resized else None
            row["ratio"] = n_text / cost.tokens if n_text is not None else None
        rows.append(row)
    return rows


def _check_families(families: Sequence[str]) -> None:
    for family in families:
        try:
            picture_cost(family, _CHECKED_SIZE, _CHECKED_SIZE)
        except ValueError as error:
            raise TextsError(str(error)) from None


def _text_length(text: Path | None, text_tokens: int | None) -> int | None:
    if text is None:
        return text_tokens
    if text_tokens is not None:
        raise TextsError("--text and --text-tokens both say how long the text is: leave one away")
    try:
        words = text.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TextsError(f"{text}: byte {error.start} is not UTF-8: save it as UTF-8") from None
    if not (tokens := count_tokens(words)):
        raise TextsError(f"{text}: the text has no tokens: give the text that the picture shows")
    return tokens


def _shown(path: Path) -> str:
    """A path as text in UTF-8, whatever bytes its name has."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _lines(path: Path, size: tuple[int, int], rows: Sequence[dict[str, Any]], n_text: int | None) -> Iterator[str]:
    text = "" if n_text is None else f", {n_text} text tokens"
    yield f"{_shown(path)}: {size[0]} x {size[1]} pixels{text}"
    width = max(len(row["family"]) for row in rows)
    yield f"  {'family':{width}}  tokens  {'resized to':<13}{'' if n_text is None else 'ratio'}".rstrip()
    for row in rows:
        if row["refused"]:
            yield f"  {row['family']:{width}}       –  {row['refused']}"
            continue
        resized = "–" if row["resized"] is None else "{} x {}".format(*row["resized"])
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        yield f"  {row['family']:{width}}  {row['tokens']:6}  {resized:<13}{ratio}".rstrip()


def _print_reach(families: Sequence[str], as_json: bool) -> None:
    if not as_json:
        print_lines(reach_table(families).split("\n"))
        return
    print_lines(
        json.dumps({"page": page, "family": family, "lengths": {f"{ratio:g}": spans for ratio, spans in found.items()}})
        for page, (width, height) in PAGES.items()
        for family in families
        for found in [reach(family, page_width=width, page_height=height)]
    )


def tokens(
    images: Annotated[list[Path] | None, typer.Argument(metavar="IMAGE...", help="Picture files.")] = None,
    family: Annotated[list[str] | None, typer.Option(help="Only this family, e.g. qwen2.5-vl. Repeatable.")] = None,
    text: Annotated[Path | None, typer.Option(help="The text on the pictures, UTF-8, for the ratio.")] = None,
    text_tokens: Annotated[int | None, typer.Option(min=1, help="Its length in tokens instead.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each picture.")] = False,
    show_reach: Annotated[
        bool, typer.Option("--reach", help="The text lengths at which each family reaches the papers' ratios.")
    ] = False,
) -> None:
    """Prints what pictures cost every family of models in visual tokens, and the size the model resizes them to.

    \b
    Examples
      vtcfaith tokens page.png --text page.txt
      vtcfaith tokens *.png --family qwen2.5-vl --family deepseek-ocr-gundam --json
      vtcfaith tokens --reach
    """
    with errors_in_one_line():
        families = family or list(FAMILIES)
        _check_families(families)
        if show_reach:
            if images or text is not None or text_tokens is not None:
                raise TextsError("--reach is about no picture: leave away pictures, --text and --text-tokens")
            _print_reach(families, as_json)
            return
        if not images:
            raise TextsError("name a picture, e.g. vtcfaith tokens page.png, or give --reach")
        n_text = _text_length(text, text_tokens)
        failed = False
        for path in images:
            try:
                size = upright_size(path)
            except TextsError as error:
                say(f"error: {error}", "red")
                failed = True
                continue
            rows = token_rows(size, families, n_text)
            if as_json:
                line = {"image": _shown(path), "width": size[0], "height": size[1], "n_text": n_text, "families": rows}
                print_lines([json.dumps(line, ensure_ascii=False)])
            else:
                print_lines(_lines(path, size, rows, n_text))
        if failed:
            raise typer.Exit(2)
