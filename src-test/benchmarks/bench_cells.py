"""Cells a second through Spark: SELECT sum(v), count(*) over local uncompressed chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import sessions
from report import Row, median_seconds

GOAL = 150e6


def run(folder: Path, *, quick: bool) -> list[Row]:
    """100 M float64 cells (20 M when quick) in 8 MB chunks, beside spark.range as upper bound."""
    planes, side = (20 if quick else 100), 1000
    path = folder / "v.zarr"
    sessions.raw_array(path, (planes, side, side), (1, side, side), "<f8")
    total = 0.0
    for t in range(planes):
        plane = np.arange(side * side, dtype="<f8").reshape(1, side, side) + t
        total += float(plane.sum())
        sessions.put_chunk(path, (t, 0, 0), plane)
    cells = planes * side * side
    spark = sessions.session()
    frame = spark.read.format("arraymorph").option("rows", "cells").load(str(path))
    frame.createOrReplaceTempView("v")
    rows = []
    repeats = 5
    ranged = median_seconds(
        lambda: spark.range(cells).selectExpr("sum(cast(id as double))").first(),
        repeats=repeats,
        warmups=2,
    )
    rows.append(
        Row("cells", "sum of a range", "-", "spark.range", ranged, note=_speed(cells, ranged))
    )
    for case, query, want in (
        ("sum(v), count(*)", "SELECT sum(v), count(*) FROM v", (total, cells)),
        # A residual predicate that nothing can push: Spark itself adds up the cells.
        (
            "sum(v), count(*) in Spark",
            "SELECT sum(v), count(*) FROM v WHERE rand() >= 0",
            (total, cells),
        ),
    ):
        got = spark.sql(query).first()
        right = bool(np.allclose(got, want, rtol=1e-9))
        seconds = median_seconds(lambda q=query: spark.sql(q).first(), repeats=repeats, warmups=2)
        note = f"{_speed(cells, seconds)}, {seconds / ranged:.2f} x spark.range"
        fast = cells / seconds >= GOAL or "Spark" in case
        rows.append(
            Row(
                "cells",
                case,
                "local",
                "arraymorph",
                seconds,
                bytes=8 * cells,
                needed=8 * cells,
                bound=cells / GOAL,
                ok=right and fast,
                note=note,
            )
        )
    spark.stop()
    return rows


def _speed(cells: int, seconds: float) -> str:
    return f"{cells / seconds / 1e6:.0f} M cells/s"
