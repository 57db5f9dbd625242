"""Pieces for training: order, shares of workers, and torch where it is installed."""

import importlib.util
import multiprocessing
from pathlib import Path

import arraymorph
import numpy as np
import pytest
from arraymorph.pieces import PieceReader, schedule

DATA = Path(__file__).resolve().parents[1] / "data"


@pytest.fixture(scope="module")
def sst(spark):
    return arraymorph.open(spark, DATA / "coads.zarr")["SST"]


@pytest.mark.parametrize(("length", "block", "workers"), [(12, 3, 2), (13, 4, 3), (5, 9, 2)])
def test_workers_have_every_index_once(length: int, block: int, workers: int) -> None:
    for epoch in range(3):
        seen = [
            i
            for w in range(workers)
            for b in schedule(length, block, 1, epoch, w, workers)
            for i in b
        ]
        assert sorted(seen) == list(range(length))


def test_order_follows_seed_and_epoch() -> None:
    def flat(seed, epoch):
        return np.concatenate(schedule(40, 4, seed, epoch)).tolist()

    assert flat(None, 3) == list(range(40))
    assert flat(7, 0) == flat(7, 0)
    assert flat(7, 0) != flat(7, 1) and flat(7, 0) != flat(8, 0)


def test_pieces_are_slices_of_the_array(sst) -> None:
    whole = sst.to_numpy()
    reader = PieceReader(sst, "TIME", shuffle=3)
    order = np.concatenate(schedule(12, 3, 3, 0))
    for index, piece in zip(order, reader.pieces(), strict=True):
        np.testing.assert_array_equal(piece, whole[index])
    rows = list(PieceReader(sst.isel(TIME=0), "COADSY", block=40).pieces())
    np.testing.assert_array_equal(np.stack(rows), whole[0])
    with pytest.raises(arraymorph.ArrayMorphError, match="UNKNOWN_DIMENSION"):
        PieceReader(sst, "depth")


def test_forked_workers_call_the_jvm_side_by_side(sst) -> None:
    """Each worker has a connection of its own, and the parent's still works."""
    whole = sst.to_numpy()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()

    def work(worker: int) -> None:
        reader = PieceReader(sst, "TIME")
        queue.put((worker, np.stack(list(reader.pieces(worker, 2)))))

    processes = [context.Process(target=work, args=(worker,)) for worker in range(2)]
    for process in processes:
        process.start()
    np.testing.assert_array_equal(sst.isel(TIME=4).to_numpy(), whole[4])
    got = dict(queue.get(timeout=120) for _ in processes)
    for process in processes:
        process.join(30)
        assert process.exitcode == 0
    np.testing.assert_array_equal(got[0], whole[[0, 1, 2, 6, 7, 8]])
    np.testing.assert_array_equal(got[1], whole[[3, 4, 5, 9, 10, 11]])
    np.testing.assert_array_equal(sst.to_numpy(), whole)


def test_without_torch_the_error_says_so() -> None:
    if importlib.util.find_spec("torch"):
        pytest.skip("torch is installed")
    with pytest.raises(arraymorph.ArrayMorphError) as missing:
        importlib.import_module("arraymorph.torch")
    assert missing.value.code == "PACKAGE_MISSING"
