"""A group of arrays, or a selection of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from arraymorph.array import Array, Chosen
from arraymorph.errors import error
from arraymorph.plan import Plan
from arraymorph.source import Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Dataset(Mapping):
    """The arrays of a group, by name; of an array opened by its own URI that one.

    Nothing is read before values are asked for.
    """

    def __init__(self, source: Source, chosen: Chosen) -> None:
        self._source = source
        self._chosen = chosen

    @property
    def uri(self) -> str:
        """What was opened."""
        return self._source.description.uri

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of the group."""
        return {k: v for k, v in self._source.description.attrs.items() if k != "_arraymorph"}

    @property
    def variables(self) -> dict[str, Array]:
        """The data: all arrays but the coordinates."""
        return self._of_kind(True)

    @property
    def coords(self) -> dict[str, Array]:
        """The coordinates of dimensions, and further values along one dimension."""
        return self._of_kind(False)

    @property
    def dims(self) -> dict[str, int]:
        """The lengths of the dimensions by name; one picked by a single index is gone."""
        lengths = {}
        for name, length in self._source.description.dims.items():
            along = self._chosen.get((name, length), range(length))
            if not isinstance(along, int):
                lengths[name] = len(along)
        return lengths

    def _of_kind(self, variables: bool) -> dict[str, Array]:
        return {
            name: Array(self._source, member, self._chosen)
            for name, member in self._source.description.members.items()
            if (member.kind == "variable") == variables
        }

    def __getitem__(self, name: str) -> Array:
        member = self._source.description.members.get(name)
        if member is None:
            names = ", ".join(self._source.description.members)
            raise error("UNKNOWN_ARRAY", f"{self.uri} has no array '{name}'. It holds {names}.")
        return Array(self._source, member, self._chosen)

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __contains__(self, name: object) -> bool:
        return name in self._source.description.members

    def isel(self, indexers: Mapping[str, Any] | None = None, **by_name: Any) -> Dataset:
        """The part at index positions; see ``Array.isel``."""
        return self._selected(lambda array, one: array.isel(one), {**(indexers or {}), **by_name})

    def sel(
        self,
        indexers: Mapping[str, Any] | None = None,
        *,
        method: str | None = None,
        **by_name: Any,
    ) -> Dataset:
        """The part at coordinate values; see ``Array.sel``."""
        return self._selected(
            lambda array, one: array.sel(one, method=method), {**(indexers or {}), **by_name}
        )

    def _selected(self, select: Any, wanted: Mapping[str, Any]) -> Dataset:
        chosen = dict(self._chosen)
        for dimension, key in wanted.items():
            length = self._source.description.dims.get(dimension)
            having = [
                a
                for a in {**self.variables, **self.coords}.values()
                if dimension in a.dims
                and a._member.shape[a._member.dims.index(dimension)] == length
            ]
            if not having:
                raise error(
                    "UNKNOWN_DIMENSION",
                    f"{self.uri} has no dimension '{dimension}'. It has {', '.join(self.dims)}.",
                )
            chosen.update(select(having[0], {dimension: key})._chosen)
        return Dataset(self._source, chosen)

    def to_xarray(self, *names: str) -> Any:
        """The values as an ``xarray.Dataset``, of all variables or those named."""
        from arraymorph.exchange import data_set

        return data_set(self, names)

    def to_spark(self, *names: str, rows: str = "tensors", **options: Any) -> DataFrame:
        """A DataFrame with a column for each variable, of all or those named.

        They must have the same dimensions. See ``Array.to_spark``.
        """
        from arraymorph.frames import frame

        arrays = [self[name] for name in names] or self._first_table()
        members = [a._member for a in arrays]
        if any((m.dims, m.shape) != (members[0].dims, members[0].shape) for m in members):
            raise error(
                "INVALID_OPTION",
                f"arrays with different dimensions: {', '.join(m.name for m in members)}. "
                "Make a DataFrame of those with the same ones.",
            )
        return frame(self._source, members, arrays[0]._along(), rows, options)

    def _first_table(self) -> list[Array]:
        arrays = list(self.variables.values())
        first = arrays[0]._member
        same = (first.dims, first.shape)
        return [a for a in arrays if (a._member.dims, a._member.shape) == same]

    def plan(
        self, planner: str = "", *, profile: str = "", phi: float | str | None = None
    ) -> dict[str, Plan]:
        """The plan of each variable; see ``Array.plan``."""
        return {
            name: array.plan(planner, profile=profile, phi=phi)
            for name, array in self.variables.items()
        }

    def __repr__(self) -> str:
        from arraymorph.display import dataset_text

        return dataset_text(self)
