"""A model's grid as xarray writes it: every kind of selection gives what xarray gives."""

from collections.abc import Callable
from pathlib import Path

import arraymorph
import numpy as np
import pandas as pd
import pytest
import xarray as xr

TIMES = pd.date_range("2019-12-30", periods=40, freq="6h")

SELECTIONS = {
    "all": lambda a: a,
    "backwards": lambda a: a.isel(lat=slice(None, None, -1)),
    "backwards by 3": lambda a: a.isel(lon=slice(20, 2, -3)),
    "a list with repetitions": lambda a: a.isel(lon=[5, 1, 1, -1]),
    "lists": lambda a: a.isel(lat=[3, 0], lon=[2, 2, 9], time=slice(1, 30, 7)),
    "a mask": lambda a: a.isel(time=np.arange(40) % 3 == 0),
    "dates": lambda a: a.sel(time=slice("2020-01-01", "2020-01-02")),
    "a day": lambda a: a.sel(time="2020-01-03"),
    "a month": lambda a: a.sel(time="2019-12"),
    "a stamp": lambda a: a.sel(time=pd.Timestamp("2020-01-01T06:00")),
    "a datetime64": lambda a: a.sel(time=np.datetime64("2020-01-01T06:00")),
    "a descending range": lambda a: a.sel(lat=slice(50, -20)),
    "values": lambda a: a.sel(lon=[30.0, 345.0, 0.0]),
    "the nearest": lambda a: a.sel(lat=41.0, lon=17.0, method="nearest"),
    "the nearest of several": lambda a: a.sel(lon=[1.0, 100.0], method="nearest"),
    "the nearest date": lambda a: a.sel(time=np.datetime64("2020-01-01T07:10"), method="nearest"),
    "one after the other": lambda a: a.sel(lat=slice(60, 0)).isel(lat=slice(None, None, -2)),
    "nothing": lambda a: a.isel(lon=slice(3, 3)),
    "an empty list": lambda a: a.isel(lon=[]),
    "one cell": lambda a: a.isel(time=-1, lat=-1, lon=-1),
    "an integer of numpy": lambda a: a.isel(time=np.int32(3)),
    "a range with a step": lambda a: a.sel(lon=slice(0, 200, 2)),
    "dots": lambda a: a[..., -3:],
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    generator = np.random.default_rng(5)
    made = xr.Dataset(
        {
            "tas": (
                ("time", "lat", "lon"),
                (280 + generator.normal(size=(40, 19, 24))).astype("f4"),
                {"units": "K", "long_name": "air"},
            ),
            "pr": (("time", "lat", "lon"), generator.gamma(1, 1, (40, 19, 24)), {"units": "mm"}),
            "mask": (("lat", "lon"), generator.integers(0, 2, (19, 24)).astype("i1")),
        },
        coords={
            "time": TIMES,
            "lat": np.linspace(90, -90, 19),
            "lon": np.arange(0, 360, 15.0),
            "height": 2.0,
            "season": ("time", (TIMES.month % 12 // 3).astype("i2")),
            "area": (("lat", "lon"), generator.random((19, 24)), {"units": "m2"}),
            "name": ("lat", np.array([f"row {i}" for i in range(19)], dtype=object)),
        },
        attrs={"title": "mine", "n": 3, "list": [1, 2]},
    )
    path = tmp_path_factory.mktemp("own") / "model.zarr"
    packed = {"chunks": (40, 5, 5), "dtype": "i2", "scale_factor": 0.001, "_FillValue": -1}
    made.to_zarr(path, encoding={"tas": {"chunks": (7, 10, 11)}, "pr": packed}, zarr_format=3)
    return path


def _same(ours: xr.DataArray, theirs: xr.DataArray) -> None:
    assert ours.dims == theirs.dims and ours.attrs == theirs.attrs
    np.testing.assert_allclose(ours.values, theirs.values, rtol=1e-6)
    assert set(ours.coords) == set(theirs.coords)
    for name, coordinate in theirs.coords.items():
        got = ours.coords[name]
        assert got.dims == coordinate.dims and got.attrs == coordinate.attrs, name
        np.testing.assert_array_equal(got.values, coordinate.values.astype(got.dtype), name)


@pytest.mark.parametrize("name", ["tas", "pr"])
@pytest.mark.parametrize("select", SELECTIONS.values(), ids=SELECTIONS.keys())
def test_selections_are_those_of_xarray(spark, model: Path, name: str, select: Callable) -> None:
    with xr.open_zarr(model) as theirs:
        _same(select(arraymorph.open(spark, model)[name]).to_xarray(), select(theirs[name]).load())


def test_coordinates_along_several_dimensions_or_none_are_coordinates(spark, model: Path) -> None:
    ours = arraymorph.open(spark, model)
    assert set(ours.coords) == {"time", "lat", "lon", "height", "season", "area", "name"}
    assert set(ours.variables) == {"tas", "pr", "mask"}
    assert float(ours["height"].to_numpy()) == 2.0
    got = ours.to_xarray()
    with xr.open_zarr(model) as theirs:
        assert set(got.coords) == set(theirs.coords) and got.attrs == theirs.attrs
        for name in theirs.data_vars:
            _same(got[name], theirs[name].load())


def test_encodings_are_kept(spark, model: Path, tmp_path: Path) -> None:
    ours = arraymorph.open(spark, model)
    with xr.open_zarr(model) as theirs:
        for name in ("pr", "tas", "mask", "time", "lat", "height"):
            got, expected = ours[name].to_xarray().encoding, theirs[name].encoding
            for key in ("chunks", "dtype", "scale_factor", "_FillValue", "units", "calendar"):
                if key in got:
                    np.testing.assert_equal(got[key], expected[key], err_msg=f"{name} {key}")
        assert ours["pr"].encoding["dtype"] == np.int16
    packed = ours["pr"].isel(lat=slice(0, 5)).to_xarray()
    arraymorph.write(spark, packed, str(tmp_path / "pr.zarr"))
    with xr.open_zarr(tmp_path / "pr.zarr", consolidated=False, mask_and_scale=False) as raw:
        assert raw["pr"].dtype == np.int16
        assert raw["pr"].attrs["scale_factor"] == 0.001
    with xr.open_zarr(tmp_path / "pr.zarr", consolidated=False) as written:
        np.testing.assert_array_equal(written["pr"].values, packed.values)


@pytest.mark.parametrize("label", ["q", object(), "2020-13-45"])
def test_nearest_of_what_has_no_distance_is_refused(spark, model: Path, label: object) -> None:
    for name in ("lat", "time"):
        with pytest.raises(arraymorph.ArrayMorphError) as refused:
            arraymorph.open(spark, model)["tas"].sel({name: label}, method="nearest")
        assert refused.value.code == "INVALID_SLICE"


def test_what_is_no_session_or_place_is_refused(spark) -> None:
    for arguments in ((spark, None), ("s3a://b/x.zarr", "a"), (None, "a")):
        with pytest.raises(TypeError, match="session and a text"):
            arraymorph.open(*arguments)


def test_masks_are_not_lost(spark, tmp_path: Path) -> None:
    masked = np.ma.masked_array([1.0, 2.0], [False, True])
    target = str(tmp_path / "masked.zarr")
    with pytest.raises(arraymorph.ArrayMorphError, match="filled") as refused:
        arraymorph.write(spark, masked, target)
    assert refused.value.code == "UNSUPPORTED_TYPE"
    arraymorph.write(spark, masked.filled(np.nan), target)
    got = arraymorph.open(spark, target)["masked"].to_numpy()
    np.testing.assert_array_equal(got, [1.0, np.nan])


def test_what_xarray_read_can_be_written_back(spark, model: Path, tmp_path: Path) -> None:
    with xr.open_zarr(model) as theirs:
        whole = theirs.load()
    target = str(tmp_path / "copy.zarr")
    arraymorph.write(spark, whole, target, chunks={"time": 10})
    with xr.open_zarr(target, consolidated=False) as written:
        xr.testing.assert_allclose(written.load().drop_encoding(), whole.drop_encoding())


@pytest.mark.parametrize("key", [slice(0, 5, 0), slice(0.5, 2), 1.5, "x", [0.5], True])
def test_what_is_no_index_is_refused(spark, model: Path, key: object) -> None:
    with pytest.raises(arraymorph.ArrayMorphError) as refused:
        arraymorph.open(spark, model)["tas"].isel(lat=key)
    assert refused.value.code == "INVALID_SLICE"


def test_a_misspelt_option_is_refused(spark, model: Path) -> None:
    with pytest.raises(arraymorph.ArrayMorphError, match="'plannr'") as refused:
        arraymorph.open(spark, model, plannr="get")
    assert refused.value.code == "INVALID_OPTION"
    with pytest.raises(Exception, match=r"ARRAYMORPH_INVALID_OPTION.*'plannr'"):
        spark.sql(f"SELECT * FROM array_scan('{model}', plannr => 'get')").collect()


@pytest.mark.parametrize("sizes", ["chunks", "shards"])
def test_sizes_of_another_rank_are_refused(spark, tmp_path: Path, sizes: str) -> None:
    with pytest.raises(arraymorph.ArrayMorphError) as refused:
        arraymorph.write(spark, np.ones(3), str(tmp_path / "a.zarr"), **{sizes: [1, 2]})
    assert refused.value.code == "INVALID_OPTION"
    assert not list(tmp_path.iterdir())
