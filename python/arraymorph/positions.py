"""Which indices along a dimension are selected, in which order."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from arraymorph.errors import error

#: Selected indices of the stored array: one (the dimension is dropped), a progression, or a list.
Positions = Union[int, range, np.ndarray]


def narrow(current: range | np.ndarray, key: Any, dimension: str) -> Positions:
    """The positions ``key`` picks of the current ones, as numpy and xarray's ``isel`` do."""
    if isinstance(key, slice):
        try:
            return current[key]
        except (TypeError, ValueError):  # A step of 0, bounds that are no integers.
            raise _refused(key, dimension) from None
    if isinstance(key, (bool, np.bool_)):
        raise _refused(key, dimension)
    array = np.asarray(key)
    if array.ndim == 0:
        try:
            index = operator.index(key if not isinstance(key, np.ndarray) else key.item())
        except TypeError:
            raise _refused(key, dimension) from None
        return int(current[_inside(index, len(current), dimension)])
    if array.ndim > 1 or (array.size and array.dtype.kind not in "biu"):
        raise _refused(key, dimension)
    if array.dtype.kind == "b":
        if len(array) != len(current):
            raise error(
                "SHAPE_MISMATCH",
                f"a mask of {len(array)} along '{dimension}' of length {len(current)}. "
                "Give one value for each index.",
            )
        array = np.flatnonzero(array)
    wanted = np.array([_inside(int(i), len(current), dimension) for i in array], dtype=np.int64)
    if isinstance(current, range):
        return current.start + current.step * wanted
    return current[wanted]


def _refused(key: Any, dimension: str) -> Exception:
    return error(
        "INVALID_SLICE",
        f"{key!r} is no index along '{dimension}'. Use an integer, a slice, a list or a mask.",
    )


def _inside(index: int, length: int, dimension: str) -> int:
    if not -length <= index < length:
        raise error(
            "OUT_OF_BOUNDS",
            f"index {index} is outside of '{dimension}'. It has length {length}.",
        )
    return index + length if index < 0 else index


def of_ranges(ranges: Sequence[Sequence[int]]) -> range | np.ndarray:
    """The positions in ranges ``[start, stop, step]``, ascending."""
    if len(ranges) == 0:
        return range(0)
    if len(ranges) == 1:
        return range(*ranges[0])
    return np.concatenate([np.arange(*one, dtype=np.int64) for one in ranges])


def within(found: range | np.ndarray, current: range | np.ndarray) -> range | np.ndarray:
    """The current positions that are among those found, in the current order."""
    if isinstance(current, range) and isinstance(found, range):
        if current.step == 1 and len(found) and found[0] in current and found[-1] in current:
            return found
        if len(found) == 0:
            return range(0)
    indices = as_array(current)
    return indices[np.isin(indices, as_array(found))]


def as_array(positions: Positions) -> np.ndarray:
    """The positions one by one."""
    if isinstance(positions, range):
        return np.arange(positions.start, positions.stop, positions.step, dtype=np.int64)
    return np.atleast_1d(np.asarray(positions, dtype=np.int64))


def contains(positions: range | np.ndarray, index: int) -> bool:
    """Whether an index is among the positions."""
    return index in positions if isinstance(positions, range) else bool((positions == index).any())


def ascending(positions: Positions) -> tuple[list[list[int]], Any]:
    """Ascending disjoint ranges with the same indices, and what restores order and repetitions.

    What restores them is None, a slice, or an array of indices, to be applied along the dimension
    of the values that were read.
    """
    if isinstance(positions, int):
        return [[positions, positions + 1, 1]], None
    if isinstance(positions, range):
        if len(positions) == 0:
            return [], None
        if positions.step < 0:
            positions = positions[::-1]
            return [[positions[0], positions[-1] + 1, positions.step]], slice(None, None, -1)
        return [[positions[0], positions[-1] + 1, positions.step]], None
    unique, inverse = np.unique(positions, return_inverse=True)
    if len(unique) == 0:
        return [], None
    breaks = np.flatnonzero(np.diff(unique) != 1) + 1
    starts, stops = unique[np.r_[0, breaks]], unique[np.r_[breaks - 1, len(unique) - 1]] + 1
    ranges = [[int(a), int(b), 1] for a, b in zip(starts, stops)]
    in_order = len(unique) == len(positions) and bool((inverse == np.arange(len(unique))).all())
    return ranges, None if in_order else inverse
