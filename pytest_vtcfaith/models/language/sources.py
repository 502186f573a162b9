"""Where a language model's files are: a folder, a GGUF file, a Python package, or a name of the Hugging Face hub."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path

from pytest_vtcfaith.texts.errors import TextsError, import_extra, show

_WEIGHTS = ("*.safetensors", "*.bin")
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Source:
    """A model's files: the folder they are in and, where one GGUF file holds everything, the name of that file."""

    name: str
    folder: Path
    gguf: str | None = None

    def weights(self) -> list[Path]:
        """The files of its weights, sorted by name. Raises TextsError when there are none."""
        if self.gguf is not None:
            return [self.folder / self.gguf]
        for pattern in _WEIGHTS:
            if files := sorted(self.folder.glob(pattern)):
                return files
        raise TextsError(f"{self.folder}: no weights ({', '.join(_WEIGHTS)}) in it: give the folder of a model")


def find_source(name: str) -> Source:
    """The files of the model that a user names.

    `name` is a GGUF file, a folder as `save_pretrained` of transformers writes it, `pip:PACKAGE` for an installed
    package that carries a GGUF file or puts one together (`assemble()`), or else a name of the Hugging Face hub, whose
    files are fetched into its cache. Raises TextsError when nothing is there, MissingExtra without huggingface-hub.
    """
    if name.startswith("pip:"):
        file = _packaged(name)
        return Source(name, file.parent, file.name)
    path = Path(name)
    if path.is_dir():
        return Source(name, path)
    if path.is_file():
        if path.suffix != ".gguf":
            raise TextsError(f"{name}: a file of weights must be a .gguf: give it, or the folder of the model")
        return Source(name, path.parent, path.name)
    if path.suffix == ".gguf" or path.is_absolute() or name.startswith("."):
        raise TextsError(f"{name}: there is no such file or folder: correct the path of the model")
    return Source(name, _from_hub(name))


def _packaged(name: str) -> Path:
    """The GGUF file of an installed package."""
    package = name.removeprefix("pip:")
    try:
        distribution = metadata.distribution(package)
    except (metadata.PackageNotFoundError, ValueError) as error:
        raise TextsError(f"model {show(name)}: the package is not installed: pip install {package}") from error
    files = distribution.files or []
    found = [Path(str(distribution.locate_file(file))) for file in files if file.suffix == ".gguf"]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(str(path) for path in found)
        raise TextsError(f"model {show(name)} carries several GGUF files: give the path of one: {names}")
    for module_name in sorted({file.parts[0] for file in files if file.name == "__init__.py" and len(file.parts) == 2}):
        assemble = getattr(import_module(module_name), "assemble", None)
        if callable(assemble):
            try:
                return Path(assemble())
            except Exception as error:  # of whatever kind the package raises: parts missing, a torn file, no room
                raise TextsError(f"model {show(name)}: {module_name}.assemble() failed ({error}): mend that") from error
    raise TextsError(f"model {show(name)}: the package carries no .gguf file and has no assemble(): name another")


def _from_hub(name: str) -> Path:
    hub = import_extra("huggingface_hub", "torch")
    try:
        return Path(hub.snapshot_download(name, allow_patterns=["*.json", "*.safetensors", "*.model", "*.txt"]))
    except Exception as error:  # of many kinds: a wrong name, no such model, no connection, no room
        raise TextsError(
            f"model {show(name)}: neither a folder nor a file, and the hub does not give it "
            f"({type(error).__name__}: {error}): correct the name, or check the connection"
        ) from error


def revision(files: list[Path]) -> str:
    """The SHA-256 of a file; of several files, that of their names and SHA-256s, in the order given."""
    digests = [_digest(file) for file in files]
    if len(digests) == 1:
        return digests[0]
    lines = "".join(f"{file.name} {digest}\n" for file, digest in zip(files, digests, strict=True))
    return hashlib.sha256(lines.encode()).hexdigest()


def _digest(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
