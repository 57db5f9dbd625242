"""Results of tensors lie in files that are used again: never while somebody may look at them."""

import gc
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from arraymorph import ArrayMorphError, handed, open_tensors

SHAPE = (24, 3, 256, 256)
LOOKS = 60


@pytest.fixture(scope="module")
def images():
    """Random bytes, but some of the last images empty, of which no chunk is stored."""
    found = np.random.default_rng(5).integers(0, 255, SHAPE, "u1")
    found[16::3] = 0
    return found


@pytest.fixture(scope="module")
def stack(spark, images, tmp_path_factory):
    """The images in a table, each a chunk of 192 KiB; a sparse tensor beside them."""
    found = open_tensors(spark, str(tmp_path_factory.mktemp("handed") / "t"))
    found = found.write("stack", images, block=(1, *SHAPE[1:]))
    coords = np.stack(np.nonzero(images[1:3, :, :128]))
    values = images[1:3, :, :128][tuple(coords)].astype("f8")
    return found.write("cells", (coords, values, (2, 3, 128, 256)))


@pytest.fixture(autouse=True)
def no_files():
    """Each test begins and ends without spare files."""
    gc.collect()
    while handed._idle:
        handed._idle.pop().close()
    yield
    gc.collect()


def look(stack, images, rng):
    """A random slice that comes in a file, and what makes it an array, and what that must be."""
    if rng.integers(4) == 0:
        i = int(rng.integers(2))
        return stack["cells"][i], dense, images[1 + i, :, :128]
    start = int(rng.integers(0, 18))
    stop = start + int(rng.integers(6, 8))
    return stack["stack"].numpy(slice(start, stop)), np.asarray, images[start:stop]


def dense(cells):
    found = np.zeros((3, 128, 256))
    found[tuple(cells.columns)] = cells.values
    return found


def all_right(looks):
    for got, array, want in looks:
        np.testing.assert_array_equal(array(got), want)


def test_a_file_is_used_again_once_its_last_array_is_gone(stack, images):
    first = stack["stack"].numpy(slice(1, 8))
    view = first[2:, 1, ::3]
    del first
    second = stack["stack"].numpy(slice(9, 16))
    assert len(handed._idle) == 0, "the view is still there"
    np.testing.assert_array_equal(view, images[3:8, 1, ::3])
    np.testing.assert_array_equal(second, images[9:16])
    del view
    kept = [f.inode for f in handed._idle]
    assert len(kept) == 1
    third = stack["stack"].numpy(slice(5, 12))
    np.testing.assert_array_equal(third, images[5:12])
    assert len(handed._idle) == 0
    del third
    assert [f.inode for f in handed._idle] == kept


def test_what_is_written_into_a_result_is_not_in_the_next(stack, images):
    for start in range(3):
        got = stack["stack"].numpy(slice(start, start + 7))
        np.testing.assert_array_equal(got, images[start : start + 7])
        got[...] = 99
        del got
    assert len(handed._idle) == 1


def test_cells_without_a_chunk_are_empty_in_a_used_file(stack, images):
    for start in (9, 13, 8, 15, 2, 17):
        got = stack["stack"].numpy(slice(start, start + 7))
        np.testing.assert_array_equal(got, images[start : start + 7])
        assert got.any(axis=(1, 2, 3)).all() == (start < 10), "some have no chunk"
        del got


@pytest.mark.parametrize("seed", range(3))
def test_live_results_keep_their_values(stack, images, seed):
    rng = np.random.default_rng(seed)
    alive = []
    for _ in range(LOOKS):
        alive.append(look(stack, images, rng))
        while len(alive) > rng.integers(0, 5):
            alive.pop(int(rng.integers(len(alive))))
        all_right(alive)


def test_threads_do_not_see_results_of_each_other(stack, images):
    failures = []

    def work(seed):
        rng = np.random.default_rng(seed)
        alive = []
        try:
            for _ in range(LOOKS // 3):
                alive.append(look(stack, images, rng))
                alive = alive[-int(rng.integers(1, 4)) :]
                all_right(alive)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_a_forked_process_keeps_what_it_saw(stack, images):
    spare = stack["stack"].numpy(slice(10, 17))
    held = stack["stack"].numpy(slice(1, 8))
    del spare
    go, goes = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.read(go, 1)
            assert not handed._idle
            same = np.array_equal(held, images[1:8])
            del held
            code = 0 if same and not handed._idle else 2
        finally:
            os._exit(code)
    del held
    for start in range(8, 14):
        got = stack["stack"].numpy(slice(start, start + 7))
        np.testing.assert_array_equal(got, images[start : start + 7])
        del got
    os.write(goes, b".")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(go)
    os.close(goes)


def test_workers_of_a_torch_loader_keep_what_they_saw(stack, images):
    torch_data = pytest.importorskip("torch.utils.data")

    class Held(torch_data.Dataset):
        def __init__(self, array):
            self.array = array

        def __len__(self):
            return len(self.array)

        def __getitem__(self, i):
            time.sleep(0.02)
            return self.array[i]

    held = Held(stack["stack"].numpy(slice(1, 9)))
    loader = iter(torch_data.DataLoader(held, num_workers=2, multiprocessing_context="fork"))
    first = next(loader)
    held.array = None
    for start in range(9, 15):
        stack["stack"].numpy(slice(start, start + 8))
    for i, got in enumerate([first, *loader]):
        np.testing.assert_array_equal(got[0].numpy(), images[1 + i])


def test_a_call_that_fails_gives_its_files_up(stack, images):
    stack["stack"].numpy(slice(1, 8))
    assert len(handed._idle) == 1
    with pytest.raises(ArrayMorphError):
        stack["stack"].numpy((0, 0, 0, 0, 0))
    assert len(handed._idle) == 0
    np.testing.assert_array_equal(stack["stack"].numpy(slice(2, 9)), images[2:9])


def test_files_kept_are_bounded(stack, monkeypatch):
    results = [stack["stack"].numpy(slice(0, 7)) for _ in range(handed._MOST_FILES + 3)]
    del results
    assert len(handed._idle) == handed._MOST_FILES
    monkeypatch.setenv("ARRAYMORPH_SPARE_BYTES", str(3 << 20))
    one = stack["stack"].numpy(slice(0, 7))
    del one
    assert sum(f.bytes for f in handed._idle) <= 3 << 20
    monkeypatch.setenv("ARRAYMORPH_SPARE_BYTES", "0")
    one = stack["stack"].numpy(slice(0, 7))
    del one
    assert not handed._idle


def test_no_descriptor_is_lost(stack):
    open_now = Path("/proc/self/fd")
    before = len(list(open_now.iterdir()))
    for start in range(40):
        stack["stack"].numpy(slice(start % 18, start % 18 + 6))
    assert len(list(open_now.iterdir())) <= before + handed._MOST_FILES
