"""Where the bundled cases are."""

from __future__ import annotations

from pathlib import Path


def bundled_folder() -> Path:
    """The bundled `benchmark_cases` folder: inside the installed package, or beside it in a source checkout.

    Raises FileNotFoundError when neither exists (a broken installation).
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "benchmark_cases", package.parent / "benchmark_cases"):
        if (folder / "data").is_dir():
            return folder
    raise FileNotFoundError(
        f"the bundled benchmark_cases folder is missing beside {package}; reinstall pytest-vtcfaith"
    )
