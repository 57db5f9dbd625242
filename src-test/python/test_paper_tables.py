"""Tables in the columns of the Delta Tensor paper, against another Delta library's eyes and hand.

What is decoded and encoded here follows the description of the paper's public code: what that
code reads is what we write, and what it writes we read.
"""

import io
import uuid

import numpy as np
import pytest
from arraymorph import open_tensors

deltalake = pytest.importorskip("deltalake")
pa = pytest.importorskip("pyarrow")

SHAPE = (7, 6, 5, 9)
INTS = pa.list_(pa.int32())
REALS = pa.list_(pa.float64())


def sample(seed, shape=SHAPE, count=300):
    rng = np.random.default_rng(seed)
    dense = np.zeros(shape)
    places = rng.choice(dense.size, count, replace=False)
    dense.ravel()[places] = rng.integers(1, 1000, count) / 8
    dense[2] = 0  # A gap in the first mode.
    return dense


def rows_of(path, tensor, column="id"):
    table = deltalake.DeltaTable(path).to_pyarrow_table().to_pylist()
    return [row for row in table if row[column] == tensor]


def from_ftsf(rows):
    rows = sorted(rows, key=lambda row: row["chunk_id"])
    chunks = [np.load(io.BytesIO(row["chunk"])) for row in rows]
    return np.stack(chunks).reshape(rows[0]["dimensions"])


def from_coo(rows):
    out = np.zeros(rows[0]["dense_shape"])
    for row in rows:
        out[tuple(row["indices"])] = row["value"]
    return out


def from_csr(rows):
    (row,) = rows
    out = np.zeros(row["flattened_shape"])
    for r, (start, end) in enumerate(
        zip(row["crow_indices"], row["crow_indices"][1:], strict=False)
    ):
        out[r, row["col_indices"][start:end]] = row["value"][start:end]
    return out.reshape(row["dense_shape"])


def from_csc(rows):
    (row,) = rows
    out = np.zeros(row["flattened_shape"])
    for c, (start, end) in enumerate(
        zip(row["ccol_indices"], row["ccol_indices"][1:], strict=False)
    ):
        out[row["row_indices"][start:end], c] = row["value"][start:end]
    return out.reshape(row["dense_shape"])


def from_csf(rows):
    rows = sorted(rows, key=lambda row: row["id"])
    shape = rows[0]["dense_shape"]
    names = ["zero", "one", *(f"{level}_chunk" for level in range(2, len(shape)))]

    def level(kind, name):
        return [x for row in rows for x in (row.get(f"{kind}_{name}") or [])]

    fids = [level("fid", name) for name in names]
    fptrs = [level("fptr", name) for name in names[:-1]]
    values = [x for row in rows for x in row["values_chunk"]]
    out = np.zeros(shape)

    def descend(depth, start, end, cell):
        for node in range(start, end):
            here = (*cell, fids[depth][node])
            if depth + 1 == len(shape):
                out[here] = values[node]
            else:
                descend(depth + 1, fptrs[depth][node], fptrs[depth][node + 1], here)

    descend(0, 0, len(fids[0]), ())
    return out


def from_bsgs(rows):
    out = np.zeros(rows[0]["dense_shape"])
    for row in rows:
        origin = np.array(row["index_array"]) * row["block_shape"]
        inner = np.array(row["value"][:-1]).astype(int)
        out[tuple(inner + origin[:, None])] = row["value"][-1]
    return out


DECODERS = {
    "ftsf": from_ftsf,
    "coo": from_coo,
    "csr": from_csr,
    "csc": from_csc,
    "csf": from_csf,
    "bsgs": from_bsgs,
}


@pytest.mark.parametrize("storage", list(DECODERS))
def test_what_we_write_is_what_the_papers_code_reads(spark, tmp_path, storage):
    path = str(tmp_path / storage)
    tensors = open_tensors(spark, path, options={"layout": "paper"})
    for seed in (1, 2):
        dense = sample(seed)
        data = dense
        if storage != "ftsf":
            where = np.nonzero(dense)
            data = (np.stack(where), dense[where], SHAPE)
        tensors = tensors.write(f"t{seed}", data, storage=storage)
    column = "tensor_id" if storage == "csf" else "id"
    for seed in (1, 2):
        np.testing.assert_array_equal(
            DECODERS[storage](rows_of(path, f"t{seed}", column)), sample(seed)
        )
        np.testing.assert_array_equal(tensors[f"t{seed}"][...].numpy(), sample(seed))


def ftsf(dense, tensor):
    chunks = dense.reshape(-1, *dense.shape[-3:])
    blobs = []
    for chunk in chunks:
        blob = io.BytesIO()
        np.save(blob, chunk)
        blobs.append(blob.getvalue())
    n = len(blobs)
    return {
        "id": pa.array([tensor] * n),
        "chunk": pa.array(blobs, pa.binary()),
        "chunk_id": pa.array(range(n), pa.int32()),
        "dim_count": pa.array([dense.ndim] * n, pa.int32()),
        "chunk_dim_count": pa.array([3] * n, pa.int32()),
        "dimensions": pa.array([list(dense.shape)] * n, INTS),
    }


