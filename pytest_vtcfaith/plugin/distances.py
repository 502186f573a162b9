"""FID of all pictures that an editor gave, where `[tool.vtcfaith.scorers]` names the network's weights."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.plugin.benchmark import Benchmark
from pytest_vtcfaith.plugin.ledger import Ledger

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL import Image

    Features = NDArray[Any]

DEFAULT_LAYER = 2048


def fid_rows(run: Benchmark, ledger: Ledger, folder: Path) -> list[dict[str, Any]]:
    """A row for each editor: its FID over the pictures in the report's folder against their references; None, which is
    not measured, unless there are more pictures than features. No rows where no weights are named.

    Raises NotInstalled and ValueError as `scorers.inception`, OSError for a picture that cannot be read.
    """
    named: Mapping[str, Any] = run.options.scorers
    if "fid" not in named or "editing" not in run.suites:
        return []
    import numpy as np

    from pytest_vtcfaith.models.scorers import fid, inception
    from pytest_vtcfaith.suites.editing_cases import pair_of
    from pytest_vtcfaith.suites.editing_scores import fitted

    layer = named.get("fid_layer", DEFAULT_LAYER)
    network = inception(named["fid"], layer)
    rows: list[dict[str, Any]] = []
    for model in run.models_of("editing"):
        references: list[Features] = []
        outputs: list[Features] = []
        for case in run.cases("editing"):
            picture = _opened(folder / "pictures" / f"{model}-{case.id}.png")
            if picture is not None and ("editing", model, case.id) in ledger.fresh:
                pair = pair_of(case)
                references.append(network.features([pair.reference])[0])
                outputs.append(network.features([fitted(picture, pair)[0]])[0])
        value = fid(np.stack(references), np.stack(outputs)) if len(outputs) > layer else None
        rows.append({"model": model, "pictures": len(outputs), "features": layer, "fid": value})
    return rows


def fid_lines(rows: list[dict[str, Any]]) -> list[str]:
    """What a report says of it."""
    return [
        f"editing: FID of {row['model']} over {row['pictures']} pictures, {row['features']} features: "
        + ("not measured, it takes more pictures than features" if row["fid"] is None else f"{row['fid']:.3f}")
        for row in rows
    ]


def _opened(path: Path) -> Image.Image | None:
    if not path.is_file():
        return None
    from PIL import Image

    with Image.open(path) as opened:
        return opened.convert("RGB")
