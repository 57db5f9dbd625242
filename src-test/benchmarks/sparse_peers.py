"""The peers of bin/bench sparse, as a process that answers one JSON line for each.

``python sparse_peers.py COORDS.npz IMAGES.npy FOLDER ENDPOINT BUCKET``
"""

from __future__ import annotations

import io
import json
import shutil
import sys
import time
from pathlib import Path

import deltalake
import numpy as np
import obstore
import polars as pl
import scipy  # noqa: F401 - what pydata/sparse saves with
import sparse
import tiledb
from sparse_digest import digest

try:
    import torch
except (ImportError, OSError):
    torch = None

NAMES = ("day", "hour", "lat", "lon")
KEYS = {"access_key_id": "test", "secret_access_key": "testsecret", "region": "us-east-1"}


class Peers:
    """All peers over one data set."""

    def __init__(self, cells: str, images: str, folder: str, endpoint: str, bucket: str) -> None:
        loaded = np.load(cells)
        self.coords = loaded["coords"]
        self.values = loaded["values"].astype("f8")
        self.shape = tuple(int(n) for n in loaded["shape"])
        self.images = np.load(images, mmap_mode="r")
        self.folder = Path(folder)
        self.endpoint, self.bucket = endpoint, bucket
        self.store = obstore.store.S3Store(
            bucket,
            config={
                **{f"aws_{name}": value for name, value in KEYS.items()},
                "aws_endpoint": endpoint,
                "aws_allow_http": "true",
            },
        )

    def path(self, system: str) -> Path:
        suffix = {"pt": ".pt", "npz place-major": ".npz", "pydata/sparse": ".npz"}
        return self.folder / f"{system.replace('/', ' ').replace(' ', '-')}{suffix.get(system, '')}"

    # Writing: each as its users do, cells sorted as they come (row-major), zstd where there is one.

    def write(self, system: str) -> int:
        """Writes the cells; the bytes on disk."""
        path = self.path(system)
        if path.is_dir():
            shutil.rmtree(path)
        getattr(self, "_write_" + system.split()[0].split("/")[0].lower())(path)
        files = [path] if path.is_file() else [f for f in path.rglob("*") if f.is_file()]
        return sum(f.stat().st_size for f in files)

    def _write_pt(self, path):
        indices = torch.from_numpy(self.coords.astype(np.int64))
        torch.save(
            torch.sparse_coo_tensor(indices, torch.from_numpy(self.values), self.shape), path
        )

    def _write_pydata(self, path):
        coo = sparse.COO(self.coords, self.values, self.shape, sorted=True, has_duplicates=False)
        sparse.save_npz(path, coo)

    def _write_npz(self, path):
        order = np.lexsort((self.coords[1], self.coords[0], self.coords[3], self.coords[2]))
        small = [self.coords[d][order].astype(t) for d, t in enumerate(("u1", "u1", "u2", "u2"))]
        np.savez_compressed(path, *small, values=self.values[order])

    def _frame(self):
        columns = dict(zip(NAMES, self.coords, strict=True))
        return pl.DataFrame({**columns, "value": self.values})

    def _write_parquet(self, path):
        path.mkdir()
        self._frame().write_parquet(path / "cells.parquet", compression_level=3, statistics=True)

    def _write_delta(self, path):
        properties = deltalake.WriterProperties(compression="ZSTD", compression_level=3)
        deltalake.write_deltalake(path, self._frame().to_arrow(), writer_properties=properties)

    def put(self, system: str) -> None:
        """Writes the cells into the bucket: .pt from memory, npz from its file, Delta directly."""
        if system == "pt":
            buffer = io.BytesIO()
            self._write_pt(buffer)
            obstore.put(self.store, "put.pt", buffer.getbuffer())
        elif system.startswith("Delta"):
            deltalake.write_deltalake(
                f"s3://{self.bucket}/put-delta",
                self._frame().to_arrow(),
                mode="overwrite",
                writer_properties=deltalake.WriterProperties(
                    compression="ZSTD", compression_level=3
                ),
                storage_options=self._options(s3=True),
            )
        else:
            self.write(system)
            obstore.put(self.store, self.path(system).name, self.path(system))

    def _write_tiledb(self, path):
        tiles = (1, 24, 64, 64)
        zstd = tiledb.FilterList([tiledb.DoubleDeltaFilter(), tiledb.ZstdFilter(level=3)])
        dims = [
            tiledb.Dim(n, domain=(0, length - 1), tile=tile, dtype=np.int32, filters=zstd)
            for n, length, tile in zip(NAMES, self.shape, tiles, strict=True)
        ]
        values = tiledb.Attr("value", dtype="f8", filters=tiledb.FilterList([tiledb.ZstdFilter(3)]))
        schema = tiledb.ArraySchema(
            tiledb.Domain(*dims), [values], sparse=True, capacity=10_000, allows_duplicates=False
        )
        tiledb.Array.create(str(path), schema)
        with tiledb.open(str(path), "w") as array:
            array[tuple(self.coords)] = self.values

    # Reading: (coords, values) of a box.

    def read(self, system: str, box: list, *, s3: bool):
        """The cells of a box, with absolute indices."""
        kind = system.split()[0].split("/")[0].lower()
        where = f"s3://{self.bucket}/{self.path(system).name}" if s3 else str(self.path(system))
        return getattr(self, "_read_" + kind)(where, box, s3)

    def _local(self, where: str, s3: bool) -> str:
        if not s3:
            return where
        name = where.rsplit("/", 1)[1]
        target = self.folder / ("fetched-" + name)
        target.write_bytes(obstore.get(self.store, name).bytes())
        return str(target)

    def _read_pt(self, where, box, s3):
        tensor = torch.load(self._local(where, s3), weights_only=True)
        tensor = tensor if tensor.is_coalesced() else tensor.coalesce()
        return self._clip(tensor.indices().numpy(), tensor.values().numpy(), box)

    def _read_pydata(self, where, box, s3):
        coo = sparse.load_npz(self._local(where, s3))
        return self._clip(coo.coords, coo.data, box)

    def _read_npz(self, where, box, s3):
        loaded = np.load(self._local(where, s3))
        columns = [loaded[f"arr_{d}"] for d in range(4)]
        return self._clip(columns, loaded["values"], box)

    @staticmethod
    def _clip(coords, values, box):
        keep = None
        for d, (start, stop) in enumerate(box):
            if start is not None:
                inside = (coords[d] >= start) & (coords[d] < stop)
                keep = inside if keep is None else keep & inside
        if keep is None:
            return coords, values
        return [column[keep] for column in coords], values[keep]

    def _query(self, frame, box):
        for name, (start, stop) in zip(NAMES, box, strict=True):
            if start is not None:
                frame = frame.filter((pl.col(name) >= start) & (pl.col(name) < stop))
        found = frame.collect()
        return [found[name].to_numpy() for name in NAMES], found["value"].to_numpy()

    def _options(self, s3):
        return {**{f"aws_{k}": v for k, v in KEYS.items()}, **self._http()} if s3 else None

    def _http(self):
        return {"aws_endpoint_url": self.endpoint, "aws_allow_http": "true"}

    def _read_parquet(self, where, box, s3):
        lazy = pl.scan_parquet(where + "/cells.parquet", storage_options=self._options(s3))
        return self._query(lazy, box)

    def _read_delta(self, where, box, s3):
        return self._query(pl.scan_delta(where, storage_options=self._options(s3)), box)

    def _read_tiledb(self, where, box, s3):
        config = {}
        if s3:
            config = {
                "vfs.s3.endpoint_override": self.endpoint.removeprefix("http://"),
                "vfs.s3.scheme": "http",
                "vfs.s3.use_virtual_addressing": "false",
                "vfs.s3.aws_access_key_id": KEYS["access_key_id"],
                "vfs.s3.aws_secret_access_key": KEYS["secret_access_key"],
                "vfs.s3.region": KEYS["region"],
            }
        with tiledb.open(where, ctx=tiledb.Ctx(config)) as array:
            whole = [(0, n - 1) for n in self.shape]
            ranges = [
                w if start is None else (start, stop - 1)
                for w, (start, stop) in zip(whole, box, strict=True)
            ]
            found = array.multi_index[tuple(slice(a, b) for a, b in ranges)]
        return [found[name] for name in NAMES], found["value"]

    # Images.

    def read_images(self, system: str, start: int, stop: int, *, s3: bool):
        """Images of the array as .npy: all of it fetched, or just the ranges needed."""
        if system == "npy whole":
            data = obstore.get(self.store, "images.npy").bytes() if s3 else None
            array = (
                np.frombuffer(data, "u1", offset=128) if s3 else np.load(self.path("images.npy"))
            )
            return array.reshape(self.images.shape)[start:stop]
        size = int(np.prod(self.images.shape[1:]))
        at, n = 128 + start * size, (stop - start) * size
        if s3:
            data = obstore.get_range(self.store, "images.npy", start=at, length=n)
        else:
            with self.path("images.npy").open("rb") as file:
                file.seek(at)
                data = file.read(n)
        return np.frombuffer(data, "u1").reshape(-1, *self.images.shape[1:])

    def upload(self, path: str, key: str) -> None:
        """Puts a file or folder into the bucket."""
        source = Path(path)
        for file in [source] if source.is_file() else sorted(source.rglob("*")):
            if file.is_file():
                name = key if source.is_file() else f"{key}/{file.relative_to(source)}"
                obstore.put(self.store, name, file)

    def answer(self, ask: dict) -> dict:
        """Runs what one line asks for."""
        if ask["do"] == "systems":
            return {"torch": torch is not None}
        if ask["do"] == "upload":
            self.upload(ask["path"], ask["key"])
            return {}
        seconds, cpu, result = [], [], None
        for _ in range(ask.get("repeats", 1)):
            begun, used = time.perf_counter(), time.process_time()
            if ask["do"] == "write":
                result = self.write(ask["system"])
            elif ask["do"] == "put":
                self.put(ask["system"])
            elif ask["do"] == "images":
                result = self.read_images(ask["system"], *ask["box"], s3=ask["s3"])
            else:
                result = self.read(ask["system"], ask["box"], s3=ask["s3"])
            seconds.append(time.perf_counter() - begun)
            cpu.append(time.process_time() - used)
        answer = {"seconds": seconds, "cpu": cpu}
        if ask["do"] == "write":
            answer["bytes"] = result
        elif ask["do"] == "put":
            pass
        elif ask["do"] == "images":
            answer["digest"] = [int(result.size), int(result.astype("u4").sum())]
        else:
            answer["digest"] = digest(*result)
        return answer


def main() -> None:
    peers = Peers(*sys.argv[1:])
    for line in sys.stdin:
        try:
            reply = peers.answer(json.loads(line))
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