def coo(dense, tensor):
    cells = np.argwhere(dense)
    n = len(cells)
    return {
        "id": pa.array([tensor] * n),
        "layout": pa.array(["COO"] * n),
        "dense_shape": pa.array([list(dense.shape)] * n, INTS),
        "indices": pa.array(cells.tolist(), INTS),
        "value": pa.array(dense[tuple(cells.T)], pa.float64()),
    }


def csr(dense, tensor):
    flat = dense.reshape(-1, dense.shape[-1])
    rows, columns = np.nonzero(flat)
    pointers = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(flat)))])
    return {
        "id": pa.array([tensor]),
        "layout": pa.array(["CSR"]),
        "flattened_shape": pa.array([list(flat.shape)], INTS),
        "dense_shape": pa.array([list(dense.shape)], INTS),
        "crow_indices": pa.array([pointers.tolist()], INTS),
        "col_indices": pa.array([columns.tolist()], INTS),
        "value": pa.array([flat[rows, columns].tolist()], REALS),
    }


def csf(dense, tensor, entries=50):
    """Parts of few entries, in reverse."""
    cells = np.argwhere(dense)
    rank = dense.ndim
    fids, fptrs = [[] for _ in range(rank)], [[0] for _ in range(rank - 1)]
    for level in range(rank):
        nodes, first = np.unique(cells[:, : level + 1], axis=0, return_index=True)
        fids[level] = nodes[:, level].tolist()
        if level:
            parents = np.unique(cells[:, :level], axis=0, return_inverse=True)[1].ravel()[first]
            fptrs[level - 1] += np.cumsum(np.bincount(parents)).tolist()
    values = dense[tuple(cells.T)].tolist()

    def piece(list_, part):
        return list_[part * entries : (part + 1) * entries]

    longest = max(len(values), *map(len, fids), *map(len, fptrs))
    rows = []
    for part in reversed(range(-(-longest // entries))):
        row = {
            "id": f"{tensor}_{part:04d}",
            "tensor_id": tensor,
            "layout": "CSF",
            "dense_shape": list(dense.shape),
            "fptr_zero": [] if part else fptrs[0],
            "fptr_one": [] if part else fptrs[1],
            "fid_zero": [] if part else fids[0],
            "fid_one": [] if part else fids[1],
            "values_chunk": piece(values, part),
        }
        for level in range(2, rank):
            if level < rank - 1:
                row[f"fptr_{level}_chunk"] = piece(fptrs[level], part) or None
            row[f"fid_{level}_chunk"] = piece(fids[level], part) or None
        rows.append(row)
    return {
        name: pa.array(
            [row[name] for row in rows],
            pa.string()
            if name in ("id", "tensor_id", "layout")
            else REALS
            if name == "values_chunk"
            else INTS,
        )
        for name in rows[0]
    }


def bsgs(dense, tensor, block=(2, 6, 3, 4)):
    cells = np.argwhere(dense)
    places, which = np.unique(cells // block, axis=0, return_inverse=True)
    values = []
    for i in range(len(places)):
        own = cells[which.ravel() == i]
        values.append([*(own % block).T.astype(float).tolist(), dense[tuple(own.T)].tolist()])
    n = len(places)
    return {
        "id": pa.array([tensor] * n),
        "layout": pa.array(["MODE_GENERIC"] * n),
        "dense_shape": pa.array([list(dense.shape)] * n, INTS),
        "block_shape": pa.array([list(block)] * n, INTS),
        "index_array": pa.array(places.tolist(), INTS),
        "value": pa.array(values, pa.list_(REALS)),
    }


@pytest.mark.parametrize("encode", [ftsf, coo, csr, csf, bsgs])
def test_what_others_write_in_the_papers_columns_we_read(spark, tmp_path, encode):
    path = str(tmp_path / "t")
    tensors = {str(uuid.uuid4()): sample(seed) for seed in (3, 4)}
    for tensor, dense in tensors.items():
        deltalake.write_deltalake(path, pa.table(encode(dense, tensor)), mode="append")
    found = open_tensors(spark, path)
    assert set(found) == set(tensors)
    for tensor, dense in tensors.items():
        read = found[tensor]
        assert (read.shape, read.dims, read.dtype) == (
            SHAPE,
            ("dim_0", "dim_1", "dim_2", "dim_3"),
            np.dtype("f8"),
        )
        for key in [..., 4, 2, (slice(1, 6), 3), (..., slice(7, 2, -2)), (slice(3, 3),)]:
            np.testing.assert_array_equal(read[key].numpy(), dense[key], err_msg=str(key))


def test_a_flat_table_of_polars_is_appended_to_from_python(spark, tmp_path):
    polars = pytest.importorskip("polars")
    path = str(tmp_path / "flat")
    tensors = open_tensors(spark, path, options={"layout": "flat"})
    dense = sample(5)
    where = np.nonzero(dense)
    data = (np.stack(where), dense[where], SHAPE)
    tensors = tensors.write("t", data, names=list("abcd"))
    tensors = tensors.write("t", data, names=list("abcd"), mode="append", append_dim="b")
    np.testing.assert_array_equal(tensors["t"][...].numpy(), np.concatenate([dense, dense], axis=1))
    frame = polars.scan_delta(path).filter(polars.col("b") >= SHAPE[1]).collect()
    assert frame["value"].sum() == dense.sum()
