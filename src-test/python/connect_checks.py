"""What the package does over Spark Connect: run by test_connect.py as a process of its own."""

import sys

import arraymorph
import numpy as np
import xarray as xr
from pyspark.sql import SparkSession


def main(remote: str, coads: str, labels: str) -> None:
    spark = SparkSession.builder.remote(remote).getOrCreate()
    with xr.open_zarr(coads, decode_times=False) as opened:
        theirs = opened.load()
    ours = arraymorph.open(spark, coads)
    assert ours.dims == {"TIME": 12, "COADSY": 90, "COADSX": 180}, ours.dims
    assert "chunks (3, 45, 60)" in repr(ours) and set(ours.coords) == {*ours.dims, "MONTH"}
    sst = ours["SST"]
    assert sst.attrs["units"] == "Deg C" and sst.dtype == "f4"
    np.testing.assert_array_equal(sst.to_numpy(), theirs["SST"])
    box = sst.sel(COADSY=slice(-5, 5), COADSX=[101, 99, 101])
    expected = theirs["SST"].sel(COADSY=slice(-5, 5), COADSX=[101, 99, 101])
    np.testing.assert_array_equal(box.to_numpy(), expected)
    got = box.to_xarray()
    np.testing.assert_array_equal(got["COADSX"], [101, 99, 101])
    np.testing.assert_array_equal(got["MONTH"], np.arange(1, 13))
    turned = sst.isel(TIME=[5, 2], COADSY=slice(None, None, -7), COADSX=3)
    expected = theirs["SST"].isel(TIME=[5, 2], COADSY=slice(None, None, -7), COADSX=3)
    np.testing.assert_array_equal(turned.to_numpy(), expected)
    assert box.to_spark("cells").count() == 12 * 6 * 2
    for refused, code in (
        (lambda: sst.plan(), "UNSUPPORTED_FEATURE"),
        (lambda: arraymorph.write(spark, np.zeros(2), "x"), "UNSUPPORTED_FEATURE"),
        (lambda: sst.sel(COADSY=0.25), "INVALID_SLICE"),
        (lambda: arraymorph.open(spark, "/there/is/none.zarr"), "NOT_AN_ARRAY"),
    ):
        try:
            refused()
        except arraymorph.ArrayMorphError as failure:
            assert failure.code == code, failure
        else:
            raise AssertionError(f"{code} was not raised")
    mixed = arraymorph.open(spark, labels)
    with xr.open_zarr(labels) as opened:
        other = opened.load()
    part = mixed["count"].sel(time=slice("2020-01-02", "2020-01-03"), who="b")
    assert part.dtype == "u1", part.dtype
    np.testing.assert_array_equal(
        part.to_numpy(), other["count"].sel(time=slice("2020-01-02", "2020-01-03"), who="b")
    )
    np.testing.assert_array_equal(part.to_xarray()["time"], other["time"][2:6])
    cells = (
        spark.sql("SELECT 1 AS one").count()
        + spark.read.format("arraymorph")
        .option("rows", "cells")
        .load(coads)
        .where("COADSY BETWEEN -5 AND 5 AND MONTH = 7")
        .count()
    )
    assert cells == 1 + 6 * 180
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
