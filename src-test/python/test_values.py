"""Values of every kind in numpy and xarray, and the memory they come in."""

import concurrent.futures
import contextlib
import http.server
import json
import os
import signal
import threading
import time
from pathlib import Path

import arraymorph
import numpy as np
import pytest
import xarray as xr
import zarr
from arraymorph import staging, transfer

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("ARRAYMORPH_SCRATCH", str(folder))
    return folder


@pytest.mark.parametrize("name", ["coads.zarr", "etopo.zarr"])
def test_real_data_are_what_xarray_reads(name: str, spark) -> None:
    path = ROOT / "src-test" / "data" / name
    got = arraymorph.open(spark, path).to_xarray()
    with xr.open_zarr(path, decode_times=False) as theirs:
        expected = theirs.load().drop_encoding()
    if name == "coads.zarr":
        expected = expected.set_coords("MONTH")
    xr.testing.assert_identical(got.drop_encoding(), expected)


def test_cf_is_decoded_as_xarray_decodes(spark, tmp_path: Path) -> None:
    path = tmp_path / "cf.zarr"
    times = np.array(["2001-02-03T04:05:06", "NaT", "2030-01-01"], dtype="datetime64[ns]")
    made = xr.Dataset(
        {
            "scaled": ("x", np.array([1.5, np.nan, -3.25])),
            "masked": ("x", np.array([1.0, np.nan, 3.0], dtype="f4")),
            "small": ("x", np.array([1.0, np.nan, 3.0], dtype="f4")),
            "large": ("x", np.array([1.0, np.nan, 3.0])),
            "when": ("x", times),
            "flag": ("x", np.array([True, False, True])),
            "count": ("x", np.array([1, 2, 250], dtype="u1")),
            "text": ("x", np.array(["å", "", "three"], dtype=object)),
            "scalar": ((), np.float32(2.5)),
        }
    )
    packed = {"dtype": "i2", "scale_factor": 0.25, "add_offset": 10.0, "_FillValue": -999}
    made.to_zarr(
        path,
        encoding={
            "scaled": packed,
            "small": {"dtype": "i2", "_FillValue": -1},
            "large": {"dtype": "i4", "_FillValue": -1},
            "when": {"dtype": "i8", "_FillValue": -1, "units": "seconds since 1970-01-01"},
            "masked": {"_FillValue": np.float32(1e20)},
        },
    )
    ours = arraymorph.open(spark, path)
    with xr.open_zarr(path) as theirs:
        for name in made.data_vars:
            expected, got = theirs[name].load(), ours[name].to_xarray()
            if name == "when":
                expected = expected.astype("datetime64[us]")
            if name in ("scaled", "text"):  # Ours is always binary64; texts are objects.
                expected = expected.astype(got.dtype)
            assert got.dtype == expected.dtype, name
            np.testing.assert_array_equal(got.values, expected.values, err_msg=name)
            assert got.attrs == expected.attrs, name
    raw = arraymorph.open(spark, path, decode=False)
    assert raw["scaled"].to_numpy().tolist() == [-34, -999, -53]
    assert raw["scaled"].attrs["scale_factor"] == 0.25


@pytest.mark.filterwarnings("ignore")
def test_types_of_numpy_come_back_as_they_are(spark, tmp_path: Path) -> None:
    record = np.dtype([("a", "<i2"), ("b", "<f8")])
    for number, values in enumerate(
        [
            np.array([b"ab", b"", b"abcde"], dtype="S5"),
            np.array(["ab", "", "åß"], dtype="U3"),
            np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
            np.array([1, 2**40, "NaT"], dtype="timedelta64[ms]"),
            np.array([(1, 2.5), (-3, 4.5)], dtype=record),
            np.array([b"ab\x00", b"abc"], dtype="V3"),
            np.array([1 + 2j, 0], dtype="c16"),
        ]
    ):
        array = zarr.create_array(
            tmp_path / f"t{number}.zarr",
            shape=values.shape,
            chunks=(1,),
            dtype=values.dtype,
            zarr_format=2 if values.dtype == record else 3,
        )
        array[...] = values
        got = arraymorph.open(spark, tmp_path / f"t{number}.zarr")[f"t{number}"].to_numpy()
        assert got.dtype == values.dtype
        np.testing.assert_array_equal(got, values)


def _etopo(spark) -> arraymorph.Array:
    return arraymorph.open(spark, ROOT / "src-test" / "data" / "etopo.zarr")["ROSE"]


def _mapped_by_the_jvm(spark) -> str:
    file = spark._jvm.java.nio.file.Path.of(
        "/proc/self/maps", spark._sc._gateway.new_array(spark._jvm.java.lang.String, 0)
    )
    return spark._jvm.java.nio.file.Files.readString(file)


@pytest.fixture
def no_staging():
    """As in a process that has read nothing yet."""
    while staging._idle:
        staging._idle.pop()[-1].close()
    yield
    while staging._idle:
        staging._idle.pop()[-1].close()


def test_results_are_memory_of_their_own(spark, scratch: Path, no_staging) -> None:
    array = _etopo(spark)
    values = array.to_numpy()
    assert values.flags.writeable and values.flags.c_contiguous and values.flags.owndata
    again = array.to_numpy()
    again[0, 0] += 1
    assert values[0, 0] != again[0, 0]
    assert not list(scratch.iterdir())


