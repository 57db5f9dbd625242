"""Decoding a 1 GB zstd-compressed sharded array: full reads, sums and means, beside other readers.

Everything runs on two threads, over the same local files, taking turns, so that a busy machine
slows all alike. The Spark-free systems are processes of their own that read when told to.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np
import pyspark
import sessions
import zarr
from report import Row

THREADS = 2
SHARD, CHUNK = 256, 64
WARMUPS = 24
HERE = Path(__file__).parent


def run(folder: Path, *, quick: bool) -> list[Row]:
    """1 GiB of float32 (256 MiB when quick) in shards of 64 MiB, chunks of 1 MiB."""
    path = folder / "g.zarr" / "v"
    shape = (256 if quick else 1024, 512, 512)
    means = _smooth(path, shape)
    total = float(means.sum()) * shape[1] * shape[2]
    stored = sum(f.stat().st_size for f in path.rglob("*") if f.is_file())
    print(f"compressed {means.size * 2**20 / stored:.2f} times")
    rows = _spark_free(path, total, repeats=5)
    rows += _spark(path, means, total, rows)
    return rows + _packed(folder / "packed.zarr", quick=quick)


def _smooth(path: Path, shape: tuple[int, ...]) -> np.ndarray:
    """A smooth field with noise, quantised as instruments do; the mean of each plane."""
    group = zarr.create_group(path.parent)
    array = group.create_array(
        path.name,
        shape=shape,
        shards=(SHARD,) * 3,
        chunks=(CHUNK,) * 3,
        dtype="f4",
        compressors=zarr.codecs.ZstdCodec(level=3),
        dimension_names=("t", "y", "x"),
    )
    rng = np.random.default_rng(5)
    y, x = np.ogrid[: shape[1], : shape[2]]
    means = np.empty(shape[0])
    for first in range(0, shape[0], SHARD):
        slab = np.empty((SHARD, *shape[1:]), "f4")
        for t in range(first, first + SHARD):
            field = 280 + 20 * np.sin(y / 90 + t / 50) * np.cos(x / 70 - t / 80)
            noise = rng.standard_normal(shape[1:], "f4")
            slab[t - first] = np.round((field + 0.4 * noise) * 16) / 16
            means[t] = slab[t - first].mean(dtype="f8")
        array[first : first + SHARD] = slab
    return means


def _once(spark, query: str) -> tuple[float, float]:
    """Seconds and seconds of processors of a query."""
    begun, busy = time.perf_counter(), sessions.processor_seconds(spark)
    spark.sql(query).collect()
    took = time.perf_counter() - begun
    return took, sessions.processor_seconds(spark) - busy


def _timed(spark, query: str, *, repeats: int) -> tuple[float, float, float]:
    """Median seconds and seconds of processors of a compiled query; processors of the first."""
    first = _warmed(lambda: _once(spark, query)[1])
    taken = [_once(spark, query) for _ in range(repeats)]
    return *(statistics.median(column) for column in zip(*taken, strict=True)), first


def _warmed(run) -> float:
    """Runs until the compiler of Java is done: seconds of processors stay; those of the first."""
    first = best = run()
    same = 0
    for _ in range(WARMUPS):
        busy = run()
        same = same + 1 if busy > 0.95 * best else 0
        best = min(best, busy)
        if same == 4:
            break
    return first


class Reader:
    """A process that reads once for each line that it gets."""

    def __init__(self, *command: object) -> None:
        self.process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def read(self) -> list[float]:
        """Seconds, those of processors, sum; requests and bytes where the reader counts them."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [float(text) for text in self.process.stdout.readline().split()]

    def close(self) -> None:
        """Ends the process."""
        self.process.stdin.close()
        self.process.wait(60)


def _java(path: Path, mode: str) -> Reader:
    jars = f"{os.environ['ARRAYMORPH_JAR']}{os.pathsep}{Path(pyspark.__file__).parent}/jars/*"
    java = Path(os.environ["JAVA_HOME"], "bin/java") if "JAVA_HOME" in os.environ else "java"
    return Reader(java, "-Xms3500m", "-Xmx3500m", "-cp", jars, HERE / "Decode.java", path, mode)


def _peer(system: str, path: Path) -> Reader:
    python = os.environ["ARRAYMORPH_PEERS_PYTHON"]
    return Reader(python, HERE / "decode_peers.py", system, path, THREADS)


