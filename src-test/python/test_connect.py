"""The package over Spark Connect, with a server as users start one."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyspark
import pytest
import xarray as xr

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def remote(jar: Path, tmp_path_factory: pytest.TempPathFactory):
    """The address of a Connect server with the connector, as a process of its own."""
    pytest.importorskip("grpc")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("connect")
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    command = [str(submit), "--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    command += ["--master", "local[2]", "--jars", str(jar), "--driver-memory", "1g"]
    for setting in (
        "spark.connect.grpc.binding.address=127.0.0.1",
        f"spark.connect.grpc.binding.port={port}",
        "spark.ui.enabled=false",
        "spark.driver.host=127.0.0.1",
        "spark.driver.bindAddress=127.0.0.1",
        f"spark.sql.warehouse.dir={folder}",
    ):
        command += ["--conf", setting]
    log = folder / "server.log"
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
    environment.pop("PYTHONPATH", None)
    with log.open("w") as out:
        server = subprocess.Popen(
            [*command, "spark-internal"], stdout=out, stderr=out, env=environment, cwd=folder
        )
    try:
        for _ in range(1200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert server.poll() is None, log.read_text()[-3000:]
            time.sleep(0.1)
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)


def test_everything_but_plans_and_writes_works(remote: str, tmp_path: Path) -> None:
    labels = tmp_path / "labels.zarr"
    xr.Dataset(
        {"count": (("time", "who"), np.arange(20, dtype="u1").reshape(10, 2))},
        coords={
            "time": np.datetime64("2020-01-01", "ns") + np.arange(10) * np.timedelta64(12, "h"),
            "who": ["a", "b"],
        },
    ).to_zarr(labels)
    coads = ROOT / "src-test" / "data" / "coads.zarr"
    checks = Path(__file__).with_name("connect_checks.py")
    done = subprocess.run(
        [sys.executable, str(checks), remote, str(coads), str(labels)],
        capture_output=True,
        text=True,
        timeout=580,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
