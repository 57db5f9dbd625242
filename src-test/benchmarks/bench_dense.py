"""Boxes of a dense array on a shaped S3 store: all our planners and the peers, in one run."""

from __future__ import annotations

import dataclasses
import os
import statistics
from pathlib import Path

import dense_data
import dense_faults
import dense_spark
import dense_store
from dense_runner import Measured, Runner, measure, settings
from report import Row

HERE = Path(__file__).parent
PLANNERS = ("auto", "get", "range", "merge", "paper")
FUNCTION = ("auto+function", "lambda+function")
PEERS = ("tensorstore", "zarr-python gathered", "zarr-python", "tiledb")
REPEATS = 5
WARMUPS = 30
DOLLARS_PER_REQUEST = 4e-7
DOLLARS_PER_BYTE = {"WAN": 9e-11}  # elsewhere the reader is beside the store


@dataclasses.dataclass(frozen=True)
class Cell:
    """Where a query runs: one network, one layout."""

    network: str
    layout: str
    query: str


def run(
    folder: Path,
    *,
    quick: bool,
    networks: tuple[str, ...] = (),
    layouts: tuple[str, ...] = (),
) -> list[Row]:
    """All networks and layouts, or those that are named; LAN and three layouts when quick."""
    unknown = (set(networks) - set(dense_store.NETWORKS)) | (set(layouts) - set(dense_data.LAYOUTS))
    if unknown:
        raise SystemExit(f"bin/bench dense: no such network or layout: {sorted(unknown)}")
    usual = dense_data.QUICK_LAYOUTS if quick else tuple(dense_data.LAYOUTS)
    return run_some(
        folder,
        networks or (("LAN",) if quick else tuple(dense_store.NETWORKS)),
        layouts or usual,
        brief=quick,
    )


def run_some(
    folder: Path, networks: tuple[str, ...], layouts: tuple[str, ...], *, brief: bool
) -> list[Row]:
    """Some networks and layouts; when brief, only the systems that may be the fastest."""
    values_file = folder / "values.i32"
    values = dense_data.make_values(values_file)
    port = dense_store.free_port()
    tools = Path(os.environ["ARRAYMORPH_BENCH_TOOLS"])
    java = os.environ.get("ARRAYMORPH_JAVA", "java")
    token = {"ARRAYMORPH_SLICE_TOKEN": "bench"}
    rows: list[Row] = []
    with dense_store.Store(folder, tools, function_port=port) as store:
        _load(store, values, layouts)
        command = [java, "-Xmx3g", "-cp", os.environ["ARRAYMORPH_CLASSPATH"]]
        command += [str(HERE / "java" / "DenseRunner.java"), str(values_file)]
        ours = Runner(command, folder / "ours.log", token)
        peers = Runner(
            [os.environ["ARRAYMORPH_PEERS_PYTHON"], str(HERE / "dense_peers.py"), str(values_file)],
            folder / "peers.log",
        )
        with _function(folder, store, port, java, token), ours, peers:
            bench = _Bench(store, ours, peers, brief=brief)
            if not brief:
                bench.write_tiledb(layouts)
            bench.warm(layouts)
            for network in networks:
                bench.on(network)
                for layout in layouts:
                    bench.read(network, layout)
            rows += _rows(bench.results) + goals(bench.results)
            if "LAN" in networks and dense_faults.LAYOUT in layouts:
                rows += dense_faults.run(store, ours, network="LAN")
        if "LAN" in networks and dense_spark.LAYOUT in layouts:
            alone = {
                cell.query: found.seconds
                for (cell, system), found in bench.results.items()
                if (cell.network, cell.layout, system) == ("LAN", dense_spark.LAYOUT, "auto")
            }
            rows += dense_spark.run(store, values, alone, "LAN")
    return rows


def _load(store: dense_store.Store, values, layouts: tuple[str, ...]) -> None:
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
    for layout in layouts:
        dense_data.write_layout(values, layout, target)


def _function(
    folder: Path, store: dense_store.Store, port: int, java: str, token: dict[str, str]
) -> Runner:
    """The slice function beside the store: it reads without the shaped network."""
    command = [java, "-Xmx1g", "-Dsun.net.httpserver.nodelay=true"]
    command += ["-cp", os.environ["ARRAYMORPH_CLASSPATH"]]
    command += ["io.arraymorph.lambda.SliceFunctionMain", "--port", str(port)]
    command += ["--allow", f"s3a://{dense_store.BUCKET}"]
    for name, value in settings(store.direct).items():
        command += ["--set", f"{name}={value}"]
    return Runner(command, folder / "function.log", token)


