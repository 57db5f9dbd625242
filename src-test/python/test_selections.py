"""Selections by index and by label, compared with numpy and xarray over random arrays."""

import random
from pathlib import Path

import arraymorph
import numpy as np
import pytest
import xarray as xr
import zarr

DTYPES = ("i1", "u1", "<i2", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "?")


def make(path: Path, generator: random.Random) -> np.ndarray:
    """A random array of random type, chunks and compression; its values."""
    rank = generator.randrange(1, 4)
    shape = tuple(generator.randrange(1, 12) for _ in range(rank))
    inner = tuple(generator.randrange(1, n + 1) for n in shape)
    dtype = np.dtype(generator.choice(DTYPES))
    values = np.random.default_rng(generator.randrange(2**31)).integers(0, 120, shape)
    sharded = generator.random() < 0.3
    options = {"shards": tuple(2 * n for n in inner)} if sharded else {}
    array = zarr.create_array(
        path,
        shape=shape,
        chunks=inner,
        dtype=dtype,
        compressors=generator.choice([None, "auto"]),
        zarr_format=3 if sharded else generator.choice([2, 3]),
        fill_value=dtype.type(0),
        **options,
    )
    array[...] = values.astype(dtype)
    return array[...]


def random_key(generator: random.Random, length: int):
    kind = generator.randrange(5) if length else 4
    ends = [None, *range(-length - 2, length + 3)]
    if kind == 0:
        return generator.randrange(-length, length)
    if kind == 1:
        return [generator.randrange(-length, length) for _ in range(generator.randrange(0, 5))]
    if kind == 2:
        return np.array([generator.random() < 0.5 for _ in range(length)])
    step = generator.choice([None, 1, 2, 3, -1, -2])
    return slice(generator.choice(ends), generator.choice(ends), step)


def numpy_of(values: np.ndarray, keys: list) -> np.ndarray:
    """What xarray's isel gives: each key along its own dimension."""
    dropped = []
    for axis, key in enumerate(keys):
        if isinstance(key, int):
            values, dropped = np.take(values, [key], axis=axis), [*dropped, axis]
        elif isinstance(key, list):
            values = np.take(values, np.array(key, dtype=int), axis=axis)
        else:
            values = values[(slice(None),) * axis + (key,)]
    return values.squeeze(axis=tuple(dropped))


@pytest.mark.parametrize("seed", range(12))
def test_positions_select_what_numpy_selects(seed: int, spark, tmp_path: Path) -> None:
    generator = random.Random(seed)
    values = make(tmp_path / "a.zarr", generator)
    array = arraymorph.open(spark, tmp_path / "a.zarr")["a"]
    assert (array.shape, array.dtype) == (values.shape, values.dtype), f"seed {seed}"
    np.testing.assert_array_equal(array.to_numpy(), values)
    for _ in range(12):
        keys = [random_key(generator, n) for n in values.shape]
        got, expected = array[tuple(keys)], numpy_of(values, keys)
        assert got.shape == expected.shape, f"seed {seed}: {keys}"
        read = got.to_numpy()
        assert read.dtype == expected.dtype
        np.testing.assert_array_equal(read, expected, err_msg=f"seed {seed}: {keys}")
        again = [random_key(generator, n) for n in expected.shape]
        twice = numpy_of(expected, again)
        read = got[tuple(again)].to_numpy()
        np.testing.assert_array_equal(read, twice, err_msg=f"seed {seed}: {keys} {again}")


@pytest.fixture(scope="module")
def climate(spark, tmp_path_factory: pytest.TempPathFactory):
    """A dataset of xarray with coordinates of all kinds, and ours of the same store."""
    path = tmp_path_factory.mktemp("labels") / "climate.zarr"
    generator = np.random.default_rng(3)
    made = xr.Dataset(
        {"t2m": (("time", "lat", "lon", "member"), generator.normal(size=(40, 9, 16, 3)))},
        coords={
            "time": np.datetime64("2020-06-20T00", "ns") + np.arange(40) * np.timedelta64(12, "h"),
            "lat": np.linspace(60, 40, 9).astype("f4"),
            "lon": np.arange(16) * 22.5,
            "member": ["red", "it's", "a:b"],
            "season": ("time", np.arange(40) % 4),
        },
        attrs={"title": "labels"},
    )
    made["t2m"].attrs = {"units": "K", "long_name": "air temperature"}
    made.to_zarr(path)
    in_microseconds = xr.coders.CFDatetimeCoder(time_unit="us")
    with xr.open_zarr(path, decode_times=in_microseconds) as opened:
        yield opened.load(), arraymorph.open(spark, path)


