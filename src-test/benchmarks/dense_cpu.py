"""Processor seconds of other processes of this machine."""

from __future__ import annotations

import os
import subprocess
import time

# Of Linux: the clock of a process is its id's complement, and two for "as the scheduler counts".
_SCHEDULED = 2


def cpu_seconds(process: subprocess.Popen) -> float | None:
    """What all threads of a process took of the processors; None where nobody tells."""
    try:
        return time.clock_gettime((~process.pid << 3) | _SCHEDULED)
    except (AttributeError, OSError):
        return None


def processors() -> int:
    """How many processors this process and those it starts may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
