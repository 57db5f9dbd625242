"""Tensors in Delta tables without a Spark job: slices as numpy, pydata/sparse, torch or scipy."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from arraymorph.cells import Cells
from arraymorph.errors import UnknownNameError, coded, error
from arraymorph.packing import dtype_of, parts_of, unpack, write_file


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
    if version is not None and timestamp is not None:
        raise error("INVALID_OPTION", "version and timestamp: give one of them")
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
        _need_text(tensor_id)
        coords, values, shape, fill = parts_of(data, fill)
        names = list(names or [f"dim_{d}" for d in range(len(shape))])
        if len(names) != len(shape) or not all(isinstance(name, str) for name in names):
            raise error(
                "SHAPE_MISMATCH",
                f"{names!r} do not name the dimensions of {shape}; give one text for each",
            )
        options = {"storage": storage, "duplicates": duplicates, "mode": mode}
        if block is not None:
            options["block"] = ",".join(map(str, block))
        if slice_hint:
            options["slice-hint"] = ",".join(slice_hint)
        if append_dim:
            options["append-dim"] = append_dim
        path = write_file(coords, values, shape, names, fill)
        try:
            with coded():
                self._handle.write(tensor_id, path, _java_map(self._jvm, options))
        finally:
            os.unlink(path)
        return self.latest()

    def read_tns(
        self,
        tensor_id: str,
        path: str | os.PathLike[str],
        *,
        names: list[str] | None = None,
        shape: tuple[int, ...] | None = None,
        storage: str = "auto",
        slice_hint: list[str] | None = None,
        duplicates: str = "error",
        mode: str = "create",
    ) -> Tensors:
        """Writes a tensor of float64 from a FROSTT text file (``.tns``) on this machine.

        Its shape, if not given, is what a header of the extended format says, else the greatest
        index along each dimension. The other arguments are those of :meth:`write`.
        """
        _need_text(tensor_id)
        options = {"storage": storage, "duplicates": duplicates, "mode": mode}
        if shape is not None:
            options["shape"] = ",".join(map(str, shape))
        if slice_hint:
            options["slice-hint"] = ",".join(slice_hint)
        with coded():
            self._handle.importText(
                tensor_id,
                os.path.abspath(path),
                ",".join(names or []),
                _java_map(self._jvm, options),
            )
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
        return dtype_of(self.header["data_type"]) or np.dtype(object)

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
        return Cells(*self._ask("cells", key))

    def numpy(self, key: Any = ...) -> np.ndarray:
        """A slice as a dense array, the fill value where nothing is stored.

        Of a dense tensor (``ftsf``) this is the fast way: no coordinates are made.
        """
        head, parts = self._ask("dense", key)
        return parts[0].reshape(head["shape"])

    def to_tns(
        self, path: str | os.PathLike[str], key: Any = ..., *, extended: bool = False
    ) -> int:
        """Writes the stored cells of a slice as a FROSTT text file; returns how many.

        ``extended`` adds the shape, as MLIR has it; else it is not part of the file.
        """
        with coded():
            return self._handle.exportText(
                self.id, _slice_text(key, self.shape), os.path.abspath(path), extended
            )

    def _ask(self, what: str, key: Any) -> tuple[dict[str, Any], list[np.ndarray]]:
        text = _slice_text(key, self.shape)
        with coded():
            return unpack(lambda spares: getattr(self._handle, what)(self.id, text, spares))

    def __repr__(self) -> str:
        return f"<Tensor {self.id!r} {self.shape} {self.dtype} nnz={self.nnz} {self.encoding}>"


def _need_text(tensor_id: Any) -> None:
    if not isinstance(tensor_id, str):
        raise TypeError(f"the id of a tensor is a text, not {tensor_id!r}")


def _slice_text(key: Any, shape: tuple[int, ...]) -> str:
    """A key as the JVM's slice text."""
    items = list(key) if isinstance(key, tuple) else [key]
    rest = next((i for i, item in enumerate(items) if item is Ellipsis), len(items))
    lengths = (*shape[:rest], 0, *shape[len(shape) - (len(items) - rest - 1) :])
    return ", ".join(
        _item_text(item, lengths[i] if i < len(lengths) else 0) for i, item in enumerate(items)
    )


def _item_text(item: Any, length: int) -> str:
    if item is Ellipsis:
        return "..."
    if isinstance(item, slice):
        bounds = [item.start, item.stop] + ([] if item.step is None else [item.step])
        return ":".join("" if bound is None else str(_index(bound)) for bound in bounds)
    if isinstance(item, (list, np.ndarray, range)):
        array = np.asarray(item)
        if array.dtype == bool:
            if array.shape != (length,):
                raise IndexError(f"a mask of shape {array.shape} along a dimension of {length}")
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
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            f"{value!r} is no index; use integers, slices, lists of integers, masks or ..."
        ) from None


def _java_map(jvm: Any, values: Mapping[str, str]) -> Any:
    java_map = jvm.java.util.HashMap()
    for name, value in values.items():
        java_map.put(name, value)
    return java_map
