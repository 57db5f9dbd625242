"""Data types and cells to fill arrays with."""

from __future__ import annotations

import numpy as np
import zarr.dtype

try:
    import ml_dtypes
except ImportError:  # Only tensorstore writes those types, and brings it.
    ml_dtypes = None

NUMBERS = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
TIMES = ["M8[ns]", "M8[10us]", "M8[s]", "M8[D]", "m8[ms]", "m8[h]"]
STRUCTS = ["i2,f4", "u1,M8[s],S3", "?,c8,f8"]
OTHERS = [*TIMES, *STRUCTS, "U4", "S5", "V3", "text", "binary"]
V2 = NUMBERS * 2 + OTHERS
V3 = NUMBERS * 2 + OTHERS
TENSORSTORE = [*NUMBERS, "bfloat16", "float8_e4m3fn", "float8_e5m2", "int4"]

WORDS = ["", "a", "zürich", "東京", "x" * 9, "😀", "line\nbreak"]


def dtype(name: str) -> np.dtype:
    """The type of a name of the lists above."""
    if name == "text":
        return np.dtypes.StringDType()
    if name == "binary":
        return np.dtype("O")
    return np.dtype(getattr(ml_dtypes, name, name))


def stored(dtype: np.dtype):
    """What zarr-python calls a type."""
    return zarr.dtype.VariableLengthBytes() if dtype.kind == "O" else dtype


def random(rng, dtype: np.dtype, shape) -> np.ndarray:
    """Smooth, constant or noisy cells, with the odd special one."""
    n = int(np.prod(shape))
    return _flat(rng, dtype, n).reshape(shape)


def _flat(rng, dtype, n):
    kind = dtype.kind
    if dtype.names:
        out = np.zeros(n, dtype)
        for name in dtype.names:
            out[name] = _flat(rng, dtype[name], n)
        return out
    if kind == "T" or kind == "U":
        words = np.array(WORDS[:4] if kind == "U" else WORDS)
        return words[rng.integers(0, len(words), n)].astype(dtype)
    if kind == "O":
        out = np.empty(n, object)
        out[:] = [WORDS[i].encode() for i in rng.integers(0, len(WORDS), n)]
        return out
    if kind == "S":
        return np.array([b"", b"a", b"abc"])[rng.integers(0, 3, n)].astype(dtype)
    if kind in "Mm":
        # Days beyond this are no timestamps in SQL.
        raw = rng.integers(-(10**8), 10**8, n) if rng.random() < 0.5 else np.arange(n) // 7
        if rng.random() < 0.3:
            raw[rng.random(n) < 0.1] = -(2**63)
        return raw.astype("i8").view(dtype)
    style = rng.integers(0, 3)
    name = dtype.name
    if style == 0 or (kind == "V" and dtype.type is np.void):
        raw = rng.integers(0, 256, n * dtype.itemsize, "u1")
        if kind == "b":
            raw &= 1
        if name == "int4":
            return (raw.view("i1") >> 4).astype(dtype)
        return raw.view(dtype).copy()
    if style == 1:
        return ((np.arange(n) // 7) % (8 if name == "int4" else 2**30)).astype(dtype)
    return np.full(n, rng.integers(0, 8)).astype(dtype)


def fill(rng, dtype):
    """A fill value; NaN for half of the floats."""
    kind = dtype.kind
    if kind in "fc" and rng.random() < 0.5:
        return dtype.type(np.nan)
    if kind == "T":
        return str(rng.choice(["", "fill"]))
    if kind == "O":
        return b""
    if kind in "MmUSV":
        return np.zeros((), dtype)[()]
    return dtype.type(rng.integers(0, 2))
