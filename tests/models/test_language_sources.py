"""Where a language model's files are, by the name a user gives."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from pytest_vtcfaith.models.language.sources import find_source, revision
from pytest_vtcfaith.texts import MissingExtra, TextsError


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path, with what `package` installs in it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def package(folder: Path, name: str, files: dict[str, str]) -> None:
    module, info = name.replace("-", "_"), folder / f"{name.replace('-', '_')}-1.0.dist-info"
    (folder / module).mkdir()
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    for file, text in files.items():
        (folder / module / file).write_text(text, encoding="utf-8")
    (info / "RECORD").write_text("".join(f"{module}/{file},,\n" for file in files), encoding="utf-8")


def test_a_folder_and_a_gguf_file(tmp_path: Path) -> None:
    for name in ("b.safetensors", "a.safetensors", "c.bin", "m.gguf"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    source = find_source(str(tmp_path))
    assert [file.name for file in source.weights()] == ["a.safetensors", "b.safetensors"]
    source = find_source(str(tmp_path / "m.gguf"))
    assert (source.folder, source.gguf, source.weights()) == (tmp_path, "m.gguf", [tmp_path / "m.gguf"])


def test_a_package_with_a_gguf_file(packages: Path) -> None:
    package(packages, "some-model", {"__init__.py": "", "some.gguf": "x"})
    source = find_source("pip:some-model")
    assert (source.name, source.gguf) == ("pip:some-model", "some.gguf")
    assert source.weights() == [packages / "some_model" / "some.gguf"]


def test_a_package_that_assembles_its_parts(packages: Path) -> None:
    made = packages / "whole.gguf"
    lines = (
        "from pathlib import Path",
        "def assemble():",
        f"    path = Path({str(made)!r})",
        "    path.write_text('x')",
    )
    code = "\n".join([*lines, "    return path\n"])
    package(packages, "parted-model", {"__init__.py": code})
    assert find_source("pip:parted-model").weights() == [made]
    assert made.exists()


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"__init__.py": "", "a.gguf": "", "b.gguf": ""}, "several GGUF files: give the path of one"),
        ({"__init__.py": ""}, "carries no .gguf file and has no assemble"),
        (
            {"__init__.py": "def assemble():\n    raise FileNotFoundError('part 2')\n"},
            r"assemble\(\) failed \(part 2\)",
        ),
    ],
)
def test_packages_that_give_no_model(
    packages: Path, request: pytest.FixtureRequest, files: dict[str, str], problem: str
) -> None:
    name = f"odd-model-{hashlib.sha256(problem.encode()).hexdigest()[:6]}"
    package(packages, name, files)
    with pytest.raises(TextsError, match=problem):
        find_source(f"pip:{name}")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("pip:no-such-package", "not installed: pip install no-such-package"),
        ("missing/m.gguf", "no such file or folder"),
        ("./missing", "no such file or folder"),
        ("/missing", "no such file or folder"),
    ],
)
def test_what_is_not_there(name: str, problem: str) -> None:
    with pytest.raises(TextsError, match=problem):
        find_source(name)


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(TextsError, match=r"must be a \.gguf"):
        find_source(str(tmp_path / "model.safetensors"))


def test_a_hub_name_without_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"huggingface-hub is missing: pip install 'pytest-vtcfaith\[torch\]'"):
        find_source("organisation/model")


def test_revisions(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"1")
    two.write_bytes(b"2")
    assert revision([one]) == hashlib.sha256(b"1").hexdigest()
    lines = "".join(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n" for file in (one, two))
    assert revision([one, two]) == hashlib.sha256(lines.encode()).hexdigest()
