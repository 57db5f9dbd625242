"""Writes random Zarr arrays with zarr-python and tensorstore, and their values.

    python make_corpus.py FOLDER [--count 300] [--seed 1]

DifferentialTest compares them with what we read. Each array `<n>` comes with `<n>.npy` (little
endian, C order). What a library cannot write is skipped and counted. The same seed gives the same
corpus.
"""

from __future__ import annotations

import argparse
import json
import shutil
import warnings
from collections import Counter
from pathlib import Path

import numcodecs
import numpy as np
import zarr

warnings.simplefilter("ignore")
NUMBERS = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
TIMES = ["M8[ns]", "M8[s]", "M8[D]", "m8[ms]"]


def values(rng, dtype, shape):
    """Smooth, constant or noisy values, with the odd special one."""
    kind = np.dtype(dtype).kind
    n = int(np.prod(shape))
    if kind == "U":
        words = np.array(["", "a", "zürich", "東京", "x" * 9])
        return words[rng.integers(0, len(words), n)].astype(dtype).reshape(shape)
    if kind == "S":
        return np.array([b"", b"a", b"abc"])[rng.integers(0, 3, n)].astype(dtype).reshape(shape)
    style = rng.integers(0, 3)
    if style == 0:
        raw = rng.integers(0, 256, n * np.dtype(dtype).itemsize, "u1")
        if kind == "b":
            raw &= 1
        return raw.view(dtype).reshape(shape).copy()
    base = np.arange(n) // 7 if style == 1 else np.full(n, rng.integers(0, 100))
    if kind in "Mm":
        return base.astype("i8").view(dtype).reshape(shape)
    return base.astype(dtype).reshape(shape)


def compressor_v2(rng, dtype):
    shuffle = int(rng.integers(-1, 3))
    return [
        None,
        numcodecs.Zlib(1),
        numcodecs.GZip(3),
        numcodecs.Zstd(int(rng.integers(-3, 9))),
        numcodecs.LZ4(),
        numcodecs.BZ2(1),
        numcodecs.LZMA(),
        numcodecs.Blosc(
            str(rng.choice(["lz4", "lz4hc", "zstd", "zlib", "blosclz"])),
            int(rng.integers(0, 10)),
            shuffle,
            int(rng.choice([0, 0, 128, 1000, 65536])),
        ),
    ][int(rng.integers(0, 8))]


def filters_v2(rng, dtype):
    kind, size = np.dtype(dtype).kind, np.dtype(dtype).itemsize
    chosen = []
    if kind in "iu" and rng.random() < 0.3:
        chosen.append(numcodecs.Delta(dtype))
    if kind in "iufM" and rng.random() < 0.3:
        chosen.append(numcodecs.Shuffle(size))
    if rng.random() < 0.2:
        chosen.append(
            [numcodecs.CRC32(), numcodecs.Adler32(), numcodecs.Fletcher32()][
                int(rng.integers(0, 3))
            ]
        )
    return chosen or None


def write_v2(rng, path, data, shape, chunks):
    """Sometimes big endian, sometimes in order F, with filters."""
    dtype = data.dtype.newbyteorder(">") if rng.random() < 0.3 else data.dtype
    a = zarr.create_array(
        str(path),
        shape=shape,
        chunks=chunks,
        dtype=dtype,
        zarr_format=2,
        compressors=compressor_v2(rng, dtype),
        filters=filters_v2(rng, dtype),
        order=str(rng.choice(["C", "F"])),
        fill_value=fill(rng, data.dtype),
        chunk_key_encoding={"name": "v2", "separator": str(rng.choice([".", "/"]))},
    )
    return a


def fill(rng, dtype):
    kind = dtype.kind
    if kind in "fc" and rng.random() < 0.5:
        return dtype.type(np.nan)
    if kind in "MmUS":
        return np.zeros((), dtype)[()]
    return dtype.type(rng.integers(0, 2))


