"""The peers of bin/bench dense in a process of their own: one command a line, one answer a line.

``{"op": "open", "system": .., "endpoint": .., "layout": ..}`` opens an array, ``{"op": "run",
"system": .., "boxes": ..}`` reads boxes, checks the values, and answers seconds and whether they
were right.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable

import dense_data
import numpy as np
from dense_store import ACCESS_KEY, BUCKET, SECRET_KEY

# Requests at a time: as many as our reader may have.
REQUESTS = 256

Reader = Callable[[list[tuple[slice, ...]]], list[np.ndarray]]


def tensorstore_reader(endpoint: str, layout: str) -> Reader:
    """All boxes asked for at once; no cache."""
    import tensorstore

    os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"] = ACCESS_KEY, SECRET_KEY
    array = tensorstore.open(
        {
            "driver": "zarr3",
            "kvstore": {
                "driver": "s3",
                "bucket": BUCKET,
                "path": dense_data.key(layout) + "/",
                "endpoint": endpoint,
                "aws_region": "us-east-1",
                "aws_credentials": {"type": "environment"},
            },
            "context": {
                "cache_pool": {"total_bytes_limit": 0},
                "s3_request_concurrency": {"limit": REQUESTS},
            },
        },
        open=True,
        read=True,
    ).result()

    def read(boxes: list[tuple[slice, ...]]) -> list[np.ndarray]:
        futures = [array[box].read() for box in boxes]
        return [future.result() for future in futures]

    return read


def _zarr_store(endpoint: str) -> object:
    from obstore.store import S3Store
    from zarr.storage import ObjectStore

    return ObjectStore(
        S3Store(
            BUCKET,
            endpoint=endpoint,
            region="us-east-1",
            access_key_id=ACCESS_KEY,
            secret_access_key=SECRET_KEY,
            virtual_hosted_style_request=False,
            client_options={"allow_http": True},
        ),
        read_only=True,
    )


def zarr_reader(endpoint: str, layout: str) -> Reader:
    """zarr-python over obstore as users call it: box after box."""
    import zarr

    array = zarr.open_array(
        _zarr_store(endpoint), path=dense_data.key(layout), mode="r", zarr_format=3
    )
    return lambda boxes: [array[box] for box in boxes]


def gathered_reader(endpoint: str, layout: str) -> Reader:
    """zarr-python over obstore, all boxes gathered."""
    import zarr
    from zarr.core.sync import sync

    zarr.config.set({"async.concurrency": REQUESTS})
    array = zarr.open_array(
        _zarr_store(endpoint), path=dense_data.key(layout), mode="r", zarr_format=3
    )

    async def gather(boxes: list[tuple[slice, ...]]) -> list[np.ndarray]:
        return await asyncio.gather(*(array.async_array.getitem(box) for box in boxes))

    def read(boxes: list[tuple[slice, ...]]) -> list[np.ndarray]:
        return sync(gather(boxes))

    return read


def tiledb_settings(endpoint: str) -> dict[str, str]:
    """How TileDB reaches the store."""
    return {
        "vfs.s3.endpoint_override": endpoint.removeprefix("http://"),
        "vfs.s3.scheme": "http",
        "vfs.s3.region": "us-east-1",
        "vfs.s3.use_virtual_addressing": "false",
        "vfs.s3.aws_access_key_id": ACCESS_KEY,
        "vfs.s3.aws_secret_access_key": SECRET_KEY,
        "vfs.s3.max_parallel_ops": str(REQUESTS),
        "sm.io_concurrency_level": str(REQUESTS),
        "sm.tile_cache_size": "0",
    }


def tiledb_reader(endpoint: str, layout: str) -> Reader:
    """TileDB-Py over tiles of the same shape: box after box."""
    import tiledb

    context = tiledb.Ctx(tiledb_settings(endpoint))
    uri = f"s3://{BUCKET}/{dense_data.key(layout)}.tdb"
    array = tiledb.open(uri, "r", ctx=context)

    def read(boxes: list[tuple[slice, ...]]) -> list[np.ndarray]:
        answers = []
        for box in boxes:
            steps = tuple(dimension.step or 1 for dimension in box)
            whole = array[tuple(slice(dimension.start, dimension.stop) for dimension in box)]["v"]
            answers.append(whole[tuple(slice(None, None, step) for step in steps)])
        return answers

    return read


SYSTEMS = {
    "tensorstore": tensorstore_reader,
    "zarr-python": zarr_reader,
    "zarr-python gathered": gathered_reader,
    "tiledb": tiledb_reader,
}


def main() -> None:
    """Answers commands until its input ends."""
    shape = (dense_data.SIDE, dense_data.SIDE)
    values = np.memmap(sys.argv[1], dtype="<i4", mode="r", shape=shape)
    readers: dict[str, Reader] = {}
    for line in sys.stdin:
        command = json.loads(line)
        try:
            if command["op"] == "open":
                readers.pop(command["system"], None)
                reader = SYSTEMS[command["system"]](command["endpoint"], command["layout"])
                readers[command["system"]] = reader
                answer = {}
            elif command["op"] == "write":
                uri = f"s3://{BUCKET}/{dense_data.key(command['layout'])}.tdb"
                chunk, _ = dense_data.LAYOUTS[command["layout"]]
                dense_data.write_tiledb(values, uri, tiledb_settings(command["endpoint"]), chunk)
                answer = {}
            else:
                boxes = [tuple(slice(*part) for part in box) for box in command["boxes"]]
                cpu, begun = time.process_time(), time.perf_counter()
                found = readers[command["system"]](boxes)
                seconds = time.perf_counter() - begun
                cpu = time.process_time() - cpu
                right = all(
                    np.array_equal(got, values[box]) for got, box in zip(found, boxes, strict=True)
                )
                answer = {"seconds": seconds, "cpu": cpu, "ok": right}
        except Exception as failure:
            answer = {"error": f"{type(failure).__name__}: {failure}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
