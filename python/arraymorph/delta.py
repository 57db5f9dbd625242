"""Tensors in Delta tables without a Spark job: slices as numpy, pydata/sparse, torch or scipy."""

from __future__ import annotations

import base64
import json
import mmap
import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from arraymorph.errors import UnknownNameError, coded, error

_ALIGNMENT = 64


def open_tensors(
    spark: Any,
    uri: str,
    *,
    version: int | None = None,
    timestamp: str | None = None,
    options: Mapping[str, str] | None = None,
) -> Tensors:
    """The tensors of the Delta table at ``uri``; ``open_tensors(spark, uri)["id"][3:7]``.

    ``spark`` is a classic ``SparkSession`` (not Spark Connect): its JVM on this machine reads, with
    the session's credentials, but no Spark job runs. The table need not exist until something is
    written. ``version`` or ``timestamp`` go back in time; ``options`` are settings of the store.
    """
    settings = dict(options or {})
    if version is not None:
        settings["versionAsOf"] = str(version)
    if timestamp is not None:
        settings["timestampAsOf"] = timestamp
    try:
        jvm = spark.sparkContext._jvm
    except Exception as failure:
        raise TypeError("open_tensors needs a classic SparkSession, not Spark Connect") from failure
    with coded():
        entry = jvm.io.arraymorph.spark.delta.LocalTensors
        return Tensors(jvm, entry.open(uri, _java_map(jvm, settings)))


class Tensors(Mapping[str, "Tensor"]):
    """The tensors in one version of a table, by id."""

    def __init__(self, jvm: Any, handle: Any) -> None:
        self._jvm = jvm
        self._handle = handle

    @property
    def version(self) -> int:
        """The version of the table that is seen."""
        with coded():
            return self._handle.version()

    def latest(self) -> Tensors:
        """The newest version; what was learnt about its files is kept."""
        with coded():
            return Tensors(self._jvm, self._handle.latest())

    def at(self, version: int) -> Tensors:
        """The same table at a version."""
        with coded():
            return Tensors(self._jvm, self._handle.at(version))

    def __getitem__(self, tensor_id: str) -> Tensor:
        with coded():
            return Tensor(self._handle, json.loads(self._handle.header(tensor_id)))

    def __iter__(self) -> Iterator[str]:
        with coded():
            lines = self._handle.headers().splitlines()
        return iter([json.loads(line)["tensor"] for line in lines])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, tensor_id: object) -> bool:
        try:
            self[str(tensor_id)]
        except UnknownNameError:
            return False
        return True

    def write(
        self,
        tensor_id: str,
        data: Any,
        *,
        storage: str = "auto",
        names: list[str] | None = None,
        block: tuple[int, ...] | None = None,
        slice_hint: list[str] | None = None,
        fill: Any = 0,
        duplicates: str = "error",
        mode: str = "create",
        append_dim: str | None = None,
    ) -> Tensors:
        """Writes a tensor in one commit and returns the version that has it.

        ``data`` is a numpy array (stored dense), a ``pydata/sparse`` array, a scipy sparse array, a
        torch tensor (dense or COO), or ``(coords, values, shape)`` with ``coords`` of shape
        ``(ndim, nnz)``. ``storage``, ``block``, ``slice_hint``, ``duplicates`` are the options of
        ``df.write.format("arraymorph")``; ``mode`` is ``create``, ``replace`` or ``append`` along
        ``append_dim``, the first dimension if not given.
        """
        coords, values, shape, fill = _parts(data, fill)
        names = list(names or [f"dim_{d}" for d in range(len(shape))])
        options = {"storage": storage, "duplicates": duplicates, "mode": mode}
        if block is not None:
            options["block"] = ",".join(map(str, block))
        if slice_hint:
            options["slice-hint"] = ",".join(slice_hint)
        if append_dim:
            options["append-dim"] = append_dim
        path = _write_file(coords, values, shape, names, fill)
        try:
            with coded():
                self._handle.write(tensor_id, path, _java_map(self._jvm, options))
        finally:
            os.unlink(path)
        return self.latest()

    def delete(self, tensor_id: str) -> Tensors:
        """Deletes a tensor in one commit and returns the version that lacks it."""
        with coded():
            self._handle.delete(tensor_id)
        return self.latest()


