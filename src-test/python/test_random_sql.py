"""Random SQL over cells means what it means over the same rows in a table of Spark's own."""

import random
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

pytestmark = pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")

SEED = time.time_ns() % 2**32
QUERIES = 40
PLANNERS = ["auto", "get", "range", "merge", "paper"]
ZONES = ["UTC", "America/New_York", "Asia/Kolkata"]


def random_dataset(rng: random.Random) -> xr.Dataset:
    """Floats with NaN, large integers and packed values with missing ones on one grid."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    shape = tuple(rng.randint(2, 8) for _ in range(3))
    lat = np.sort(numbers.choice(np.arange(-90, 90), shape[1], replace=False)).astype(float)
    v = numbers.integers(-50, 50, shape).astype("f4")
    v[numbers.random(shape) < 0.15] = np.nan
    w = numbers.integers(-(2**52), 2**52, shape)
    q = numbers.integers(0, 100, shape).astype("i2")
    packed = {"scale_factor": 0.5, "add_offset": 10.0, "_FillValue": np.int16(7)}
    dims = ("time", "lat", "x")
    return xr.Dataset(
        {"v": (dims, v), "w": (dims, w), "q": (dims, q, packed)},
        coords={
            "time": pd.date_range("2020-02-27", periods=shape[0], freq="7h"),
            "lat": lat if rng.random() < 0.5 else lat[::-1].copy(),
        },
    )


def save(rng: random.Random, dataset: xr.Dataset, path: Path) -> None:
    zarr_format = rng.choice([2, 3])
    encoding = {}
    for name, variable in dataset.data_vars.items():
        chunks = tuple(rng.randint(1, n) for n in variable.shape)
        encoding[name] = {"chunks": chunks}
        if zarr_format == 3 and rng.random() < 0.5:
            encoding[name]["shards"] = tuple(c * rng.randint(1, 3) for c in chunks)
    dataset.to_zarr(
        path,
        zarr_format=zarr_format,
        encoding=encoding,
        consolidated=rng.random() < 0.5,
    )


def rows(dataset: xr.Dataset) -> list[tuple]:
    """Cells as Python's values; NaN and missing ones are None."""
    frame = dataset.to_dataframe().reset_index()[["time", "lat", "x", "v", "w", "q"]]
    frame["time"] = frame["time"].dt.tz_localize("UTC")
    return [
        (t.to_pydatetime(), lat, x, None if np.isnan(v) else v, w, None if np.isnan(q) else q)
        for t, lat, x, v, w, q in frame.itertuples(index=False)
    ]


def condition(rng: random.Random) -> str:
    n = rng.randint
    return rng.choice(
        [
            f"v > {n(-40, 40)}",
            f"q <= {n(10, 60)}",
            f"lat BETWEEN {n(-80, 0)} AND {n(0, 80)}",
            "v IS NULL",
            "q IS NOT NULL",
            f"x IN ({n(0, 7)}, {n(0, 7)}, NULL)",
            f"x IN ({n(0, 7)}, {n(0, 7)})",
            f"lat = {n(-90, 90)}.5 OR cast(lat AS int) % 2 = 0",
            f"x < {n(0, 8)}.5 AND cast(x AS decimal(9, 2)) <> {n(0, 7)}",
            "v = CAST('NaN' AS FLOAT) OR v = -0.0",
            f"coalesce(q, {n(0, 60)}) > {n(10, 50)}",
            f"date_trunc('day', time) = '2020-02-2{n(7, 9)}'",
            f"month(time) = {n(2, 3)} AND NOT isnan(v)",
            f"hour(time) IN ({n(0, 23)}, 0, 7, 14)",
            f"time >= '2020-02-2{n(7, 9)}'",
            f"NOT (v = {n(-5, 5)} OR x = 1)",
            "w % 2 = 0",
            f"v <> {n(-9, 9)} OR lat < {n(-50, 50)}",
            "sqrt(abs(q)) > 5",
        ]
    )


def query(rng: random.Random) -> str:
    where = " AND ".join(f"({condition(rng)})" for _ in range(rng.randint(0, 3)))
    source = "{table}" + (f" WHERE {where}" if where else "")
    by = rng.choice(["time", "lat", "x", "time, x", "lat, x"])
    order = rng.choice(["time, lat, x", "lat DESC, time, x", "x DESC, lat, time DESC"])
    return rng.choice(
        [
            f"SELECT time, lat, x, v, w, q FROM {source}",
            "SELECT count(*), count(v), min(v), max(v), min(q), max(w), avg(q), sum(v), min(lat),"
            f" max(time) FROM {source}",
            f"SELECT {by}, count(*), count(q), min(v), max(q), avg(q), sum(w) FROM {source}"
            f" GROUP BY {by}",
            f"SELECT time, lat, x, v FROM {source} ORDER BY {order} LIMIT {rng.randint(1, 9)}",
            f"SELECT sum(w), sum(w % 1000), count(DISTINCT v) FROM {source}",
        ]
    )


def answer(spark, sql: str) -> list[str]:
    return sorted(
        repr([round(c, 6) if isinstance(c, float) else c for c in row])
        for row in spark.sql(sql).collect()
    )


@pytest.fixture
def any_session(spark):
    """The session, whose settings are as before afterwards."""
    changed = ["spark.sql.session.timeZone", "spark.sql.ansi.enabled"]
    before = {name: spark.conf.get(name) for name in changed}
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)


def test_queries_answer_as_over_a_plain_table(any_session, tmp_path: Path) -> None:
    print(f"seed {SEED}")
    spark = any_session
    rng = random.Random(SEED)
    for number in range(3):
        path = tmp_path / f"{number}.zarr"
        save(rng, random_dataset(rng), path)
        with xr.open_zarr(path, consolidated=False) as dataset:
            plain = spark.createDataFrame(
                rows(dataset.assign_coords(x=np.arange(dataset.sizes["x"])).load()),
                "time timestamp, lat double, x bigint, v float, w bigint, q double",
            ).cache()
        plain.count()
        plain.createOrReplaceTempView("plain")
        (
            spark.read.format("arraymorph")
            .options(**{"rows": "cells", "v2-fill": "missing", "planner": rng.choice(PLANNERS)})
            .load(str(path))
            .createOrReplaceTempView("cells")
        )
        for _ in range(QUERIES // 3):
            sql = query(rng)
            spark.conf.set("spark.sql.session.timeZone", rng.choice(ZONES))
            spark.conf.set("spark.sql.ansi.enabled", str(rng.random() < 0.5).lower())
            expected = answer(spark, sql.format(table="plain"))
            assert answer(spark, sql.format(table="cells")) == expected, f"seed {SEED}: {sql}"
        plain.unpersist()