@pytest.mark.parametrize(
    "labels",
    [
        {"lat": slice(55, 45)},
        {"lat": slice(None, 50)},
        {"lat": slice(47.5, None), "lon": slice(45, 90)},
        {"lat": 50, "lon": [90.0, 0.0, 90.0]},
        {"lat": np.float32(42.5), "member": "it's"},
        {"member": ["a:b", "red"]},
        {"lon": slice(10, 300, 2)},
        {"time": slice("2020-06-25", "2020-07-01")},
        {"time": "2020-07"},
        {"time": "2020-07-01"},
        {"time": np.datetime64("2020-07-01T12:00")},
        {"time": slice(np.datetime64("2020-06-21"), np.datetime64("2020-06-22T12"))},
        {"time": [np.datetime64("2020-06-22T12"), np.datetime64("2020-06-21T00")]},
        {"lon": slice(350, 400)},
        {"lon": slice(50, 40)},
    ],
    ids=str,
)
def test_labels_select_what_xarray_selects(labels: dict, climate) -> None:
    theirs, ours = climate
    expected, got = theirs["t2m"].sel(labels), ours["t2m"].sel(labels)
    assert (got.dims, got.shape) == (expected.dims, expected.shape)
    xr.testing.assert_identical(got.to_xarray(), expected)
    xr.testing.assert_identical(
        ours.sel(labels).to_xarray().drop_encoding(), theirs.sel(labels).drop_encoding()
    )


def test_a_descending_axis_takes_ends_in_either_order(climate) -> None:
    _, ours = climate
    assert ours["t2m"].sel(lat=slice(45, 55)).shape == ours["t2m"].sel(lat=slice(55, 45)).shape


def test_nearest_values_are_those_of_xarray(climate) -> None:
    theirs, ours = climate
    labels = {"lat": 48.1, "lon": [47.0, 199.0]}
    xr.testing.assert_identical(
        ours["t2m"].sel(labels, method="nearest").to_xarray(),
        theirs["t2m"].sel(labels, method="nearest"),
    )


def test_labels_select_within_a_selection(climate) -> None:
    theirs, ours = climate
    turned = {"lat": slice(None, None, -1), "lon": slice(1, None, 2)}
    got = ours["t2m"].isel(turned).sel(lat=slice(55, 45), lon=[67.5, 22.5])
    expected = theirs["t2m"].isel(turned).sel(lat=slice(45, 55), lon=[67.5, 22.5])
    xr.testing.assert_identical(got.to_xarray(), expected)


def test_spark_gets_the_same_cells(climate) -> None:
    theirs, ours = climate
    got = ours["t2m"].isel(time=[3, 30], lon=slice(2, 9, 3), member=0).sel(lat=slice(55, 45))
    expected = theirs["t2m"].isel(time=[3, 30], lon=slice(2, 9, 3), member=0)
    expected = expected.sel(lat=slice(55, 45))
    cells = got.to_spark("cells").orderBy("time", "lon").toPandas()
    assert len(cells) == expected.size
    assert np.isclose(cells["t2m"].sum(), float(expected.sum()))
    tensors = ours.isel(time=[3, 30]).to_spark("t2m", rows="time")
    assert tensors.count() == 2


@pytest.mark.parametrize(
    ("select", "kind", "code"),
    [
        (lambda d: d["nope"], KeyError, "UNKNOWN_ARRAY"),
        (lambda d: d["t2m"].isel(depth=0), KeyError, "UNKNOWN_DIMENSION"),
        (lambda d: d.sel(depth=0), KeyError, "UNKNOWN_DIMENSION"),
        (lambda d: d["t2m"].isel(lat=9), IndexError, "OUT_OF_BOUNDS"),
        (lambda d: d["t2m"].isel(lat=[0, -10]), IndexError, "OUT_OF_BOUNDS"),
        (lambda d: d["t2m"][0, 0, 0, 0, 0], IndexError, "OUT_OF_BOUNDS"),
        (lambda d: d["t2m"].isel(lat=1.5), Exception, "INVALID_SLICE"),
        (lambda d: d["t2m"].isel(lat=[True]), Exception, "SHAPE_MISMATCH"),
        (lambda d: d["t2m"].sel(lat=50.1), KeyError, "INVALID_SLICE"),
        (lambda d: d["t2m"].sel(lat="north"), Exception, "INVALID_SLICE"),
        (lambda d: d["t2m"].isel(lat=0).sel(lat=50), KeyError, "UNKNOWN_DIMENSION"),
        (lambda d: d["t2m"].isel(lat=[0]).sel(lat=50), KeyError, "INVALID_SLICE"),
        (lambda d: d["t2m"].sel(lat=object()), Exception, "INVALID_SLICE"),
        (lambda d: d["t2m"].plot(), Exception, "SHAPE_MISMATCH"),
        (lambda d: d["t2m"].plan("fastest"), Exception, "INVALID_OPTION"),
    ],
)
def test_what_is_not_there_is_refused_with_a_code(select, kind, code: str, climate) -> None:
    with pytest.raises(arraymorph.ArrayMorphError) as refused:
        select(climate[1])
    assert isinstance(refused.value, kind)
    assert refused.value.code == code
    assert str(refused.value).startswith(f"[ARRAYMORPH_{code}] ")


def test_options_that_methods_stand_for_are_refused(spark) -> None:
    for option in ("rows", "slice"):
        with pytest.raises(arraymorph.ArrayMorphError, match="INVALID_OPTION"):
            arraymorph.open(spark, "x", **{option: "cells"})
    with pytest.raises(arraymorph.ArrayMorphError) as missing:
        arraymorph.open(spark, "/there/is/no/such/array.zarr")
    assert missing.value.code == "NOT_AN_ARRAY"