class Tensor:
    """One tensor in one version of a table. ``tensor[key]`` reads a slice.

    A key is what numpy takes for basic indexing (integers, slices with any step, ``...``) plus
    lists of integers, which combine as an outer product. The result is a :class:`Cells`.
    """

    def __init__(self, handle: Any, header: dict[str, Any]) -> None:
        self._handle = handle
        self.header = header

    @property
    def id(self) -> str:
        """The id of the tensor in its table."""
        return self.header["tensor"]

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each dimension."""
        return tuple(self.header["shape"])

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.header["shape"])

    @property
    def dims(self) -> tuple[str, ...]:
        """The name of each dimension."""
        return tuple(self.header["dimension_names"])

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements; text and bytes of any length are ``object``."""
        return _dtype(self.header["data_type"]) or np.dtype(object)

    @property
    def nnz(self) -> int:
        """The number of stored cells."""
        return self.header["stored_cells"]

    @property
    def encoding(self) -> str:
        """How the tensor is stored: ``ftsf``, ``coo``, ``csr``, ``csc``, ``csf`` or ``bsgs``."""
        return self.header["encoding"]

    @property
    def reason(self) -> str:
        """Why it is stored so."""
        return self.header["reason"]

    def __getitem__(self, key: Any) -> Cells:
        return Cells(*_unpack(self._ask("cells", key)))

    def numpy(self, key: Any = ...) -> np.ndarray:
        """A slice as a dense array, the fill value where nothing is stored.

        Of a dense tensor (``ftsf``) this is the fast way: no coordinates are made.
        """
        head, parts = _unpack(self._ask("dense", key))
        return parts[0].reshape(head["shape"])

    def _ask(self, what: str, key: Any) -> Any:
        with coded():
            return getattr(self._handle, what)(self.id, _slice_text(key))

    def __repr__(self) -> str:
        return f"<Tensor {self.id!r} {self.shape} {self.dtype} nnz={self.nnz} {self.encoding}>"


class Cells:
    """The stored cells of a slice: unique, sorted row-major, in positions of the slice."""

    def __init__(self, head: dict[str, Any], parts: list[np.ndarray]) -> None:
        self.shape: tuple[int, ...] = tuple(head["shape"])
        self.dims: tuple[str, ...] = tuple(head["dimension_names"])
        self.columns: list[np.ndarray] = parts[: len(self.shape)]
        self.values: np.ndarray = parts[len(self.shape)]
        fill = base64.b64decode(head["fill"])
        dtype = _dtype(head["data_type"])
        self.fill: Any = (
            np.frombuffer(fill, dtype)[0]
            if dtype is not None
            else fill.decode()
            if head["data_type"] == "string"
            else fill
        )

    @property
    def nnz(self) -> int:
        """The number of stored cells."""
        return len(self.values)

    @property
    def coords(self) -> np.ndarray:
        """The positions of the cells, of shape ``(ndim, nnz)``."""
        wide = any(length > np.iinfo(np.int32).max for length in self.shape)
        if not self.columns:
            return np.empty((0, self.nnz), np.int32)
        return np.stack([c.astype(np.int64, copy=False) if wide else c for c in self.columns])

    def numpy(self) -> np.ndarray:
        """A dense array, the fill value where nothing is stored."""
        dense = np.full(self.shape, self.fill, dtype=self.values.dtype)
        if self.shape:
            dense[tuple(self.columns)] = self.values
        elif self.nnz:
            dense[()] = self.values[0]
        return dense

    def sparse(self) -> Any:
        """A ``sparse.COO`` of pydata/sparse."""
        import sparse

        return sparse.COO(
            self.coords,
            self.values,
            shape=self.shape,
            fill_value=self.fill,
            sorted=True,
            has_duplicates=False,
        )

    def torch(self) -> Any:
        """A coalesced ``torch.sparse_coo_tensor``; the fill value must be zero."""
        import torch

        self._need_zero_fill("torch")
        indices = torch.from_numpy(self.coords.astype(np.int64, copy=False))
        values = torch.from_numpy(np.array(self.values))
        return torch.sparse_coo_tensor(indices, values, self.shape, is_coalesced=True)

    def scipy(self) -> Any:
        """A ``scipy.sparse.coo_array`` of one or two dimensions; the fill value must be zero."""
        import scipy.sparse

        self._need_zero_fill("scipy")
        return scipy.sparse.coo_array((self.values, tuple(self.columns)), shape=self.shape)

    def _need_zero_fill(self, library: str) -> None:
        if self.fill != 0:
            raise error(
                "UNSUPPORTED_FEATURE",
                f"{library} has no fill value but 0, this tensor has {self.fill!r}; "
                "use .sparse() or .numpy()",
            )

    def __repr__(self) -> str:
        return f"<Cells {self.shape} {self.values.dtype} nnz={self.nnz}>"


def _slice_text(key: Any) -> str:
    """A key as the JVM's slice text."""
    items = key if isinstance(key, tuple) else (key,)
    return ", ".join(_item_text(item) for item in items)


def _item_text(item: Any) -> str:
    if item is Ellipsis:
        return "..."
    if isinstance(item, slice):
        bounds = [item.start, item.stop] + ([] if item.step is None else [item.step])
        return ":".join("" if bound is None else str(_index(bound)) for bound in bounds)
    if isinstance(item, (list, np.ndarray, range)):
        array = np.asarray(item)
        if array.dtype == bool:
            array = np.flatnonzero(array)
        if array.size == 0:
            return "[]"
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise TypeError(f"a list of integers is needed along a dimension, not {item!r}")
        return "[" + ", ".join(map(str, array.tolist())) + "]"
    return str(_index(item))


