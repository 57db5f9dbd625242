"""Writing numpy and xarray: the driver's JVM writes what it maps, all of it or nothing."""

from __future__ import annotations

import base64
import contextlib
import json
import math
import os
import shutil
import struct
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from arraymorph.errors import ArrayMorphError, coded, error
from arraymorph.source import jvm_of, option_texts
from arraymorph.staging import scratch
from arraymorph.transfer import wait

Sizes = Union[Sequence[int], Mapping[str, int], None]


def write(
    spark: Any,
    data: Any,
    uri: str,
    *,
    mode: str = "errorifexists",
    dims: Sequence[str] | None = None,
    chunks: Sizes = None,
    shards: Sizes = None,
    compression: str = "zstd",
    fill: Any = None,
    append_dim: str | None = None,
    **options: Any,
) -> None:
    """Writes an array of numpy, or a DataArray or Dataset of xarray, as Zarr v3.

    A numpy array, and a DataArray without coordinates, become an array at ``uri``; everything
    else a group with an array for each variable and coordinate, encoded as xarray encodes (times
    as ``units .. since ..``) and with its attributes.

    ``mode`` is ``errorifexists``, ``overwrite``, ``ignore`` or ``append`` (one array, which grows
    along ``append_dim``, by default its first dimension). ``chunks`` and ``shards`` are sizes in
    the order of the dimensions or by name; chosen if not given. ``options`` are those of the
    store. The write is the one of ``df.write``: claimed, atomic, nothing left after a failure.
    """
    jvm = jvm_of(spark)
    if jvm is None:
        raise error(
            "UNSUPPORTED_FEATURE",
            "write() over Spark Connect, where there is no JVM to call. "
            "Write a DataFrame with df.write.format('arraymorph').",
        )
    modes = ("errorifexists", "overwrite", "append", "ignore")
    if mode not in modes:
        raise error("INVALID_OPTION", f"mode {mode!r}. Use {', '.join(modes)}.")
    arrays, group = _parts(data, dims)
    if mode == "append" and (group is not None or len(arrays) != 1):
        raise error(
            "UNSUPPORTED_FEATURE",
            "an append of a group. Append to one array, or use df.write.mode('append').",
        )
    given_names = set(chunks or ()) if isinstance(chunks, Mapping) else set()
    unknown = given_names - {d for a in arrays for d in a["dims"]}
    if unknown:
        raise error("UNKNOWN_DIMENSION", f"chunks name {sorted(unknown)}. Use those of the data.")
    for name, sizes in (("chunks", chunks), ("shards", shards)):
        if sizes is not None and not isinstance(sizes, Mapping):
            ranks = [a["values"].ndim for a in arrays]
            if len(sizes) not in ranks:
                raise error(
                    "INVALID_OPTION",
                    f"{name} {list(sizes)} of arrays of {max(ranks)} dimensions. "
                    "Give one size for each dimension.",
                )
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(_folder(sum(a["values"].nbytes for a in arrays)))
        for number, array in enumerate(arrays):
            values = array.pop("values")
            array["chunks"] = _sizes(chunks, array, values.shape, array.pop("chunks", None))
            array["shards"] = _sizes(shards, array, values.shape, None)
            array["compression"] = compression
            if fill is not None:
                array["fill"] = _text(fill)
            array["file"] = os.path.join(folder, f"{number}.npy")
            np.save(array["file"], values, allow_pickle=False)
        specification = {
            "mode": mode,
            "append_dim": append_dim or "",
            "group": group,
            "arrays": arrays,
            "bytes": sum(os.path.getsize(a["file"]) for a in arrays),
        }
        with coded():
            job = jvm.io.arraymorph.spark.python.PythonWrite.start(
                spark._jsparkSession,
                str(uri),
                option_texts(options),
                json.dumps(specification, default=_plain),
            )
        wait(job, str(uri).rsplit("/", 1)[-1])


@contextlib.contextmanager
def _folder(size: int) -> Any:
    place = scratch()
    free = shutil.disk_usage(place).free
    if free < size * 1.01:
        raise ArrayMorphError(
            "STORE_FULL",
            f"{size} bytes on their way need room in {place}, which has {free} free. "
            "Write in parts, or name another folder with ARRAYMORPH_SCRATCH.",
        )
    with tempfile.TemporaryDirectory(prefix="arraymorph-", dir=place) as folder:
        yield folder


