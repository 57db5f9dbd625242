"""Reads while the network fails now and then, and while the slice function fails always."""

from __future__ import annotations

import dense_data
import dense_store
from dense_runner import Effort, Measured, Runner, measure, settings
from report import Row

LAYOUT = "plain 256 KiB"
RATE = "0.01"
GOAL = 1.15
FUNCTION_FAULTS = {
    "down": "reset",
    "wrong length": "truncate",
    "wrong bytes": "corrupt",
    "slow": "slow",
}


def run(store: dense_store.Store, ours: Runner, *, network: str) -> list[Row]:
    """A full read with 1 % of faults of each kind beside one without; then the function's."""
    uri = f"s3a://{dense_store.BUCKET}/{dense_data.key(LAYOUT)}"
    ours.ask(op="open", uri=uri, settings=settings(store.shaped))
    queries = dense_data.queries()
    everything = queries["F"]
    how = {"planner": "auto", "profile": network}
    store.network(network)
    healthy = _measured(store, ours, everything, 3, how)
    rows = []
    for kind in ("503", "reset", "truncate", "slow", "503,reset,truncate,slow"):
        faults = {"fault_rate": RATE, "fault_kinds": kind, "fault_match": "GET .*/c/", "seed": "7"}
        store.configure(dense_store.NETWORKS[network] | faults)
        found = _measured(store, ours, everything, 3, how)
        ratio = found.best / healthy.best
        note = f"{ratio:.3f} x without, {found.answer['retries']} retries"
        rows.append(
            Row(
                "dense",
                f"goal: F of {LAYOUT} with 1 % {kind}",
                network,
                "time / healthy",
                ratio,
                requests=found.requests,
                bytes=found.bytes,
                bound=GOAL,
                ok=found.ok and ratio <= GOAL,
                note=f"{note}, {found.answer['hedges']} sent twice",
            )
        )
    for name, kind in FUNCTION_FAULTS.items():
        faults = {"fault_rate": "1", "fault_kinds": kind, "fault_match": "POST /slice"}
        store.configure(dense_store.NETWORKS[network] | faults)
        # A name of its own for each, or the breaker of the one before would keep all calls away.
        ours.ask(op="function", function=f"{store.shaped}/slice#{kind}")
        call = {"planner": "lambda", "function": True, "profile": network}
        found = _measured(store, ours, queries["V"], 0, call)
        rows.append(
            Row(
                "dense",
                f"V of {LAYOUT}, function {name}",
                network,
                "lambda+function",
                found.seconds,
                requests=found.requests,
                bytes=found.bytes,
                ok=found.ok,
                note=f"{found.answer['calls']} calls",
            )
        )
    store.network(network)
    return rows


def _measured(
    store: dense_store.Store, ours: Runner, boxes: list, repeats: int, how: dict
) -> Measured:
    return measure(store, {"ours": (ours, how)}, boxes, {"ours": Effort(repeats, 20)})["ours"]
