"""The known array of bin/bench dense, its layouts in the store, and the queries over it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

SIDE = 8192
TILE = 64

Box = tuple[tuple[int, int, int], tuple[int, int, int]]  # (start, stop, stride) of rows, columns

# Name: (chunk side, shard side or None). Inner chunks of shards are compressed with zstd.
LAYOUTS = {
    "plain 16 KiB": (64, None),
    "plain 256 KiB": (256, None),
    "plain 1 MiB": (512, None),
    "plain 4 MiB": (1024, None),
    "sharded 256 KiB": (TILE, 256),
    "sharded 1 MiB": (TILE, 512),
    "sharded 4 MiB": (TILE, 1024),
}
# The network is measured by this one.
PROFILED = "plain 4 MiB"
QUICK_LAYOUTS = ("plain 256 KiB", "plain 4 MiB", "sharded 4 MiB")


def key(layout: str) -> str:
    """The name of a layout in the store."""
    return layout.replace(" ", "-") + ".zarr"


def make_values(path: Path) -> np.ndarray:
    """8192 x 8192 int32, half noise, half slopes, as a file that every process can map."""
    generator = np.random.default_rng(11)
    values = np.memmap(path, dtype="<i4", mode="w+", shape=(SIDE, SIDE))
    x = np.arange(SIDE, dtype="<i4")
    for y in range(0, SIDE, TILE):
        rows = np.arange(y, y + TILE, dtype="<i4")[:, None]
        noise = generator.integers(0, 4096, (TILE, SIDE), dtype="<i4")
        values[y : y + TILE] = rows * 4096 + (x[None, :] >> 6) * 64 + noise
    values.flush()
    return values


def queries() -> dict[str, list[Box]]:
    """H and V 1 %, B 100 small boxes, S strided rows, D boxes along the diagonal, F all."""
    generator = np.random.default_rng(5)
    corners = generator.integers(0, SIDE - 21, (100, 2))
    whole = (0, SIDE, 1)
    step = SIDE // 64
    return {
        "H": [((4116, 4198, 1), whole)],
        "V": [(whole, (4116, 4198, 1))],
        "B": [((int(y), int(y) + 21, 1), (int(x), int(x) + 21, 1)) for y, x in corners],
        "S": [((3100, 4124, 16), (3100, 4124, 1))],
        "D": [((i * step, (i + 1) * step, 1), _diagonal(i, step)) for i in range(64)],
        "F": [(whole, whole)],
    }


def _diagonal(i: int, step: int) -> tuple[int, int, int]:
    start = min(i * step + step // 2, SIDE - step)
    return start, start + step, 1


def needed_bytes(boxes: list[Box]) -> int:
    """Bytes of the selected elements."""
    return sum(4 * len(range(*rows)) * len(range(*columns)) for rows, columns in boxes)


def write_layout(values: np.ndarray, layout: str, store: object) -> None:
    """Writes the array through zarr-python into one of its stores."""
    import zarr

    chunk, shard = LAYOUTS[layout]
    array = zarr.create_array(
        store,
        name=key(layout),
        shape=values.shape,
        chunks=(chunk, chunk),
        shards=(shard, shard) if shard else None,
        dtype="int32",
        compressors=zarr.codecs.ZstdCodec(level=3) if shard else None,
        fill_value=0,
    )
    band = max(1024, shard or 0)
    for y in range(0, SIDE, band):
        array[y : y + band] = values[y : y + band]


def write_tiledb(values: np.ndarray, uri: str, settings: dict[str, str], chunk: int) -> None:
    """Writes the array as TileDB's dense array with one attribute."""
    import tiledb

    context = tiledb.Ctx(settings)
    if tiledb.object_type(uri, ctx=context):
        tiledb.remove(uri, ctx=context)  # what an earlier try left
    dimensions = [
        tiledb.Dim(name, domain=(0, SIDE - 1), tile=chunk, dtype="int32", ctx=context)
        for name in ("y", "x")
    ]
    schema = tiledb.ArraySchema(
        tiledb.Domain(*dimensions, ctx=context),
        attrs=[tiledb.Attr("v", dtype="int32", ctx=context)],
        ctx=context,
    )
    tiledb.Array.create(uri, schema, ctx=context)
    with tiledb.open(uri, "w", ctx=context) as array:
        array[:] = np.asarray(values)
