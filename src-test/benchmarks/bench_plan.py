"""Planning time against the number of chunks: no chunk is listed or fetched."""

from __future__ import annotations

from pathlib import Path

import sessions
from report import Row, median_seconds

GOAL_SECONDS = 0.2


def run(folder: Path, *, quick: bool) -> list[Row]:
    """Arrays of 10^3, 10^6 and 10^9 chunks; a box and the whole array."""
    spark = sessions.session()
    rows = []
    for side in (10, 100, 1000):
        path = folder / f"grid{side}.zarr"
        sessions.raw_array(path, (side * 64,) * 3, (64, 64, 64), "<f4")
        reader = spark.read.format("arraymorph").option("rows", "cells")
        frame = reader.load(str(path))
        for case, chosen in (
            ("box", frame.where("t = 5 AND y BETWEEN 10 AND 300 AND x < 200")),
            ("whole", frame),
        ):
            seconds = median_seconds(lambda f=chosen: _plan(f), repeats=5, warmups=3)
            partitions = chosen.select(frame.columns[-1]).rdd.getNumPartitions()
            rows.append(
                Row(
                    "plan",
                    f"{case} of 10^{len(str(side**3)) - 1} chunks",
                    "local",
                    "arraymorph",
                    seconds,
                    requests=0,
                    bound=GOAL_SECONDS,
                    ok=seconds < GOAL_SECONDS,
                    note=f"{partitions} partitions",
                )
            )
    spark.stop()
    return rows


def _plan(frame) -> None:
    """A fresh physical plan with its partitions: Spark caches one per frame, so make a new one."""
    query = frame.select("*")._jdf.queryExecution()
    query.executedPlan()
    query.toRdd().getNumPartitions()