def _spark_free(path: Path, total: float, *, repeats: int) -> list[Row]:
    readers = {
        ("full read into memory", "zarr-python"): _peer("zarr_python", path),
        ("full read into memory", "tensorstore"): _peer("tensorstore", path),
        ("full read into memory", "arraymorph"): _java(path, "whole"),
        ("sum, shard by shard", "arraymorph"): _java(path, "stream"),
    }
    for reader in readers.values():
        _warmed(lambda r=reader: r.read()[1])
    answers = {key: [] for key in readers}
    for _ in range(repeats):
        for key, reader in readers.items():
            answers[key].append(reader.read())
    for reader in readers.values():
        reader.close()
    needed = int(np.prod(zarr.open_array(path, mode="r").shape)) * 4
    seconds = {key: statistics.median(a[0] for a in answers[key]) for key in readers}
    busy = {key: statistics.median(a[1] for a in answers[key]) for key in readers}
    fastest = min(s for (case, system), s in seconds.items() if system != "arraymorph")
    rows = []
    for (case, system), answer in answers.items():
        own = system == "arraymorph" and case.startswith("full")
        right = all(np.isclose(a[2], total, rtol=1e-9) for a in answer)
        took = seconds[case, system]
        rows.append(
            Row(
                "decode",
                case,
                "local",
                system,
                took,
                requests=int(answer[0][3]) if len(answer[0]) > 3 else None,
                bytes=int(answer[0][4]) if len(answer[0]) > 3 else None,
                needed=needed,
                bound=fastest if own else None,
                ok=right and not (own and took > fastest),
                note=f"{needed / took / 1e6:.0f} MB/s, {took / fastest:.2f} x the faster peer, "
                f"{busy[case, system]:.2f} s of processors",
            )
        )
    return rows


def _spark(path: Path, means: np.ndarray, total: float, rows: list[Row]) -> list[Row]:
    """Sums and means by the first dimension through Spark."""
    spark_free = rows[-1].seconds
    spark = sessions.session()
    reader = spark.read.format("arraymorph").option("rows", "cells")
    reader.load(str(path)).createOrReplaceTempView("v")
    found = []
    for case, query in (
        ("sum(v) in SQL", "SELECT sum(v) FROM v"),
        ("sum(v) in SQL, added up by Spark", "SELECT sum(v) FROM v WHERE rand() >= 0"),
    ):
        right = bool(np.isclose(spark.sql(query).first()[0], total, rtol=1e-9))
        took, busy, first = _timed(spark, query, repeats=3)
        bound = 1.3 * spark_free if case.endswith("SQL") else None
        fast = bound is None or took <= bound
        note = (
            f"{took / spark_free:.2f} x the sum without Spark, {busy:.2f} s of processors, "
            f"{first:.1f} when first run"
        )
        found.append(
            Row(
                "decode",
                case,
                "local",
                "arraymorph",
                took,
                bound=bound,
                ok=right and fast,
                note=note,
            )
        )
    query = "SELECT t, avg(v) FROM v GROUP BY t ORDER BY t"
    answer = [row[1] for row in spark.sql(query).collect()]
    right = bool(np.allclose(answer, means, rtol=1e-9))
    peer = _peer("xarray_dask", path)
    peer.read()
    _warmed(lambda: _once(spark, query)[1])
    ours, theirs = [], []
    for _ in range(3):
        ours.append(_once(spark, query))
        theirs.append(peer.read())
    peer.close()
    took, busy = (statistics.median(column) for column in zip(*ours, strict=True))
    dask, dask_busy = (statistics.median(a[i] for a in theirs) for i in (0, 1))
    case = "avg(v) GROUP BY t"
    note = f"{dask_busy:.2f} s of processors"
    found.append(Row("decode", case, "local", "xarray on dask", dask, note=note))
    note = f"{took / dask:.2f} x xarray on dask, {busy:.2f} s of processors"
    found.append(Row("decode", case, "local", "arraymorph", took, bound=dask, ok=right, note=note))
    spark.stop()
    return found


def _packed(path: Path, *, quick: bool) -> list[Row]:
    """Cells a second of CF-packed int16, decoded and raw, uncompressed."""
    planes, side = (20 if quick else 100), 1000
    sessions.raw_array(
        path,
        (planes, side, side),
        (1, side, side),
        "<i2",
        attributes={"scale_factor": 0.25, "add_offset": 100.0, "_FillValue": -1},
    )
    plane = (np.arange(side * side) % 20000).astype("<i2").reshape(1, side, side)
    plane[0, 0, :10] = -1
    for t in range(planes):
        sessions.put_chunk(path, (t, 0, 0), plane)
    raw = float(plane.sum(dtype="f8")) * planes
    real = float((plane[plane != -1] * 0.25 + 100).sum(dtype="f8")) * planes
    spark = sessions.session()
    rows = []
    for decode, want in (("true", real), ("false", raw)):
        frame = spark.read.format("arraymorph").option("rows", "cells").option("decode", decode)
        frame.load(str(path)).createOrReplaceTempView("p")
        for where, who in (("", ""), (" WHERE rand() >= 0", ", added up by Spark")):
            query = f"SELECT sum(packed) FROM p{where}"
            right = bool(np.isclose(spark.sql(query).first()[0], want, rtol=1e-9))
            took, busy, _ = _timed(spark, query, repeats=5)
            cells = planes * side * side
            note = f"{cells / took / 1e6:.0f} M cells/s, {busy:.2f} s of processors"
            case = f"sum of packed int16, decode={decode}{who}"
            rows.append(Row("decode", case, "local", "arraymorph", took, ok=right, note=note))
    spark.stop()
    return rows