def test_memory_shared_with_the_jvm_is_used_again_and_given_back(
    spark, scratch: Path, no_staging
) -> None:
    array = _etopo(spark)
    for _ in range(5):
        del_me = array.to_numpy()
    assert del_me.nbytes == 2161 * 4320 * 2
    assert len(staging._idle) == 1
    assert _mapped_by_the_jvm(spark).count(str(scratch)) == 1
    staging._idle.pop()[-1].close()
    deadline = time.monotonic() + 10
    while str(scratch) in _mapped_by_the_jvm(spark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert str(scratch) not in _mapped_by_the_jvm(spark)


def test_threads_read_at_the_same_time(spark, no_staging) -> None:
    array = _etopo(spark)
    expected = array.to_numpy()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        parts = [(i * 500, min((i + 1) * 500, 2161)) for i in range(5)] * 4
        every = pool.map(lambda p: array[p[0] : p[1]].to_numpy(), parts)
        for (a, b), values in zip(parts, every, strict=True):
            np.testing.assert_array_equal(values, expected[a:b])
    assert len(staging._idle) <= 2


def test_a_staging_that_the_jvm_hung_up_is_replaced(spark, no_staging) -> None:
    array = _etopo(spark)
    expected = array[:3].to_numpy()
    hung_up = staging._idle[-1][-1]
    hung_up.java.close()
    deadline = time.monotonic() + 10
    while hung_up.is_open() and time.monotonic() < deadline:
        time.sleep(0.01)
    np.testing.assert_array_equal(array[:3].to_numpy(), expected)
    assert staging._idle[-1][-1] is not hung_up


def test_large_results_are_in_a_file_that_is_gone(spark, scratch: Path, monkeypatch) -> None:
    expected = _etopo(spark).to_numpy()
    monkeypatch.setattr(transfer, "_memory", lambda: 1 << 20)
    values = _etopo(spark).to_numpy()
    assert isinstance(values.base, transfer.mmap.mmap) and values.flags.writeable
    assert not list(scratch.iterdir())
    np.testing.assert_array_equal(values, expected)


def test_a_full_disk_is_an_error_before_the_read(
    spark, scratch: Path, monkeypatch, no_staging
) -> None:
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(staging.shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(arraymorph.ArrayMorphError) as refused:
        _etopo(spark).to_numpy()
    assert refused.value.code == "STORE_FULL"
    assert not list(scratch.iterdir())


def test_a_damaged_chunk_is_an_error_and_leaves_nothing(
    spark, scratch: Path, tmp_path: Path
) -> None:
    array = zarr.create_array(tmp_path / "a.zarr", shape=(8,), chunks=(4,), dtype="f8")
    array[...] = np.arange(8.0)
    (tmp_path / "a.zarr" / "c" / "1").write_bytes(b"broken")
    ours = arraymorph.open(spark, tmp_path / "a.zarr")["a"]
    with pytest.raises(arraymorph.ArrayMorphError) as refused:
        ours.to_numpy()
    assert refused.value.code == "CHUNK_CORRUPT"
    assert not list(scratch.iterdir())
    np.testing.assert_array_equal(ours[:4].to_numpy(), np.arange(4.0))


@contextlib.contextmanager
def stuck_store():
    """A server that gives an array's metadata and never answers for its chunks."""
    asked, end = threading.Event(), threading.Event()
    metadata = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0.0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
    }
    body = json.dumps(metadata).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/lab/a.zarr/zarr.json"):
                self.send_response(206 if "Range" in self.headers else 200)
                self.send_header("Content-Range", f"bytes 0-{len(body) - 1}/{len(body)}")
                self.send_header("ETag", '"1"')
                self.send_header("Last-Modified", "Sat, 21 Nov 2026 12:00:00 GMT")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            elif "/c/" in self.path:
                asked.set()
                end.wait(60)
            else:
                self.send_error(404)

        def log_message(self, *_) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        end.set()
        server.shutdown()
        server.server_close()


def test_an_interrupt_cancels_the_read(spark, scratch: Path) -> None:
    with stuck_store() as (endpoint, asked):
        options = {
            "fs.s3a.endpoint": endpoint,
            "fs.s3a.endpoint.region": "us-east-1",
            "fs.s3a.path.style.access": "true",
            "fs.s3a.access.key": "test",
            "fs.s3a.secret.key": "testsecret",
        }
        array = arraymorph.open(spark, "s3a://lab/a.zarr", **options)["a"]

        def interrupt() -> None:
            asked.wait(30)
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)

        pressing = threading.Thread(target=interrupt)
        pressing.start()
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            array.to_numpy()
        pressing.join()
        assert asked.is_set() and time.monotonic() - begun < 40
    assert not list(scratch.iterdir())
    stacks = spark._jvm.java.lang.Thread.getAllStackTraces().keySet()
    assert not [t.getName() for t in stacks if t.getName().startswith("arraymorph-python")]
    # The session goes on.
    assert arraymorph.open(spark, ROOT / "src-test" / "data" / "coads.zarr")["MONTH"].shape == (12,)
