"""arraymorph: n-d arrays in object stores as Spark tables, the Python side.

The reader and writer live in the JVM: ``spark.read.format("arraymorph")``. This package opens
arrays with labels and indices as xarray has them, gives their values to numpy, xarray and Spark,
shows what a read will take, writes arrays, and slices tensors in Delta tables without a Spark job.

    import arraymorph

    coads = arraymorph.open(spark, "s3a://climate/coads.zarr")
    coads["SST"].sel(COADSY=slice(-5, 5)).to_xarray()
"""

from __future__ import annotations

import os
from typing import Any

from arraymorph.array import Array
from arraymorph.dataset import Dataset
from arraymorph.delta import open_tensors
from arraymorph.errors import ArrayMorphError, OutOfBoundsError, UnknownNameError
from arraymorph.plan import Access, Plan
from arraymorph.tensors import to_numpy
from arraymorph.writing import write

__all__ = [
    "Access",
    "Array",
    "ArrayMorphError",
    "Dataset",
    "OutOfBoundsError",
    "Plan",
    "UnknownNameError",
    "open",
    "open_tensors",
    "to_numpy",
    "write",
]
__version__ = "0.1.0"


def open(spark: Any, uri: str, **options: Any) -> Dataset:
    """Opens an array or a group; reads metadata only.

    ``options`` are those of ``spark.read.format("arraymorph")`` but for ``rows`` and ``slice``,
    with ``_`` for ``-``: ``array``, ``decode``, ``missing``, ``planner``, ``profile``, ``phi``,
    ``v2_fill``. Credentials are those of the session. Over Spark Connect, where there is no JVM,
    the dataset is read through the table of ``uri``, and ``plan()`` is not there.
    """
    from arraymorph.source import JvmSource, jvm_of, option_texts

    is_session = hasattr(spark, "_jvm") or hasattr(spark, "read")
    if not isinstance(uri, (str, os.PathLike)) or not is_session:
        raise TypeError(f"open(spark, uri) takes a session and a text or path, not {uri!r}")
    texts = option_texts(options)
    jvm = jvm_of(spark)
    if jvm is None:
        from arraymorph.connect import TableSource

        return Dataset(TableSource(spark, str(uri), texts), {})
    return Dataset(JvmSource(spark, jvm, str(uri), texts), {})
