"""Writing tensor rows: 1 GB through Spark beside zarr-python on the same bytes."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import sessions
import zarr
from report import Row, median_seconds

CHUNK = (1, 1024, 1024)


def run(folder: Path, *, quick: bool) -> list[Row]:
    """256 float32 planes of 4 MiB (64 when quick), uncompressed and with zstd."""
    planes = 64 if quick else 256
    shape = (planes, *CHUNK[1:])
    source = folder / "source.zarr"
    sessions.raw_array(source, shape, CHUNK, "<f4")
    generator = np.random.default_rng(7)
    noise = generator.integers(0, 64, CHUNK[1:]).astype("<f4") / 8
    for t in range(planes):
        sessions.put_chunk(source, (t, 0, 0), noise + t)
    data = zarr.open_array(source, mode="r")[...]
    spark = sessions.session()
    frame = spark.read.format("arraymorph").load(str(source)).select("t", "y", "x", "source")
    target, peer = folder / "target.zarr", folder / "peer.zarr"
    rows = []
    for compression in ("none", "zstd:3"):
        ours = median_seconds(lambda c=compression: _ours(frame, target, c), repeats=3)
        theirs = median_seconds(lambda c=compression: _theirs(data, peer, c), repeats=3)
        right = np.array_equal(zarr.open_array(target, mode="r")[...], data)
        speed = data.nbytes / 1e6
        rows.append(
            Row(
                "write",
                compression,
                "local",
                "zarr-python",
                theirs,
                needed=data.nbytes,
                note=f"{speed / theirs:.0f} MB/s",
            )
        )
        rows.append(
            Row(
                "write",
                compression,
                "local",
                "arraymorph",
                ours,
                needed=data.nbytes,
                ok=right,
                note=f"{speed / ours:.0f} MB/s, {ours / theirs:.2f} x zarr-python",
            )
        )
    spark.stop()
    return rows


def _ours(frame, target: Path, compression: str) -> None:
    shutil.rmtree(target, ignore_errors=True)
    (
        frame.write.format("arraymorph")
        .option("compression", compression)
        .option("chunks", ",".join(map(str, CHUNK)))
        .mode("overwrite")
        .save(str(target))
    )


def _theirs(data: np.ndarray, peer: Path, compression: str) -> None:
    shutil.rmtree(peer, ignore_errors=True)
    codec = None if compression == "none" else zarr.codecs.ZstdCodec(level=3)
    array = zarr.create_array(
        peer, shape=data.shape, chunks=CHUNK, dtype=data.dtype, compressors=codec
    )
    array[...] = data
