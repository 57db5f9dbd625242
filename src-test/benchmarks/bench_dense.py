"""Boxes of a dense array on a shaped S3 store: all our planners and the peers, in one run."""

from __future__ import annotations

import dataclasses
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import dense_data
import dense_store
from report import Row

HERE = Path(__file__).parent
PLANNERS = ("auto", "get", "range", "merge", "paper")
PEERS = ("tensorstore", "zarr-python gathered", "zarr-python", "tiledb")
SLOW_PEERS = ("zarr-python", "tiledb")


class Runner:
    """A process that answers one JSON line for each."""

    def __init__(self, command: list[str], log: Path) -> None:
        self._log = log.open("w")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            bufsize=1,
        )

    def ask(self, **command: object) -> dict:
        """Sends a command and waits for its answer."""
        self._process.stdin.write(json.dumps(command) + "\n")
        line = self._process.stdout.readline()
        while line and not line.startswith("{"):
            line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the runner ended: see {self._log.name}")
        return json.loads(line)

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._log.close()


@dataclasses.dataclass
class Measured:
    """One system over one query: the median run, and what moved in it."""

    seconds: float
    requests: int
    bytes: int
    ok: bool
    answer: dict


def measure(store: dense_store.Store, runner: Runner, boxes: list, repeats: int, **how) -> Measured:
    """Runs a query once to warm up and some times more; counted at the network."""
    runs = []
    for turn in range(repeats + 1):
        store.reset()
        answer = runner.ask(op="run", boxes=boxes, **how)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        stats = store.stats()
        if turn > 0:
            runs.append(
                Measured(
                    answer["seconds"], stats["requests"], stats["bytes"], answer["ok"], answer
                )
            )
    middle = sorted(runs, key=lambda run: run.seconds)[(len(runs) - 1) // 2]
    return dataclasses.replace(middle, ok=all(run.ok for run in runs))


def settings(endpoint: str) -> dict[str, str]:
    """How our store reaches the server."""
    return {
        "fs.s3a.endpoint": endpoint,
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": dense_store.ACCESS_KEY,
        "fs.s3a.secret.key": dense_store.SECRET_KEY,
    }
