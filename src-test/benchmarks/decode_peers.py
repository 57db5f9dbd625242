"""Reads an array with zarr-python, tensorstore or xarray on dask, for bin/bench decode.

    python decode_peers.py SYSTEM FOLDER THREADS

For each line on standard input it reads once and answers seconds, seconds of processor time
and the sum of what it read. This
runs with the requirements of src-test/differential.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path


def zarr_python(folder: Path, threads: int):
    """The whole array with zarr-python."""
    import zarr

    zarr.config.set({"threading.max_workers": threads})
    array = zarr.open_array(folder, mode="r")
    return lambda: array[...]


def tensorstore(folder: Path, threads: int):
    """The whole array with tensorstore."""
    import tensorstore as ts

    array = ts.open(
        {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(folder)}},
        context=ts.Context({"data_copy_concurrency": {"limit": threads}}),
        read=True,
    ).result()
    return lambda: array.read().result()


def xarray_dask(folder: Path, threads: int):
    """Means over all dimensions but the first, chunk by chunk."""
    import dask
    import xarray

    dask.config.set(scheduler="threads", num_workers=threads)
    group = xarray.open_zarr(folder.parent, chunks={}, consolidated=False, decode_cf=False)
    variable = group[folder.name]
    return lambda: variable.mean(variable.dims[1:], dtype="f8").compute().values


def main() -> None:
    system, folder, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    read = globals()[system](folder, threads)
    for _ in sys.stdin:
        begun, busy = time.perf_counter(), time.process_time()
        data = read()
        seconds, busy = time.perf_counter() - begun, time.process_time() - busy
        print(seconds, busy, float(data.sum(dtype="f8")), flush=True)
        del data


if __name__ == "__main__":
    main()
