"""Ends a host with the process that started it, also while its model keeps Python from running any thread."""

from __future__ import annotations

import os
import select
import signal


def guard(starter: int) -> None:
    """Forks a process that waits for the end of the process `starter`, then kills this one's group, itself with it.

    To be called before threads start and big libraries load, in the leader of a process group. A death signal of the
    kernel (PR_SET_PDEATHSIG) would end the host alone and leave what its model has started. Does nothing where the
    system has no pidfd: there a thread of the host watches.
    """
    if not hasattr(os, "pidfd_open") or os.getpgrp() != os.getpid():
        return
    try:
        watched = os.pidfd_open(starter)
    except ProcessLookupError:
        os.killpg(0, signal.SIGKILL)
        return
    except OSError:  # an old kernel, or a sandbox
        return
    if os.fork():
        os.close(watched)
        return
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # whoever reads what the host says would wait for this process too
            os.dup2(nothing, stream)
        select.select([watched], [], [])
        os.killpg(0, signal.SIGKILL)
    finally:
        os._exit(1)
