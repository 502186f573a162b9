"""What an exception of a model means for the calls after it."""

from __future__ import annotations

_NO_MEMORY = ("OutOfMemoryError",)
_BROKEN = ("AcceleratorError", "EngineDeadError")  # torch's for a lost CUDA context, vLLM's for its engine process


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
