"""Random arrays, written by zarr-python (v2, v3) or tensorstore (v3)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import peers
import random_codecs as codecs
import random_values as values
import zarr

MOST_CELLS = [1, 60000, 200, 40, 12, 7]
MOST_CHUNKS = 400

zarr.config.set({"array.rectilinear_chunks": True})


@dataclasses.dataclass(frozen=True)
class Written:
    """An array in a folder and the cells that it holds."""

    path: Path
    expected: np.ndarray
    about: str
    named_dimensions: bool


def write(rng, path: Path) -> Written:
    """Writes an array whose every property is drawn from ``rng``."""
    shape, chunks = _shapes(rng)
    writers = [_v2, _v3, _tensorstore] if peers.ts else [_v2, _v3]
    weights = np.array([0.4, 0.4, 0.2][: len(writers)])
    writer = writers[int(rng.choice(len(writers), p=weights / weights.sum()))]
    pool = {"_v2": values.V2, "_v3": values.V3, "_tensorstore": values.TENSORSTORE}
    dtype = values.dtype(str(rng.choice(pool[writer.__name__])))
    data = values.random(rng, dtype, shape)
    array, about, exact = writer(rng, path, data, chunks)
    if shape and rng.random() < 0.3 and data.size:  # only a part: the rest stays fill
        part = tuple(slice(0, int(rng.integers(1, s + 1))) for s in shape)
        array[part] = data[part]
        exact = False
    elif data.size:
        array[...] = data
    if not exact:
        read = np.asarray(array[...]) if hasattr(array, "nchunks") else array.read().result()
        # numpy shortens the texts of a scalar
        data = read.astype(data.dtype) if data.dtype.kind in "SU" else read
    names = getattr(getattr(array, "metadata", None), "dimension_names", None)
    return Written(path, data.reshape(shape), about, bool(names))


def _shapes(rng):
    rank = int(rng.integers(0, 6))
    most = MOST_CELLS[rank]
    shape = [int(rng.integers(1, most + 1)) for _ in range(rank)]
    if rank and rng.random() < 0.04:
        shape[int(rng.integers(0, rank))] = 0
    chunks = [int(rng.integers(1, s + 3)) if rng.random() < 0.8 else max(1, s) for s in shape]
    if np.prod([-(-s // c) for s, c in zip(shape, chunks, strict=True)]) > MOST_CHUNKS:
        chunks = [max(1, s) for s in shape]
    return tuple(shape), tuple(chunks)


def _v2(rng, path, data, chunks):
    """Sometimes big endian, sometimes in order F, with filters."""
    dtype = data.dtype
    if rng.random() < 0.3 and dtype.kind not in "OT":
        dtype = dtype.newbyteorder(">")
    filters, exact = codecs.filters_v2(rng, dtype, data)
    compressor = codecs.compressor_v2(rng)
    array = zarr.create_array(
        str(path),
        shape=data.shape,
        chunks=chunks,
        dtype=values.stored(dtype),
        zarr_format=2,
        compressors=compressor,
        filters=filters if filters else ("auto" if dtype.kind in "OT" else None),
        order=str(rng.choice(["C", "F"])),
        fill_value=values.fill(rng, data.dtype),
        chunk_key_encoding={"name": "v2", "separator": str(rng.choice([".", "/"]))},
        config={"write_empty_chunks": bool(rng.random() < 0.5)},
    )
    return array, f"zarr-python v2 {dtype} {filters} {compressor}", exact


def _v3(rng, path, data, chunks):
    """Any codec of v3 and of numcodecs, sharded, nested or transposed."""
    plan = codecs.plan_v3(rng, data, chunks)
    array = zarr.create_array(
        str(path),
        shape=data.shape,
        dtype=values.stored(data.dtype),
        zarr_format=3,
        fill_value=values.fill(rng, data.dtype),
        chunk_key_encoding={
            "name": str(rng.choice(["default", "v2"])),
            "separator": str(rng.choice([".", "/"])),
        },
        dimension_names=[f"n{d}" for d in range(data.ndim)] if rng.random() < 0.3 else None,
        config={"write_empty_chunks": bool(rng.random() < 0.5)},
        **plan.arguments,
    )
    return array, f"zarr-python v3 {data.dtype} {plan.arguments}", plan.exact


def _tensorstore(rng, path, data, chunks):
    metadata = {
        "shape": list(data.shape),
        "data_type": data.dtype.name,
        **codecs.tensorstore(rng, data.ndim, chunks),
    }
    if rng.random() < 0.5 and data.dtype.kind in "iuf":
        metadata["fill_value"] = int(rng.integers(0, 2))
    array = peers.open_tensorstore(path, metadata=metadata)
    return array, f"tensorstore v3 {data.dtype} {metadata['codecs']}", True
