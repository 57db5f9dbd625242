"""Codecs, grids and shards as each library wants them."""

from __future__ import annotations

import dataclasses

import numcodecs
import numpy as np
import zarr.codecs as v3
import zarr.codecs.numcodecs as named

CNAMES = ["lz4", "lz4hc", "zstd", "zlib", "blosclz"]


def compressor_v2(rng):
    """A compressor of numcodecs, or none."""
    blosc = numcodecs.Blosc(
        str(rng.choice(CNAMES)),
        int(rng.integers(0, 10)),
        int(rng.integers(-1, 3)),
        int(rng.choice([0, 0, 128, 1000, 65536])),
    )
    choices = [None, numcodecs.Zlib(1), numcodecs.GZip(3), numcodecs.LZ4(), numcodecs.BZ2(1)]
    choices += [numcodecs.Zstd(int(rng.integers(-3, 9))), numcodecs.LZMA(), blosc, blosc]
    raw = [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]
    choices.append(numcodecs.LZMA(format=3, filters=raw))
    return choices[int(rng.integers(0, len(choices)))]


def filters_v2(rng, dtype, data):
    """Filters of numcodecs, and whether they keep every value."""
    kind, size, exact = dtype.kind, dtype.itemsize, True
    if kind == "T":
        return [numcodecs.VLenUTF8()], True
    if kind == "O":
        return [numcodecs.VLenBytes()], True
    chosen = []
    small = kind in "iuf" and _is_small(data)
    if kind in "iu" and rng.random() < 0.3:
        chosen.append(numcodecs.Delta(dtype))
    elif kind == "U" and rng.random() < 0.4:
        labels = [str(label) for label in np.unique(data)[:3]]
        chosen.append(numcodecs.Categorize(labels, dtype=dtype))
        exact = False
    elif kind == "b" and rng.random() < 0.4:
        chosen.append(numcodecs.PackBits())
    elif kind == "f" and size > 2 and small and rng.random() < 0.3:
        chosen.append(numcodecs.FixedScaleOffset(offset=1, scale=2, dtype=dtype, astype="i4"))
        exact = False
    elif kind == "f" and size > 2 and small and rng.random() < 0.3:
        chosen.append(numcodecs.Quantize(digits=2, dtype=dtype))
        exact = False
    elif kind == "i" and size < 8 and small and rng.random() < 0.3:
        chosen.append(numcodecs.AsType("<i8", dtype))
    elif kind == "f" and rng.random() < 0.2:
        chosen.append(numcodecs.BitRound(5))
        exact = False
    if rng.random() < 0.3 and not (chosen and isinstance(chosen[0], numcodecs.PackBits)):
        chosen.append(numcodecs.Shuffle(size))
    if rng.random() < 0.2:
        sums = [numcodecs.CRC32(), numcodecs.Adler32(), numcodecs.Fletcher32()]
        sums.append(numcodecs.JenkinsLookup3(initval=3))
        chosen.append(sums[int(rng.integers(0, len(sums)))])
    return chosen or None, exact


def _is_small(data) -> bool:
    """Whether casts between number types keep the values defined."""
    return bool(data.size and (np.abs(data.astype("f8")) < 10000).all())


@dataclasses.dataclass(frozen=True)
class PlanV3:
    """Arguments of ``zarr.create_array``, and whether the codecs keep every value."""

    arguments: dict
    exact: bool


def plan_v3(rng, data, chunks) -> PlanV3:
    """Grid, shards and codecs."""
    size = max(1, data.dtype.itemsize)
    compressors = _compressors_v3(rng, size)
    filters, exact = _filters_v3(rng, data)
    serializer = "auto"
    number = data.dtype.kind in "iufcMm" and size > 1
    # zarr-python gives these filters big endian numbers, which they take for little endian.
    native = any(isinstance(one, named.Delta | named.FixedScaleOffset) for one in filters)
    if number and not native and rng.random() < 0.3:
        serializer = v3.BytesCodec(endian="big")
    arguments = {
        "chunks": chunks,
        "compressors": compressors or None,
        "filters": filters or None,
        "serializer": serializer,
    }
    layout = rng.random()
    if layout < 0.35:
        arguments["shards"] = tuple(int(c * rng.integers(1, 4)) for c in chunks)
    elif layout < 0.5 and data.dtype.kind in "iufcb" and data.ndim:
        arguments |= _nested(rng, chunks, compressors, number)
        exact = True
    elif layout < 0.6 and data.ndim and 0 not in data.shape:
        arguments["chunks"] = [_edges(rng, n) for n in data.shape]
    return PlanV3(arguments, exact)


