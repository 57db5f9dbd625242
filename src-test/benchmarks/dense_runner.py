"""Processes that run queries for bin/bench dense, and how one query is measured."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from pathlib import Path

import dense_store


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
    """One system over one query: the median run, what moved in it, and the fastest run."""

    seconds: float
    requests: int
    bytes: int
    ok: bool
    answer: dict
    best: float


@dataclasses.dataclass(frozen=True)
class Effort:
    """How often a system runs a query beside the first time, which does not count.

    No more once its runs have taken so many seconds together: what is slow is then run once in
    all, and that counts.
    """

    repeats: int
    seconds: float


def measure(
    store: dense_store.Store,
    systems: dict[str, tuple[Runner, dict]],
    boxes: list,
    efforts: dict[str, Effort],
) -> dict[str, Measured]:
    """Runs a query by all systems in turn: once to warm up, then so many rounds.

    Taking turns, whatever else the machine does meets all alike. Requests and bytes are those that
    passed the network. Systems that fail are left out.
    """
    runs: dict[str, list[Measured]] = {}
    for turn in range(max(effort.repeats for effort in efforts.values()) + 1):
        for system, (runner, how) in systems.items():
            before = runs.setdefault(system, [])
            effort = efforts[system]
            spent = sum(run.seconds for run in before)
            if len(before) < turn or turn > effort.repeats or spent > effort.seconds:
                continue
            store.reset()
            answer = runner.ask(op="run", boxes=boxes, **how)
            if "error" in answer:
                print(f"{system}: {answer['error']}", flush=True)
                continue
            stats = store.stats()
            before.append(
                Measured(
                    answer["seconds"],
                    stats["requests"],
                    stats["bytes"],
                    answer["ok"],
                    answer,
                    answer["seconds"],
                )
            )
    return {system: _summary(found) for system, found in runs.items() if found}


def _summary(runs: list[Measured]) -> Measured:
    counted = sorted(runs[1:] or runs, key=lambda run: run.seconds)
    return dataclasses.replace(
        counted[(len(counted) - 1) // 2],
        ok=all(run.ok for run in runs),
        best=counted[0].seconds,
    )


def settings(endpoint: str) -> dict[str, str]:
    """How our store reaches the server."""
    return {
        "fs.s3a.endpoint": endpoint,
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": dense_store.ACCESS_KEY,
        "fs.s3a.secret.key": dense_store.SECRET_KEY,
    }
