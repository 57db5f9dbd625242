"""What zarr-python and tensorstore read."""

from __future__ import annotations

from pathlib import Path

import cells
import numpy as np
import zarr

try:
    import tensorstore as ts
except ImportError:  # The default test run has zarr-python alone.
    ts = None

NAMES = ("zarr-python",) + (("tensorstore",) if ts else ())


def open_tensorstore(path: Path, **more):
    """The array of a folder, v2 or v3."""
    driver = "zarr3" if more or (path / "zarr.json").exists() else "zarr"
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": str(path)}}
    return ts.open(spec | more, create=bool(more), read=True, write=bool(more)).result()


def compare(name: str, path: Path, array, data: np.ndarray) -> str:
    """`equal`, `differs`, or that it `cannot` read the array."""
    try:
        if name == "tensorstore":
            read = open_tensorstore(path).read().result()
        else:
            read = np.asarray(zarr.open_array(str(path), mode="r")[...])
    except Exception:  # Each has types, codecs and grids that the other lacks.
        return "cannot"
    if read.dtype.kind in "SU" and read.dtype.kind == data.dtype.kind:
        read = read.astype(data.dtype)  # numpy shortens the texts of a scalar.
    elif data.dtype.kind in "OT":
        read = read.astype(object)  # numpy gives a scalar text a type of its length.
    elif name not in array.about and read.dtype != data.dtype:
        return "cannot"  # As bytes, or wider.
    return "equal" if cells.packed(read) == cells.packed(data) else "differs"


def select(array, data, parts, read):
    """Each selection with its cells, by a reader that reads the whole array right."""
    for axes in parts:
        selected = data[np.ix_(*axes)] if axes else data
        if axes and read.get("zarr-python") == "equal":
            theirs = np.asarray(zarr.open_array(str(array.path), mode="r").oindex[axes])
            if cells.packed(theirs) != cells.packed(selected):
                read["zarr-python"] = "parts differ"
        elif axes and read.get("tensorstore") == "equal":
            theirs = open_tensorstore(array.path).oindex[axes].read().result()
            if cells.packed(theirs) != cells.packed(selected):
                read["tensorstore"] = "parts differ"
        yield axes, selected
