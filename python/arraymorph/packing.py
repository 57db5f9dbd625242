"""Cells in a file or a byte array, as the JVM's TensorPacking lays them out."""

from __future__ import annotations

import base64
import json
import operator
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from arraymorph.errors import error
from arraymorph.handed import Spares
from arraymorph.parts import OutsideError, Part, write_parts
from arraymorph.staging import exchange_file

_ALIGNMENT = 64


def dtype_of(data_type: Any) -> np.dtype | None:
    """The numpy type of a Zarr data type, None for text and bytes of any length."""
    if isinstance(data_type, str):
        if data_type in ("string", "variable_length_bytes"):
            return None
        if data_type.startswith("r") and data_type[1:].isdigit():
            return np.dtype(f"V{int(data_type[1:]) // 8}")
        narrow = {"int2": "int8", "int4": "int8", "uint2": "uint8", "uint4": "uint8"}
        try:
            return np.dtype(narrow.get(data_type, data_type))
        except TypeError:
            bits = int("".join(filter(str.isdigit, data_type.split("_")[0])) or 8)
            return np.dtype(f"V{max(1, bits // 8)}")
    name, configuration = data_type["name"], data_type["configuration"]
    if name in ("numpy.datetime64", "numpy.timedelta64"):
        unit = configuration["unit"]
        scale = "" if unit == "generic" else f"[{configuration['scale_factor']}{unit}]"
        return np.dtype(name.removeprefix("numpy.") + scale)
    if name == "null_terminated_bytes":
        return np.dtype(f"S{configuration['length_bytes']}")
    if name == "fixed_length_utf32":
        return np.dtype(f"<U{configuration['length_bytes'] // 4}")
    return np.dtype([(field, dtype_of(kind)) for field, kind in configuration["fields"]])


def data_type_of(dtype: np.dtype) -> Any:
    """The Zarr data type of a numpy type."""
    if dtype.kind in "biufc":
        return dtype.name
    if dtype.kind in "mM":
        unit, scale = np.datetime_data(dtype)
        kind = "datetime64" if dtype.kind == "M" else "timedelta64"
        return {
            "name": f"numpy.{kind}",
            "configuration": {"unit": unit, "scale_factor": scale},
        }
    if dtype.kind == "S":
        return {
            "name": "null_terminated_bytes",
            "configuration": {"length_bytes": dtype.itemsize},
        }
    if dtype.kind == "U":
        return {"name": "fixed_length_utf32", "configuration": {"length_bytes": dtype.itemsize}}
    if dtype.kind == "O":
        return "string"
    raise error("UNSUPPORTED_TYPE", f"values of type {dtype} cannot be stored")


def parts_of(data: Any, fill: Any) -> tuple[list[Any] | None, np.ndarray, tuple[int, ...], Any]:
    """Coordinate columns (None if dense), values, shape and fill value of what is written."""
    if isinstance(data, tuple) and len(data) == 3:
        coords, values, shape = data
        return _columns(coords, values, shape), np.asarray(values), _shape(shape), fill
    if isinstance(data, np.ndarray) or np.isscalar(data):
        values = np.asarray(data)
        return None, values, values.shape, fill
    module = type(data).__module__.split(".")[0]
    if module == "sparse":
        coo = data.asformat("coo")
        return list(coo.coords), coo.data, coo.shape, coo.fill_value
    if module == "scipy":
        coo = data.tocoo(copy=True)  # or the caller's own would be changed
        coo.sum_duplicates()
        return list(getattr(coo, "coords", (coo.row, coo.col))), coo.data, coo.shape, 0
    if module == "torch":
        here = data.detach().cpu()
        if str(here.dtype) == "torch.bfloat16":
            raise error("UNSUPPORTED_TYPE", "values of type bfloat16. Use data.float().")
        if str(here.layout) == "torch.strided":
            return parts_of(here.numpy(), fill)
        coo = here.to_sparse_coo().coalesce()
        return list(coo.indices().numpy()), coo.values().numpy(), tuple(coo.shape), 0
    raise TypeError(f"cannot write a {type(data).__name__}; see Tensors.write")


def _shape(shape: Any) -> tuple[int, ...]:
    """Lengths of dimensions; what is no whole number is refused, not rounded."""
    try:
        lengths = tuple(map(operator.index, shape))
    except TypeError:
        raise TypeError(f"a shape is integers, not {shape!r}") from None
    if any(length < 0 for length in lengths):
        raise error("SHAPE_MISMATCH", f"negative length in shape {lengths}; use 0 or more")
    return lengths


def _columns(coords: Any, values: Any, shape: Any) -> list[Any]:
    columns = [np.asarray(column) for column in coords]
    count = np.asarray(values).shape
    if len(columns) != len(shape) or any(column.shape != count for column in columns):
        raise error(
            "SHAPE_MISMATCH",
            f"{len(columns)} columns of indices for {len(shape)} dimensions and values of shape "
            f"{count}; give one column per dimension and one index per value",
        )
    for d, column in enumerate(columns):
        if column.dtype.kind not in "iu" and len(column):
            raise error(
                "TYPE_MISMATCH",
                f"indices of dimension {d} are {column.dtype}; cells are placed by integers",
            )
    return columns


