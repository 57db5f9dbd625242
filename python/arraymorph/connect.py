"""Datasets over Spark Connect: options, SQL and rows, for there is no JVM to call."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np

from arraymorph import positions
from arraymorph.errors import coded, error
from arraymorph.frames import frame
from arraymorph.source import Description, Member

_NUMPY = {
    "tinyint": "|i1",
    "smallint": "<i2",
    "int": "<i4",
    "bigint": "<i8",
    "decimal(20,0)": "<u8",
    "float": "<f4",
    "double": "<f8",
    "boolean": "|b1",
    "timestamp": "<M8[us]",
    "timestamp_ntz": "<M8[us]",
    "interval day to second": "<m8[us]",
    "string": "object",
    "binary": "object",
}
_UNSIGNED = {"uint8": "|u1", "uint16": "<u2", "uint32": "<u4"}


class TableSource:
    """A dataset known by the columns of its table and their metadata."""

    def __init__(self, spark: Any, uri: str, options: dict[str, str]) -> None:
        self.spark = spark
        self.options = options
        with coded():
            schema = self._load(uri).schema
        self.description = _described(uri, schema)

    def _load(self, uri: str, **options: str) -> Any:
        reader = self.spark.read.format("arraymorph")
        return reader.options(**{**self.options, **options}).load(uri)

    def labels(self, name: str, dimension: str, terms: list[str]) -> list[list[list[int]]]:
        member = next(
            m
            for m in self.description.members.values()
            if m.kind == "variable" and dimension in m.dims
        )
        found = []
        for term in terms:
            boxes = [
                f"{_quoted(d, chr(39))}=" + (term if d == dimension else "@0") for d in member.dims
            ]
            with coded():
                rows = (
                    self._load(self.description.uri, rows=dimension, slice=",".join(boxes))
                    .select(f"_index.{_quoted(dimension, '`')}")
                    .collect()
                )
            indices = np.array(sorted(row[0] for row in rows), dtype=np.int64)
            found.append(positions.ascending(indices)[0])
        return found

    def read(self, name: str, ranges: list[list[list[int]]]) -> np.ndarray:
        member = self.description.members[name]
        if member.kind != "variable":
            # Opened by its own URI, where its dimension has another name.
            with coded():
                column = self._load(member.uri).schema.fields[-1]
            dims = tuple(column.metadata["array_dimensions"])
            member = dataclasses.replace(member, dims=dims)
        along = [positions.of_ranges(one) for one in ranges]
        values = np.empty([len(one) for one in along], _dtype(member))
        if values.size == 0:
            return values
        made = frame(self, [member], list(zip(member.dims, along)), "tensors", {})
        with coded():
            filled = sum(
                _place(values, along, index, data, shape)
                for index, data, shape in _rows(made.select("_index", made.columns[-1]))
            )
        if filled != values.size:
            raise error(
                "OBJECT_CHANGED",
                f"{filled} of {values.size} cells of {member.uri} arrived. Open it again.",
            )
        return values

    def plan(self, name: str, ranges: list[list[list[int]]], how: tuple[str, str, str]) -> dict:
        raise error(
            "UNSUPPORTED_FEATURE",
            "plan() over Spark Connect, which gives no access to the planner. "
            "Use to_spark().explain().",
        )

    def plan_grid(self, *_: Any) -> dict:
        return self.plan("", [], ("", "", ""))


def _quoted(name: str, quote: str) -> str:
    return quote + name.replace(quote, quote * 2) + quote


def _dtype(member: Member) -> np.dtype:
    from arraymorph.array import Array

    return Array(None, member, {}).dtype  # type: ignore[arg-type]


def _rows(frame: Any) -> Any:
    """Of each row the index of its first cell, its cells and their shape."""
    if hasattr(frame, "toArrow"):
        table = frame.toArrow().combine_chunks()
        for batch in table.to_batches():
            index, tensors = batch.columns
            data = tensors.field("data")
            shapes = tensors.field("shape").to_pylist()
            firsts = index.to_pylist()
            for row in range(batch.num_rows):
                values = data[row].values.to_numpy(zero_copy_only=False)
                yield tuple(firsts[row].values()), values, shapes[row]
        return
    for first, tensor in frame.toPandas().itertuples(index=False):
        first = first.values() if isinstance(first, dict) else tuple(first)
        data, shape = tensor.values() if isinstance(tensor, dict) else tuple(tensor)
        yield tuple(first), np.asarray(data), tuple(int(n) for n in shape)


def _place(values: np.ndarray, along: list, first: tuple, data: np.ndarray, shape: Any) -> int:
    box = []
    for at, count, one in zip(first, shape, along):
        rank = (at - one.start) // one.step if isinstance(one, range) else np.searchsorted(one, at)
        box.append(slice(int(rank), int(rank) + int(count)))
    if data.dtype == object and values.dtype != object:
        data = np.array([_number(one, values.dtype) for one in data], dtype=values.dtype)
    values[tuple(box)] = data.reshape(tuple(shape))
    return data.size


def _number(value: Any, dtype: np.dtype) -> Any:
    if value is None:
        return np.datetime64("NaT") if dtype.kind == "M" else np.nan
    return int(value) if dtype.kind in "iu" else value


def _described(uri: str, schema: Any) -> Description:
    tensors = [f for f in schema.fields if "array_dimensions" in f.metadata]
    if not tensors:
        raise error(
            "UNSUPPORTED_FEATURE",
            f"{uri} has no tensor column. Read it with spark.read.format('arraymorph').",
        )
    dims = tuple(tensors[0].metadata["array_dimensions"])
    lengths = dict(zip(dims, tensors[0].metadata["array_shape"]))
    members = {}
    for f in tensors:
        element = f.dataType["data"].dataType
        members[f.name] = _member(
            f.name,
            "variable",
            dims,
            lengths,
            f"{uri.rstrip('/')}/{f.name}",
            _numpy(element.elementType, element.containsNull, f.metadata["dtype"]),
            stored=f.metadata["dtype"],
            chunks=tuple(f.metadata["chunk_shape"]),
            attrs=json.loads(f.metadata["attributes"]),
        )
    for f in schema.fields:
        kind = "coordinate" if "coordinate" in f.metadata else "auxiliary"
        if kind in f.metadata:
            along = f.name if kind == "coordinate" else f.metadata["along"]
            dtype = _numpy(f.dataType, f.nullable, "")
            stored = f.dataType.simpleString()
            members[f.name] = _member(
                f.name, kind, (along,), lengths, f.metadata[kind], dtype, stored=stored
            )
    return Description(uri, False, {}, lengths, members, ())


def _member(
    name: str,
    kind: str,
    dims: tuple[str, ...],
    lengths: dict[str, int],
    uri: str,
    dtype: str,
    *,
    stored: str,
    chunks: tuple[int, ...] = (),
    attrs: dict[str, Any] | None = None,
) -> Member:
    return Member(
        name=name,
        kind=kind,
        dims=dims,
        shape=tuple(lengths[d] for d in dims),
        dtype=dtype if dtype == "object" or not dtype else repr(dtype),
        stored=stored,
        chunks=chunks,
        shards=None,
        compression="",
        uri=uri,
        is_time="M8" in dtype,
        attrs=attrs or {},
    )


def _numpy(spark_type: Any, nullable: bool, stored: str) -> str:
    text = _NUMPY.get(spark_type.simpleString(), "")
    if text and text[1] in "iu" and nullable:
        return "<f4" if text[2] in "12" and stored not in ("uint16", "") else "<f8"
    if text == "<f4" and stored == "float16" and not nullable:
        return "<f2"
    return _UNSIGNED.get(stored, text) if text in ("<i2", "<i4", "<i8") else text
