"""Slices of Delta tensors as scipy, pydata/sparse and torch have them, and back; text files.

Only torch is no requirement of the tests, for it is large: its tests are skipped by name where it
is not installed; src-test/benchmarks/requirements-sparse.txt has the version they ran with.
"""

from datetime import UTC, datetime
from time import sleep

import numpy as np
import pytest
from arraymorph import ArrayMorphError, open_tensors

SHAPE = (9, 14)


def matrix(dtype="f8", seed=3):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 100, SHAPE).astype(dtype)
    values[rng.random(SHAPE) < 0.7] = 0
    return values


def cube(dtype="f8"):
    return np.stack([matrix(dtype, seed) for seed in range(5)])


def cells(dense):
    return np.stack(np.nonzero(dense)), dense[np.nonzero(dense)], dense.shape


@pytest.fixture(scope="module")
def tensors(spark, tmp_path_factory):
    found = open_tensors(spark, str(tmp_path_factory.mktemp("exports")))
    found = found.write("matrix", cells(matrix()), storage="csf")
    return found.write("cube", cells(cube()), storage="bsgs", block=(2, 4, 5))


KEYS = [
    ...,
    slice(2, 7),
    (slice(None), slice(None, None, -2)),
    ([3, 3, 0], slice(4, 9)),
    slice(0, 0),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_scipy_matrices(tensors, key):
    pytest.importorskip("scipy")
    found = tensors["matrix"][key].scipy()
    np.testing.assert_array_equal(found.toarray(), matrix()[key])
    np.testing.assert_array_equal(found.tocsr().toarray(), matrix()[key])


def test_scipy_arrays_of_one_and_of_more_dimensions(tensors):
    pytest.importorskip("scipy")
    np.testing.assert_array_equal(tensors["matrix"][4].scipy().toarray(), matrix()[4])
    np.testing.assert_array_equal(tensors["cube"][1:3].scipy().toarray(), cube()[1:3])


@pytest.mark.parametrize("kind", ["coo", "csr", "csc", "bsr", "lil", "dok", "dia"])
@pytest.mark.parametrize("dtype", ["?", "i4", "u8", "f4", "c16"])
def test_scipy_arrays_are_written(spark, tmp_path, kind, dtype):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    given = scipy_sparse.coo_array(matrix(dtype)).asformat(kind)
    tensors = open_tensors(spark, str(tmp_path)).write("t", given)
    assert tensors["t"].dtype == np.dtype(dtype)
    np.testing.assert_array_equal(tensors["t"][...].numpy(), matrix(dtype))


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_pydata_sparse_arrays(tensors, key):
    sparse = pytest.importorskip("sparse")
    found = tensors["cube"][key].sparse()
    assert isinstance(found, sparse.COO)
    np.testing.assert_array_equal(found.todense(), cube()[key])
    np.testing.assert_array_equal((found + found).todense(), 2 * cube()[key])


@pytest.mark.parametrize("kind", ["coo", "gcxs", "dok"])
def test_pydata_sparse_arrays_are_written_with_their_fill_value(spark, tmp_path, kind):
    sparse = pytest.importorskip("sparse")
    dense = cube("i4") - 7
    given = sparse.COO.from_numpy(dense, fill_value=-7).asformat(kind)
    tensors = open_tensors(spark, str(tmp_path)).write("t", given)
    assert tensors["t"].nnz == np.count_nonzero(dense + 7)
    back = tensors["t"][1:, ::2].sparse()
    assert back.fill_value == -7
    np.testing.assert_array_equal(back.todense(), dense[1:, ::2])
    with pytest.raises(ArrayMorphError, match="UNSUPPORTED_FEATURE"):
        tensors["t"][0].scipy()


@pytest.mark.parametrize("key", [k for k in KEYS], ids=str)
def test_torch_tensors(tensors, key):
    pytest.importorskip("torch")
    found = tensors["cube"][key].torch()
    assert found.is_coalesced()
    np.testing.assert_array_equal(found.to_dense().numpy(), cube()[key])


@pytest.mark.parametrize("kind", ["coo", "csr", "dense"])
def test_torch_tensors_are_written(spark, tmp_path, kind):
    torch = pytest.importorskip("torch")
    given = torch.from_numpy(matrix("f4"))
    if kind != "dense":
        given = given.to_sparse() if kind == "coo" else given.to_sparse_csr()
    tensors = open_tensors(spark, str(tmp_path)).write("t", given)
    np.testing.assert_array_equal(tensors["t"].numpy(), matrix("f4"))


def test_time_travel_by_timestamp(spark, tmp_path):
    uri = str(tmp_path)
    first = open_tensors(spark, uri).write("t", cells(matrix(seed=1)))
    sleep(0.05)
    between = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    sleep(0.05)
    second = first.write("t", cells(matrix(seed=2)), mode="replace")
    np.testing.assert_array_equal(second["t"].numpy(), matrix(seed=2))
    for old in (
        open_tensors(spark, uri, timestamp=between),
        open_tensors(spark, uri, version=first.version),
        second.at(first.version),
    ):
        np.testing.assert_array_equal(old["t"].numpy(), matrix(seed=1))
    read = spark.read.format("arraymorph").option("tensor", "t").option("timestampAsOf", between)
    assert read.load(uri).count() == np.count_nonzero(matrix(seed=1))
    with pytest.raises(ArrayMorphError, match="OUT_OF_BOUNDS"):
        open_tensors(spark, uri, timestamp="1999-01-01T00:00:00Z")
    with pytest.raises(ArrayMorphError, match="INVALID_OPTION"):
        open_tensors(spark, uri, timestamp="yesterday")


def test_frostt_text_in_and_out(spark, tmp_path, tensors):
    text = tmp_path / "cube.tns"
    assert tensors["cube"].to_tns(text) == np.count_nonzero(cube())
    lines = text.read_text().splitlines()
    assert len(lines) == np.count_nonzero(cube())
    first = np.argwhere(cube())[0]
    assert lines[0].split()[:3] == [str(i + 1) for i in first]
    found = open_tensors(spark, str(tmp_path / "t"))
    found = found.read_tns("again", text, shape=cube().shape, names=["a", "b", "c"], storage="csf")
    np.testing.assert_array_equal(found["again"].numpy(), cube())
    assert (found["again"].dims, found["again"].encoding) == (("a", "b", "c"), "csf")
    tensors["matrix"].to_tns(text, slice(0, 3), extended=True)
    found = found.read_tns("part", text)
    assert found["part"].shape == (3, SHAPE[1])
    np.testing.assert_array_equal(found["part"].numpy(), matrix()[:3])
    text.write_text("1 2 3.5\n1 x 2\n")
    with pytest.raises(ArrayMorphError, match="METADATA_INVALID"):
        found.read_tns("bad", text)
    text.write_text("1 2 3.5\n1 2 2\n")
    with pytest.raises(ArrayMorphError, match="DUPLICATE_CELL"):
        found.read_tns("bad", text)
    text.write_text("1 20 3.5\n")
    with pytest.raises(ArrayMorphError, match="OUT_OF_BOUNDS"):
        found.read_tns("bad", text, shape=(4, 4))
    assert "bad" not in found.latest()


def test_a_flat_table_is_read_by_others(spark, tmp_path):
    deltalake = pytest.importorskip("deltalake")
    polars = pytest.importorskip("polars")
    uri = str(tmp_path / "flat")
    dense = cube()
    rows = [(int(i), int(j), int(k), float(dense[i, j, k])) for i, j, k in np.argwhere(dense)]
    frame = spark.createDataFrame(rows, "day BIGINT, hour BIGINT, place BIGINT, trips DOUBLE")
    writer = frame.write.format("arraymorph").option("layout", "flat").option("tensor", "t")
    writer.option("storage", "coo").option("shape", ",".join(map(str, dense.shape))).save(uri)
    table = deltalake.DeltaTable(uri).to_pyarrow_table()
    query = polars.scan_delta(uri).filter((polars.col("day") == 3) & (polars.col("hour") < 4))
    found = query.sort("hour", "place").collect()
    want = dense[3, :4]
    assert found["trips"].to_list() == want[np.nonzero(want)].tolist()
    assert found["place"].to_list() == np.nonzero(want)[1].tolist()
    assert table.num_rows == len(rows)
    assert table.column_names == ["day", "hour", "place", "trips"]
    np.testing.assert_array_equal(open_tensors(spark, uri)["t"][3, :4].numpy(), want)


def test_a_flat_table_is_queried_by_duckdb(spark, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    extensions = pytest.importorskip("duckdb_extensions")
    uri = str(tmp_path / "flat")
    dense = cube()
    where = np.nonzero(dense)
    tensors = open_tensors(spark, uri, options={"layout": "flat"})
    names = ["day", "hour", "place"]
    tensors = tensors.write("t", (np.stack(where), dense[where], dense.shape), names=names)
    tensors.write("t", (np.stack(where), dense[where], dense.shape), names=names, mode="append")
    with duckdb.connect() as connection:
        # From a package, as the servers of extensions may be out of reach.
        extensions.import_extension("delta", con=connection)
        connection.execute("LOAD delta")
        found = connection.execute(
            f"SELECT place, value FROM delta_scan('{uri}') WHERE day = 3 AND hour < 4"
            " ORDER BY hour, place"
        ).fetchall()
        total = connection.execute(f"SELECT count(*), sum(value) FROM delta_scan('{uri}')")
        count, sum_of_all = total.fetchone()
    want = dense[3, :4]
    assert [value for _, value in found] == want[np.nonzero(want)].tolist()
    assert [place for place, _ in found] == np.nonzero(want)[1].tolist()
    assert count == 2 * len(where[0])
    assert sum_of_all == pytest.approx(2 * dense.sum())
