"""docs/reference.md has every public name, each in the section of the package that it is imported from."""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from blocks import ROOT

TEXT = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
SECTIONS = {
    section.split("\n", 1)[0]: [
        *re.findall(r"^::: (\S+)$", section, re.MULTILINE),
        *(
            name
            for line in re.findall(r"^Also here: (.+)$", section, re.MULTILINE)
            for name in re.findall(r"`(\w+)`", line)
        ),
    ]
    for section in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
}
NOT_FOR_USERS = {
    "pytest_vtcfaith.models.language",  # what `vtcfaith build zerosense` loads
    "pytest_vtcfaith.models.registry",  # `models` exports the same
    "pytest_vtcfaith.pages.budget",  # so does `pages`
    "pytest_vtcfaith.plugin",  # pytest finds hooks and fixtures by itself
    "pytest_vtcfaith.plugin.run",
    "pytest_vtcfaith.report.html",  # `vtcfaith report`
    "pytest_vtcfaith.texts.zerosense",  # `vtcfaith build zerosense`
}
PACKAGES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "pytest_vtcfaith").rglob("*.py")
    if re.search(r"^__all__ = ", path.read_text(encoding="utf-8"), re.MULTILINE)
}


def test_every_package_that_exports_has_a_section() -> None:
    assert set(SECTIONS) == PACKAGES - NOT_FOR_USERS


@pytest.mark.parametrize("package", SECTIONS)
def test_a_section_has_the_names_of_its_package_and_no_others(package: str) -> None:
    names = [entry.rpartition(".")[2] for entry in SECTIONS[package]]
    assert sorted(names) == sorted(import_module(package).__all__)


@pytest.mark.parametrize("package", SECTIONS)
def test_what_is_described_is_what_is_imported(package: str) -> None:
    for entry in SECTIONS[package]:
        home, _, name = entry.rpartition(".")
        found = getattr(import_module(package), name)
        assert not home or found is getattr(import_module(home), name), entry
