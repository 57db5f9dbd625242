"""Processes that run queries for bin/bench dense, and how one query is measured."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from pathlib import Path

import dense_store

LONG_SECONDS = 4.0


class Runner:
    """A process that answers one JSON line for each."""

    def __init__(
        self, command: list[str], log: Path, environment: dict[str, str] | None = None
    ) -> None:
        self._log = log.open("w")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=os.environ | (environment or {}),
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
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait(timeout=20)
        self._process.stdout.close()
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
    """Runs a query once to warm up, then some times; what takes long is run once in all.

    Requests and bytes are those that passed the network.
    """
    runs: list[Measured] = []
    for _ in range(repeats + 1):
        store.reset()
        answer = runner.ask(op="run", boxes=boxes, **how)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        stats = store.stats()
        runs.append(
            Measured(answer["seconds"], stats["requests"], stats["bytes"], answer["ok"], answer)
        )
        if sum(run.seconds for run in runs) > LONG_SECONDS:
            break
    counted = runs[1:] or runs
    middle = sorted(counted, key=lambda run: run.seconds)[(len(counted) - 1) // 2]
    return dataclasses.replace(middle, ok=all(run.ok for run in runs))


def settings(endpoint: str) -> dict[str, str]:
    """How our store reaches the server."""
    return {
        "fs.s3a.endpoint": endpoint,
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": dense_store.ACCESS_KEY,
        "fs.s3a.secret.key": dense_store.SECRET_KEY,
    }
