"""Tensor columns as numpy arrays, without copying where memory already lies right."""

from __future__ import annotations

from typing import Any

import numpy as np


def to_numpy(column: Any) -> Any:
    """The tensors of a column as numpy arrays.

    ``column`` is a tensor column (``STRUCT<data: ARRAY<T>, shape: ARRAY<INT>>``) in any of the
    forms in which PySpark hands it out:

    * a pyarrow ``StructArray`` or ``ChunkedArray`` (``DataFrame.toArrow()``, ``mapInArrow``),
    * a pandas ``Series`` (``toPandas()``, ``mapInPandas``),
    * one tensor: a ``Row``, a mapping or a tuple with ``data`` and ``shape``.

    A single tensor gives one array. A column gives an array of shape ``(rows, *shape)`` if all its
    tensors have one shape, else a list of arrays. A null tensor (only in a list) is ``None``. From
    pyarrow, and from pandas as Arrow made it, the result is a view of Arrow's memory as long as the
    column holds no nulls and came in one chunk; it is read-only. Null cells need a float: integer
    tensors with nulls come as float64 with NaN, floating ones keep their type.
    """
    if _is_arrow(column):
        return _from_arrow(column)
    if hasattr(column, "iloc"):
        return _gather([None if value is None else _one(value) for value in column])
    return _one(column)


def _is_arrow(column: Any) -> bool:
    return type(column).__module__.split(".")[0] == "pyarrow"


def _one(value: Any) -> np.ndarray:
    """One tensor from a Row, mapping or (data, shape) pair."""
    data, shape = (value["data"], value["shape"]) if hasattr(value, "keys") else _pair(value)
    return _values(data).reshape(tuple(int(length) for length in shape))


def _pair(value: Any) -> tuple[Any, Any]:
    if hasattr(value, "data") and hasattr(value, "shape") and not isinstance(value, np.ndarray):
        return value.data, value.shape
    try:
        data, shape = value
    except (TypeError, ValueError):
        raise TypeError(
            f"not a tensor: {type(value).__name__}; pass a column of STRUCT<data, shape>"
        ) from None
    return data, shape


def _values(data: Any) -> np.ndarray:
    if isinstance(data, np.ndarray):
        return data
    if any(value is None for value in data):
        return np.array([np.nan if value is None else value for value in data], dtype=float)
    return np.asarray(data)


def _from_arrow(column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        if column.num_chunks == 1:
            return _from_arrow(column.chunk(0))
        return _gather([tensor for chunk in column.chunks for tensor in _views(chunk)])
    if isinstance(column, pa.Scalar):
        return _one(column.as_py())
    return _stacked(column)


def _stacked(column: Any) -> Any:
    """All tensors of a struct array as one view if their shapes agree, else a list of views."""
    shapes = column.field("shape")
    if column.null_count or len(column) == 0 or shapes.null_count:
        return _gather(_views(column))
    # flatten() honours the array's own offset and length; .values would not.
    lengths = shapes.flatten().to_numpy(zero_copy_only=False)
    if lengths.size % len(column):
        return _views(column)
    lengths = lengths.reshape(len(column), -1)
    if (lengths != lengths[0]).any():
        return _views(column)
    return _flat(column.field("data").flatten()).reshape(len(column), *(int(n) for n in lengths[0]))


def _views(column: Any) -> list[np.ndarray | None]:
    data, shapes = column.field("data"), column.field("shape").to_pylist()
    valid = column.is_valid().to_pylist()
    return [
        _flat(data[row].values).reshape(shapes[row]) if valid[row] else None
        for row in range(len(column))
    ]


def _flat(values: Any) -> np.ndarray:
    return values.to_numpy(zero_copy_only=values.null_count == 0 and _is_plain(values.type))


def _is_plain(arrow_type: Any) -> bool:
    import pyarrow.types as types

    return types.is_integer(arrow_type) or types.is_floating(arrow_type)


def _gather(tensors: list[np.ndarray | None]) -> Any:
    shapes = {None if tensor is None else tensor.shape for tensor in tensors}
    if len(shapes) == 1 and None not in shapes:
        together = _adjacent(tensors)
        return np.stack(tensors) if together is None else together
    return tensors


def _adjacent(tensors: list[np.ndarray]) -> np.ndarray | None:
    """One view of tensors that lie one after the other in memory, as pandas gets them of Arrow."""
    first = tensors[0]
    owner = _owner(first)
    if first.nbytes == 0 or owner is first or not isinstance(owner, np.ndarray):
        return None
    flat = owner.reshape(-1) if owner.flags.c_contiguous and owner.dtype == first.dtype else None
    start = first.__array_interface__["data"][0]
    for number, tensor in enumerate(tensors):
        at = tensor.__array_interface__["data"][0]
        if (
            flat is None
            or tensor.dtype != first.dtype
            or not tensor.flags.c_contiguous
            or at != start + number * first.nbytes
            or _owner(tensor) is not owner
        ):
            return None
    begin = (start - flat.__array_interface__["data"][0]) // first.itemsize
    return flat[begin : begin + first.size * len(tensors)].reshape(len(tensors), *first.shape)


def _owner(array: np.ndarray) -> Any:
    """The last array in a chain of views."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
