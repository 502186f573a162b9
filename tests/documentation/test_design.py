"""docs/design.md names every package of the house, and what each imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from blocks import ROOT

HOUSE = ROOT / "pytest_vtcfaith"
PACKAGES = {path.parent.name for path in HOUSE.glob("*/__init__.py")}


def documented() -> dict[str, set[str]]:
    """The table of docs/design.md: package → packages that it imports."""
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)/` \|[^|]*\|([^|]*)\|$", text, re.MULTILINE)
    return {package: set(re.findall(r"`(\w+)`", imports)) for package, imports in rows}


def imports(path: Path) -> Iterator[str]:
    """Names of modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_every_package_imports_what_the_table_says() -> None:
    found = {
        package: {
            match[1]
            for path in (HOUSE / package).rglob("*.py")
            for name in imports(path)
            if (match := re.match(r"pytest_vtcfaith\.(\w+)", name)) and match[1] in PACKAGES - {package}
        }
        for package in sorted(PACKAGES)
    }
    assert documented() == found


def test_imports_go_down_the_table_but_for_the_exceptions_it_names() -> None:
    order = list(documented())
    upwards = {
        (package, other)
        for package, others in documented().items()
        for other in others
        if order.index(other) < order.index(package)
    }
    assert upwards == {("suites", "report"), ("gating", "report"), ("models", "engine"), ("texts", "models")}