def _compressors_v3(rng, size):
    squeeze = [
        None,
        v3.ZstdCodec(level=int(rng.integers(-3, 9)), checksum=bool(rng.random() < 0.5)),
        v3.GzipCodec(level=2),
        v3.BloscCodec(
            cname=str(rng.choice(CNAMES)),
            clevel=int(rng.integers(0, 10)),
            typesize=min(size, 255),
            shuffle=str(rng.choice(["noshuffle", "shuffle", "bitshuffle"])),
        ),
        named.Zlib(level=1),
        named.BZ2(level=1),
        named.LZ4(),
        named.LZMA(),
    ][int(rng.choice(8, p=[0.1, 0.3, 0.15, 0.25, 0.05, 0.05, 0.05, 0.05]))]
    chosen = [squeeze] if squeeze else []
    if rng.random() < 0.1:
        chosen.insert(0, named.Shuffle(elementsize=size))
    if rng.random() < 0.3:
        sums = [v3.Crc32cCodec(), named.CRC32(), named.Adler32(), named.Fletcher32()]
        sums.append(named.JenkinsLookup3(initval=3))
        chosen.append(sums[int(rng.integers(0, len(sums)))])
    return chosen


def _filters_v3(rng, data):
    kind, size, exact = data.dtype.kind, data.dtype.itemsize, True
    filters = []
    # zarr-python stores texts of any length, and deltas, in the order of memory: a transpose
    # loses theirs.
    if kind not in "OT" and rng.random() < 0.3:
        filters.append(v3.TransposeCodec(order=_order(rng, data.ndim)))
    if kind in "iu" and not filters and rng.random() < 0.15:
        filters.append(named.Delta(dtype=data.dtype.str))
    elif kind == "f" and size > 2 and rng.random() < 0.2 and _is_small(data):
        step = named.FixedScaleOffset(offset=1, scale=2, dtype=data.dtype.str, astype="<i4")
        filters.append(step if rng.random() < 0.5 else named.BitRound(keepbits=5))
        exact = False
    return filters, exact


def _nested(rng, chunks, compressors, number):
    inner = [v3.BytesCodec(endian=str(rng.choice(["little", "big"]))), *(compressors or [])]
    middle = tuple(int(c * rng.integers(1, 4)) for c in chunks)
    outer = tuple(int(c * rng.integers(1, 3)) for c in middle)
    codec = v3.ShardingCodec(chunk_shape=chunks, codecs=inner, index_location=_location(rng))
    shard = v3.ShardingCodec(chunk_shape=middle, codecs=[codec], index_location=_location(rng))
    return {"chunks": outer, "compressors": None, "filters": None, "serializer": shard}


def _location(rng) -> str:
    return str(rng.choice(["start", "end"]))


def _edges(rng, length: int) -> list[int]:
    edges = []
    while sum(edges) < length:
        edges.append(int(rng.integers(max(1, length // 8), length + 1)))
    edges[-1] -= sum(edges) - length
    return edges


def _order(rng, rank: int) -> tuple[int, ...]:
    return tuple(int(i) for i in rng.permutation(rank))


def tensorstore(rng, rank: int, chunks) -> dict:
    """Members of v3 metadata."""
    codecs = [_codec("bytes", endian=str(rng.choice(["little", "big"])))]
    if rng.random() < 0.5:
        codecs.insert(0, _codec("transpose", order=list(_order(rng, rank))))
    blosc = _codec(
        "blosc",
        cname=str(rng.choice(CNAMES)),
        clevel=int(rng.integers(0, 10)),
        shuffle=str(rng.choice(["noshuffle", "shuffle", "bitshuffle"])),
    )
    squeeze = [None, _codec("zstd", level=1), _codec("gzip", level=1), blosc]
    chosen = squeeze[int(rng.integers(0, 4))]
    codecs += [chosen] if chosen else []
    codecs += [{"name": "crc32c"}] if rng.random() < 0.2 else []
    grid = list(chunks)
    for _ in range(int(rng.choice(3, p=[0.4, 0.4, 0.2]))):
        codecs = [
            _codec(
                "sharding_indexed",
                chunk_shape=grid,
                codecs=codecs,
                index_location=_location(rng),
                index_codecs=[_codec("bytes", endian="little"), {"name": "crc32c"}],
            )
        ]
        grid = [int(c * rng.integers(1, 4)) for c in grid]
    return {
        "codecs": codecs,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": grid}},
    }


def _codec(name: str, **configuration) -> dict:
    return {"name": name, "configuration": configuration}