class _Bench:
    """The running processes, and the measurements so far."""

    def __init__(self, store, ours: Runner, peers: Runner, *, brief: bool) -> None:
        self.results: dict[tuple[Cell, str], Measured] = {}
        self._store, self._ours, self._peers, self._brief = store, ours, peers, brief
        self._queries = dense_data.queries()

    def write_tiledb(self, layouts: tuple[str, ...]) -> None:
        """TileDB writes its own arrays, unshaped."""
        for layout in layouts:
            if layout.startswith("plain"):
                answer = self._peers.ask(op="write", endpoint=self._store.direct, layout=layout)
                print("TileDB", layout, answer, flush=True)

    def warm(self, layouts: tuple[str, ...]) -> None:
        """Lets both JVMs compile what they run: an executor has done so long before."""
        self._store.network("raw")
        self._ours.ask(op="function", function=self._store.shaped + "/slice")
        for kind in ("plain", "sharded"):
            for layout in [name for name in layouts if name.startswith(kind)][:1]:
                self._open("auto", layout)
                for _ in range(WARMUPS):
                    for query in "HBSD":
                        boxes = self._queries[query]
                        self._ours.ask(op="run", boxes=boxes, planner="auto")
                        self._ours.ask(op="run", boxes=boxes, planner="lambda", function=True)

    def on(self, network: str) -> None:
        """Shapes the network and measures it with our profiler."""
        self._store.network(network)
        answer = self._ours.ask(
            op="profile",
            name=network,
            base="s3.wan" if network == "WAN" else "s3.in-region",
            uri=f"s3a://{dense_store.BUCKET}/{dense_data.key('plain 4 MiB')}",
            settings=settings(self._store.shaped),
            function=self._store.shaped + "/slice",
        )
        if "error" in answer:
            raise RuntimeError(answer["error"])
        print(network, answer["profile"]["transport"], flush=True)

    def read(self, network: str, layout: str) -> None:
        """All queries over one layout by all systems."""
        for query, boxes in self._queries.items():
            names = ("auto", "auto+function", "tensorstore", "zarr-python gathered")
            if not (self._brief or query == "F"):
                names += PLANNERS[1:] + FUNCTION[1:]
                names += PEERS[2:] if layout.startswith("plain") else PEERS[2:3]
            systems = {name: self._open(name, layout, network) for name in names}
            cell = Cell(network, layout, query)
            for system, found in measure(self._store, systems, boxes, REPEATS).items():
                self.results[cell, system] = found
                print(f"{network} {layout} {query} {system}: {found.seconds:.3f} s", flush=True)

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


def _rows(results: dict[tuple[Cell, str], Measured]) -> list[Row]:
    rows = []
    queries = dense_data.queries()
    for (cell, system), found in results.items():
        needed = dense_data.needed_bytes(queries[cell.query])
        bound = dense_store.bound_seconds(cell.network, needed)
        dollars = found.requests * DOLLARS_PER_REQUEST
        dollars += found.bytes * DOLLARS_PER_BYTE.get(cell.network, 0)
        if "dollars" in found.answer and "+" in system:
            dollars = found.answer["dollars"]
        rows.append(
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
            )
        )
    return rows


def _note(found: Measured, bound: float | None) -> str:
    note = f"{found.seconds / bound:.2f} x bound" if bound else ""
    if found.answer.get("estimate"):
        note += f", estimated {found.answer['estimate']:.3f} s"
    note += f", best {found.best:.3f} s"
    return note + f", {found.answer['cpu'] / found.requests * 1e6:.0f} us CPU/request"


def goals(results: dict[tuple[Cell, str], Measured]) -> list[Row]:
    """What the reader has promised, as ratios of the fastest runs; ``bound`` is the goal."""
    rows = []
    errors = []
    for cell in dict.fromkeys(cell for cell, _ in results):
        ours = results.get((cell, "auto"))
        if ours is None:
            continue
        best = min(
            (results[cell, peer].best for peer in PEERS if (cell, peer) in results),
            default=None,
        )
        needed = dense_data.needed_bytes(dense_data.queries()[cell.query])
        bound = dense_store.bound_seconds(cell.network, needed)
        if best:
            goal = 1.1 if cell.network == "raw" else 1.0
            rows.append(_goal(cell, "time / best peer", ours.best / best, goal))
        if best and cell.query == "B" and cell.layout == "plain 4 MiB" and bound:
            goal = {"LAN": 1 / 5, "WAN": 1 / 20}[cell.network]
            rows.append(_goal(cell, "time / best peer, far ahead", ours.best / best, goal))
        if bound and cell.query == "H" and cell.layout.startswith("plain"):
            rows.append(_goal(cell, "time / bound", ours.best / bound, 1.3))
        near = results.get((cell, "auto+function"))
        if near and bound and cell.query in "HVSDB":
            goal = 3.0 if cell.query == "B" else 1.5
            rows.append(_goal(cell, "function, time / bound", near.best / bound, goal))
        if bound and ours.answer.get("estimate"):
            errors.append(abs(ours.answer["estimate"] / ours.seconds - 1))
    if errors:
        middle = statistics.median(errors)
        everything = Cell("all", "all", "all")
        rows.append(_goal(everything, "estimate off by, median", middle, 0.25))
    return rows


def _goal(cell: Cell, what: str, ratio: float, goal: float) -> Row:
    return Row(
        "dense",
        f"goal: {cell.query} of {cell.layout}",
        cell.network,
        what,
        ratio,
        bound=goal,
        ok=ratio <= goal,
        note="ratio and its goal",
    )
