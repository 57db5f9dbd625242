"""What the driver's JVM reads, in memory that numpy maps: no rows, no copy between processes."""

from __future__ import annotations

import ast
import contextlib
import mmap
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from arraymorph.errors import ArrayMorphError, coded

_FIRST_MILLISECONDS = 50
_LONGEST_PAUSE = 0.1
_QUIET_SECONDS = 1.0


def scratch() -> str:
    """The folder for results: ``ARRAYMORPH_SCRATCH``, else that for temporary files."""
    return os.environ.get("ARRAYMORPH_SCRATCH") or tempfile.gettempdir()


def dtype_of(description: str) -> np.dtype:
    """The dtype that ``numpy.lib.format`` describes so."""
    return np.dtype(ast.literal_eval(description))


def read(dataset: Any, name: str, selection: str, layout: dict, label: str) -> np.ndarray:
    """The values of a selection, packed, in C order.

    ``dataset`` is the JVM's dataset and ``layout`` what it says of the selection. The array is
    writable and belongs to the caller.
    """
    shape = tuple(layout["shape"])
    if layout["dtype"] == "object":
        return _texts(dataset, name, selection, shape, label)
    dtype = dtype_of(layout["dtype"])
    size = int(layout["bytes"])
    if size == 0:
        return np.empty(shape, dtype)
    with _file(size) as (descriptor, path, unlink):
        with coded():
            job = dataset.read(name, selection, path)
        # The JVM has mapped it: whatever ends this process now, nothing stays behind.
        unlink()
        wait(job, label)
        memory = mmap.mmap(descriptor, size)
    return np.ndarray(shape, dtype, buffer=memory)


@contextlib.contextmanager
def _file(size: int) -> Iterator[tuple[int, str, Any]]:
    folder = scratch()
    free = shutil.disk_usage(folder).free
    if free < size:
        raise ArrayMorphError(
            "STORE_FULL",
            f"the result needs {size} bytes, {folder} has {free} free. "
            "Select less, or name another folder with ARRAYMORPH_SCRATCH.",
        )
    descriptor, path = tempfile.mkstemp(prefix="arraymorph-", dir=folder)
    there = [path]

    def unlink() -> None:
        while there:
            os.unlink(there.pop())

    try:
        if size:
            _reserve(descriptor, size, folder)
        yield descriptor, path, unlink
    finally:
        os.close(descriptor)
        unlink()


def _reserve(descriptor: int, size: int, folder: str) -> None:
    """Takes the room now: a full disk must not kill the process later."""
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, size)
        else:
            os.truncate(descriptor, size)
    except OSError as failure:
        raise ArrayMorphError(
            "STORE_FULL",
            f"the result needs {size} bytes in {folder}: {failure}. "
            "Select less, or name another folder with ARRAYMORPH_SCRATCH.",
        ) from failure


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


def _texts(
    dataset: Any, name: str, selection: str, shape: tuple[int, ...], label: str
) -> np.ndarray:
    count = int(np.prod(shape, dtype=np.int64))
    with _file(0) as (_, path, _unlink):
        with coded():
            job = dataset.read(name, selection, path)
        wait(job, label)
        with open(path, "rb") as file:
            content = file.read()
    offsets = np.frombuffer(content, "<i4", count + 1)
    missing = np.frombuffer(content, "u1", count, 4 * count + 4)
    data = content[5 * count + 4 :]
    is_bytes = dataset.isBinary(name)
    values = np.empty(count, dtype=object)
    for i in range(count):
        if not missing[i]:
            one = data[offsets[i] : offsets[i + 1]]
            values[i] = one if is_bytes else one.decode("utf-8")
    return values.reshape(shape)