def write_v3(rng, path, data, shape, chunks):
    """Compressed by any codec of v3, sometimes sharded or transposed."""
    codecs = zarr.codecs
    size = max(1, data.dtype.itemsize)
    squeeze = [
        None,
        codecs.ZstdCodec(level=int(rng.integers(-3, 9)), checksum=bool(rng.random() < 0.5)),
        codecs.GzipCodec(level=2),
        codecs.BloscCodec(
            cname=str(rng.choice(["lz4", "lz4hc", "zstd", "zlib", "blosclz"])),
            clevel=int(rng.integers(0, 10)),
            typesize=size,
            shuffle=str(rng.choice(["noshuffle", "shuffle", "bitshuffle"])),
        ),
    ][int(rng.integers(0, 4))]
    compressors = [
        c for c in (squeeze, codecs.Crc32cCodec() if rng.random() < 0.3 else None) if c
    ] or None
    filters = None
    if rng.random() < 0.3:
        filters = [codecs.TransposeCodec(order=tuple(int(i) for i in rng.permutation(len(shape))))]
    shards = None
    if rng.random() < 0.5:
        shards = tuple(int(c * rng.integers(1, 4)) for c in chunks)
    serializer = (
        codecs.BytesCodec(endian="big")
        if rng.random() < 0.3 and data.dtype.itemsize > 1
        else "auto"
    )
    return zarr.create_array(
        str(path),
        shape=shape,
        chunks=chunks,
        shards=shards,
        dtype=data.dtype,
        zarr_format=3,
        compressors=compressors,
        filters=filters,
        serializer=serializer,
        fill_value=fill(rng, data.dtype),
    )


def write_tensorstore(rng, path, data, shape, chunks):
    import tensorstore as ts

    inner = [{"name": "bytes", "configuration": {"endian": str(rng.choice(["little", "big"]))}}]
    if rng.random() < 0.5:
        order = [int(i) for i in rng.permutation(len(shape))]
        inner.insert(0, {"name": "transpose", "configuration": {"order": order}})
    inner += [
        [],
        [{"name": "zstd", "configuration": {"level": 1}}],
        [{"name": "gzip", "configuration": {"level": 1}}],
        [
            {
                "name": "blosc",
                "configuration": {"cname": "zstd", "clevel": 3, "shuffle": "bitshuffle"},
            }
        ],
    ][int(rng.integers(0, 4))]
    grid, chain = list(chunks), inner
    if rng.random() < 0.5:
        grid = [int(c * rng.integers(1, 4)) for c in chunks]
        chain = [
            {
                "name": "sharding_indexed",
                "configuration": {
                    "chunk_shape": list(chunks),
                    "codecs": inner,
                    "index_location": str(rng.choice(["start", "end"])),
                    "index_codecs": [
                        {"name": "bytes", "configuration": {"endian": "little"}},
                        {"name": "crc32c"},
                    ],
                },
            }
        ]
    meta = {
        "shape": list(shape),
        "data_type": data.dtype.name,
        "codecs": chain,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": grid}},
    }
    return ts.open(
        {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path)}, "metadata": meta},
        create=True,
    ).result()


def one(rng, folder, n):
    rank = int(rng.integers(0, 5))
    most = [0, 60000, 200, 40, 12][rank]
    shape = tuple(int(rng.integers(1, most + 1)) for _ in range(rank))
    chunks = tuple(int(rng.integers(1, s + 3)) if rng.random() < 0.8 else s for s in shape)
    if shape and np.prod([-(-s // c) for s, c in zip(shape, chunks, strict=True)]) > 400:
        chunks = shape
    which = rng.choice(["v2", "v3", "tensorstore"], p=[0.45, 0.35, 0.2])
    pool = NUMBERS + ([] if which == "tensorstore" else [*TIMES, "U4", "S5"])
    data = values(rng, np.dtype(str(rng.choice(pool))), shape)
    path = folder / str(n)
    array = {"v2": write_v2, "v3": write_v3, "tensorstore": write_tensorstore}[which](
        rng, path, data, shape, chunks
    )
    if rank and rng.random() < 0.3:  # only a part: the rest stays fill
        part = tuple(slice(0, int(rng.integers(1, s + 1))) for s in shape)
        array[part] = data[part]
        data = np.asarray(array[...])
    else:
        array[...] = data
    np.save(
        folder / f"{n}.npy",
        np.ascontiguousarray(data.astype(data.dtype.newbyteorder("<"))).reshape(shape),
    )
    return which


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder", type=Path)
    p.add_argument("--count", type=int, default=300)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    tally = Counter()
    for n in range(args.count):
        try:
            tally[one(np.random.default_rng([args.seed, n]), args.folder, n)] += 1
        except Exception as problem:  # what a library cannot write is not our business
            shutil.rmtree(args.folder / str(n), ignore_errors=True)
            (args.folder / f"{n}.npy").unlink(missing_ok=True)
            tally[f"skipped: {type(problem).__name__}: {str(problem)[:60]}"] += 1
    print(json.dumps(tally, indent=1))


if __name__ == "__main__":
    main()
