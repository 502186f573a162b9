"""Revisions of checkpoints: what changes them and what does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vtcfaith.models.checkpoint import PIECE, PIECES, WHOLE, folder_revision, hub_revision, model_type

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "qwen3_vl"}), encoding="utf-8")
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.truncate(WHOLE + 5_000_000)
    return tmp_path


@pytest.mark.parametrize("at", [0, PIECE - 1, WHOLE + 5_000_000 - 1])
def test_a_byte_in_a_sampled_piece(folder: Path, at: int) -> None:
    before = folder_revision(folder)
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(at)
        file.write(b"x")
    assert folder_revision(folder) != before


def test_training_everything_changes_it_and_a_byte_between_the_pieces_does_not(folder: Path) -> None:
    before = folder_revision(folder)
    size = WHOLE + 5_000_000
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek((size - PIECE) // (PIECES - 1) - 1)  # the last byte before the second piece: the documented gap
        file.write(b"x")
    assert folder_revision(folder) == before
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(size + 1)
    assert folder_revision(folder) != before


def test_files_and_names_count(folder: Path) -> None:
    seen = {folder_revision(folder)}
    (folder / "config.json").write_text(json.dumps({"model_type": "qwen2_vl"}), encoding="utf-8")
    seen.add(folder_revision(folder))
    (folder / "config.json").rename(folder / "config2.json")
    seen.add(folder_revision(folder))
    (folder / "chat_template.jinja").write_text("{{ x }}", encoding="utf-8")
    seen.add(folder_revision(folder))
    assert len(seen) == 4
    for name in (".gitattributes", "README.md"):
        (folder / name).write_text("x", encoding="utf-8")
    (folder / "runs").mkdir()
    assert folder_revision(folder) in seen


def test_hub_names_mean_what_the_cache_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert hub_revision("org/model", None) == ""
    assert hub_revision("org/model", COMMIT) == COMMIT
    refs = tmp_path / "hub" / "models--org--model" / "refs"
    refs.mkdir(parents=True)
    (refs / "main").write_text(COMMIT, encoding="utf-8")
    (refs / "broken").write_text("x", encoding="utf-8")
    assert hub_revision("org/model", None) == COMMIT
    assert hub_revision("org/model", "v2") == ""
    assert hub_revision("org/model", "broken") == ""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "empty"))
    assert hub_revision("org/model", None) == ""


def test_model_type(folder: Path, tmp_path: Path) -> None:
    assert model_type(folder) == "qwen3_vl"
    (folder / "config.json").write_text("[]", encoding="utf-8")
    assert model_type(folder) is None
    assert model_type(tmp_path / "none") is None
    (folder / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"config\.json is not JSON"):
        model_type(folder)
