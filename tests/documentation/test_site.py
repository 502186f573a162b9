"""The documentation builds without a warning, has all pages in its navigation, and loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from blocks import ROOT

pytest.importorskip("mkdocs", reason="the extra 'docs' is not installed")
pytest.importorskip("material", reason="the extra 'docs' is not installed")
pytest.importorskip("mkdocstrings", reason="the extra 'docs' is not installed")

_LOADED = re.compile(r"<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)=[\"']?([^\"'\s>]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def test_every_page_is_in_the_navigation(site: Path) -> None:
    index = (site / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert f'href="{page.stem}.html"' in index, f"{page.name} is not in the nav of mkdocs.yml"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.glob("*.html"):
        outside = [
            target for target in _LOADED.findall(page.read_text(encoding="utf-8")) if target.startswith(("http", "//"))
        ]
        assert not outside, f"{page.name} loads {outside}"


def test_the_api_is_there(site: Path) -> None:
    reference = (site / "reference.html").read_text(encoding="utf-8")
    for name in ("register_model", "find_unfaithful", "probe_words", "perturb", "Transcriber"):
        assert re.search(rf'id="[\w.]*\.{name}"', reference), name
