"""One array, or a selection of it: nothing is read before its values are asked for."""

from __future__ import annotations

import base64
import contextlib
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from arraymorph import labels, positions
from arraymorph.errors import error
from arraymorph.plan import Plan
from arraymorph.positions import Positions
from arraymorph.source import Member, Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_INTERNAL = ("_ARRAY_DIMENSIONS", "_arraymorph", "coordinates")
_ENCODING = ("_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned", "_Encoding")

_STORED_TYPES = (
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64"),
)

#: What is selected along dimensions, each with its length in the stored array.
Chosen = Mapping[tuple[str, int], Positions]


class Array:
    """A chunked n-dimensional array in a store, or a part of it.

    Selecting costs nothing but coordinates; ``to_numpy``, ``to_xarray`` and ``plot`` read. An
    array never changes; selections give new ones.
    """

    def __init__(self, source: Source, member: Member, chosen: Chosen) -> None:
        self._source = source
        self._member = member
        self._chosen = chosen

    @property
    def name(self) -> str:
        """The name in its group; of an array opened by its own URI the last part of that."""
        return self._member.name

    @property
    def uri(self) -> str:
        """Where the array is stored."""
        return self._member.uri

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the dimensions, in order; one picked by a single index is gone."""
        return tuple(d for d, along in self._along() if not isinstance(along, int))

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the dimensions."""
        return tuple(len(along) for _, along in self._along() if not isinstance(along, int))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.dims)

    @property
    def size(self) -> int:
        """The number of cells."""
        return int(np.prod(self.shape, dtype=object))

    @property
    def dtype(self) -> np.dtype:
        """The type of the values that ``to_numpy`` gives; object for texts."""
        from arraymorph.transfer import dtype_of

        if self._member.dtype == "object":
            return np.dtype(object)
        if not self._member.dtype:
            raise error(
                "UNSUPPORTED_TYPE",
                f"{self.name} has type {self._member.stored}, which numpy does not have. "
                "Read it with to_spark().",
            )
        return dtype_of(self._member.dtype)

    @property
    def nbytes(self) -> int:
        """The bytes of the values in memory; of texts those of the references."""
        return self.size * self.dtype.itemsize

    @property
    def chunks(self) -> tuple[int, ...]:
        """The shape of the chunks of the stored array; of the inner ones if there are shards."""
        return self._member.chunks

    @property
    def shards(self) -> tuple[int, ...] | None:
        """The shape of the stored objects that hold several chunks each, if there are such."""
        return self._member.shards

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes, without those that say how values are encoded."""
        return {k: v for k, v in self._member.attrs.items() if k not in self._encoded()}

    @property
    def encoding(self) -> dict[str, Any]:
        """The attributes that say how values are encoded, as ``scale_factor``, and as what type."""
        names = [k for k in self._encoded() if k not in _INTERNAL]
        found = {k: _plain(self._member.attrs[k]) for k in names if k in self._member.attrs}
        if found and self._member.stored in _STORED_TYPES:
            found["dtype"] = np.dtype(self._member.stored)
        return found

    def _encoded(self) -> tuple[str, ...]:
        if self._source.options.get("decode") == "false":
            return _INTERNAL
        return _INTERNAL + _ENCODING + (("units", "calendar") if self._member.is_time else ())

    @property
    def coords(self) -> dict[str, Array]:
        """The coordinates along its dimensions by name, with the same selection."""
        lengths = dict(zip(self._member.dims, self._member.shape))
        return {
            name: Array(self._source, member, self._chosen)
            for name, member in self._source.description.members.items()
            if member.kind != "variable"
            and all(lengths.get(d) == n for d, n in zip(member.dims, member.shape))
        }

    def _along(self) -> list[tuple[str, Positions]]:
        return [
            (d, self._chosen.get((d, n), range(n)))
            for d, n in zip(self._member.dims, self._member.shape)
        ]

    def isel(self, indexers: Mapping[str, Any] | None = None, **by_name: Any) -> Array:
        """The part at index positions, as xarray's ``isel``: integers, slices, lists, masks.

        Ends are excluded, negative positions count from the end, steps may be negative.
        """
        wanted = {**(indexers or {}), **by_name}
        return Array(self._source, self._member, {**self._chosen, **self._narrowed(wanted)})

    def sel(
        self,
        indexers: Mapping[str, Any] | None = None,
        *,
        method: str | None = None,
        **by_name: Any,
    ) -> Array:
        """The part at coordinate values, as xarray's ``sel``: values, slices, lists.

        Both ends of a slice are included. Along a descending coordinate a slice may be given in
        either order. Along a time, a text that stops early means the whole period
        (``"2020-07"``) and keeps the dimension. ``method="nearest"`` takes the nearest value of
        single ones. Along a dimension without coordinate the value is the index.
        """
        wanted = {**(indexers or {}), **by_name}
        found = {
            self._key(name): self._labelled(name, label, method) for name, label in wanted.items()
        }
        return Array(self._source, self._member, {**self._chosen, **found})

    def __getitem__(self, key: Any) -> Array:
        """The part at index positions, one for each dimension, as ``a[0, :, ::2, ..., [3, 5]]``."""
        keys = list(key) if isinstance(key, tuple) else [key]
        dots = [i for i, k in enumerate(keys) if k is Ellipsis]
        if len(dots) > 1 or len(keys) - len(dots) > self.ndim:
            raise error(
                "OUT_OF_BOUNDS",
                f"{len(keys) - len(dots)} indices for the {self.ndim} dimensions of {self.name}. "
                "Give at most one for each.",
            )
        at = dots[0] if dots else len(keys)
        fill = [slice(None)] * (self.ndim - len(keys) + len(dots))
        return self.isel(dict(zip(self.dims, keys[:at] + fill + keys[at + 1 :])))

    def _key(self, dimension: str) -> tuple[str, int]:
        if dimension not in self.dims:
            raise error(
                "UNKNOWN_DIMENSION",
                f"{self.name} has no dimension '{dimension}'. It has {', '.join(self.dims)}.",
            )
        return dimension, self._member.shape[self._member.dims.index(dimension)]

    def _narrowed(self, wanted: Mapping[str, Any]) -> dict[tuple[str, int], Positions]:
        along = dict(self._along())
        return {
            self._key(name): positions.narrow(along[name], key, name)
            for name, key in wanted.items()
        }

    def _labelled(self, dimension: str, label: Any, method: str | None) -> Positions:
        self._key(dimension)
        current = dict(self._along())[dimension]
        if method is not None:
            return self._nearest(dimension, label, method, current)
        if labels.is_list(label):
            terms = [labels.term(one, dimension) for one in label]
            if not terms:
                return range(0)
            found = self._source.labels(self.name, dimension, terms)
            picked = [self._among(positions.of_ranges(r), current, dimension, label) for r in found]
            return np.concatenate([positions.as_array(p) for p in picked])
        term = labels.term(label, dimension)
        found = positions.of_ranges(self._source.labels(self.name, dimension, [term])[0])
        if isinstance(label, slice):
            picked = positions.within(found, current)
            return picked if label.step is None else picked[:: label.step]
        picked = self._among(found, current, dimension, label)
        coordinate = self.coords.get(dimension)
        period = isinstance(label, str) and coordinate is not None and coordinate._member.is_time
        return int(picked[0]) if len(picked) == 1 and not period else picked

    def _among(self, found: Any, current: Any, dimension: str, label: Any) -> Any:
        picked = positions.within(found, current)
        if len(picked) == 0:
            raise error(
                "INVALID_SLICE",
                f"no value of '{dimension}' in this selection equals {label!r}. "
                "Give a slice, or select from the whole array.",
            )
        return picked

    def _nearest(self, dimension: str, label: Any, method: str, current: Any) -> Positions:
        if method != "nearest":
            raise error("INVALID_OPTION", f"method {method!r} of sel(). Use nearest, or none.")
        coordinate = self.coords.get(dimension)
        if coordinate is None or isinstance(label, slice) or len(current) == 0:
            raise error(
                "INVALID_SLICE",
                f"nearest {label!r} along '{dimension}' of length {len(current)}. "
                "It takes single values along a coordinate.",
            )
        values = coordinate.to_numpy()
        try:
            if values.dtype.kind == "M":
                wanted = np.atleast_1d(np.asarray(label, dtype=values.dtype)).astype("i8")
                values = values.astype("i8").astype("f8")
            else:
                wanted = np.atleast_1d(np.asarray(label, dtype="f8"))
                values = values.astype("f8")
        except (TypeError, ValueError):
            raise error(
                "INVALID_SLICE",
                f"nearest {label!r} along '{dimension}' of {values.dtype}. "
                "It takes numbers, or times along a time.",
            ) from None
        at = np.array([int(np.nanargmin(np.abs(values - one))) for one in wanted], dtype=np.int64)
        picked = positions.narrow(current, at, dimension)
        return picked if labels.is_list(label) else int(np.asarray(picked)[0])

    def _ranges(self) -> tuple[list[list[list[int]]], list[Any]]:
        both = [positions.ascending(along) for _, along in self._along()]
        return [ranges for ranges, _ in both], [restore for _, restore in both]

    def to_numpy(self) -> np.ndarray:
        """The values, read by the driver's JVM and copied out of memory that it shares.

        CF is applied unless the dataset was opened with ``decode=False``: missing values are NaN
        or NaT, masked integers floats. Over Spark Connect the values come as rows.
        """
        ranges, restores = self._ranges()
        values = self._source.read(self.name, ranges)
        for axis, restore in enumerate(restores):
            if isinstance(restore, slice):
                values = values[(slice(None),) * axis + (restore,)]
            elif restore is not None:
                values = np.take(values, restore, axis=axis)
        dropped = tuple(i for i, (_, along) in enumerate(self._along()) if isinstance(along, int))
        return values.squeeze(axis=dropped) if dropped else values

    @property
    def values(self) -> np.ndarray:
        """As ``to_numpy()``: every use reads again."""
        return self.to_numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        values = self.to_numpy()
        return values if dtype is None else values.astype(dtype, copy=False)

    def to_xarray(self) -> Any:
        """The values as an ``xarray.DataArray`` with coordinates, attributes and encoding."""
        from arraymorph.exchange import data_array

        return data_array(self)

    def to_spark(self, rows: str = "tensors", **options: Any) -> DataFrame:
        """The selection as a DataFrame.

        ``rows`` says what a row is: ``"tensors"``, ``"cells"``, or names of dimensions
        (``"time"``). Order and repetitions of the selection are lost. Other options are those of
        ``spark.read``.
        """
        from arraymorph.frames import frame

        return frame(self._source, [self._member], self._along(), rows, options)

    def plan(self, planner: str = "", *, profile: str = "", phi: float | str | None = None) -> Plan:
        """What reading the selection will take: requests, bytes, seconds and dollars.

        ``planner`` is ``auto``, ``get``, ``range``, ``merge`` or ``paper``, by default that of the
        dataset's options; ``profile`` names a store profile, ``phi`` says how many seconds a
        dollar is worth. Nothing is read.
        """
        ranges, _ = self._ranges()
        how = (planner, profile, "" if phi is None else str(phi))
        return Plan(self._source, self._member, ranges, how)

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draws a 1-D selection as a line, a 2-D one as colours; returns matplotlib's axes."""
        from arraymorph.plotting import draw

        return draw(self, ax, style)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("a scalar has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        from arraymorph.display import array_text

        return array_text(self)


def _plain(value: Any) -> Any:
    """A fill value as a number where xarray stored it as base64 of a binary64."""
    if isinstance(value, str) and len(value) == 12:
        with contextlib.suppress(ValueError):
            return struct.unpack("<d", base64.b64decode(value, validate=True))[0]
    return value
