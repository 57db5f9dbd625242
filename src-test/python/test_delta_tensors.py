"""Slices of Delta tensors in Python against numpy, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from arraymorph import ArrayMorphError, open_tensors

SHAPE = (30, 17, 40)
NAMES = ["day", "hour", "place"]


def cells(seed: int, count: int, dtype="f8"):
    """Random unique cells and the dense array they stand for."""
    rng = np.random.default_rng(seed)
    places = rng.choice(np.prod(SHAPE), count, replace=False)
    values = rng.integers(1, 100, count).astype(dtype)
    dense = np.zeros(SHAPE, dtype)
    dense.ravel()[places] = values
    return (np.stack(np.unravel_index(places, SHAPE)), values, SHAPE), dense


@pytest.fixture(scope="module")
def tensors(spark, tmp_path_factory):
    """A table with one tensor in each encoding."""
    found = open_tensors(spark, str(tmp_path_factory.mktemp("delta") / "tensors"))
    for storage in ("bsgs", "coo", "csr", "csc", "csf"):
        found = found.write(storage, cells(7, 3000)[0], names=NAMES, storage=storage)
    return found.write("ftsf", cells(7, 3000)[1], names=NAMES, block=(7, 17, 11))


@pytest.mark.parametrize("storage", ["bsgs", "coo", "csr", "csc", "csf", "ftsf"])
def test_any_slice_is_numpys(tensors, storage):
    dense, tensor = cells(7, 3000)[1], tensors[storage]
    assert (tensor.shape, tensor.dims, tensor.dtype) == (SHAPE, tuple(NAMES), np.dtype("f8"))
    keys = [
        ...,
        5,
        (-1, slice(None, None, -3)),
        (slice(3, 9), 4, slice(40, 10, -7)),
        (slice(5, 5),),
        (..., -40),
        (slice(2, 4), slice(1, 9), slice(30, 35)),
        (3, 4, 5),
        (slice(-100, 100), slice(16, None)),
    ]
    for key in keys:
        np.testing.assert_array_equal(tensor[key].numpy(), dense[key], err_msg=str(key))
        np.testing.assert_array_equal(tensor.numpy(key), dense[key], err_msg=str(key))
    lists = ([4, 4, 1], slice(None), np.array([0, 39]))
    np.testing.assert_array_equal(
        tensor[lists].numpy(), dense[np.ix_([4, 4, 1], range(17), [0, 39])]
    )


def test_cells_are_sorted_and_unique(tensors):
    found = tensors["bsgs"][3:20]
    place = np.ravel_multi_index(tuple(found.columns), found.shape)
    assert (np.diff(place) > 0).all()
    assert found.coords.shape == (3, found.nnz)


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u2", "i4", "u8", "f4", "f8", "c16", "M8[ms]", "m8[us]", "S5", "U7"]
)
def test_types_come_back(spark, tmp_path, dtype):
    values = np.arange(1, 200).astype("i8").astype(dtype)
    coords = np.arange(199)[None, :] * 3
    fill = np.zeros(1, dtype)[0]
    tensors = open_tensors(spark, str(tmp_path / "t"))
    tensors = tensors.write("t", (coords, values, (700,)), fill=fill)
    assert tensors["t"].dtype == np.dtype(dtype)
    np.testing.assert_array_equal(tensors["t"][...].values, values)


def test_text_comes_back(spark, tmp_path):
    values = np.array(["a", "", "äöü", "long " * 30], dtype=object)
    tensors = open_tensors(spark, str(tmp_path / "t")).write(
        "t", (np.array([[1, 5, 6, 9]]), values, (10,)), fill=""
    )
    assert tensors["t"][...].values.tolist() == values.tolist()
    assert tensors["t"][5:7].numpy().tolist() == ["", "äöü"]


def test_versions_append_replace_and_delete(spark, tmp_path):
    first, dense = cells(1, 100)
    tensors = open_tensors(spark, str(tmp_path / "t")).write("a", first, names=NAMES)
    grown = tensors.write("a", cells(2, 90)[0], names=NAMES, mode="append", append_dim="place")
    both = np.concatenate([dense, cells(2, 90)[1]], axis=2)
    np.testing.assert_array_equal(grown["a"][...].numpy(), both)
    np.testing.assert_array_equal(tensors["a"][...].numpy(), dense)
    replaced = grown.write("a", cells(3, 50)[0], names=NAMES, mode="replace")
    assert replaced["a"].nnz == 50
    gone = replaced.write("b", first, names=NAMES).delete("a")
    assert list(gone) == ["b"] and "a" not in gone
    old = open_tensors(spark, str(tmp_path / "t"), version=tensors.version)
    np.testing.assert_array_equal(old["a"][...].numpy(), dense)


def test_dense_appends_that_do_not_end_at_a_chunk(spark, tmp_path):
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 9, (5, 6), "u1"), rng.integers(0, 9, (4, 6), "u1")
    tensors = open_tensors(spark, str(tmp_path / "t")).write("d", a, block=(3, 4))
    tensors = tensors.write("d", b, mode="append")
    np.testing.assert_array_equal(tensors["d"].numpy(), np.concatenate([a, b]))
    sparse_cells = (np.array([[0, 3], [1, 5]]), np.array([7, 8], "u1"), (4, 6))
    tensors = tensors.write("d", sparse_cells, mode="append")
    want = np.zeros((4, 6), "u1")
    want[0, 1], want[3, 5] = 7, 8
    np.testing.assert_array_equal(tensors["d"].numpy(), np.concatenate([a, b, want]))
    np.testing.assert_array_equal(
        tensors["d"][4:11:2].numpy(), np.concatenate([a, b, want])[4:11:2]
    )


def test_bad_input_has_codes(spark, tmp_path):
    tensors = open_tensors(spark, str(tmp_path / "t"))
    one = np.array([1.0])

    def refused(data, **options):
        with pytest.raises(ArrayMorphError) as failure:
            tensors.write("t", data, **options)
        return failure.value.code

    assert refused((np.array([[5]]), one, (5,))) == "OUT_OF_BOUNDS"
    assert refused((np.array([[-1]]), one, (5,))) == "OUT_OF_BOUNDS"
    assert refused((np.array([[1 << 40]]), one, (5,))) == "OUT_OF_BOUNDS"
    assert refused((np.array([[1.5]]), one, (5,))) == "TYPE_MISMATCH"
    assert refused((np.array([[np.nan]]), one, (5,))) == "TYPE_MISMATCH"
    assert refused((np.array([[1], [2]]), one, (5,))) == "SHAPE_MISMATCH"
    assert refused((np.array([[1, 1]]), np.ones(2), (5,))) == "DUPLICATE_CELL"
    assert refused((np.array([[1]]), one, (5,)), block=(1, 2)) == "SHAPE_MISMATCH"
    assert refused((np.array([[1]]), one, (5,)), storage="tree") == "INVALID_OPTION"
    assert refused((np.array([[1]]), one, (5,)), slice_hint=["x"]) == "UNKNOWN_DIMENSION"
    with pytest.raises(ArrayMorphError, match="NOT_A_TENSOR_TABLE"):
        tensors["t"]
    tensors = tensors.write("t", (np.array([[1, 1]]), np.ones(2), (5,)), duplicates="sum")
    assert tensors["t"][1].numpy() == 2.0
    with pytest.raises(KeyError, match="UNKNOWN_TENSOR"):
        tensors["u"]
    with pytest.raises(ArrayMorphError, match="OUT_OF_BOUNDS"):
        tensors["t"][9]
    assert refused((np.array([[1]]), one, (5,))) == "ARRAY_EXISTS"
    with pytest.raises(ArrayMorphError, match="OUT_OF_BOUNDS"):
        tensors.at(99)


def test_arguments_that_mean_nothing_are_refused(spark, tmp_path):
    tensors = open_tensors(spark, str(tmp_path / "t"))
    one = (np.array([[1], [1]]), np.array([1.0]), (3, 3))

    def code(write):
        with pytest.raises(ArrayMorphError) as failure:
            write()
        return failure.value.code

    for names in (["a", "a"], ["a", "A"], ["", "b"], ["a", "Value"]):
        assert code(lambda names=names: tensors.write("t", one, names=names)) == (
            "INVALID_IDENTIFIER"
        )
        assert code(lambda names=names: tensors.write("t", np.ones((2, 2)), names=names)) == (
            "INVALID_IDENTIFIER"
        )
    for names in (["a"], [1, 2], ["a", "b", "c"]):
        assert code(lambda names=names: tensors.write("t", one, names=names)) == "SHAPE_MISMATCH"
    assert code(lambda: tensors.write("t", (*one[:2], (3, -3)))) == "SHAPE_MISMATCH"
    for shape in ((3.5, 3), "33"):
        with pytest.raises(TypeError, match="a shape is integers"):
            tensors.write("t", (*one[:2], shape))
    for name in (None, 7):
        with pytest.raises(TypeError, match="id of a tensor"):
            tensors.write(name, one)
    tensors = tensors.write("t", one)
    for key in ("x", 1.5, None, slice("a", None)):
        with pytest.raises(TypeError, match="is no index"):
            tensors["t"][key]
    uri = str(tmp_path / "t")
    assert code(lambda: open_tensors(spark, uri, version=-1)) == "INVALID_OPTION"
    both = {"version": 0, "timestamp": "2020-07-01T12:00:00Z"}
    assert code(lambda: open_tensors(spark, uri, **both)) == "INVALID_OPTION"


def test_text_files_that_are_none_are_named(spark, tmp_path):
    tensors = open_tensors(spark, str(tmp_path / "t"))
    packed = tmp_path / "packed.tns"
    packed.write_bytes(b"\x1f\x8b\xff\xfe")
    for path, code in ((tmp_path / "none.tns", "OBJECT_NOT_FOUND"), (packed, "METADATA_INVALID")):
        with pytest.raises(ArrayMorphError, match=f"{code}.*{path.name}"):
            tensors.read_tns("t", path)
    tensors = tensors.write("t", (np.array([[1]]), np.array([1.0]), (3,)))
    with pytest.raises(ArrayMorphError, match="STORE_UNAVAILABLE"):
        tensors["t"].to_tns(tmp_path)


def test_no_file_is_left_behind(tensors):
    before = set(Path("/dev/shm").glob("arraymorph-*"))
    assert tensors["bsgs"][...].nnz == 3000
    assert set(Path("/dev/shm").glob("arraymorph-*")) <= before


def test_masks_select_as_in_numpy_or_are_refused(tensors):
    dense, tensor = cells(7, 3000)[1], tensors["bsgs"]
    days, places = np.arange(30) % 3 == 0, np.arange(40) > 35
    np.testing.assert_array_equal(tensor[days].numpy(), dense[days])
    np.testing.assert_array_equal(tensor[..., places].numpy(), dense[..., places])
    for key in (np.ones(29, bool), np.ones((30, 17), bool), (..., days)):
        with pytest.raises(IndexError, match="mask"):
            tensor[key]


@pytest.mark.parametrize(
    ("values", "fill"),
    [
        (np.ones(1, "i4"), 0.5),
        (np.ones(1, "u1"), 300),
        (np.ones(1, "f8"), "none"),
        (np.array(["a"], object), 7),
        (np.array([None], object), ""),
        (np.array([b"a"], object), ""),
    ],
)
def test_what_would_be_stored_as_something_else_is_refused(spark, tmp_path, values, fill):
    with pytest.raises(ArrayMorphError, match="TYPE_MISMATCH"):
        open_tensors(spark, str(tmp_path)).write("t", (np.array([[1]]), values, (3,)), fill=fill)


def test_the_fill_value_of_texts_is_empty(spark, tmp_path):
    written = (np.array([[1]]), np.array(["ab"], "U2"), (3,))
    found = open_tensors(spark, str(tmp_path)).write("t", written)
    assert found["t"][...].numpy().tolist() == ["", "ab", ""]


@pytest.mark.parametrize("fill", [0, 9])
def test_large_dense_slices_come_chunk_by_chunk(spark, tmp_path, fill):
    """Also where chunks are missing, grew, are cut by the slice, or the fill value is no zero."""
    rng = np.random.default_rng(5)
    stack = rng.integers(100, 140, (24, 3, 160, 256), dtype="u1")
    stack[3:6] = stack[10, 1:] = fill
    tensors = open_tensors(spark, str(tmp_path / "t"))
    tensors = tensors.write("s", stack[:20], block=(1, 3, 160, 256), fill=fill)
    tensors = tensors.write("s", stack[20:], mode="append")
    tensors = tensors.write("pairs", stack, block=(2, 1, 160, 256), fill=fill)
    tensors = tensors.write("rows", stack, block=(5, 3, 32, 256), fill=fill)
    for name in ("s", "pairs", "rows"):
        for key in (
            ...,
            slice(2, 23),
            (slice(1, 24), 1),
            (slice(None), slice(1, 3)),
            (slice(4, 21), slice(None), slice(5, 150)),
            (slice(None), slice(None), slice(None), slice(1, None)),
        ):
            got = tensors[name].numpy(key)
            np.testing.assert_array_equal(got, stack[key], err_msg=f"{name} {key}")
