"""The queries of bin/bench dense through Spark, beside the Spark-free reader."""

from __future__ import annotations

import dense_data
import dense_store
import numpy as np
from dense_runner import settings
from report import Row, median_seconds

LAYOUT = "plain 256 KiB"
GOAL_SECONDS = 0.4

QUERIES = "HVBSDF"

# As many runs let Java's compiler come to rest: the second query of a session still takes seconds.
WARMUPS = 10


def run(store: dense_store.Store, values: np.ndarray, seconds: dict[str, float], network: str):
    """SELECT sum(v), count(*) over the cells of each query, warm.

    Args:
        seconds: what the Spark-free reader took for each query
    """
    import sessions

    store.network(network)
    spark = sessions.session()
    uri = f"s3a://{dense_store.BUCKET}/{dense_data.key(LAYOUT)}"
    frame = (
        spark.read.format("arraymorph")
        .option("rows", "cells")
        .options(**settings(store.shaped))
        .load(uri)
    )
    y, x, v = frame.columns
    frame.createOrReplaceTempView("cells")
    # What any query costs, by which the others are to be judged on a busy machine.
    nothing = "SELECT sum(id), count(*) FROM range(0, 1000, 1, 2)"
    empty = median_seconds(lambda: spark.sql(nothing).first(), repeats=5, warmups=WARMUPS)
    rows = []
    for query in QUERIES:
        boxes = dense_data.queries()[query]
        where = " OR ".join(_condition(box, y, x) for box in boxes)
        text = f"SELECT sum(`{v}`), count(*) FROM cells WHERE {where}"
        want = _distinct(values, boxes)
        got = tuple(spark.sql(text).first())
        warmups = 2 if query == "F" else WARMUPS
        found = median_seconds(lambda t=text: spark.sql(t).first(), repeats=5, warmups=warmups)
        more = found - seconds[query]
        rows.append(
            Row(
                "dense",
                f"{query} of {LAYOUT} through Spark",
                network,
                "arraymorph, Spark",
                found,
                needed=dense_data.needed_bytes(boxes),
                ok=got == want,
                note=f"a query over nothing takes {empty:.3f} s",
            )
        )
        rows.append(
            Row(
                "dense",
                f"goal: {query} of {LAYOUT}",
                network,
                "seconds more through Spark",
                more,
                bound=GOAL_SECONDS,
                ok=more <= GOAL_SECONDS,
                note="warm, beside the Spark-free reader",
            )
        )
    spark.stop()
    return rows


def _condition(box, y: str, x: str) -> str:
    parts = []
    for (start, stop, step), name in zip(box, (y, x), strict=True):
        parts.append(f"`{name}` BETWEEN {start} AND {stop - 1}")
        if step > 1:
            parts.append(f"`{name}` IN ({', '.join(map(str, range(start, stop, step)))})")
    return "(" + " AND ".join(parts) + ")"


def _distinct(values: np.ndarray, boxes) -> tuple[int, int]:
    """Sum and count of the cells, each once: SQL's OR does not count twice what overlaps."""
    chosen = np.zeros(values.shape, dtype=bool)
    for box in boxes:
        chosen[tuple(slice(*part) for part in box)] = True
    return int(values[chosen].sum(dtype="i8")), int(chosen.sum())
