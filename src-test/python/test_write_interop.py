"""What Spark writes is read by zarr-python with equal values."""

from pathlib import Path

import numpy as np
import pytest
import zarr

TYPES = {
    "b": ("id % 2 = 0", "?"),
    "i8": ("CAST(id - 30 AS TINYINT)", "i1"),
    "i16": ("CAST(id * -300 AS SMALLINT)", "i2"),
    "i32": ("CAST(id * -70000 AS INT)", "i4"),
    "i64": ("id * -7000000000", "i8"),
    "f32": ("CAST(id / 3 AS FLOAT)", "f4"),
    "f64": ("id / 7", "f8"),
}


def options(compression: str, shards: str) -> dict[str, str]:
    return {
        "dims": "y,x",
        "shape": "7,11",
        "chunks": "2,3",
        "shards": shards,
        "compression": compression,
    }


@pytest.mark.parametrize("shards", ["", "4,6"])
@pytest.mark.parametrize("compression", ["none", "zstd", "gzip", "blosc:lz4:shuffle"])
def test_cells_of_every_type(spark, tmp_path: Path, compression: str, shards: str) -> None:
    columns = [f"{expression} AS {name}" for name, (expression, _) in TYPES.items()]
    cells = spark.range(77).selectExpr("id div 11 AS y", "id % 11 AS x", *columns)
    target = str(tmp_path / "group.zarr")
    cells.write.format("arraymorph").options(**options(compression, shards)).save(target)

    group = zarr.open_group(target, mode="r")
    assert sorted(group.array_keys()) == sorted(TYPES)
    rows = cells.orderBy("y", "x").toPandas()
    for name, (_, dtype) in TYPES.items():
        array = group[name]
        assert array.shape == (7, 11) and array.dtype == np.dtype(dtype)
        assert array.metadata.dimension_names == ("y", "x")
        np.testing.assert_array_equal(array[...], rows[name].to_numpy(dtype).reshape(7, 11))


def test_cells_without_a_row_have_the_fill_value(spark, tmp_path: Path) -> None:
    cells = spark.range(77).where("id % 5 > 0")
    cells = cells.selectExpr("id div 11 AS y", "id % 11 AS x", "CAST(id AS INT) AS v")
    target = str(tmp_path / "array.zarr")
    cells.write.format("arraymorph").options(**options("zstd", "")).option("fill", "-9").save(target)
    expected = np.arange(77)
    expected[::5] = -9
    np.testing.assert_array_equal(zarr.open_array(target, mode="r")[...].ravel(), expected)


def test_tensors_and_what_is_appended(spark, tmp_path: Path) -> None:
    tensors = spark.range(6).selectExpr(
        "id * 4 AS y",
        "0L AS x",
        "named_struct('data', transform(sequence(0, 19), i -> CAST(id * 20 + i AS FLOAT)),"
        " 'shape', array(4, 5)) AS v",
    )
    target = str(tmp_path / "tensors.zarr")
    tensors.where("y < 12").write.format("arraymorph").option("chunks", "3,5").save(target)
    tensors.where("y >= 12").write.format("arraymorph").mode("append").save(target)
    expected = np.arange(120, dtype="f4").reshape(24, 5)
    np.testing.assert_array_equal(zarr.open_array(target, mode="r")[...], expected)


def test_coordinates_follow_cf(spark, tmp_path: Path) -> None:
    cells = spark.range(12).selectExpr(
        "timestamp_seconds((id div 3) * 3600) AS time", "10D * (id % 3) AS lat", "id AS v"
    )
    target = str(tmp_path / "coordinates.zarr")
    cells.write.format("arraymorph").option("dims", "time,lat").save(target)
    group = zarr.open_group(target, mode="r")
    assert group["time"].attrs["units"] == "microseconds since 1970-01-01"
    np.testing.assert_array_equal(group["time"][...], np.arange(4) * 3_600_000_000)
    np.testing.assert_array_equal(group["lat"][...], [0, 10, 20])
    np.testing.assert_array_equal(group["v"][...], np.arange(12).reshape(4, 3))
