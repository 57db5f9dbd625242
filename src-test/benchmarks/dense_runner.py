"""Processes that run queries for bin/bench dense, and how one query is measured."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import dense_store
from dense_cpu import cpu_seconds, processors


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

    @property
    def process(self) -> subprocess.Popen:
        """What runs."""
        return self._process

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
    """One system over one query: the median run, what moved in it, and the fastest run.

    ``cpu`` is what each process took of the processors in the median run, in seconds: the store,
    the network, the slice function and the reader, as far as they are known. ``served`` is how long
    store and network would keep all processors busy if nothing else ran: the least of all runs.
    """

    seconds: float
    requests: int
    bytes: int
    ok: bool
    answer: dict
    best: float
    cpu: dict[str, float] = dataclasses.field(default_factory=dict)
    served: float | None = None


@dataclasses.dataclass(frozen=True)
class Effort:
    """How often a system runs a query beside the first time, which does not count.

    No more once its runs have taken so many seconds together: what is slow is then run once in
    all, and that counts.
    """

    repeats: int
    seconds: float


@dataclasses.dataclass(frozen=True)
class Decider:
    """Runs more of one system and of the fastest of its rivals, where they are close.

    That is, where the fastest run of one took at most ``within`` times that of the other.
    """

    system: str
    rivals: tuple[str, ...]
    within: float
    effort: Effort

    def pair(self, runs: dict[str, list[Measured]]) -> tuple[str, ...]:
        """The two that run again; none if they are not close, or if one has failed."""
        best = {
            name: _summary(found).best
            for name, found in runs.items()
            if found and name in (self.system, *self.rivals) and all(run.ok for run in found)
        }
        ours = best.pop(self.system, None)
        if ours is None or not best:
            return ()
        rival = min(best, key=best.get)
        close = max(ours, best[rival]) <= self.within * min(ours, best[rival])
        return (self.system, rival) if close else ()


@dataclasses.dataclass(frozen=True)
class Warmup:
    """Rounds that do not count, until compilers have next to nothing left to do.

    That is, until they take less than a twentieth of the processor time of a reader in some rounds
    one after the other; but at least and at most so many rounds, and no more after so many seconds.
    """

    least: int
    most: int
    seconds: float

    COMPILED = 0.05
    IN_A_ROW = 3

    def run(self, one_round: Callable[[], tuple[float, float]]) -> str:
        """Runs rounds, each of which says what compilers and all of its process took; sums up."""
        begun = time.monotonic()
        share, idle, done = 1.0, 0, 0
        while done < self.least or (idle < self.IN_A_ROW and done < self.most):
            compiling, cpu = one_round()
            share = compiling / cpu
            idle = idle + 1 if share < self.COMPILED else 0
            done += 1
            if time.monotonic() - begun > self.seconds:
                break
        seconds = time.monotonic() - begun
        return f"{done} rounds, {seconds:.1f} s, compilers at last {share:.1%} of our time"


def measure(
    store: dense_store.Store,
    systems: dict[str, tuple[Runner, dict]],
    boxes: list,
    efforts: dict[str, Effort],
    beside: dict[str, subprocess.Popen] | None = None,
    decider: Decider | None = None,
) -> dict[str, Measured]:
    """Runs a query by all systems in turn: once to warm up, then so many rounds.

    Taking turns, whatever else the machine does meets all alike. Requests and bytes are those that
    passed the network. Systems that fail are left out. ``beside`` names the processes that take
    processor time beside the reader.
    """
    clocks = {"store": store.server, "network": store.shaper} | (beside or {})
    runs: dict[str, list[Measured]] = {system: [] for system in systems}

    def run(system: str) -> None:
        found = _run(store, clocks, system, systems[system], boxes)
        if found:
            runs[system].append(found)

    for turn in range(max(effort.repeats for effort in efforts.values()) + 1):
        for system, before in runs.items():
            effort = efforts[system]
            if len(before) < turn or turn > effort.repeats or _spent(before) > effort.seconds:
                continue
            run(system)
    close = decider.pair(runs) if decider else ()
    decided = {system: len(runs[system]) for system in close}
    for _ in range(decider.effort.repeats if close else 0):
        if any(
            _spent(runs[name][first:]) > decider.effort.seconds for name, first in decided.items()
        ):
            break
        for system in close:
            run(system)
    return {system: _summary(found) for system, found in runs.items() if found}


def _run(
    store: dense_store.Store,
    clocks: dict[str, subprocess.Popen],
    system: str,
    runner_and_how: tuple[Runner, dict],
    boxes: list,
) -> Measured | None:
    runner, how = runner_and_how
    store.reset()
    started = {name: cpu_seconds(process) for name, process in clocks.items()}
    answer = runner.ask(op="run", boxes=boxes, **how)
    ended = {name: cpu_seconds(process) for name, process in clocks.items()}
    if "error" in answer:
        print(f"{system}: {answer['error']}", flush=True)
        return None
    stats = store.stats()
    return Measured(
        answer["seconds"],
        stats["requests"],
        stats["bytes"],
        answer["ok"],
        answer,
        answer["seconds"],
        _cpu(started, ended) | {"reader": answer["cpu"]},
    )


def _spent(runs: list[Measured]) -> float:
    return sum(run.seconds for run in runs)


def _cpu(started: dict, ended: dict) -> dict[str, float]:
    return {
        name: ended[name] - seconds
        for name, seconds in started.items()
        if seconds is not None and ended[name] is not None
    }


def _summary(runs: list[Measured]) -> Measured:
    counted = sorted(runs[1:] or runs, key=lambda run: run.seconds)
    known = [run.cpu for run in counted if run.cpu.keys() >= {"store", "network"}]
    served = min((cpu["store"] + cpu["network"] for cpu in known), default=None)
    return dataclasses.replace(
        counted[(len(counted) - 1) // 2],
        ok=all(run.ok for run in runs),
        best=counted[0].seconds,
        served=None if served is None else served / processors(),
    )


def settings(endpoint: str) -> dict[str, str]:
    """How our store reaches the server."""
    return {
        "fs.s3a.endpoint": endpoint,
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": dense_store.ACCESS_KEY,
        "fs.s3a.secret.key": dense_store.SECRET_KEY,
    }
