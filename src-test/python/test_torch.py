"""Tensors of torch from arrays, tensor rows and Delta tables; skipped where torch is absent."""

from collections.abc import Iterator
from pathlib import Path

import arraymorph
import numpy as np
import pyarrow as pa
import pytest

torch = pytest.importorskip("torch")

from arraymorph.torch import Pieces  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

# Each slice is its own number, so that what came can be told.
CUBE = np.broadcast_to(np.arange(23, dtype="f4")[:, None, None], (23, 4, 5))


@pytest.fixture(scope="module")
def cube(spark, tmp_path_factory: pytest.TempPathFactory) -> arraymorph.Array:
    target = str(tmp_path_factory.mktemp("torch") / "cube.zarr")
    arraymorph.write(spark, CUBE, target, dims=["t", "y", "x"], chunks=[3, 4, 2])
    return arraymorph.open(spark, target)["cube"]


def _order(batches: DataLoader) -> list[int]:
    seen = []
    for batch in batches:
        assert batch.dtype == torch.float32 and batch.shape[1:] == (4, 5)
        assert (batch == batch[:, :1, :1]).all()
        seen += batch[:, 0, 0].int().tolist()
    return seen


@pytest.mark.parametrize("workers", [0, 2])
def test_every_slice_comes_once(cube: arraymorph.Array, workers: int) -> None:
    plain = _order(DataLoader(Pieces(cube, "t"), batch_size=4, num_workers=workers))
    assert sorted(plain) == list(range(23))
    if workers == 0:
        assert plain == list(range(23))
    shuffled = Pieces(cube, "t", shuffle=7)
    assert sorted(_order(DataLoader(shuffled, batch_size=4, num_workers=workers))) == sorted(plain)


@pytest.mark.parametrize("persistent", [False, True])
def test_each_epoch_has_its_order_in_workers_too(cube: arraymorph.Array, persistent: bool) -> None:
    def epochs() -> list[list[int]]:
        torch.manual_seed(1)
        pieces = Pieces(cube, "t", shuffle=7)
        loader = DataLoader(pieces, batch_size=4, num_workers=2, persistent_workers=persistent)
        return [_order(loader) for _ in range(3)]

    first = epochs()
    assert len({tuple(order) for order in first}) == 3
    assert all(sorted(order) == list(range(23)) for order in first)
    assert epochs() == first


@pytest.mark.parametrize("workers", [0, 2])
def test_a_chosen_epoch_has_one_order(cube: arraymorph.Array, workers: int) -> None:
    orders = []
    for epoch in (5, 6, 5):
        pieces = Pieces(cube, "t", shuffle=7)
        pieces.set_epoch(epoch)
        orders.append(_order(DataLoader(pieces, batch_size=4, num_workers=workers)))
    assert orders[0] == orders[2] != orders[1]


def test_a_pass_that_is_left_early_is_an_epoch_too(cube: arraymorph.Array) -> None:
    pieces = Pieces(cube, "t", shuffle=7)
    first = next(iter(pieces))
    assert first.shape == (4, 5)
    assert _order(DataLoader(pieces, batch_size=4)) != _order(DataLoader(pieces, batch_size=4))


def test_spawned_workers_are_refused(cube: arraymorph.Array) -> None:
    loader = DataLoader(Pieces(cube, "t"), num_workers=1, multiprocessing_context="spawn")
    with pytest.raises(arraymorph.ArrayMorphError) as refused:
        list(loader)
    assert refused.value.code == "UNSUPPORTED_FEATURE"


def test_training_on_pieces_learns(cube: arraymorph.Array) -> None:
    """The mean of a slice is a linear function of it; gradients flow through what was read."""
    model = torch.nn.Linear(20, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    losses = []
    pieces = Pieces(cube, "t", shuffle=3)
    for _ in range(10):
        for batch in DataLoader(pieces, batch_size=8):
            wanted = batch.mean(dim=(1, 2))[:, None] / 23
            loss = ((model(batch.flatten(1) / 23) - wanted) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    assert losses[-1] < losses[0]


def test_tensor_rows_are_tensors_in_map_in_arrow(cube: arraymorph.Array) -> None:
    def sums(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            values = torch.from_numpy(np.array(arraymorph.to_numpy(batch.column("cube"))))
            total = values.sum(dim=tuple(range(1, values.ndim))).numpy()
            yield pa.RecordBatch.from_arrays([batch.column("t"), pa.array(total)], ["t", "total"])

    rows = cube.to_spark(rows="t").select("t", "cube")
    found = {r.t: r.total for r in rows.mapInArrow(sums, "t long, total float").collect()}
    assert found == {t: 20.0 * t for t in range(23)}


def test_tensors_of_delta_tables_are_sparse_tensors(spark, tmp_path: Path) -> None:
    dense = np.zeros((6, 5), dtype="f8")
    dense[0, 1], dense[3, 4], dense[5, 0] = 1.5, -2.0, 7.0
    tensors = arraymorph.open_tensors(spark, str(tmp_path / "delta"))
    tensors = tensors.write("m", torch.from_numpy(dense).to_sparse_coo(), storage="coo")
    tensors = tensors.write("n", torch.from_numpy(dense).to_sparse_csr(), storage="csr")
    tensors = tensors.write("d", torch.from_numpy(dense).requires_grad_(), storage="ftsf")
    np.testing.assert_array_equal(tensors["n"][...].numpy(), dense)
    np.testing.assert_array_equal(tensors["d"][...].numpy(), dense)
    with pytest.raises(arraymorph.ArrayMorphError) as refused:
        tensors.write("b", torch.ones(3, dtype=torch.bfloat16))
    assert refused.value.code == "UNSUPPORTED_TYPE"
    got = tensors["m"][1:, :].torch()
    assert got.layout == torch.sparse_coo and got.is_coalesced()
    np.testing.assert_array_equal(got.to_dense().numpy(), dense[1:])
    rows = got.to_sparse_csr()
    assert rows.layout == torch.sparse_csr
    np.testing.assert_array_equal(
        (rows @ torch.ones(5, 1, dtype=torch.float64)).numpy()[:, 0], dense[1:].sum(axis=1)
    )
