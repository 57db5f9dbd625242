"""Selections as DataFrames of the data source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arraymorph import positions
from arraymorph.errors import coded
from arraymorph.source import Member, Source, option_texts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def frame(
    source: Source,
    members: list[Member],
    along: list[tuple[str, positions.Positions]],
    rows: str,
    options: dict[str, Any],
) -> DataFrame:
    """The rows of some arrays with the same dimensions."""
    uri, chosen = located(source, members)
    reader = source.spark.read.format("arraymorph")
    reader = reader.options(**{**source.options, **option_texts(options), **chosen})
    reader = reader.option("rows", rows if isinstance(rows, str) else ",".join(rows))
    lengths = dict(zip(members[0].dims, members[0].shape))
    terms, lists = [], []
    for name, where in along:
        ranges, _ = positions.ascending(where)
        if ranges == [[0, lengths[name], 1]]:
            continue
        if len(ranges) <= 1:
            start, stop, step = ranges[0] if ranges else (0, 0, 1)
            quoted = name.replace("'", "''")
            terms.append(f"'{quoted}'=@{start}:{stop}:{step}")
        else:
            lists.append((name, positions.as_array(where)))
    if terms:
        reader = reader.option("slice", ",".join(terms))
    with coded():
        found = reader.load(uri)
        for name, indices in lists:
            quoted = name.replace("`", "``")
            listed = ", ".join(map(str, sorted(set(indices.tolist()))))
            found = found.where(f"_index.`{quoted}` IN ({listed})")
    return found


def located(source: Source, members: list[Member]) -> tuple[str, dict[str, str]]:
    """What to load, and the option that chooses these arrays of it."""
    root = source.description.uri
    if source.description.is_array:
        return members[0].uri, {}
    inside = root.rstrip("/") + "/"
    if all(member.uri.startswith(inside) for member in members):
        return root, {"array": ",".join(member.uri[len(inside) :] for member in members)}
    return members[0].uri, {}
