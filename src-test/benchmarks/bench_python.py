"""``to_numpy`` of a slice of 100 MB beside zarr-python's own read of the same, in turns."""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import arraymorph
import numpy as np
import sessions
import zarr
from obstore.store import S3Store
from report import Row

ROOT = Path(__file__).resolve().parents[2]
GOAL = 1.5
# Java compiles what runs often.
WARMING = 20
CASES = (
    ("25 planes", (1, 1024, 1024), (slice(10, 35),)),
    ("half of each row", (5, 256, 256), (slice(None), slice(100, 612))),
)


def run(folder: Path, *, quick: bool) -> list[Row]:
    """200 MB of float32, uncompressed and with zstd, on the local disk and in a local S3 server."""
    generator = np.random.default_rng(1)
    steps = generator.integers(-4, 5, (50, 1024, 1024), dtype="i1")
    data = (np.cumsum(steps, axis=2, dtype="i4") / 8).astype("f4")
    spark = sessions.session()
    rows = []
    with s3_server(folder / "s3") as endpoint:
        settings = {
            "fs.s3a.endpoint": endpoint,
            "fs.s3a.endpoint.region": "us-east-1",
            "fs.s3a.path.style.access": "true",
            "fs.s3a.access.key": "test",
            "fs.s3a.secret.key": "testsecret",
        }
        for compression in ("none", "zstd:3"):
            for case, chunks, key in CASES:
                name = f"{compression.split(':')[0]}{chunks[0]}"
                for store in ("local", "s3"):
                    target = f"{folder}/{name}.zarr" if store == "local" else name
                    opened = _peer_store(endpoint, name) if store == "s3" else target
                    _save(opened, data, chunks, compression)
                    uri = f"s3a://lab/{name}" if store == "s3" else target
                    options = settings if store == "s3" else {}
                    ours = arraymorph.open(spark, uri, **options)[name]
                    theirs = zarr.open_array(opened, mode="r")
                    title = f"{case}, {compression}"
                    rows += _compare(title, store, theirs, ours[key], key, 3 if quick else 15)
    rows += _small(spark, f"{folder}/zstd5.zarr")
    rows.append(_column(spark, f"{folder}/none1.zarr"))
    spark.stop()
    return rows


def _peer_store(endpoint: str, name: str) -> zarr.storage.ObjectStore:
    return zarr.storage.ObjectStore(
        S3Store(
            "lab",
            prefix=name,
            endpoint=endpoint,
            region="us-east-1",
            access_key_id="test",
            secret_access_key="testsecret",
            client_options={"allow_http": True},
            virtual_hosted_style_request=False,
        )
    )


def _save(store: object, data: np.ndarray, chunks: tuple[int, ...], compression: str) -> None:
    codec = None if compression == "none" else zarr.codecs.ZstdCodec(level=3)
    array = zarr.create_array(
        store, shape=data.shape, chunks=chunks, dtype=data.dtype, compressors=codec, overwrite=True
    )
    array[...] = data


def _compare(
    case: str, store: str, theirs: zarr.Array, ours: arraymorph.Array, key: tuple, repeats: int
) -> list[Row]:
    expected, got = theirs[key], ours.to_numpy()
    right = got.dtype == expected.dtype and np.array_equal(got, expected)
    _in_turns([lambda: theirs[key], ours.to_numpy], WARMING)
    seconds = _in_turns([lambda: theirs[key], ours.to_numpy], repeats)
    ratio = seconds[1] / seconds[0]
    plan = ours.plan()
    needed = expected.nbytes
    return [
        Row("python", case, store, "zarr-python", seconds[0], needed=needed),
        Row(
            "python",
            case,
            store,
            "arraymorph",
            seconds[1],
            requests=plan.requests,
            bytes=plan.bytes,
            needed=needed,
            bound=GOAL,
            ok=right and ratio <= GOAL,
            note=f"{ratio:.2f} x zarr-python",
        ),
    ]


def _small(spark: object, path: str) -> list[Row]:
    """The latency of a slice of 10 x 10 cells in one chunk."""
    key = (0, slice(0, 10), slice(0, 10))
    theirs = zarr.open_array(path, mode="r")
    ours = arraymorph.open(spark, path)["zstd5"][key]
    right = np.array_equal(ours.to_numpy(), theirs[key])
    seconds = _in_turns([lambda: theirs[key], ours.to_numpy], 50)
    return [
        Row("python", "100 cells", "local", "zarr-python", seconds[0], needed=400),
        Row("python", "100 cells", "local", "arraymorph", seconds[1], needed=400, ok=right),
    ]


def _in_turns(runs: list[Callable[[], object]], repeats: int) -> list[float]:
    """The median seconds of each, one after the other so that both see the same machine."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(repeats):
        for one, run_once in zip(times, runs, strict=True):
            begun = time.perf_counter()
            run_once()
            one.append(time.perf_counter() - begun)
    return [statistics.median(one) for one in times]


def _column(spark: object, path: str) -> Row:
    """A tensor column from Arrow: a view, so its time does not depend on its size."""
    frame = arraymorph.open(spark, path)["none1"].isel(dim_0=slice(0, 4)).to_spark()
    column = frame.select("none1").toArrow().combine_chunks().column(0)
    column = column.chunk(0) if hasattr(column, "chunk") else column
    begun = time.perf_counter()
    values = arraymorph.to_numpy(column)
    seconds = time.perf_counter() - begun
    address = column.field("data").flatten().buffers()[1].address
    same = values.__array_interface__["data"][0] == address
    note = "address of Arrow's buffer" if same else "a copy"
    return Row(
        "python",
        "to_numpy(column)",
        "memory",
        "arraymorph",
        seconds,
        bytes=0,
        needed=values.nbytes,
        ok=same,
        note=note,
    )


@contextlib.contextmanager
def s3_server(folder: Path) -> Iterator[str]:
    """The endpoint of the tests' S3 server with bucket ``lab``, a process of its own."""
    folder.mkdir()
    target = ROOT / "src-test" / "s3server" / "target"
    java = os.environ.get("ARRAYMORPH_JAVA", "java")
    command = [java, "-Xmx512m", "-cp", f"{target}/*:{target}/lib/*"]
    command += ["io.arraymorph.s3server.S3Server", "--data", str(folder), "--bucket", "lab"]
    with (folder.parent / "s3.log").open("w") as log:
        server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    try:
        yield server.stdout.readline().strip()
    finally:
        server.stdin.close()
        server.wait(timeout=10)
