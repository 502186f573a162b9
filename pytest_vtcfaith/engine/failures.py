"""What an exception of a model means for the calls after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_MESSAGE = 4096
"""Characters of an error that are kept: every case may have one, and some hold a whole page or request."""
_NO_MEMORY = ("OutOfMemoryError",)
_BROKEN = ("AcceleratorError", "EngineDeadError")  # torch's for a lost CUDA context, vLLM's for its engine process


class ModelExited(RuntimeError):
    """A model, or loading it, asked Python to end (SystemExit). The process lives on: others are asked in it too."""


@contextmanager
def kept_alive() -> Iterator[None]:
    """Around code of a model: what would end the process becomes `ModelExited`. KeyboardInterrupt passes."""
    try:
        yield
    except SystemExit as problem:
        raise ModelExited(f"SystemExit({problem.code!r}): the model asked Python to end") from problem


def shortened(message: str) -> str:
    """The message, of a longer one than `LONGEST_MESSAGE` its head and its tail. Secrets are masked before."""
    if len(message) <= LONGEST_MESSAGE:
        return message
    between = f" […{len(message)} characters in all…] "
    tail = LONGEST_MESSAGE // 4
    return message[: LONGEST_MESSAGE - tail - len(between)] + between + message[-tail:]


def out_of_memory(error: BaseException) -> bool:
    """Whether the batch was too big: MemoryError, torch's OutOfMemoryError, or a RuntimeError that says so."""
    if isinstance(error, MemoryError) or _is_named(error, _NO_MEMORY):
        return True
    return isinstance(error, RuntimeError) and "out of memory" in str(error).lower()


def breaks_device(error: BaseException) -> bool:
    """Whether every further call in this process would fail too: a lost CUDA context, a dead engine."""
    if out_of_memory(error):
        return False
    return _is_named(error, _BROKEN) or (isinstance(error, RuntimeError) and "CUDA error" in str(error))


def _is_named(error: BaseException, names: tuple[str, ...]) -> bool:
    return any(kind.__name__ in names for kind in type(error).__mro__)