def _parts(data: Any, dims: Sequence[str] | None) -> tuple[list[dict], dict | None]:
    """The arrays to write, and the attributes of their group if there is one."""
    kind = type(data).__module__.split(".")[0]
    if kind != "xarray":
        if np.ma.is_masked(data):
            raise error(
                "UNSUPPORTED_TYPE",
                "a masked array, whose mask an array cannot hold. "
                "Write data.filled(value) with that fill, or NaN.",
            )
        values = np.asarray(data, order="C")
        names = [f"dim_{i}" for i in range(values.ndim)] if dims is None else list(dims)
        return [_array("", names, values, {})], None
    if dims is not None:
        raise error("INVALID_OPTION", "dims of xarray's data. Rename its dimensions instead.")
    import xarray

    if isinstance(data, xarray.DataArray):
        if not data.coords:
            variable = xarray.conventions.encode_cf_variable(data.variable)
            return [_encoded("", variable)], None
        data = data.to_dataset(name=data.name or "data")
    if not isinstance(data, xarray.Dataset):
        raise error("UNSUPPORTED_TYPE", f"a {type(data).__name__}. Write a DataArray or Dataset.")
    with_coordinates = xarray.conventions.encode_dataset_coordinates(data)
    variables, attrs = xarray.conventions.cf_encoder(*with_coordinates)
    return [_encoded(str(n), v) for n, v in variables.items()], attrs


def _encoded(name: str, variable: Any) -> dict:
    array = _array(name, [str(d) for d in variable.dims], np.asarray(variable.values), {})
    attrs = dict(variable.attrs)
    missing = attrs.pop("_FillValue", None)
    if missing is not None and array["values"].dtype.kind in "iu":
        attrs["_FillValue"] = int(missing)
        array["fill"] = str(int(missing))
    elif missing is not None and array["values"].dtype.kind == "f":
        array["fill"] = _text(missing)
        if not math.isnan(missing):
            attrs["_FillValue"] = base64.b64encode(struct.pack("<d", float(missing))).decode()
    array["attributes"] = attrs
    stored = variable.encoding.get("chunks")
    if stored and len(stored) == len(array["dims"]):
        array["chunks"] = [int(n) for n in stored]
    return array


def _array(name: str, dims: list[str], values: np.ndarray, attributes: dict) -> dict:
    if len(dims) != values.ndim or len(set(dims)) != len(dims):
        raise error(
            "INVALID_OPTION",
            f"dims {dims} for an array of shape {values.shape}. Give one name for each dimension.",
        )
    text = values.dtype.kind in "OUT"
    if values.dtype.kind == "T":
        values = values.astype(object)
    if values.dtype.kind == "O" and not all(isinstance(v, str) for v in values.flat):
        raise error(
            "UNSUPPORTED_TYPE",
            f"objects in array '{name}'. Of objects only texts can be written; use astype().",
        )
    if text:
        values = values.astype("U")
        if values.dtype.itemsize == 0:
            values = values.astype("U1")
    return {
        "name": name,
        "dims": dims,
        "values": np.asarray(values, order="C"),
        "text": text,
        "attributes": attributes,
    }


def _sizes(sizes: Sizes, array: dict, shape: tuple, otherwise: Any) -> list[int] | None:
    if sizes is None:
        return otherwise
    if isinstance(sizes, Mapping):
        if not set(sizes) & set(array["dims"]):
            return otherwise
        return [int(sizes.get(d, max(1, n))) for d, n in zip(array["dims"], shape)]
    # Sizes in order are those of the data, not of its coordinates.
    return [int(n) for n in sizes] if len(sizes) == len(shape) else otherwise


def _text(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return "NaN" if math.isnan(value) else repr(float(value))
    return str(value)


def _plain(value: Any) -> Any:
    """Attributes of numpy's types as JSON has them."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise error("UNSUPPORTED_TYPE", f"attribute of type {type(value).__name__}. Use JSON's types.")
