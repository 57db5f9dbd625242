"""Arrays of numpy and xarray written by the package, read back by zarr-python and xarray."""

import random
from pathlib import Path

import arraymorph
import numpy as np
import pytest
import xarray as xr
import zarr

DTYPES = ("?", "i1", "u1", ">i2", "<u4", "<i8", "<f2", ">f4", "<f8", "<c8", "<M8[s]")


@pytest.mark.parametrize("seed", range(8))
def test_numpy_arrays_come_back(seed: int, spark, tmp_path: Path) -> None:
    generator = random.Random(seed)
    shape = tuple(generator.randrange(1, 9) for _ in range(generator.randrange(0, 4)))
    bits = np.random.default_rng(seed).integers(0, 100, shape)
    values = bits.astype(np.dtype(generator.choice(DTYPES)))
    if generator.random() < 0.3:
        values = np.asfortranarray(values)
    chunks = [generator.randrange(1, n + 1) for n in shape] or None
    options = {"chunks": chunks, "compression": generator.choice(["zstd:1", "none", "gzip"])}
    arraymorph.write(spark, values, tmp_path / "a.zarr", **options)
    array = zarr.open_array(tmp_path / "a.zarr", mode="r")
    assert array.dtype == values.dtype.newbyteorder("<"), f"seed {seed}"
    np.testing.assert_array_equal(array[...], values, err_msg=f"seed {seed}")
    assert chunks is None or array.chunks == tuple(chunks)
    back = arraymorph.open(spark, tmp_path / "a.zarr")["a"].to_numpy()
    np.testing.assert_array_equal(back, values, err_msg=f"seed {seed}")


def test_datasets_of_xarray_come_back(spark, tmp_path: Path) -> None:
    made = xr.Dataset(
        {
            "t2m": (("time", "lat"), np.array([[1.5, np.nan, 3], [4, 5, 6]], dtype="f4")),
            "rain": (("time", "lat"), np.arange(6).reshape(2, 3)),
            "name": ("lat", np.array(["a", "", "åß"], dtype=object)),
            "crs": ((), 7),
        },
        coords={
            "time": np.array(["2020-01-01", "2020-01-03T12"], dtype="datetime64[ns]"),
            "lat": [10.0, 0.0, -10.0],
            "month": ("time", [1, 1]),
        },
        attrs={"title": "test", "levels": np.array([1, 2])},
    )
    made["t2m"].attrs = {"units": "K", "valid": np.float32(3)}
    made["t2m"].encoding = {"scale_factor": 0.5, "dtype": "i2", "_FillValue": -99}
    arraymorph.write(spark, made, tmp_path / "d.zarr", chunks={"time": 1})
    with xr.open_zarr(tmp_path / "d.zarr") as theirs:
        got = theirs.load().drop_encoding()
    assert got.attrs.pop("_arraymorph") and got.attrs.pop("levels") == [1, 2]
    for variable in got.variables.values():
        variable.attrs.pop("_arraymorph", None)
    expected = made.drop_attrs(deep=False)
    expected.attrs = {"title": "test"}
    got["name"] = got["name"].astype(object)
    got["t2m"] = got["t2m"].astype("f4")
    xr.testing.assert_identical(got, expected)
    stored = zarr.open_group(tmp_path / "d.zarr", mode="r")
    assert stored["t2m"].dtype == "i2" and stored["t2m"].chunks == (1, 3)
    ours = arraymorph.open(spark, tmp_path / "d.zarr").to_xarray()
    np.testing.assert_array_equal(ours["t2m"], made["t2m"])
    np.testing.assert_array_equal(ours["time"], made["time"])


def test_modes_are_those_of_spark(spark, tmp_path: Path) -> None:
    target = tmp_path / "a.zarr"
    arraymorph.write(spark, np.arange(4), target, dims=["x"], chunks=[3])
    with pytest.raises(arraymorph.ArrayMorphError) as exists:
        arraymorph.write(spark, np.arange(4), target)
    assert exists.value.code == "ARRAY_EXISTS"
    arraymorph.write(spark, np.zeros(9), target, mode="ignore")
    arraymorph.write(spark, np.arange(4, 9), target, mode="append", append_dim="x")
    np.testing.assert_array_equal(zarr.open_array(target, mode="r")[...], np.arange(9))
    with pytest.raises(arraymorph.ArrayMorphError) as other:
        arraymorph.write(spark, np.ones(2, "f4"), target, mode="append")
    assert other.value.code == "TYPE_MISMATCH"
    arraymorph.write(spark, np.ones(4), target, mode="overwrite", shards=[2], chunks=[1])
    assert zarr.open_array(target, mode="r").shards == (2,)


@pytest.mark.parametrize(
    ("data", "options", "code"),
    [
        (np.array([object()]), {}, "UNSUPPORTED_TYPE"),
        (np.zeros(2), {"mode": "replace"}, "INVALID_OPTION"),
        (np.zeros(2), {"dims": ["x", "y"]}, "INVALID_OPTION"),
        (np.zeros(2), {"chunks": [0]}, "INVALID_OPTION"),
        (np.zeros(2), {"chunks": {"lat": 1}}, "UNKNOWN_DIMENSION"),
        (np.zeros(2), {"compression": "snappy"}, "INVALID_OPTION"),
        (np.zeros(2), {"fill": "red"}, "INVALID_OPTION"),
    ],
)
def test_what_cannot_be_written_is_refused(data, options, code, spark, tmp_path: Path) -> None:
    with pytest.raises(arraymorph.ArrayMorphError) as refused:
        arraymorph.write(spark, data, tmp_path / "a.zarr", **options)
    assert refused.value.code == code
    assert not (tmp_path / "a.zarr" / "zarr.json").exists()
