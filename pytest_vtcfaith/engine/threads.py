"""One thread for each CPU engine in each worker."""

from __future__ import annotations

import os
from collections.abc import Mapping

THREAD_VARIABLES = (
    "OMP_THREAD_LIMIT",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def worker_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables to add to a worker's environment before it starts, because libraries read them once, when loaded.

    Without them every worker starts a thread per core, and n workers take turns on n × cores threads. What
    `environment` (default: this process's) sets already is the user's choice and left alone.
    """
    environment = os.environ if environment is None else environment
    return {variable: "1" for variable in THREAD_VARIABLES if variable not in environment}
