"""The jar as users take it: ``pyspark`` from PyPI with ``spark.jars``, on every Spark line.

The array is written here byte by byte, so that no library of ours or of others stands between the
test and the format.
"""

import json
import zipfile
from array import array
from pathlib import Path

import pytest

SHAPE = (5, 7)
CHUNKS = (2, 3)


def value(y: int, x: int) -> float:
    return y * 100 + x + 0.5


@pytest.fixture(scope="module")
def source(jar: Path) -> None:
    """The data source itself, which the jar has as soon as the connector module has it."""
    service = "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister"
    if service not in zipfile.ZipFile(jar).namelist():
        pytest.skip("the jar registers no data source")


@pytest.fixture(scope="module")
def grid(source: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A 5 x 7 float64 array ``grid(y, x)``, Zarr v3, uncompressed, with partial edge chunks."""
    path = tmp_path_factory.mktemp("zarr") / "grid.zarr"
    for i in range(-(-SHAPE[0] // CHUNKS[0])):
        for j in range(-(-SHAPE[1] // CHUNKS[1])):
            cells = array("d")
            for y in range(i * CHUNKS[0], (i + 1) * CHUNKS[0]):
                for x in range(j * CHUNKS[1], (j + 1) * CHUNKS[1]):
                    inside = y < SHAPE[0] and x < SHAPE[1]
                    cells.append(value(y, x) if inside else -1.0)
            chunk = path / "c" / str(i) / str(j)
            chunk.parent.mkdir(parents=True, exist_ok=True)
            chunk.write_bytes(cells.tobytes())
    metadata = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(SHAPE),
        "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(CHUNKS)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0.0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "dimension_names": ["y", "x"],
        "attributes": {},
    }
    (path / "zarr.json").write_text(json.dumps(metadata))
    return str(path)


def test_jar_brings_its_classes(spark):
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    found = loader.loadClass("io.arraymorph.ArrayMorphException")
    source = found.getProtectionDomain().getCodeSource().getLocation().toString()
    assert Path(source).name.startswith("arraymorph-spark-")


def test_cells_are_rows(spark, grid):
    rows = spark.read.format("arraymorph").option("rows", "cells").load(grid).collect()
    got = {(row["y"], row["x"]): row["grid"] for row in rows}
    assert len(rows) == len(got)
    assert got == {(y, x): value(y, x) for y in range(SHAPE[0]) for x in range(SHAPE[1])}


def test_sql_selects_a_hyperslab(spark, grid):
    spark.read.format("arraymorph").option("rows", "cells").load(grid).createOrReplaceTempView("g")
    row = spark.sql(
        "SELECT count(*) AS n, sum(grid) AS s FROM g WHERE y BETWEEN 1 AND 3 AND x >= 5"
    ).first()
    want = [value(y, x) for y in range(1, 4) for x in range(5, 7)]
    assert (row["n"], row["s"]) == (len(want), sum(want))


def test_tensors_are_rows(spark, grid):
    rows = spark.read.format("arraymorph").load(grid).where("y < 3").collect()
    got = {}
    for row in rows:
        height, width = row["grid"]["shape"]
        assert len(row["grid"]["data"]) == height * width
        for k, cell in enumerate(row["grid"]["data"]):
            got[row["y"] + k // width, row["x"] + k % width] = cell
    assert got == {(y, x): value(y, x) for y in range(3) for x in range(SHAPE[1])}


def test_written_cells_come_back(spark, grid, tmp_path):
    there = str(tmp_path / "copy.zarr")
    cells = spark.read.format("arraymorph").option("rows", "cells").load(grid)
    (
        cells.write.format("arraymorph")
        .option("dims", "y,x")
        .option("chunks", "3,4")
        .option("compression", "none")
        .mode("errorifexists")
        .save(there)
    )
    back = spark.read.format("arraymorph").option("rows", "cells").load(there).collect()
    got = {(row["y"], row["x"]): row[2] for row in back}
    assert got == {(y, x): value(y, x) for y in range(SHAPE[0]) for x in range(SHAPE[1])}


def test_the_package_reads_labels_into_numpy(spark, grid, tmp_path):
    import arraymorph
    import numpy as np

    whole = np.array([[value(y, x) for x in range(SHAPE[1])] for y in range(SHAPE[0])])
    opened = arraymorph.open(spark, grid)
    got = opened["grid"]
    assert (got.dims, got.shape, got.chunks) == (("y", "x"), SHAPE, CHUNKS)
    np.testing.assert_array_equal(got.to_numpy(), whole)
    part = got.sel(y=slice(1, 3)).isel(x=[5, 0, -1])
    np.testing.assert_array_equal(part.to_numpy(), whole[1:4, [5, 0, -1]])
    assert part.to_spark("cells").count() == part.size
    assert got.isel(y=0).plan().requests == 3
    with pytest.raises(KeyError) as unknown:
        opened["depth"]
    assert unknown.value.code == "UNKNOWN_ARRAY"
    arraymorph.write(spark, whole, tmp_path / "w.zarr", chunks=[2, 2], compression="none")
    np.testing.assert_array_equal(arraymorph.open(spark, tmp_path / "w.zarr")["w"], whole)


def test_a_missing_array_is_a_coded_error(spark, source, tmp_path):
    with pytest.raises(Exception, match=r"\[ARRAYMORPH_[A-Z_]+\]"):
        spark.read.format("arraymorph").load(str(tmp_path / "nothing.zarr")).collect()
