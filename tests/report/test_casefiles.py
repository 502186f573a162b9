"""Pictures are those of one case, also where one id begins with another."""

from __future__ import annotations

from pathlib import Path

from pytest_vtcfaith.report.casefiles import owner, pictures_of

KNOWN = ("m-d-visual", "m-d-visual-no-correct", "m-d")


def test_the_longest_id_owns_a_file() -> None:
    assert owner("m-d-visual-word", KNOWN) == "m-d-visual"
    assert owner("m-d-visual-no-correct-page2", KNOWN) == "m-d-visual-no-correct"
    assert owner("m-d", KNOWN) == "m-d"
    assert owner("x", KNOWN) is None


def test_pages_first_then_the_reply(tmp_path: Path) -> None:
    for name in ("pages/m-d-visual-no-correct", "pages/m-d-visual-word", "pages/m-d-visual", "pictures/m-d-visual"):
        path = tmp_path / f"{name}.png"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"")
    found = [path.relative_to(tmp_path).as_posix() for path in pictures_of(tmp_path, "m-d-visual", KNOWN)]
    assert found == ["pages/m-d-visual.png", "pages/m-d-visual-word.png", "pictures/m-d-visual.png"]
    assert pictures_of(tmp_path, "m-d", KNOWN) == []