def _index(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("True and False are no indices")
    return value.__index__()


def _dtype(data_type: Any) -> np.dtype | None:
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
    return np.dtype([(field, _dtype(kind)) for field, kind in configuration["fields"]])


def _data_type(dtype: np.dtype) -> Any:
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


def _parts(data: Any, fill: Any) -> tuple[list[Any] | None, np.ndarray, tuple[int, ...], Any]:
    """Coordinate columns (None if dense), values, shape and fill value of what is written."""
    if isinstance(data, tuple) and len(data) == 3:
        coords, values, shape = data
        return _columns(coords, values, shape), np.asarray(values), tuple(map(int, shape)), fill
    if isinstance(data, np.ndarray) or np.isscalar(data):
        values = np.asarray(data)
        return None, values, values.shape, fill
    module = type(data).__module__.split(".")[0]
    if module == "sparse":
        coo = data.tocoo() if hasattr(data, "tocoo") else data
        return list(coo.coords), coo.data, coo.shape, coo.fill_value
    if module == "scipy":
        coo = data.tocoo()
        coo.sum_duplicates()
        return list(getattr(coo, "coords", (coo.row, coo.col))), coo.data, coo.shape, 0
    if module == "torch":
        if not data.is_sparse:
            return _parts(data.detach().cpu().numpy(), fill)
        coo = data.detach().cpu().coalesce()
        return list(coo.indices().numpy()), coo.values().numpy(), tuple(coo.shape), 0
    raise TypeError(f"cannot write a {type(data).__name__}; see Tensors.write")


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


def _write_file(
    columns: list[Any] | None,
    values: np.ndarray,
    shape: tuple[int, ...],
    names: list[str],
    fill: Any,
) -> str:
    """Lays a tensor out as TensorPacking does; the path of the file."""
    arrays: list[np.ndarray] = []
    for d, column in enumerate(columns or []):
        # An index that does not fit must be refused, not wrapped into one that does.
        narrow = shape[d] <= np.iinfo(np.int32).max and (
            column.dtype == np.int32
            or column.size == 0
            or (column.min() >= np.iinfo(np.int32).min and column.max() <= np.iinfo(np.int32).max)
        )
        arrays.append(np.ascontiguousarray(column, "<i4" if narrow else "<i8"))
    if values.dtype.kind == "O":
        texts = [str(value).encode() for value in values.ravel()]
        offsets = np.zeros(len(texts) + 1, "<i4")
        offsets[1:] = np.cumsum([len(text) for text in texts])
        arrays += [offsets, np.frombuffer(b"".join(texts), "u1")]
        fill_bytes = (str(fill) if fill else "").encode()
    else:
        values = values.astype(values.dtype.newbyteorder("<"), copy=False)
        arrays.append(np.ascontiguousarray(values).ravel())
        fill_bytes = np.asarray(fill).astype(values.dtype).tobytes()
    parts, at = [], 0
    for array in arrays:
        parts.append({"offset": at, "length": array.nbytes, "width": array.itemsize})
        at = _aligned(at + array.nbytes)
    head = {
        "data_type": _data_type(values.dtype),
        "shape": list(shape),
        "dimension_names": names,
        "fill": base64.b64encode(fill_bytes).decode(),
        "count": int(values.size),
        "dense": columns is None,
        "parts": parts,
    }
    text = json.dumps(head).encode()
    descriptor, path = tempfile.mkstemp(prefix="arraymorph-", suffix=".cells", dir=_exchange())
    with os.fdopen(descriptor, "wb") as out:
        out.write(len(text).to_bytes(4, "little") + text)
        body = _aligned(4 + len(text))
        for part, array in zip(parts, arrays):
            out.seek(body + part["offset"])
            out.write(array.view("u1") if array.nbytes else b"")
    return path


def _exchange() -> str | None:
    """A directory in memory with room to spare, or None for the temporary directory."""
    memory = "/dev/shm"
    try:
        room = os.statvfs(memory)
    except OSError:
        return None
    return memory if room.f_bavail * room.f_frsize > 4 << 30 and os.access(memory, 2) else None


def _aligned(position: int) -> int:
    return (position + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT


def _unpack(handed: Any) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The head and the parts of what the JVM handed over; arrays are views of it."""
    if isinstance(handed, str):
        with open(handed, "rb") as file:
            os.unlink(handed)
            buffer: Any = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    else:
        buffer = bytes(handed)
    length = int.from_bytes(buffer[:4], "little")
    head = json.loads(buffer[4 : 4 + length])
    body = _aligned(4 + length)
    dtype = _dtype(head["data_type"])
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


def _java_map(jvm: Any, values: Mapping[str, str]) -> Any:
    java_map = jvm.java.util.HashMap()
    for name, value in values.items():
        java_map.put(name, value)
    return java_map
