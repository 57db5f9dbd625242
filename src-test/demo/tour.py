"""The tour of bin/demo: real climate arrays in S3, through Spark and back.

Every answer is compared with the same computed by zarr-python and numpy from the local copy of the
data; the first difference ends the tour with an error.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

import numpy as np
import obstore
import pictures
import zarr
from obstore.store import S3Store
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

BUCKET = "climate"
MISSING = np.float32(-1e34)


class Tour:
    """Prints the steps of the tour and checks their answers."""

    def __init__(self) -> None:
        self.steps = 0

    def step(self, title: str) -> None:
        self.steps += 1
        print(f"\n{self.steps}. {title}", flush=True)

    def show(self, text: str) -> None:
        print("   " + text.replace("\n", "\n   "), flush=True)

    def check(self, what: str, got: object, want: object, *, rtol: float = 0.0) -> None:
        """Ends the tour unless ``got`` equals ``want`` (NaN equals NaN)."""
        got, want = np.asarray(got), np.asarray(want)
        if got.shape != want.shape or not np.allclose(
            got.astype(float), want.astype(float), rtol=rtol, atol=0, equal_nan=True
        ):
            sys.exit(f"WRONG: {what}\n  got  {got}\n  want {want}")
        self.show(f"checked against numpy: {what}")


def main() -> None:
    args = arguments()
    tour = Tour()
    store = S3Store(
        BUCKET,
        endpoint=args.endpoint,
        region="us-east-1",
        access_key_id="test",
        secret_access_key="testsecret",
        client_options={"allow_http": True},
        virtual_hosted_style_request=False,
    )
    load(tour, store, args.data)
    spark = session(args)
    try:
        tensors(tour, spark, args)
        sql(tour, spark, args)
        plan(tour, spark, args)
        relief(tour, spark, args)
        meridian(tour, spark, args)
        write(tour, spark, args, store)
    finally:
        spark.stop()
    print(f"\nAll {tour.steps} steps right. Pictures: {args.out}/*.png", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--endpoint", required=True, help="of the S3 server")
    parser.add_argument("--slice-function", required=True, help="URL of the slice function")
    parser.add_argument("--jar", required=True, help="the connector")
    parser.add_argument("--data", required=True, type=Path, help="folder with the Zarr stores")
    parser.add_argument("--out", required=True, type=Path, help="folder for the pictures")
    return parser.parse_args()


def load(tour: Tour, store: S3Store, data: Path) -> None:
    tour.step(f"Real data into the S3 server: COADS climatology, ETOPO5 relief (s3a://{BUCKET})")
    for name in ("coads.zarr", "etopo.zarr"):
        files = [path for path in sorted((data / name).rglob("*")) if path.is_file()]
        for path in files:
            obstore.put(store, path.relative_to(data).as_posix(), path.read_bytes())
        size = sum(path.stat().st_size for path in files)
        tour.show(f"{name}: {len(files)} objects, {size / 1e6:.1f} MB")


def session(args: argparse.Namespace) -> SparkSession:
    """A Spark session as anyone would make it who reads Parquet from that bucket."""
    conf = {
        "spark.jars": args.jar,
        "spark.hadoop.fs.s3a.endpoint": args.endpoint,
        "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.access.key": "test",
        "spark.hadoop.fs.s3a.secret.key": "testsecret",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.master("local[2]").appName("arraymorph demo")
    for key, value in conf.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def local(args: argparse.Namespace, path: str) -> np.ndarray:
    """An array of the local copy, read by zarr-python."""
    return zarr.open_array(args.data / path, mode="r")[...]


def tensors(tour: Tour, spark: SparkSession, args: argparse.Namespace) -> None:
    tour.step("One row a chunk, as tensors: the sea around the equator in January")
    frame = (
        spark.read.format("arraymorph")
        .load(f"s3a://{BUCKET}/coads.zarr")
        .where("MONTH = 1 AND COADSY BETWEEN -10 AND 10")
        .select("_index", "SST")
    )
    tour.show("\n".join(f"{f.name}: {f.dataType.simpleString()}" for f in frame.schema.fields))
    lat = local(args, "coads.zarr/COADSY")
    rows = np.flatnonzero((lat >= -10) & (lat <= 10))
    field = np.full((len(rows), 180), np.nan)
    for row in frame.collect():
        _, height, width = row["SST"]["shape"]
        y, x = row["_index"]["COADSY"] - rows[0], row["_index"]["COADSX"]
        cells = np.array(row["SST"]["data"], dtype=float).reshape(height, width)
        field[y : y + height, x : x + width] = cells
    want = masked(local(args, "coads.zarr/SST")[0, rows])
    tour.check("tensor rows of a box", field, want)


def sql(tour: Tour, spark: SparkSession, args: argparse.Namespace) -> None:
    tour.step("SQL over cells: the mean temperature of equatorial water by month")
    cells = spark.read.format("arraymorph").option("rows", "cells")
    cells.load(f"s3a://{BUCKET}/coads.zarr").createOrReplaceTempView("coads")
    query = """
        SELECT MONTH, avg(SST) AS sst, count(SST) AS n
        FROM coads WHERE COADSY BETWEEN -5 AND 5 GROUP BY MONTH ORDER BY MONTH"""
    tour.show(query.strip().replace("\n        ", "\n"))
    rows = spark.sql(query).collect()
    tour.show("  ".join(f"{row['MONTH']:.0f}: {row['sst']:.2f}" for row in rows))
    lat = local(args, "coads.zarr/COADSY")
    sea = masked(local(args, "coads.zarr/SST"))[:, (lat >= -5) & (lat <= 5)]
    tour.check("cells counted", [row["n"] for row in rows], (~np.isnan(sea)).sum(axis=(1, 2)))
    tour.check("means", [row["sst"] for row in rows], np.nanmean(sea, axis=(1, 2)), rtol=1e-12)

    # Views hide metadata columns, so the index is asked from the frame.
    frame = cells.load(f"s3a://{BUCKET}/coads.zarr").where("MONTH = 7")
    every = frame.selectExpr("_index.COADSY AS y", "_index.COADSX AS x", "SST")
    july = np.full((90, 180), np.nan)
    for row in every.where("SST IS NOT NULL").collect():
        july[row["y"], row["x"]] = row["SST"]
    tour.check("the field of July", july, masked(local(args, "coads.zarr/SST")[6]))
    lon = local(args, "coads.zarr/COADSX")
    pictures.field(args.out / "sst-july.png", july, lon, lat, "Sea surface temperature, July (°C)")


def plan(tour: Tour, spark: SparkSession, args: argparse.Namespace) -> None:
    tour.step("What will be fetched: EXPLAIN")
    frame = (
        spark.read.format("arraymorph")
        .option("array", "ROSE")
        .load(f"s3a://{BUCKET}/etopo.zarr")
        .where("ETOPO05_Y BETWEEN 43 AND 48.5 AND ETOPO05_X BETWEEN 5 AND 17")
    )
    text = frame._jdf.queryExecution().explainString(
        spark._jvm.org.apache.spark.sql.execution.ExplainMode.fromString("formatted")
    )
    tour.show(text.strip())
    if "hyperslab" not in text:
        sys.exit("WRONG: the plan names no hyperslab")


def relief(tour: Tour, spark: SparkSession, args: argparse.Namespace) -> None:
    tour.step("A box out of shards: the Alps; only the inner chunks that hold them are decoded")
    frame = (
        spark.read.format("arraymorph")
        .load(f"s3a://{BUCKET}/etopo.zarr")
        .where("ETOPO05_Y BETWEEN 43 AND 48.5 AND ETOPO05_X BETWEEN 5 AND 17")
    )
    lat, lon = local(args, "etopo.zarr/ETOPO05_Y"), local(args, "etopo.zarr/ETOPO05_X")
    y = np.flatnonzero((lat >= 43) & (lat <= 48.5))
    x = np.flatnonzero((lon >= 5) & (lon <= 17))
    box = np.zeros((len(y), len(x)), dtype=np.int16)
    fetched = []
    for row in frame.select("_index", "_chunk", "ROSE").collect():
        height, width = row["ROSE"]["shape"]
        top, left = row["_index"]["ETOPO05_Y"] - y[0], row["_index"]["ETOPO05_X"] - x[0]
        cells = np.array(row["ROSE"]["data"], dtype=np.int16).reshape(height, width)
        box[top : top + height, left : left + width] = cells
        fetched.append((row["_index"]["ETOPO05_Y"], row["_index"]["ETOPO05_X"], height, width))
    relief_ = local(args, "etopo.zarr/ROSE")
    tour.check("the relief of the Alps", box, relief_[np.ix_(y, x)])
    tour.show(f"{len(fetched)} rows from inner chunks of 180 x 180; highest {box.max()} m")
    pictures.field(args.out / "alps.png", box, lon[x], lat[y], "The Alps in ETOPO5 (m)", "terrain")
    pictures.chunks(args.out / "chunks.png", relief_.shape, (1080, 720), (180, 180), fetched)


def meridian(tour: Tour, spark: SparkSession, args: argparse.Namespace) -> None:
    tour.step(
        "A meridian through the slice function: decoded beside the store, only its cells move"
    )
    lat, lon = local(args, "etopo.zarr/ETOPO05_Y"), local(args, "etopo.zarr/ETOPO05_X")
    at = int(np.abs(lon - 10).argmin())
    frame = (
        spark.read.format("arraymorph")
        .option("rows", "cells")
        .option("array", "ROSE")
        .option("planner", "lambda")
        .option("slice-function", args.slice_function)
        .option("slice-function-token", os.environ["ARRAYMORPH_SLICE_TOKEN"])
        .option("slice-function-failure", "error")
        .load(f"s3a://{BUCKET}/etopo.zarr")
        .where(f"ETOPO05_X = {float(lon[at])!r}D")
    )
    text = frame._jdf.queryExecution().executedPlan().toString()
    calls = re.search(r"requests \[(\d+) function\], bytes to move (?:at most )?(\d+)", text)
    if calls is None:
        sys.exit(f"WRONG: the plan calls no function: {text}")
    rows = {row["ETOPO05_Y"]: row["ROSE"] for row in frame.collect()}
    column = local(args, "etopo.zarr/ROSE")[:, at]
    tour.check("heights along 10 E", np.array([rows[y] for y in lat.tolist()]), column)
    tour.show(f"{calls[1]} calls of the function answered {calls[2]} bytes for {len(rows)} cells")


def write(tour: Tour, spark: SparkSession, args: argparse.Namespace, store: S3Store) -> None:
    tour.step("Back to S3: seasonal means as a new Zarr array, opened by zarr-python")
    cells = spark.read.format("arraymorph").option("rows", "cells")
    coads = cells.load(f"s3a://{BUCKET}/coads.zarr")
    seasons = (
        coads.groupBy(
            (F.col("_index.TIME") % 12 / 3).cast("bigint").alias("season"),
            F.col("_index.COADSY").alias("y"),
            F.col("_index.COADSX").alias("x"),
        )
        .agg(F.avg("SST").cast("float").alias("SST"))
        .where("SST IS NOT NULL")
    )
    (
        seasons.write.format("arraymorph")
        .option("dims", "season,y,x")
        .option("shape", "4,90,180")
        .option("chunks", "1,45,60")
        .option("fill", "NaN")
        .mode("overwrite")
        .save(f"s3a://{BUCKET}/seasons.zarr")
    )
    written = zarr.open_array(
        zarr.storage.ObjectStore(
            store.__class__(
                BUCKET,
                prefix="seasons.zarr",
                endpoint=args.endpoint,
                region="us-east-1",
                access_key_id="test",
                secret_access_key="testsecret",
                client_options={"allow_http": True},
                virtual_hosted_style_request=False,
            ),
            read_only=True,
        ),
        mode="r",
    )
    tour.show(f"zarr-python sees {written.shape} {written.dtype} chunks {written.chunks}")
    sea = masked(local(args, "coads.zarr/SST")).reshape(4, 3, 90, 180)
    counts = (~np.isnan(sea)).sum(axis=1)
    sums = np.nansum(sea, axis=1)
    want = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).astype("f4")
    tour.check("seasonal means read by zarr-python", written[...], want, rtol=1e-6)
    n, last = (
        cells.load(f"s3a://{BUCKET}/seasons.zarr").agg(F.count("seasons"), F.max("season")).first()
    )
    sea_cells = int((~np.isnan(want)).sum())
    tour.check("cells read back by Spark; land is NULL again", [n, last], [sea_cells, 3])


def masked(values: np.ndarray) -> np.ndarray:
    """Values as float64 with missing ones as NaN."""
    return np.where(values == MISSING, np.nan, values.astype(float))


if __name__ == "__main__":
    main()
