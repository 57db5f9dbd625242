"""What a benchmark measures, as a table and as JSON."""

from __future__ import annotations

import dataclasses
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Row:
    """One measurement.

    ``seconds`` is the median; ``requests`` and ``bytes`` are what moved, ``needed`` the bytes of
    the answer; ``bound`` is the goal, of the ratio or in seconds as ``case`` says; ``dollars`` is
    what a model says that requests and bytes cost; ``ok`` is whether values were right and the
    bound was kept. ``cpu`` is the processor seconds of each process that took part; ``floor`` is
    what no reader could go below for want of processors, in the unit of ``seconds``.
    """

    bench: str
    case: str
    store: str
    system: str
    seconds: float
    requests: int | None = None
    bytes: int | None = None
    needed: int | None = None
    bound: float | None = None
    dollars: float | None = None
    ok: bool = True
    note: str = ""
    cpu: dict[str, float] | None = None
    floor: float | None = None


def median_seconds(run: Callable[[], object], *, repeats: int, warmups: int = 1) -> float:
    """The median time of ``run`` after some runs that do not count."""
    for _ in range(warmups):
        run()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def print_table(rows: list[Row]) -> None:
    """Prints the rows with columns aligned."""
    names = [field.name for field in dataclasses.fields(Row)]
    cells = [[_text(getattr(row, name)) for name in names] for row in rows]
    widths = [max(len(line[i]) for line in [names, *cells]) for i in range(len(names))]
    for line in [names, *cells]:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)))


def write_json(rows: list[Row], path: Path) -> None:
    """Writes the rows as a JSON list."""
    path.write_text(json.dumps([dataclasses.asdict(row) for row in rows], indent=1) + "\n")


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, dict):
        return " ".join(f"{name} {seconds:.3f}" for name, seconds in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)
