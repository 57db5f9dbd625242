"""What the driver's JVM reads, in memory of this process: no rows, one copy."""

from __future__ import annotations

import ast
import contextlib
import mmap
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from arraymorph.errors import coded
from arraymorph.staging import Box, Staging, reserved, scratch, staging

_FIRST_MILLISECONDS = 50
_LONGEST_PAUSE = 0.1
_QUIET_SECONDS = 1.0
_TICK_SECONDS = 0.1
# Where it cannot be said how much memory there is.
_ASSUMED_MEMORY = 4 << 30


def dtype_of(description: str) -> np.dtype:
    """The dtype that ``numpy.lib.format`` describes so."""
    return np.dtype(ast.literal_eval(description))


def read(jvm: Any, dataset: Any, name: str, selection: str, layout: dict, label: str) -> np.ndarray:
    """The values of a selection, packed, in C order.

    ``dataset`` is the JVM's dataset and ``layout`` what it says of the selection. The array is
    writable and belongs to the caller.
    """
    shape = tuple(layout["shape"])
    is_text = layout["dtype"] == "object"
    if is_text:
        content = bytearray()
        with staging(jvm) as shared:
            for box in _boxes(shared, dataset, name, selection, label):
                content += box.content
        return _texts(bytes(content), dataset.isBinary(name), shape)
    dtype = dtype_of(layout["dtype"])
    values = _empty(shape, dtype, int(layout["bytes"]))
    if values.size:
        with staging(jvm) as shared:
            for box in _boxes(shared, dataset, name, selection, label):
                part = np.frombuffer(box.content, dtype)
                values[box.slices()] = part.reshape(box.shape())
    return values


def _boxes(shared: Staging, dataset: Any, name: str, selection: str, label: str) -> Iterator[Box]:
    """The boxes of a result; shows progress if it takes long and tqdm is there.

    Whatever interrupts the loop over them, as Ctrl-C does, cancels the read.
    """
    with coded():
        job = dataset.read(name, selection, shared.java)
    bar, begun, done = None, time.monotonic(), 0
    try:
        for box in shared.boxes(_TICK_SECONDS):
            if box is not None:
                done += len(box.content)
                yield box
            if bar is not None:
                bar.update(done - bar.n)
            elif time.monotonic() - begun > _QUIET_SECONDS:
                bar, begun = _bar(int(job.total()), label), float("inf")
        if not shared.all_put:
            with coded():
                job.finish()
    except BaseException:
        # Safe also after its end.
        job.cancel()
        raise
    finally:
        if bar is not None:
            bar.close()


def _empty(shape: tuple[int, ...], dtype: np.dtype, size: int) -> np.ndarray:
    """Memory for a result: of a file that has no name any more if it is large."""
    if size <= _memory() // 2:
        return np.empty(shape, dtype)
    descriptor, path = reserved(size, scratch())
    try:
        os.unlink(path)
        return np.ndarray(shape, dtype, buffer=mmap.mmap(descriptor, size))
    finally:
        os.close(descriptor)


def _memory() -> int:
    """About how many bytes this process can still take."""
    available = _ASSUMED_MEMORY
    with contextlib.suppress(OSError, ValueError, IndexError):
        text = Path("/proc/meminfo").read_text()
        available = int(text.split("MemAvailable:")[1].split()[0]) << 10
    with contextlib.suppress(OSError, ValueError):
        # A container may get less; no number if it is not bounded.
        most = int(Path("/sys/fs/cgroup/memory.max").read_text())
        available = min(available, most - int(Path("/sys/fs/cgroup/memory.current").read_text()))
    return max(0, available)


def wait(job: Any, label: str) -> None:
    """Waits for a job of the JVM; shows progress if it takes long and tqdm is there.

    Whatever interrupts the wait, as Ctrl-C does, cancels the job.
    """
    bar, pause, begun = None, 0.005, time.monotonic()
    try:
        # Later waits are here and not in the JVM: Ctrl-C must not hit a call to it.
        ended = job.ended(_FIRST_MILLISECONDS)
        while not ended:
            time.sleep(pause)
            pause = min(_LONGEST_PAUSE, 1.2 * pause)
            if bar is None and time.monotonic() - begun > _QUIET_SECONDS:
                bar, begun = _bar(int(job.total()), label), float("inf")
            if bar is not None:
                bar.update(int(job.done()) - bar.n)
            ended = job.ended(0)
        with coded():
            job.finish()
        if bar is not None:
            bar.update(int(job.total()) - bar.n)
    except BaseException:
        # Safe also after its end.
        job.cancel()
        raise
    finally:
        if bar is not None:
            bar.close()


def _bar(total: int, label: str) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=label, unit="B", unit_scale=True, leave=False)


def _texts(content: bytes, is_bytes: bool, shape: tuple[int, ...]) -> np.ndarray:
    count = int(np.prod(shape, dtype=np.int64))
    offsets = np.frombuffer(content, "<i4", count + 1)
    missing = np.frombuffer(content, "u1", count, 4 * count + 4)
    data = content[5 * count + 4 :]
    values = np.empty(count, dtype=object)
    for i in range(count):
        if not missing[i]:
            one = data[offsets[i] : offsets[i + 1]]
            values[i] = one if is_bytes else one.decode("utf-8")
    return values.reshape(shape)
