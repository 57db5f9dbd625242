"""Arrays written into one file by several threads, integers in as few bytes as they need."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import Any

import numpy as np

_CELLS = 1 << 16  # converted at a time, in the processor's cache
_LEAST_PARALLEL = 1 << 20
_MOST_THREADS = 4
_SAMPLE = 1000


class OutsideError(Exception):
    """An index is not inside its dimension, or a value is no small integer."""


class Part:
    """An array, and the type in which its elements are written."""

    def __init__(self, array: np.ndarray, dtype: Any, length: int | None = None) -> None:
        self.array = array.reshape(-1)
        self.dtype = np.dtype(dtype)
        self.small = False
        self._length = length

    @classmethod
    def of_indices(cls, column: np.ndarray, length: int) -> Part:
        """Indices of a dimension, each of which must be inside its length."""
        for dtype in ("u1", "<u2", "<i4"):
            if length - 1 <= np.iinfo(dtype).max:
                return cls(column, dtype, length)
        return cls(column, "<i8")

    @classmethod
    def of_values(cls, values: np.ndarray) -> Part:
        """Numbers that are counts, it seems, as bytes, all others as they are."""
        part = cls(values, values.dtype)
        some = part.array[:: max(1, part.array.size // _SAMPLE)]
        if values.dtype.kind in "iuf" and values.dtype.itemsize in (4, 8) and _is_small(some):
            part.small, part.dtype = True, np.dtype("u1")
        return part

    def wide(self) -> Part:
        """The same indices or values, whatever they are."""
        if self.small:
            return Part(self.array, self.array.dtype)
        return self if self._length is None else Part(self.array, "<i8")

    @property
    def nbytes(self) -> int:
        """Its bytes in the file."""
        return self.array.size * self.dtype.itemsize

    def some(self, first: int) -> Any:
        """Elements from one on, as they are written."""
        block = self.array[first : first + _CELLS]
        if self._length is not None and (block.min() < 0 or block.max() >= self._length):
            raise OutsideError
        if self.small and not _is_small(block):
            raise OutsideError
        return np.ascontiguousarray(block, self.dtype).view("u1")


def _is_small(numbers: np.ndarray) -> bool:
    """True if each has the very bits of an integer from 0 to 255."""
    bits = f"u{numbers.dtype.itemsize}"
    with np.errstate(invalid="ignore"):
        back = numbers.astype("u1").astype(numbers.dtype)
    return bool((back.view(bits) == np.ascontiguousarray(numbers).view(bits)).all())


def write_parts(descriptor: int, parts: Iterable[tuple[Part, int]]) -> None:
    """Writes each part from its place in a file on."""
    parts = list(parts)
    jobs = iter([(p, at, i) for p, at in parts for i in range(0, p.array.size, _CELLS)])
    lock = threading.Lock()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            while not failures:
                with lock:
                    job = next(jobs, None)
                if job is None:
                    return
                part, at, first = job
                if part.dtype.itemsize:
                    _put(descriptor, part.some(first), at + first * part.dtype.itemsize)
        except BaseException as failure:
            failures.append(failure)

    much = sum(part.nbytes for part, _ in parts) >= _LEAST_PARALLEL and hasattr(os, "pwrite")
    helpers = min(_MOST_THREADS, os.cpu_count() or 1) - 1 if much else 0
    threads = [threading.Thread(target=work) for _ in range(helpers)]
    for thread in threads:
        thread.start()
    work()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def _put(descriptor: int, block: Any, at: int) -> None:
    content = memoryview(block)
    while len(content):
        if hasattr(os, "pwrite"):
            done = os.pwrite(descriptor, content, at)
        else:
            os.lseek(descriptor, at, os.SEEK_SET)
            done = os.write(descriptor, content)
        content, at = content[done:], at + done
