"""Writing the cells with every system, to local files and over S3: size, time, requests."""

from __future__ import annotations

import statistics
import time
from typing import Any

import dense_store
from arraymorph.delta import open_tensors
from sparse_ours import cpu_of, live_bytes, note

NAMES = ["day", "hour", "lat", "lon"]
# Compilers work on until some dozen runs, as in reads of everything.
WARMUPS = 20
# A Delta table is read from its last checkpoint, which comes with the tenth commit.
WRITES_PER_TABLE = 8
LIMITS = {"bsgs": 0.0235, "coo": 0.035, "csf": 0.035}
S3_PEERS = ["pt", "npz place-major", "Delta + Polars"]


def local(bench: Any, peers: list[str]) -> None:
    """Writes files and tables on this machine."""
    systems = peers if bench.ask(do="systems")["torch"] else peers[1:]
    bench.pt = 40 * len(bench.values)
    for system in systems:
        answer = bench.ask(do="write", system=system, repeats=bench.repeats)
        bench.pt = answer["bytes"] if system == "pt" else bench.pt
        bench.add(
            "write",
            "local",
            system,
            statistics.median(answer["seconds"]),
            bytes=answer["bytes"],
            note=note(answer["cpu"], f"{100 * answer['bytes'] / bench.pt:.3f} % of .pt"),
        )
    peer = next((row for row in bench.rows if row.system == "pt"), None)
    for encoding, limit in LIMITS.items():
        _ours(bench, encoding, None, limit, peer)
    _ours(bench, "auto", None, 0.0235, peer)
    _ours(bench, "auto", ["day"], 0.0235, peer)


def _ours(bench: Any, encoding: str, hint: list | None, limit: float, peer: Any) -> None:
    seconds, cpu = [], []
    for i in range(WARMUPS + bench.repeats):
        uri = str(bench.folder / f"written-{_key(encoding, hint)}-{i // WRITES_PER_TABLE}")
        tensors = open_tensors(bench.ours.spark, uri)
        used, begun = bench.ours.cpu(), time.perf_counter()
        cells = (bench.coords, bench.values, bench.shape)
        tensors.write("u", cells, names=NAMES, storage=encoding, slice_hint=hint, mode="replace")
        seconds.append(time.perf_counter() - begun)
        cpu.append(bench.ours.cpu() - used)
    size = live_bytes(uri)
    median = statistics.median(seconds[WARMUPS:])
    used = statistics.median(cpu[WARMUPS:])
    fast = peer is None or (median < peer.seconds and used < cpu_of(peer))
    bench.add(
        "write",
        "local",
        _name(encoding, hint),
        median,
        bytes=size,
        bound=limit,
        ok=size <= limit * bench.pt and (fast or hint is None),
        note=note(
            cpu[WARMUPS:],
            f"{100 * size / bench.pt:.3f} % of .pt",
            peer and f"{median / peer.seconds:.2f} x its time, {used / cpu_of(peer):.2f} x its cpu",
            f"third write {seconds[2]:.3f} s",
        ),
    )


def over_s3(bench: Any) -> None:
    """Writes objects: requests and bytes in both directions are counted, answers are not kept."""
    systems = S3_PEERS if bench.ask(do="systems")["torch"] else S3_PEERS[1:]
    for system in systems:
        bench.store.reset()
        answer = bench.ask(do="put", system=system)
        moved = bench.store.stats()
        answer = bench.ask(do="put", system=system, repeats=3)
        _add_s3(bench, system, answer["seconds"], answer["cpu"], moved)
    for encoding, hint in (("auto", ["day"]), ("bsgs", None)):
        seconds, cpu, moved = [], [], {}
        for i in range(4):
            uri = f"s3a://{dense_store.BUCKET}/put-{encoding}-{i}"
            options = bench.ours.s3(bench.store.shaped)
            bench.store.reset()
            used, begun = bench.ours.cpu(), time.perf_counter()
            open_tensors(bench.ours.spark, uri, options=options).write(
                "u",
                (bench.coords, bench.values, bench.shape),
                names=NAMES,
                storage=encoding,
                slice_hint=hint,
            )
            seconds.append(time.perf_counter() - begun)
            cpu.append(bench.ours.cpu() - used)
            moved = bench.store.stats()
        _add_s3(bench, _name(encoding, hint), seconds[1:], cpu[1:], moved)


def _add_s3(bench: Any, system: str, seconds: list, cpu: list, moved: dict) -> None:
    bench.add(
        "write",
        "s3",
        system,
        statistics.median(seconds),
        requests=int(moved["requests"]),
        bytes=int(moved["bytes_in"]),
        note=note(cpu, f"{int(moved['bytes'])} bytes of answers"),
    )


def _name(encoding: str, hint: list | None) -> str:
    return f"arraymorph {encoding}" + (f" hint {','.join(hint)}" if hint else "")


def _key(encoding: str, hint: list | None) -> str:
    return "-".join((encoding, *(hint or ())))
