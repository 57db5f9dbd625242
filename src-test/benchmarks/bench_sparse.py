"""Sparse tensors and stacks of images in Delta tables, beside the peers, in one run.

Sizes and bytes are exact; ``seconds`` is wall-clock time and ``cpu`` in the note processor time of
all processes of a system, which a busy machine disturbs less.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

import dense_store
import numpy as np
import sparse_data
import sparse_writes
from arraymorph.delta import open_tensors
from dense_runner import Runner
from report import Row
from sparse_digest import digest
from sparse_ours import Ours, bytes_out, cpu_of, moved_by, note, parquet_bytes

HERE = Path(__file__).parent
NAMES = ["day", "hour", "lat", "lon"]
NONE = [None, None]
# Case: box, and what a user who slices so would give as slice hint.
SLICES = {
    "X[i]": ([[20, 21], NONE, NONE, NONE], ["day"]),
    "X[i:j]": ([[9, 16], NONE, NONE, NONE], ["day"]),
    "X[:,j]": ([NONE, [8, 9], NONE, NONE], ["hour"]),
    "X[:,:,k]": ([NONE, NONE, [560, 561], NONE], ["lat"]),
    "3-d box": ([[9, 16], NONE, [500, 600], [800, 850]], ["day", "lat", "lon"]),
    "4-d box": ([[9, 16], [8, 12], [500, 600], [800, 850]], ["day", "lat", "lon"]),
}
PEERS = ["pt", "pydata/sparse", "npz place-major", "TileDB", "Parquet + Polars", "Delta + Polars"]
WHOLE = [NONE] * 4


class Bench:
    """One run: the data, the peers, the store and the rows so far."""

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self.folder, self.quick = folder, quick
        self.rows: list[Row] = []
        self.repeats = 3 if quick else 7
        kept = os.environ.get("ARRAYMORPH_BENCH_DATA")
        data = Path(kept) / ("quick" if quick else "full") if kept else folder / "data"
        cells, images = sparse_data.prepare(data, quick=quick)
        loaded = np.load(cells)
        self.coords, self.shape = loaded["coords"], tuple(map(int, loaded["shape"]))
        self.values = loaded["values"].astype("f8")
        self.images = np.load(images, mmap_mode="r")
        peers = folder / "peers"
        peers.mkdir()
        (peers / "images.npy").symlink_to(images.resolve())
        self.store = dense_store.Store(folder, Path(os.environ["ARRAYMORPH_BENCH_TOOLS"]))
        self.peers = Runner(
            [
                os.environ["ARRAYMORPH_PEERS_PYTHON"],
                str(HERE / "sparse_peers.py"),
                str(cells),
                str(peers / "images.npy"),
                str(peers),
                self.store.shaped,
                dense_store.BUCKET,
            ],
            folder / "peers.log",
        )
        self.ours = Ours()

    def ask(self, **command) -> dict:
        """What the peers answer."""
        answer = self.peers.ask(**command)
        if "error" in answer:
            raise RuntimeError(f"{command}: {answer['error']}")
        return answer

    def add(self, case: str, store: str, system: str, seconds: float, **more) -> None:
        """One row, printed as it comes."""
        self.rows.append(Row("sparse", case, store, system, seconds, **more))
        print(*(f"{v:.4g}" if isinstance(v, float) else v for v in vars(self.rows[-1]).values()))

    def expected(self, box: list) -> list:
        """The digest of a box by brute force."""
        keep = np.ones(len(self.values), bool)
        for column, (start, stop) in zip(self.coords, box, strict=True):
            if start is not None:
                keep &= (column >= start) & (column < stop)
        return digest([column[keep] for column in self.coords], self.values[keep])

    def needed(self, box: list) -> int:
        """Bytes of the answer: int32 indices and float64 values."""
        return self.expected(box)[0] * (4 * 4 + 8)

    # Slices.

    def load(self) -> None:
        """Puts the peers' files into the bucket, and our tables with each slice hint."""
        for system in PEERS if self.ask(do="systems")["torch"] else PEERS[1:]:
            suffix = {"pt": ".pt", "npz place-major": ".npz", "pydata/sparse": ".npz"}
            name = system.replace("/", " ").replace(" ", "-") + suffix.get(system, "")
            path = self.folder / "peers" / name
            if not path.exists():
                self.ask(do="write", system=system)
            self.ask(do="upload", path=str(path), key=name)
        hints = {tuple(hint) for _, hint in SLICES.values()} | {()}
        for hint in sorted(hints):
            for uri, options in self._places("-".join(("tensors", *hint))):
                tensors = open_tensors(self.ours.spark, uri, options=options)
                tensors.write(
                    "uber",
                    (self.coords, self.values, self.shape),
                    names=NAMES,
                    slice_hint=list(hint),
                )

    def _places(self, name: str):
        return [
            (str(self.folder / name), {}),
            (f"s3a://{dense_store.BUCKET}/{name}", self.ours.s3(self.store.shaped)),
        ]

    def slices(self, store: str) -> None:
        """Every slice with every system, locally or over S3."""
        systems = PEERS if self.ask(do="systems")["torch"] else PEERS[1:]
        for case, (box, hint) in {"read all": (WHOLE, []), **SLICES}.items():
            expected = self.expected(box)
            peers = [self._peer(case, store, s, box, expected) for s in systems]
            if case == "read all":
                self._our(case, store, [], box, expected, peers)
            else:
                self._our(case, store, hint, box, expected, peers)
                self._our(case, store, [], box, expected, [])

    def _peer(self, case: str, store: str, system: str, box: list, expected: list) -> Row:
        ask = {"do": "read", "system": system, "box": box, "s3": store == "s3"}
        self.ask(**ask)
        self.store.reset()
        answer = self.ask(**ask, repeats=1)
        moved = self.store.stats()
        if store == "local":
            answer = self.ask(**ask, repeats=self.repeats)
        self.add(
            case,
            store,
            system,
            statistics.median(answer["seconds"]),
            **moved_by(moved, store),
            needed=self.needed(box),
            ok=answer["digest"] == expected,
            note=note(answer["cpu"]),
        )
        return self.rows[-1]

    def _our(
        self, case: str, store: str, hint: list, box: list, expected: list, peers: list[Row]
    ) -> None:
        uri, options = self._places("-".join(("tensors", *hint)))[store == "s3"]
        key = tuple(slice(None) if a is None else slice(a, b) for a, b in box)
        open_tensors(self.ours.spark, uri, options=options)["uber"][key]
        self.store.reset()
        tensor = open_tensors(self.ours.spark, uri, options=options)["uber"]
        cells = tensor[key]
        moved = self.store.stats()
        # Compilers work on until some hundred runs; "again" counts requests of all of them.
        runs = 4 * self.repeats
        warmups = 0 if store == "s3" else 20 if case == "read all" else 25 * self.repeats
        for _ in range(warmups):
            tensor[key]
        self.store.reset()
        seconds, cpu = [], []
        for _ in range(runs):
            used, begun = self.ours.cpu(), time.perf_counter()  # Asking takes time itself.
            cells = tensor[key]
            seconds.append(time.perf_counter() - begun)
            cpu.append(self.ours.cpu() - used)
        warm = self.store.stats()
        starts = [a or 0 for a, _ in box]
        columns = [c.astype("i8") + s for c, s in zip(cells.columns, starts, strict=True)]
        right = digest(columns, cells.values) == expected
        median = statistics.median(seconds[runs // 2 :])
        ok, bound, extra = right, None, ""
        if peers and store == "local":
            polars = min(cpu_of(p) for p in peers if "Polars" in p.system)
            used = statistics.mean(cpu[runs // 2 :])
            clock = min(p.seconds for p in peers if "Polars" in p.system)
            others = min(p.seconds for p in peers if "Polars" not in p.system)
            extra = f"{used / polars:.2f} x Polars' cpu, {median / clock:.2f} x its time"
            if case == "read all":
                bound = next((p.seconds for p in peers if p.system == "pt"), None)
            else:
                bound = min(others, 1.5 * clock, 0.05 if case == "X[i]" else 1.5 * clock)
            ok &= bound is None or median < bound
        if peers and store == "s3":
            least = min(p.bytes for p in peers)
            delta = min(p.requests for p in peers if "Delta" in p.system)
            now = moved_by(moved, store)
            bound = float(least)
            ok &= now["bytes"] <= least and now["requests"] < delta
            extra = (
                f"again {warm['requests'] / runs:.0f} requests {bytes_out(warm) / runs:.0f} bytes; "
                f"best peer {least} bytes, Delta peer {delta} requests"
            )
        name = "arraymorph auto" + (f" hint {','.join(hint)}" if hint else "")
        self.add(
            case,
            store,
            name,
            median,
            **moved_by(moved, store),
            needed=self.needed(box),
            bound=bound,
            ok=bool(ok),
            note=note(cpu[runs // 2 :], extra, mean=True),
        )

    def query(self) -> None:
        """X[i] as a Spark query, warm."""
        uri, _ = self._places("tensors-day")[0]
        if not Path(uri).exists():
            cells = (self.coords, self.values, self.shape)
            open_tensors(self.ours.spark, uri).write("uber", cells, names=NAMES, slice_hint=["day"])
        frame = self.ours.spark.read.format("arraymorph").option("tensor", "uber").load(uri)
        want = self.expected(SLICES["X[i]"][0])
        seconds = []
        for _ in range(6 + self.repeats):
            begun = time.perf_counter()
            got = frame.where("day = 20").selectExpr("count(*)", "sum(value)")
            row = got.first()
            seconds.append(time.perf_counter() - begun)
        median = statistics.median(seconds[6:])
        self.add(
            "X[i] as Spark query",
            "local",
            "arraymorph auto hint day",
            median,
            bound=0.7,
            ok=[row[0], row[1]] == want[:2] and median < 0.7,
        )

    # Images.

    def image_stack(self) -> None:
        """The stack of images as FTSF beside .npy, on a store with latency and bandwidth."""
        raw = self.images.nbytes
        self.ask(do="upload", path=str(self.folder / "peers" / "images.npy"), key="images.npy")
        uri, options = self._places("images")[1]
        begun = time.perf_counter()
        open_tensors(self.ours.spark, uri, options=options).write(
            "faces", self.images, names=["image", "channel", "y", "x"], slice_hint=["image"]
        )
        seconds = time.perf_counter() - begun
        size = parquet_bytes(self.folder, "images")
        self.add(
            "images write",
            "s3",
            "arraymorph ftsf",
            seconds,
            bytes=size,
            needed=raw,
            bound=0.45,
            ok=size <= 0.45 * raw,
            note=f"{size / raw:.3f} of raw",
        )
        self.store.network("LAN")
        each = size / len(self.images)
        for case, start, stop in (("one image", 57, 58), ("100 images", 50, 150)):
            want = self.images[start:stop]
            digests = [int(want.size), int(want.astype("u4").sum())]
            times = {}
            for system in ("npy whole", "npy ranges"):
                ask = {"do": "images", "system": system, "box": [start, stop], "s3": True}
                self.store.reset()
                answer = self.ask(**ask)
                times[system] = answer["seconds"][0]
                self.add(
                    case,
                    "s3 LAN",
                    system,
                    answer["seconds"][0],
                    **moved_by(self.store.stats(), "s3"),
                    needed=want.nbytes,
                    ok=answer["digest"] == digests,
                    note=note(answer["cpu"]),
                )
            tensor = open_tensors(self.ours.spark, uri, options=options)["faces"]
            runs = []
            for _ in range(8 + 5):  # Warm, as slices are: compilers work on for some runs.
                self.store.reset()
                used, begun = self.ours.cpu(), time.perf_counter()
                got = tensor.numpy((slice(start, stop),))
                runs.append((time.perf_counter() - begun, self.ours.cpu() - used))
            seconds, used = (statistics.median(column) for column in zip(*runs[8:], strict=True))
            moved = moved_by(self.store.stats(), "s3")
            ratio = times["npy whole"] / seconds
            ok = np.array_equal(got, want)
            stored = each * (stop - start)
            ok &= moved["bytes"] <= 1.1 * stored if case == "one image" else ratio >= 8
            self.add(
                case,
                "s3 LAN",
                "arraymorph ftsf",
                seconds,
                **moved,
                needed=want.nbytes,
                bound=1.1 * stored if case == "one image" else 8.0,
                ok=bool(ok),
                note=f"cpu {used:.4f} s {moved['bytes'] / stored:.2f} x stored size, {ratio:.1f} x",
            )
        self.store.network("raw")

    def close(self) -> None:
        """Ends all processes."""
        self.peers.__exit__()
        self.store.close()
        self.ours.spark.stop()


def run(folder: Path, *, quick: bool) -> list[Row]:
    """The Uber twin whole and 200 images; a month, smaller images, fewer repeats when quick.

    ``ARRAYMORPH_BENCH_PARTS`` names the parts to run, ``ARRAYMORPH_BENCH_DATA`` a folder in which
    the data are kept for the next run.
    """
    parts = os.environ.get("ARRAYMORPH_BENCH_PARTS", "write,local,s3,query,images").split(",")
    bench = Bench(folder, quick=quick)
    try:
        if "write" in parts:
            sparse_writes.local(bench, PEERS)
            sparse_writes.over_s3(bench)
        if "local" in parts or "s3" in parts:
            bench.load()
        for store in ("local", "s3"):
            if store in parts:
                bench.slices(store)
        if "query" in parts:
            bench.query()
        if "images" in parts:
            bench.image_stack()
    finally:
        bench.close()
    return bench.rows