def write_file(
    columns: list[Any] | None,
    values: np.ndarray,
    shape: tuple[int, ...],
    names: list[str],
    fill: Any,
) -> str:
    """Lays a tensor out as TensorPacking does; the path of the file."""
    parts = [Part.of_indices(c, n) for c, n in zip(columns or [], shape)]
    if values.dtype.kind == "O":
        texts = [_text(value) for value in values.ravel()]
        offsets = np.zeros(len(texts) + 1, "<i4")
        offsets[1:] = np.cumsum([len(text) for text in texts])
        parts += [Part(offsets, "<i4"), Part(np.frombuffer(b"".join(texts), "u1"), "u1")]
        fill_bytes = _text(fill or "")
    else:
        values = values.astype(values.dtype.newbyteorder("<"), copy=False)
        flat = np.ascontiguousarray(values)
        parts.append(Part(flat, flat.dtype) if columns is None else Part.of_values(flat))
        fill_bytes = _fill(fill, values.dtype).tobytes()
    head = {
        "data_type": data_type_of(values.dtype),
        "shape": list(shape),
        "dimension_names": names,
        "fill": base64.b64encode(fill_bytes).decode(),
        "count": int(values.size),
        "dense": columns is None,
    }
    try:
        return _write_file(head, parts)
    except OutsideError:
        # The JVM says which index it is, so that must not be wrapped into another one.
        return _write_file(head, [part.wide() for part in parts])


def _write_file(head: dict[str, Any], parts: list[Part]) -> str:
    described, places = [], []
    at = 0
    for part in parts:
        described.append({"offset": at, "length": part.nbytes, "width": part.dtype.itemsize})
        places.append(at)
        at = _aligned(at + part.nbytes)
    small = any(part.small for part in parts)
    text = json.dumps({**head, "small": small, "parts": described}).encode()
    body = _aligned(4 + len(text))
    descriptor, path = exchange_file(body + at)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(len(text).to_bytes(4, "little") + text)
            out.flush()
            write_parts(descriptor, [(part, body + at) for part, at in zip(parts, places)])
    except BaseException:
        os.unlink(path)
        raise
    return path


def _text(value: Any) -> bytes:
    if not isinstance(value, str):
        raise error("TYPE_MISMATCH", f"{value!r} is no text; arrays of objects hold texts only")
    return value.encode()


def _fill(fill: Any, dtype: np.dtype) -> np.ndarray:
    """The fill value in the type of the values, which must hold it exactly but for rounding."""
    if isinstance(fill, int) and fill == 0:
        return np.zeros((), dtype)  # also of texts, bytes and structs
    given = np.asarray(fill)
    try:
        with np.errstate(all="ignore"):
            stored = given.astype(dtype)
            holds = dtype.kind not in "biu" or bool(stored == given)
    except (TypeError, ValueError):
        holds = False
    if not holds:
        raise error("TYPE_MISMATCH", f"fill value {fill!r} is no {dtype}; give one that it holds")
    return stored


def _aligned(position: int) -> int:
    return (position + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT


def unpack(ask: Callable[[str], Any]) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The head and the parts of what the JVM hands over; arrays are views of it.

    ``ask`` makes the call, given the files that the JVM may write into.
    """
    with Spares() as spares:
        handed = ask(str(spares))
        buffer: Any = spares.map(handed) if isinstance(handed, str) else bytes(handed)
    length = int.from_bytes(buffer[:4], "little")
    head = json.loads(buffer[4 : 4 + length])
    body = _aligned(4 + length)
    dtype = dtype_of(head["data_type"])
    raw = [(body + part["offset"], part["length"], part["width"]) for part in head["parts"]]
    indices = 0 if head["dense"] else len(head["shape"])
    arrays = [_view(buffer, at, n, np.dtype(f"<i{w}")) for at, n, w in raw[:indices]]
    if dtype is not None:
        at, n, _ = raw[indices]
        arrays.append(_view(buffer, at, n, dtype))
    else:
        offsets = _view(buffer, *raw[indices][:2], np.dtype("<i4"))
        at, n, _ = raw[indices + 1]
        text = bytes(buffer[at : at + n])
        cut = [text[a:b] for a, b in zip(offsets[:-1], offsets[1:])]
        values = np.empty(len(cut), object)
        values[:] = [t.decode() for t in cut] if head["data_type"] == "string" else cut
        arrays.append(values)
    return head, arrays


def _view(buffer: Any, at: int, length: int, dtype: np.dtype) -> np.ndarray:
    return np.frombuffer(buffer, dtype, count=length // dtype.itemsize, offset=at)
