"""Runs cases files: `python tests/cases.py FILE…` prints every miss and a summary; exit status 1 when there is one.

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

from pytest_vtcfaith.metrics import classify_rewrites, outcome, text_scores

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
    from pytest_vtcfaith.pages.budget import smart_resize, visual_tokens

    _only(given, "rule", "size", "max_tokens", "family", "sizes")
    try:
        if "family" in given:
            return [
                visual_tokens(given["family"], width, height) for width, height in given.get("sizes") or [given["size"]]
            ]
        factor, least, most = _rule(given["rule"])
        limit = given.get("max_tokens")
        width, height = given["size"]
        resized = smart_resize(width, height, factor, least, most if limit is None else min(most, limit * factor**2))
    except ValueError:
        return "error"
    tokens = (resized[0] // factor) * (resized[1] // factor)
    if limit is not None and tokens > limit:
        return "unsupported"
    return _chosen({"resized": list(resized), "tokens": tokens}, expect) if isinstance(expect, dict) else list(resized)


def _rule(rule: str) -> tuple[int, int, int]:
    """Factor, least and most pixels of `SR(f)` or `SR(f,min,max)`; the default is Qwen2-VL's 4 and 16,384 patches."""
    form = re.fullmatch(r"SR\((\d+)(?:,\s*(\d+),\s*(\d+))?\)", rule)
    if form is None:
        raise UnknownField(f"given rule {rule!r}: write SR(f) or SR(f,min,max)")
    factor = int(form[1])
    return factor, int(form[2] or 4 * factor**2), int(form[3] or 16384 * factor**2)


AREAS: Mapping[str, Callable[[Row, Any], Any]] = {
    "rates": _rates,
    "rewriting": _rewriting,
    "outcomes": _outcomes,
    "images": _images,
    "budget": _budget,
}


def rows(path: Path) -> list[Row]:
    """The rows of a cases file."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except ValueError as error:
                raise SystemExit(f"{path}:{number}: not JSON: {error}") from error
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
    area = AREAS.get(row.get("area", ""))
    if area is None:
        return f"area {row.get('area')!r} is unknown: known are {', '.join(AREAS)}"
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
