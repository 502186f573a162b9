"""The tables of a probe: by layer, by class, by quartile, by length of the word (FaithC4 Tables 7 to 10)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.rewrites import KINDS as CLASSES
from pytest_vtcfaith.models.probe.pages import ORIGINAL

if TYPE_CHECKING:
    from pytest_vtcfaith.models.probe.run import Probed

SCHEMA = "vtcfaith/probe"
VERSION = 1
QUARTILES = 4

_LENGTHS = ((4, 4), (5, 5), (6, 6), (7, 7), (8, 9), (10, None))


def conditions(pages: Sequence[Probed]) -> list[str]:
    """The perturbations, in the order in which they were probed."""
    return list(dict.fromkeys(page.condition for page in pages if page.condition != ORIGINAL))


def layer_table(pages: Sequence[Probed]) -> list[dict[str, Any]]:
    """A row a layer: `layer`, and for each perturbation the mean `cosine` and the `ratio` of attention (Table 7).

    The ratio is the mean attention weight on the perturbed pages over that on the original pages of the same words;
    None for a layer without attention.
    """
    rows = []
    for layer in range(len(pages[0].cosine)):
        row: dict[str, Any] = {"layer": layer, "cosine": {}, "ratio": {}}
        for kind in conditions(pages):
            own = [page for page in pages if page.condition == kind]
            row["cosine"][kind] = _mean([page.cosine[layer] for page in own])
            row["ratio"][kind] = _ratio(
                _attention(own, layer), _attention([page for page in pages if page.condition == ORIGINAL], layer)
            )
        rows.append(row)
    return rows


def class_table(pages: Sequence[Probed]) -> dict[str, dict[str, float]]:
    """For each condition, `original` among them, the share of words of each class (Table 8)."""
    return {
        condition: {name: sum(page.outcome == name for page in own) / len(own) for name in CLASSES}
        for condition in (ORIGINAL, *conditions(pages))
        for own in [[page for page in pages if page.condition == condition]]
    }


def quartile_table(pages: Sequence[Probed], kind: str) -> list[dict[str, Any]]:
    """The pages of a perturbation in four groups of equal size, by the cosine of the last layer, most divergent first
    (Table 9): `pages`, mean `cosine`, mean `attention` of the last layer that has any, `rewritten` (share) and
    its `count`. Empty for fewer than four pages.
    """
    own = sorted((page for page in pages if page.condition == kind), key=lambda page: page.cosine[-1])
    if len(own) < QUARTILES:
        return []
    weighing = [layer for layer, weight in enumerate(own[0].attention) if weight is not None]
    bounds = [len(own) * number // QUARTILES for number in range(QUARTILES + 1)]
    return [
        {
            "pages": len(group),
            "cosine": _mean([page.cosine[-1] for page in group]),
            "attention": _attention(group, weighing[-1]) if weighing else None,
            **_rewritten(group),
        }
        for group in (own[start:stop] for start, stop in pairwise(bounds))
    ]


def length_table(pages: Sequence[Probed], kind: str) -> list[dict[str, Any]]:
    """The pages of a perturbation by the length of the word in characters (Table 10); lengths without pages are left
    out. `length`, `pages`, share `rewritten` and its `count`, mean `cosine` of the last layer.
    """
    rows = []
    for least, most in _LENGTHS:
        group = [
            page
            for page in pages
            if page.condition == kind and least <= len(page.word) and (most is None or len(page.word) <= most)
        ]
        if group:
            name = f"{least}+" if most is None else str(least) if least == most else f"{least}–{most}"
            cosine = _mean([page.cosine[-1] for page in group])
            rows.append({"length": name, "pages": len(group), **_rewritten(group), "cosine": cosine})
    return rows


def as_json(pages: Sequence[Probed], provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Everything as plain JSON without nan: `provenance`, the tables, and every page; `pages` is not empty."""
    plain: dict[str, Any] = _plain(
        {
            "schema": SCHEMA,
            "version": VERSION,
            "provenance": dict(provenance),
            "layers": layer_table(pages),
            "classes": class_table(pages),
            "quartiles": {kind: quartile_table(pages, kind) for kind in conditions(pages)},
            "lengths": {kind: length_table(pages, kind) for kind in conditions(pages)},
            "pages": [{name: getattr(page, name) for name in page.__slots__} for page in pages],
        }
    )
    return plain


def as_markdown(results: Mapping[str, Any], every: int = 1) -> list[str]:
    """The tables as lines of Markdown; of the layers every `every`-th and the last."""
    kinds = list(results["quartiles"])
    layers = results["layers"]
    shown = [row for row in layers if row["layer"] % every == 0 or row is layers[-1]]
    lines = _table(
        ["layer", *(f"cosine {kind}" for kind in kinds), *(f"attention {kind}" for kind in kinds)],
        [
            [
                str(row["layer"]),
                *(_number(row["cosine"][kind], 4) for kind in kinds),
                *(_number(row["ratio"][kind], 2, "×") for kind in kinds),
            ]
            for row in shown
        ],
    )
    classes = results["classes"]
    lines += ["", *_table(["read as", *classes], [[n, *(f"{classes[c][n]:.1%}" for c in classes)] for n in CLASSES])]
    for kind in kinds:
        if results["quartiles"][kind]:
            digits = _digits([row["cosine"] for row in results["quartiles"][kind]])
            rows = [
                [
                    f"Q{number}",
                    str(row["pages"]),
                    _number(row["cosine"], digits),
                    _number(row["attention"], 5),
                    _share(row),
                ]
                for number, row in enumerate(results["quartiles"][kind], 1)
            ]
            lines += ["", *_table([f"{kind}, by cosine", "pages", "cosine", "attention", "rewritten"], rows)]
        rows = [
            [row["length"], str(row["pages"]), _number(row["cosine"], 3), _share(row)]
            for row in results["lengths"][kind]
        ]
        lines += ["", *_table([f"{kind}, by length", "pages", "cosine", "rewritten"], rows)]
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]


def _share(row: Mapping[str, Any]) -> str:
    return f"{row['rewritten']:.2%} ({row['count']})"


def _digits(values: Sequence[float | None]) -> int:
    """The fewest decimal places, 3 to 6, that tell different values apart."""
    known = {value for value in values if value is not None}
    return next((d for d in (3, 4, 5) if len({round(v, d) for v in known}) == len(known)), 6)


def _number(value: float | None, digits: int, unit: str = "") -> str:
    return "–" if value is None else f"{value:.{digits}f}{unit}"


def _rewritten(group: Sequence[Probed]) -> dict[str, float]:
    count = sum(page.outcome == "rewritten" for page in group)
    return {"rewritten": count / len(group), "count": count}


def _attention(pages: Sequence[Probed], layer: int) -> float | None:
    weights = [weight for page in pages if (weight := page.attention[layer]) is not None]
    return _mean(weights) if weights else None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _ratio(perturbed: float | None, original: float | None) -> float | None:
    return None if perturbed is None or not original else perturbed / original


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
