"""The Spark session and the raw arrays that benchmarks share."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import psutil
from pyspark.sql import SparkSession


def session() -> SparkSession:
    """Two local cores with the connector's jar, as bin/bench names it."""
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("arraymorph bench")
        .config("spark.jars", os.environ["ARRAYMORPH_JAR"])
        .config("spark.driver.memory", "6g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        # Spark's 200 are for clusters: two cores would spend more on files than on sums.
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def processor_seconds(spark: SparkSession) -> float:
    """What the Spark process has used of processors so far, which others do not disturb."""
    process = psutil.Process(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())
    times = process.cpu_times()
    return times.user + times.system


def raw_array(
    path: Path,
    shape: tuple[int, ...],
    chunks: tuple[int, ...],
    dtype: str,
    attributes: dict | None = None,
) -> None:
    """The metadata of an uncompressed Zarr v3 array without chunks."""
    names = {"<f8": "float64", "<f4": "float32", "<i4": "int32", "<i2": "int16"}
    path.mkdir(parents=True, exist_ok=True)
    metadata = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": names[np.dtype(dtype).str],
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "dimension_names": ["t", "y", "x"][-len(shape) :],
        "attributes": attributes or {},
    }
    (path / "zarr.json").write_text(json.dumps(metadata))


def put_chunk(path: Path, index: tuple[int, ...], cells: np.ndarray) -> None:
    """Stores one whole chunk."""
    target = path.joinpath("c", *map(str, index))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(np.ascontiguousarray(cells).tobytes())
