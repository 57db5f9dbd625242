import numpy as np
import pyarrow as pa
import pytest

from arraymorph import to_numpy

TENSOR = pa.struct([("data", pa.list_(pa.float32())), ("shape", pa.list_(pa.int32()))])


def column(tensors):
    rows = [
        None if t is None else {"data": t.ravel().tolist(), "shape": list(t.shape)} for t in tensors
    ]
    return pa.array(rows, type=TENSOR)


def images(count, shape=(2, 3)):
    return np.arange(count * np.prod(shape), dtype="f4").reshape(count, *shape)


def test_equal_shapes_become_one_array():
    expected = images(4)
    np.testing.assert_array_equal(to_numpy(column(expected)), expected)


def test_arrow_memory_is_viewed_not_copied():
    arrow = column(images(4))
    result = to_numpy(arrow)
    address = arrow.field("data").values.buffers()[1].address
    assert result.__array_interface__["data"][0] == address
    assert not result.flags.writeable


def test_a_slice_of_a_column_gives_its_own_rows():
    expected = images(5)
    np.testing.assert_array_equal(to_numpy(column(expected).slice(2, 2)), expected[2:4])


def test_ragged_tensors_become_a_list():
    tensors = [images(1, (2, 3))[0], images(1, (4, 1))[0]]
    for got, expected in zip(to_numpy(column(tensors)), tensors):
        np.testing.assert_array_equal(got, expected)


def test_shapes_of_different_rank_become_a_list():
    tensors = [images(1, (2, 3))[0], images(1, (6,))[0]]
    assert [t.shape for t in to_numpy(column(tensors))] == [(2, 3), (6,)]


def test_null_tensors_stay_null():
    first = images(1)[0]
    got = to_numpy(column([first, None]))
    np.testing.assert_array_equal(got[0], first)
    assert got[1] is None


def test_null_cells_become_nan():
    arrow = pa.array([{"data": [1.0, None], "shape": [2]}], type=TENSOR)
    np.testing.assert_array_equal(to_numpy(arrow), [[1.0, np.nan]])


def test_chunked_columns_are_gathered_in_order():
    expected = images(4)
    chunked = pa.chunked_array([column(expected[:1]), column(expected[1:])])
    np.testing.assert_array_equal(to_numpy(chunked), expected)


def test_one_tensor_from_a_mapping():
    np.testing.assert_array_equal(
        to_numpy({"data": [1, 2, 3, 4], "shape": [2, 2]}), [[1, 2], [3, 4]]
    )


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="not a tensor"):
        to_numpy(3)
