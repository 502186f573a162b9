"""The pictures of docs/images, from a live run of a pipeline that repairs spelling (RapidOCR + symspellpy).

`python tests/real/report_pictures.py [FOLDER]` runs four English documents in four conditions (a minute of CPU), prints
what the run printed, and writes the pictures anew. FOLDER keeps the project; without it it is a temporary one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "real")]

from chromium import launched  # noqa: E402
from test_engines import REPAIRING  # noqa: E402

IMAGES = ROOT / "docs" / "images"
CASE = "repairing-en-02-lab-protocol-scramble"
WORD = "pasess"


def main(folder: Path) -> None:
    """Runs, and takes the pictures."""
    if not (folder / "report").exists():
        run(folder)
    pages = folder / "report" / "pages"
    crop = Image.open(pages / f"{CASE}-word.png")
    save(crop, "failure-word.png")
    page = Image.open(pages / f"{CASE}.png")
    save(page.resize((page.width * 3 // 4, page.height * 3 // 4), Image.Resampling.LANCZOS), "failure-page.png")
    with launched() as browser:
        tab = browser.new_context(viewport={"width": 1280, "height": 1180}).new_page()
        tab.goto(f"file://{folder / 'report' / 'index.html'}")
        tab.wait_for_selector("main h1")
        shoot(tab, "report-overview.png", 1180)
        tab.locator(".card").get_by_role("link", name=CASE.removeprefix("repairing-")).first.click()
        box = tab.get_by_role("button", name=f"page {WORD},").first
        box.wait_for()
        shoot(tab, "report-case.png", 900)
        box.hover()
        shoot(tab, "failure-report.png", 680)


def run(folder: Path) -> None:
    """The run, with everything it needs in `folder`; it must be red."""
    (folder / "conftest.py").write_text(REPAIRING.replace("\\\\", "\\"), encoding="utf-8")
    program = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-c", os.devnull, f"--rootdir={folder}"]
    chosen = ["--vtc-model=repairing", "--vtc-suite=rewriting", "--vtc-lang=en", "--vtc-limit=4"]
    places = ["--vtc-report=report", "--vtc-cache=cache", str(ROOT / "benchmark_cases")]
    environment = {**os.environ, "COLUMNS": "120", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*program, *chosen, *places], cwd=folder, env=environment, check=False)
    assert done.returncode == 1, done.returncode


def shoot(tab: Any, name: str, height: int) -> None:
    """The top of the window as a picture of few colours."""
    tab.wait_for_timeout(800)
    path = IMAGES / name
    tab.screenshot(path=path, clip={"x": 0, "y": 0, "width": 1280, "height": height})
    save(Image.open(path), name)


def save(picture: Image.Image, name: str) -> None:
    """Writes a picture of at most 48 colours."""
    picture.convert("RGB").quantize(48, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)
    print(name, picture.size, (IMAGES / name).stat().st_size)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory() as made:
            main(Path(made))
