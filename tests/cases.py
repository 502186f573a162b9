"""Runs cases files: `python tests/cases.py FILE…` prints every miss and a summary; exit status 1 when there is one, or
a file has no rows or cannot be read.

A cases file is JSONL with `id`, `area`, `given`, `expect`, `why`; the areas and their fields are the functions below.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pytest_vtcfaith.metrics import (
    bleu,
    cdm,
    classify_rewrites,
    iou,
    match_blocks,
    outcome,
    psnr,
    ssim,
    teds,
    text_scores,
    textsim,
)
from pytest_vtcfaith.metrics.pictures import identical

Row = Mapping[str, Any]


class UnknownField(Exception):
    """A row asks for something that its area does not know."""


def _only(given: Row, *names: str) -> Row:
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise UnknownField(f"given has unknown field {', '.join(unknown)}: known are {', '.join(names)}")
    return given


def _chosen(values: Row, expect: Row) -> dict[str, Any]:
    unknown = sorted(set(expect) - set(values))
    if unknown:
        raise UnknownField(f"expect has unknown field {', '.join(unknown)}: known are {', '.join(sorted(values))}")
    return {name: values[name] for name in expect}


def _rates(given: Row, expect: Row) -> Any:
    _only(given, "profile", "lang", "reference", "hypothesis")
    scores = text_scores(
        given["reference"], given["hypothesis"], lang=given["lang"], profile=given.get("profile", "verbatim")
    )
    return _chosen({"outcome": None} | scores, expect)


def _rewriting(given: Row, expect: Row) -> Any:
    _only(given, "profile", "lang", "original", "page", "hypothesis")
    how = {"lang": given["lang"], "profile": given.get("profile", "verbatim")}
    counts = classify_rewrites(given["original"], given["page"], given["hypothesis"], **how)
    perturbed, changed = counts["perturbed"], counts["perturbed"] - counts["verbatim"]
    shares = {
        "rewrite_rate": counts["rewritten"] / perturbed if perturbed else None,
        "rewrite_share": counts["rewritten"] / changed if changed else 0.0,
    }
    return _chosen(text_scores(given["page"], given["hypothesis"], **how) | counts | shares, expect)


def _outcomes(given: Row, expect: Any) -> Any:
    _only(given, "lang", "page", "reply")
    return outcome(given["page"], given["reply"], lang=given["lang"])


def _images(given: Row, expect: Row) -> Any:
    from PIL import Image

    from pytest_vtcfaith.pages.images import pixel_key, upright_rgb

    _only(given, "mode", "background", "ink", "size", "exif_orientation", "bytes")
    found: dict[str, Any] = {}
    if "mode" in given:
        picture = Image.new(given["mode"], (8, 8), tuple(given["background"]))
        picture.putpixel((4, 4), tuple(given["ink"]))
        shown = upright_rgb(picture)
        found["to_rgb_background"] = list(shown.getpixel((0, 0)))
        found["to_rgb_ink"] = list(shown.getpixel((4, 4)))
    if "exif_orientation" in given:
        exif = Image.Exif()
        exif[0x0112] = given["exif_orientation"]
        file = BytesIO()
        Image.new("RGB", tuple(given["size"]), "white").save(file, "JPEG", exif=exif)
        found["size"] = list(upright_rgb(Image.open(file)).size)
    if "bytes" in given:
        form = re.fullmatch(r"(\d+)\.\.(\d+) as (.+)", given["bytes"])
        if form is None:
            raise UnknownField(f"given bytes {given['bytes']!r}: write 'FIRST..LAST as WIDTHxHEIGHT MODE, …'")
        data = bytes(range(int(form[1]), int(form[2]) + 1))
        shapes = re.findall(r"(\d+)x(\d+) (\w+)", form[3])
        found["distinct_keys"] = len({pixel_key(Image.frombytes(m, (int(w), int(h)), data)) for w, h, m in shapes})
    return _chosen(found, expect)


def _budget(given: Row, expect: Any) -> Any:
    from pytest_vtcfaith.pages.budget import Unsupported, fit_budget, visual_tokens

    _only(given, "rule", "size", "max_tokens", "family", "sizes", "n_text", "ratio", "page")
    try:
        if "n_text" in given:
            page_width, page_height = given["page"]
            fit = fit_budget(
                given["n_text"],
                given["ratio"],
                family=given["family"],
                page_width=page_width,
                page_height=page_height,
            )
            return _chosen({"size": [fit.width, fit.height], "tokens": fit.tokens, "target": fit.target}, expect)
        if "family" in given:
            return [
                visual_tokens(given["family"], width, height) for width, height in given.get("sizes") or [given["size"]]
            ]
        width, height, factor = _resized(given)
    except Unsupported:
        return "unsupported"
    except ValueError:
        return "error"
    if not isinstance(expect, dict):
        return [width, height]
    return _chosen({"resized": [width, height], "tokens": (width // factor) * (height // factor)}, expect)


def _resized(given: Row) -> tuple[int, int, int]:
    """Width, height and factor after the rule `SR(f)` or `SR(f,min,max)`; the default of min and max is Qwen2-VL's, 4
    and 16,384 patches. With `max_tokens` a picture may cost no more than that: then there is no min.
    """
    from pytest_vtcfaith.pages.budget import resize_within, smart_resize

    form = re.fullmatch(r"SR\((\d+)(?:,\s*(\d+),\s*(\d+))?\)", given["rule"])
    if form is None or (form[2] is not None and "max_tokens" in given):
        raise UnknownField(f"given rule {given['rule']!r}: write SR(f) or, without max_tokens, SR(f,min,max)")
    width, height = given["size"]
    factor = int(form[1])
    if "max_tokens" in given:
        return *resize_within(width, height, factor=factor, max_tokens=given["max_tokens"]), factor
    least, most = int(form[2] or 4 * factor**2), int(form[3] or 16384 * factor**2)
    return *smart_resize(width, height, factor, least, most), factor


def _editing(given: Row, expect: Any) -> Any:
    """A bound `max`, a value `approx` and the means of `matching` hold to the places they are written with."""
    known = {
        "bleu": ("lang", "reference", "hypothesis"),
        "cdm": ("reference", "hypothesis"),
        "textsim": ("reference", "hypothesis"),
        "teds": ("reference", "hypothesis"),
        "psnr": ("image", "reference_image", "size"),
        "ssim": ("image", "reference_image", "size"),
        "iou": ("a", "b"),
        "matching": ("reference", "prediction"),
    }
    metric = given.get("metric")
    if metric not in known:
        raise UnknownField(f"given metric {metric!r}: known are {', '.join(known)}")
    _only(given, "metric", "column", *known[metric])
    if metric == "matching":
        means = {
            f"{method}_iou": sum(
                match.iou for match in match_blocks(given["reference"], given["prediction"], method=method)
            )
            / len(given["reference"])
            for method in ("greedy", "optimal")
        }
        return {name: round(value, _places(expect[name])) for name, value in _chosen(means, expect).items()}
    if metric == "iou":
        value: Any = iou(given["a"], given["b"])
    elif metric in ("psnr", "ssim"):
        reference, picture = (_flat(given, name) for name in ("reference_image", "image"))
        value = {"psnr": psnr, "ssim": ssim}[metric](reference, picture)
    else:
        how = {
            name: given[name] for name in ("lang", "column") if name in given and (name, metric) != ("column", "cdm")
        }
        value = {"bleu": bleu, "cdm": cdm, "textsim": textsim, "teds": teds}[metric](
            given["reference"], given["hypothesis"], **how
        )
    if not isinstance(expect, dict):
        return value
    found = {"value": value}
    if metric in ("psnr", "ssim"):
        found["identical"] = identical(reference, picture)
    if "approx" in expect:
        found["approx"] = round(value, _places(expect["approx"]))
    if "max" in expect:
        found["max"] = expect["max"] if value <= expect["max"] else value
    return _chosen(found, expect)


def _places(number: float) -> int:
    """The decimal places a number is written with."""
    return len(repr(number).partition(".")[2])


def _flat(given: Row, name: str) -> Any:
    """The picture `flat LEVEL` of the given size, width and height."""
    import numpy as np

    form = re.fullmatch(r"flat (\d+)", given[name])
    if form is None:
        raise UnknownField(f"given {name} {given[name]!r}: write 'flat LEVEL'")
    width, height = given["size"]
    return np.full((height, width), int(form[1]), dtype=np.uint8)


AREAS: Mapping[str, Callable[[Row, Any], Any]] = {
    "rates": _rates,
    "rewriting": _rewriting,
    "outcomes": _outcomes,
    "images": _images,
    "budget": _budget,
    "editing": _editing,
}


def rows(path: Path) -> list[Row]:
    """The rows of a cases file. Raises SystemExit, naming file and line, for one that cannot be read or has none."""
    found = []
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SystemExit(f"{path}: it cannot be read ({error.strerror}): name a cases file") from error
    if data.startswith(b"\xef\xbb\xbf"):
        raise SystemExit(f"{path}:1: the file begins with a byte order mark: save it as UTF-8 without one")
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise SystemExit(f"{path}:{number}: not JSON in UTF-8: {error}") from error
        if not isinstance(row, dict):
            raise SystemExit(f'{path}:{number}: {ascii(row)[:60]} is no row: write {{"id": …, "area": …, …}}')
        found.append(row)
    if not found:
        raise SystemExit(f"{path}: the file has no rows: name a cases file")
    return found


def same(found: Any, expect: Any) -> bool:
    """Equality, with 1e-9 for numbers; null equals only null, true and false only themselves."""
    if isinstance(expect, dict) and isinstance(found, dict):
        return found.keys() == expect.keys() and all(same(found[name], expect[name]) for name in expect)
    if isinstance(expect, list) and isinstance(found, list):
        return len(found) == len(expect) and all(map(same, found, expect))
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (found, expect))
    return abs(found - expect) <= 1e-9 if numbers else type(found) is type(expect) and found == expect


def miss(row: Row) -> str | None:
    """Why a row misses, or None when it holds."""
    area = AREAS.get(str(row.get("area")))
    if area is None:
        return f"area {row.get('area')!r} is unknown: known are {', '.join(AREAS)}"
    if not isinstance(row.get("given"), dict) or not row["given"]:
        return f"given {row.get('given')!r} must be an object that says what is given"
    if row.get("expect") in (None, "", {}, []):
        return f"expect {row.get('expect')!r} expects nothing: every run would hold"
    try:
        found = area(row["given"], row["expect"])
    except UnknownField as error:
        return str(error)
    except Exception as error:  # a row that breaks the code is a miss like another
        return f"{type(error).__name__}: {error}"
    return None if same(found, row["expect"]) else f"expected {row['expect']!r}, found {found!r}"


def main(paths: list[str]) -> int:
    """Runs the files and prints what missed; the exit status."""
    if not paths:
        print("usage: python tests/cases.py FILE…", file=sys.stderr)
        return 2
    total, misses = 0, 0
    for path in paths:
        for row in rows(Path(path)):
            total += 1
            why = miss(row)
            if why is not None:
                misses += 1
                print(ascii(f"MISS {Path(path).name} {row.get('id')}: {why}")[1:-1])
    print(f"{total} rows, {misses} misses")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
