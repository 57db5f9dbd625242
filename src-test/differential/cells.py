"""Cells as digests and as texts, the same that the Java side makes of what it reads."""

from __future__ import annotations

import hashlib
import struct

import numpy as np

MICROS = {"W": 604_800_000_000, "D": 86_400_000_000, "h": 3_600_000_000, "m": 60_000_000}
MICROS |= {"s": 1_000_000, "ms": 1000, "us": 1}


def packed(data: np.ndarray) -> bytes:
    """All cells one after the other, little endian, in C order."""
    if data.dtype.kind in "OT":
        raw = [v.encode() if isinstance(v, str) else bytes(v) for v in data.ravel()]
        return b"".join(struct.pack("<i", len(v)) + v for v in raw)
    if data.dtype.name in ("int4", "int2"):
        data = data.astype("i1")
    return np.ascontiguousarray(data.astype(data.dtype.newbyteorder("<"))).tobytes()


def digest(data: np.ndarray) -> str:
    """Tells arrays of different cells apart."""
    return hashlib.sha256(packed(data)).hexdigest()


def texts(data: np.ndarray) -> list[str]:
    """Each cell as its SQL value in words."""
    return [_text(cell, data.dtype) for cell in data.reshape(-1)]


def _text(cell, dtype: np.dtype) -> str:
    if dtype.names:
        return "[" + ",".join(_text(cell[n], dtype[n]) for n in dtype.names) + "]"
    kind = dtype.kind
    if kind == "c":
        part = np.dtype("f4" if dtype.itemsize == 8 else "f8")
        return f"[{_text(cell.real, part)},{_text(cell.imag, part)}]"
    if kind in "Mm":
        return _time(cell, dtype)
    if kind == "S":
        return bytes(cell).rstrip(b"\0").hex()
    if kind == "V" and dtype.isbuiltin == 0 and dtype.names is None and dtype.type is np.void:
        return bytes(cell).hex()
    if kind == "b":
        return "true" if cell else "false"
    if kind in "OTU":
        return cell if isinstance(cell, str) else bytes(cell).hex()
    if kind in "iu" or dtype.name.startswith(("int", "uint")):
        return str(int(cell))
    wide = float(cell)
    if wide != wide:
        return "NaN"
    return struct.pack(">d" if dtype.itemsize == 8 else ">f", wide).hex()


def _time(cell, dtype: np.dtype) -> str:
    unit, count = np.datetime_data(dtype)
    raw = int(cell.view("i8"))
    if raw == -(2**63):
        return "null"
    return str(raw * count // 1000 if unit == "ns" else raw * count * MICROS[unit])
