"""Lets a CUDA build of torchvision be imported beside a CPU build of torch: `install(SITE_PACKAGES)`.

Its compiled half cannot be loaded there, so the two operators whose shapes its Python half registers are missing;
declaring them is enough, since nothing here calls them.
"""

from __future__ import annotations

import shutil
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any


class DeclareOperators(MetaPathFinder):
    """Declares torchvision's operators the moment before torchvision is imported."""

    library: Any = None

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == "torchvision" and DeclareOperators.library is None:  # .pth files may be read twice
            import torch

            DeclareOperators.library = library = torch.library.Library("torchvision", "DEF")
            library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
            library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return None


def install(site_packages: Path) -> None:
    """Has every interpreter of that environment begin with `DeclareOperators`."""
    shutil.copy(__file__, site_packages / "vtcfaith_torchvision_shim.py")
    line = "import sys, vtcfaith_torchvision_shim as s; sys.meta_path.insert(0, s.DeclareOperators())\n"
    (site_packages / "vtcfaith_torchvision_shim.pth").write_text(line, encoding="utf-8")


if __name__ == "__main__":
    install(Path(sys.argv[1]))
