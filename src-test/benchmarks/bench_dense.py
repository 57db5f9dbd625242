"""Boxes of a dense array on a shaped S3 store: all our planners and the peers, in one run."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from pathlib import Path

import dense_data
import dense_faults
import dense_goals
import dense_spark
import dense_store
from dense_goals import PEERS, Cell
from dense_runner import Decider, Effort, Measured, Runner, Warmup, measure, settings
from report import Row

HERE = Path(__file__).parent
PLANNERS = ("auto", "get", "range", "merge", "paper")
FUNCTION = ("auto+function", "lambda+function")

# Rounds of queries before any that count, first on the raw network, then on each network and layout
# that is measured: until rounds in a row leave our compilers next to nothing to do.
FIRST_WARMUP = Warmup(least=30, most=100, seconds=60)
WARMUP = Warmup(least=3, most=100, seconds=30)
PEER_WARMUPS = 2
LONG_WARMUPS = 2

# Now and then the server refuses one of TileDB's requests, which then gives up.
WRITES = 3

# Those of whom a goal speaks are run often; others as often as time allows.
MAIN = ("auto", "auto+function", "tensorstore")
MAIN_EFFORT = Effort(repeats=5, seconds=3)
BESIDE_EFFORT = Effort(repeats=2, seconds=0.5)
BRIEF_EFFORT = Effort(repeats=1, seconds=0.25)

# Which of two close systems is ahead, few runs do not tell.
DECIDER = Decider("auto", PEERS, within=2, effort=Effort(repeats=20, seconds=6))

# What takes minutes and is never the fastest is shown by two layouts: thousands of exact ranges;
# over the WAN also peers that go box after box, and reads of everything.
SLOW = ("zarr-python", "tiledb")
SLOW_LAYOUTS = ("plain 256 KiB", "sharded 4 MiB")


def run(
    folder: Path,
    *,
    quick: bool,
    networks: tuple[str, ...] = (),
    layouts: tuple[str, ...] = (),
    minutes: float = float("inf"),
) -> list[Row]:
    """All networks and layouts, or those that are named; LAN and three layouts when quick.

    Args:
        folder: holds the data, and each part once it is measured: another run in the same folder
            goes on where this one ended
        minutes: after which no further part is begun
    """
    unknown = (set(networks) - set(dense_store.NETWORKS)) | (set(layouts) - set(dense_data.LAYOUTS))
    if unknown:
        raise SystemExit(f"bin/bench dense: no such network or layout: {sorted(unknown)}")
    usual = dense_data.QUICK_LAYOUTS if quick else tuple(dense_data.LAYOUTS)
    parts = _Parts(folder / ("quick" if quick else "parts"), time.monotonic() + 60 * minutes)
    _run_some(
        folder,
        parts,
        networks or (("LAN",) if quick else tuple(dense_store.NETWORKS)),
        layouts or usual,
        brief=quick,
    )
    results = parts.results()
    return dense_goals.rows(results) + dense_goals.goals(results) + parts.rows()


class _Parts:
    """What is measured so far, a file for each network and layout, and for faults and Spark."""

    def __init__(self, folder: Path, deadline: float) -> None:
        folder.mkdir(exist_ok=True)
        self._folder, self._deadline = folder, deadline

    def _file(self, name: str) -> Path:
        return self._folder / (name.replace(" ", "-") + ".json")

    def wants(self, name: str) -> bool:
        """True if a part is not measured, and there is time for it."""
        if self._file(name).exists():
            return False
        if time.monotonic() > self._deadline:
            print(f"no time left for {name}: run again in the same folder", flush=True)
            return False
        return True

    def save(self, name: str, found: object) -> None:
        """Keeps a part."""
        self._file(name).write_text(json.dumps(found))

    def save_results(self, name: str, results: dict[tuple[Cell, str], Measured]) -> None:
        """Keeps the measurements of one network and layout."""
        found = [
            [dataclasses.asdict(cell), system, dataclasses.asdict(measured)]
            for (cell, system), measured in results.items()
        ]
        self.save(name, {"results": found})

    def _read(self, field: str) -> list:
        files = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        return [item for file in files for item in json.loads(file.read_text()).get(field, ())]

    def results(self) -> dict[tuple[Cell, str], Measured]:
        """All measurements so far."""
        return {
            (Cell(**cell), system): Measured(**measured)
            for cell, system, measured in self._read("results")
        }

    def rows(self) -> list[Row]:
        """What faults and Spark said."""
        return [Row(**row) for row in self._read("rows")]


def _run_some(
    folder: Path,
    parts: _Parts,
    networks: tuple[str, ...],
    layouts: tuple[str, ...],
    *,
    brief: bool,
) -> None:
    """Some networks and layouts; when brief, only the systems that may be the fastest."""
    wanted = {
        network: [layout for layout in layouts if parts.wants(f"{network} {layout}")]
        for network in networks
    }
    faults = "LAN" in networks and dense_faults.LAYOUT in layouts
    spark = "LAN" in networks and dense_spark.LAYOUT in layouts
    values_file = folder / "values.i32"
    values = dense_data.make_values(values_file)
    port = dense_store.free_port()
    tools = Path(os.environ["ARRAYMORPH_BENCH_TOOLS"])
    java = os.environ.get("ARRAYMORPH_JAVA", "java")
    token = {"ARRAYMORPH_SLICE_TOKEN": "bench"}
    begun = time.monotonic()
    with dense_store.Store(folder, tools, function_port=port) as store:
        _load(folder, store, values, layouts)
        if any(wanted.values()) or (faults and parts.wants("faults")):
            command = [java, "-Xmx3g", "-cp", os.environ["ARRAYMORPH_CLASSPATH"]]
            command += [str(HERE / "java" / "DenseRunner.java"), str(values_file)]
            ours = Runner(command, folder / "ours.log", token)
            python = os.environ["ARRAYMORPH_PEERS_PYTHON"]
            command = [python, str(HERE / "dense_peers.py"), str(values_file)]
            peers = Runner(command, folder / "peers.log")
            with _function(folder, store, port, java, token) as function, ours, peers:
                bench = _Bench(store, ours, peers, brief=brief, function=function)
                if not brief:
                    bench.write_tiledb(folder, layouts)
                bench.warm(layouts)
                for network, left in wanted.items():
                    if left:
                        bench.on(network)
                    for layout in left:
                        if parts.wants(f"{network} {layout}"):
                            found = bench.read(network, layout)
                            parts.save_results(f"{network} {layout}", found)
                            print(f"{time.monotonic() - begun:.0f} s so far", flush=True)
                if faults and parts.wants("faults"):
                    if "LAN" not in bench.profiled:
                        bench.on("LAN")
                    found = dense_faults.run(store, ours, network="LAN")
                    parts.save("faults", {"rows": [dataclasses.asdict(row) for row in found]})
        alone = {
            cell.query: found.seconds
            for (cell, system), found in parts.results().items()
            if (cell.network, cell.layout, system) == ("LAN", dense_spark.LAYOUT, "auto")
        }
        if spark and alone and parts.wants("spark"):
            found = dense_spark.run(store, values, alone, "LAN")
            parts.save("spark", {"rows": [dataclasses.asdict(row) for row in found]})


def _load(folder: Path, store: dense_store.Store, values, layouts: tuple[str, ...]) -> None:
    from obstore.store import S3Store
    from zarr.storage import ObjectStore

    target = ObjectStore(
        S3Store(
            dense_store.BUCKET,
            endpoint=store.direct,
            region="us-east-1",
            access_key_id=dense_store.ACCESS_KEY,
            secret_access_key=dense_store.SECRET_KEY,
            virtual_hosted_style_request=False,
            client_options={"allow_http": True},
        )
    )
    for layout in dict.fromkeys((*layouts, dense_data.PROFILED)):
        done = folder / (dense_data.key(layout) + ".done")
        if not done.exists():
            dense_data.write_layout(values, layout, target)
            done.touch()


def _function(
    folder: Path, store: dense_store.Store, port: int, java: str, token: dict[str, str]
) -> Runner:
    """The slice function beside the store: it reads without the shaped network."""
    # As bin/slice-function starts it.
    command = [java, "-Xmx1g", "-XX:+UseSerialGC"]
    command += ["-Dsun.net.httpserver.nodelay=true"]
    command += ["-cp", os.environ["ARRAYMORPH_CLASSPATH"]]
    command += ["io.arraymorph.lambda.SliceFunctionMain", "--port", str(port)]
    command += ["--allow", f"s3a://{dense_store.BUCKET}"]
    for name, value in settings(store.direct).items():
        command += ["--set", f"{name}={value}"]
    return Runner(command, folder / "function.log", token)


def _effort(system: str, network: str) -> Effort:
    if system in MAIN:
        return MAIN_EFFORT
    return BESIDE_EFFORT if network == "LAN" else BRIEF_EFFORT


class _Bench:
    """The running processes, and the measurements so far."""

    def __init__(
        self, store, ours: Runner, peers: Runner, *, brief: bool, function: Runner | None = None
    ) -> None:
        self.profiled: set[str] = set()
        self._beside = {"function": function.process} if function else {}
        self._store, self._ours, self._peers, self._brief = store, ours, peers, brief
        self._queries = dense_data.queries()

    def write_tiledb(self, folder: Path, layouts: tuple[str, ...]) -> None:
        """TileDB writes its own arrays, unshaped."""
        for layout in layouts:
            done = folder / (dense_data.key(layout) + ".tdb.done")
            if layout.startswith("plain") and not done.exists():
                for _ in range(WRITES):
                    answer = self._peers.ask(op="write", endpoint=self._store.direct, layout=layout)
                    if "error" not in answer:
                        break
                else:
                    raise RuntimeError(f"TileDB, {layout}: {answer['error']}")
                done.touch()

    def warm(self, layouts: tuple[str, ...]) -> None:
        """Lets both JVMs compile what they run: an executor has done so long before."""
        self._store.network("raw")
        self._ours.ask(op="function", function=self._store.shaped + "/slice")
        for kind in ("plain", "sharded"):
            for layout in [name for name in layouts if name.startswith(kind)][:1]:
                self._open("auto", layout)
                print("warm", layout, FIRST_WARMUP.run(lambda: self._round("")), flush=True)
                for _ in range(LONG_WARMUPS):  # what is long is measured once
                    self._ours.ask(op="run", boxes=self._queries["F"], planner="auto")

    def _warm(self, network: str, layout: str) -> None:
        """The same for the plans of a layout on a network, and connections of all systems."""
        for peer in PEERS[:2]:
            runner, how = self._open(peer, layout, network)
            for _ in range(PEER_WARMUPS):
                runner.ask(op="run", boxes=self._queries["H"], **how)
        self._open("auto", layout, network)
        print("warm", network, layout, WARMUP.run(lambda: self._round(network)), flush=True)

    def _round(self, network: str) -> tuple[float, float]:
        """Runs some queries; gives the processor seconds of our compilers, and of all of us."""
        compiling = cpu = 0.0
        for query in "HVBSD" if network else "HBSD":
            for planner, function in (("auto", False), ("auto", True), ("lambda", True)):
                how = {"planner": planner, "function": function, "profile": network}
                answer = self._ours.ask(op="run", boxes=self._queries[query], **how)
                compiling += answer["compiling"]
                cpu += answer["cpu"]
        return compiling, cpu

    def on(self, network: str) -> None:
        """Shapes the network and measures it with our profiler."""
        self._store.network(network)
        answer = self._ours.ask(
            op="profile",
            name=network,
            base="s3.wan" if network == "WAN" else "s3.in-region",
            uri=f"s3a://{dense_store.BUCKET}/{dense_data.key(dense_data.PROFILED)}",
            settings=settings(self._store.shaped),
            function=self._store.shaped + "/slice",
        )
        if "error" in answer:
            raise RuntimeError(answer["error"])
        self.profiled.add(network)
        print(network, answer["profile"]["transport"], flush=True)

    def read(self, network: str, layout: str) -> dict[tuple[Cell, str], Measured]:
        """All queries over one layout by all systems."""
        self._warm(network, layout)
        self._store.touch(dense_data.key(layout))
        results = {}
        for query, boxes in self._queries.items():
            if query == "F" and network == "WAN" and layout not in SLOW_LAYOUTS:
                continue
            systems = {
                name: self._open(name, layout, network)
                for name in self._systems(network, layout, query)
            }
            efforts = {name: _effort(name, network) for name in systems}
            cell = Cell(network, layout, query)
            found_all = measure(
                self._store,
                systems,
                boxes,
                efforts,
                self._beside,
                None if self._brief else DECIDER,
            )
            for system, found in found_all.items():
                results[cell, system] = found
                print(f"{network} {layout} {query} {system}: {found.seconds:.3f} s", flush=True)
        return results

    def _systems(self, network: str, layout: str, query: str) -> tuple[str, ...]:
        names = ("auto", "auto+function", "tensorstore", "zarr-python gathered")
        if query == "F":
            return names[:1] + names[2:]
        if self._brief:
            return names
        names += PLANNERS[1:] + FUNCTION[1:]
        if layout not in SLOW_LAYOUTS:
            names = tuple(name for name in names if name != "range")
        if network == "WAN" and layout not in SLOW_LAYOUTS:
            return names
        return names + (SLOW if layout.startswith("plain") else SLOW[:1])

    def _open(self, system: str, layout: str, network: str = "") -> tuple[Runner, dict]:
        """Opens a layout for a system; gives who runs it, and how."""
        if system in PEERS:
            runner, how = self._peers, {"system": system}
            command = how | {"endpoint": self._store.shaped, "layout": layout}
        else:
            planner, _, function = system.partition("+")
            runner = self._ours
            how = {"planner": planner, "function": bool(function), "profile": network}
            uri = f"s3a://{dense_store.BUCKET}/{dense_data.key(layout)}"
            command = {"uri": uri, "settings": settings(self._store.shaped)}
        answer = runner.ask(op="open", **command)
        if "error" in answer:
            raise RuntimeError(f"{system}: {answer['error']}")
        return runner, how
