"""What bin/bench dense measured as rows, and the goals with what was reached."""

from __future__ import annotations

import dataclasses
import statistics

import dense_data
import dense_store
from dense_runner import Measured
from report import Row

PEERS = ("tensorstore", "zarr-python gathered", "zarr-python", "tiledb")
DOLLARS_PER_REQUEST = 4e-7
DOLLARS_PER_BYTE = {"WAN": 9e-11}  # elsewhere the reader is beside the store


@dataclasses.dataclass(frozen=True)
class Cell:
    """Where a query runs: one network, one layout."""

    network: str
    layout: str
    query: str


def rows(results: dict[tuple[Cell, str], Measured]) -> list[Row]:
    """What was measured, a row for each system in each cell."""
    found_rows = []
    queries = dense_data.queries()
    for (cell, system), found in results.items():
        needed = dense_data.needed_bytes(queries[cell.query])
        bound = dense_store.bound_seconds(cell.network, needed)
        dollars = found.requests * DOLLARS_PER_REQUEST
        dollars += found.bytes * DOLLARS_PER_BYTE.get(cell.network, 0)
        if "dollars" in found.answer and "+" in system:
            dollars = found.answer["dollars"]
        found_rows.append(
            Row(
                "dense",
                f"{cell.query} of {cell.layout}",
                cell.network,
                system,
                found.seconds,
                requests=found.requests,
                bytes=found.bytes,
                needed=needed,
                bound=bound,
                dollars=dollars,
                ok=found.ok,
                note=_note(found, bound),
                cpu=found.cpu or None,
                floor=dense_store.floor_seconds(cell.network, found.served),
            )
        )
    return found_rows


def _note(found: Measured, bound: float | None) -> str:
    note = f"{found.seconds / bound:.2f} x bound" if bound else ""
    if found.answer.get("estimate"):
        note += f", estimated {found.answer['estimate']:.3f} s"
    note += f", best {found.best:.3f} s"
    return note + f", {found.answer['cpu'] / found.requests * 1e6:.0f} us CPU/request"


def goals(results: dict[tuple[Cell, str], Measured]) -> list[Row]:
    """What the reader has promised, as ratios of the fastest runs; ``bound`` is the goal.

    ``floor`` is the ratio that store and network alone take on this machine for the same requests:
    a goal below it is missed by any reader, and missed all the same.
    """
    found_rows = []
    errors: dict[str, list[float]] = {}
    for cell in dict.fromkeys(cell for cell, _ in results):
        ours = results.get((cell, "auto"))
        if ours is None:
            continue
        best = min(
            (
                results[cell, peer].best
                for peer in PEERS
                if (cell, peer) in results and results[cell, peer].ok
            ),
            default=None,
        )
        needed = dense_data.needed_bytes(dense_data.queries()[cell.query])
        bound = dense_store.bound_seconds(cell.network, needed)
        if best:
            goal = 1.1 if cell.network == "raw" else 1.0
            found_rows.append(_goal(cell, "time / best peer", ours, best, goal))
        if best and cell.query == "B" and cell.layout == "plain 4 MiB" and bound:
            goal = {"LAN": 1 / 5, "WAN": 1 / 20}[cell.network]
            found_rows.append(_goal(cell, "time / best peer, far ahead", ours, best, goal))
        if bound and cell.query == "H" and cell.layout.startswith("plain"):
            found_rows.append(_goal(cell, "time / bound", ours, bound, 1.3))
        near = results.get((cell, "auto+function"))
        if near and bound and cell.query in "HVSDB":
            goal = 3.0 if cell.query == "B" else 1.5
            found_rows.append(_goal(cell, "function, time / bound", near, bound, goal))
        if bound and ours.answer.get("estimate"):
            error = abs(ours.answer["estimate"] / ours.seconds - 1)
            errors.setdefault(cell.network, []).append(error)
    for network, ofs in errors.items():
        everything = Cell(network, "all", "all")
        middle = statistics.median(ofs)
        found_rows.append(_ratio(everything, "estimate off by, median", middle, 0.25, None))
    return found_rows


def print_goals(found_rows: list[Row]) -> None:
    """One line a goal: met or missed, and a line that counts both for each kind of goal."""
    counts: dict[str, list[int]] = {}
    for row in found_rows:
        if row.bound is None or not row.case.startswith("goal: "):
            continue
        said = "met   " if row.ok else "MISSED"
        print(
            f"{said} {row.system}: {row.store}, {row.case[6:]}: {row.seconds:.3f},"
            f" goal {row.bound:g}{_below(row)}"
        )
        kind = f"{row.system}, {row.store}"
        counts.setdefault(kind, [0, 0])[0 if row.ok else 1] += 1
    for kind, (met, missed) in counts.items():
        print(f"{kind}: {met} met, {missed} missed")


def _below(row: Row) -> str:
    """What a goal that no reader could keep on this machine has to say."""
    if row.ok or row.floor is None or row.floor <= row.bound:
        return ""
    return f", floor {row.floor:.3f}: store and network alone take more than the goal"


def _goal(cell: Cell, what: str, found: Measured, unit: float, goal: float) -> Row:
    floor = dense_store.floor_seconds(cell.network, found.served)
    return _ratio(cell, what, found.best / unit, goal, None if floor is None else floor / unit)


def _ratio(cell: Cell, what: str, ratio: float, goal: float, floor: float | None) -> Row:
    return Row(
        "dense",
        f"goal: {cell.query} of {cell.layout}",
        cell.network,
        what,
        ratio,
        bound=goal,
        ok=ratio <= goal,
        note="ratio and its goal",
        floor=floor,
    )
