"""An S3 server behind a shaped network, as two processes on this machine.

The server is versitygw over a folder, the network is the shaper beside this file: both are Go
programs, built once into the folder of tools.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
VERSITYGW = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
ACCESS_KEY, SECRET_KEY, BUCKET = "test", "testsecret", "bench"

# The server takes and clears a buffer of this length for each partial read; with its default of
# 1 MiB a partial read costs it several times what a whole object does, as in no cloud store.
READ_BUFFER_BYTES = 64 << 10

# The store and the network have processors of their own where they are real: here they share those
# of the readers, and collect garbage less often to take less of them.
COLLECT_SELDOM = {"GOGC": "800", "GOMEMLIMIT": "1GiB"}

FAULTS = {"fault_rate": "0", "fault_kinds": "", "fault_match": "", "fault_limit": "-1"}

# Name: settings of the shaper, bytes per second of the pipe and of a connection, latency in s.
NETWORKS = {
    "raw": {"latency": "0s", "bandwidth": "0", "per_conn_bandwidth": "0"},
    "LAN": {"latency": "20ms", "bandwidth": "200MB/s", "per_conn_bandwidth": "60MB/s"},
    "WAN": {"latency": "90ms", "bandwidth": "20MB/s", "per_conn_bandwidth": "0"},
}


# What bounds a reader: the first byte, and bytes a second of the pipe.
BOUNDS = {"LAN": (0.020, 200e6), "WAN": (0.090, 20e6)}


def bound_seconds(network: str, needed: int) -> float | None:
    """One latency and the needed bytes at the speed of the pipe; None without a network."""
    latency, rate = BOUNDS.get(network, (0.0, 0.0))
    return latency + needed / rate if rate else None


def floor_seconds(network: str, served: float | None) -> float | None:
    """One latency, and as long as store and network keep all processors busy.

    No reader on this machine is faster that has them do the same, whatever it does itself.
    """
    return None if served is None else BOUNDS.get(network, (0.0, 0.0))[0] + served


class Store:
    """The running server and shaper; a context manager."""

    def __init__(self, folder: Path, tools: Path, *, function_port: int | None = None) -> None:
        self._processes: list[subprocess.Popen] = []
        gateway, shaper = _tool(tools, "versitygw"), _tool(tools, "shaper")
        self._data = data = folder / "s3"
        (data / BUCKET).mkdir(parents=True, exist_ok=True)
        self.direct = f"http://127.0.0.1:{free_port()}"
        self.shaped = f"http://127.0.0.1:{free_port()}"
        keys = {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY}
        try:
            command = [gateway, "--port", self.direct[7:], "--region", "us-east-1", "--quiet"]
            # As cloud stores do; its own default is a connection for each request.
            command += ["--keep-alive"]
            command += ["posix", "--io-buffer-size", str(READ_BUFFER_BYTES), str(data)]
            self.server = self._start(folder, command, os.environ | COLLECT_SELDOM | keys)
            command = [shaper, "-listen", self.shaped[7:], "-upstream", self.direct]
            if function_port:
                command += ["-function", f"http://127.0.0.1:{function_port}"]
            self.shaper = self._start(folder, command, os.environ | COLLECT_SELDOM)
            for url in (self.direct, self.shaped + "/__stats"):
                _await(url)
        except BaseException:
            self.close()
            raise

    def _start(
        self, folder: Path, command: list[str], environment: dict[str, str]
    ) -> subprocess.Popen:
        with (folder / f"{Path(command[0]).name}.log").open("w") as log:
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._processes.append(process)
        return process

    def network(self, name: str) -> None:
        """Shapes the network from now on, without faults."""
        self.configure(NETWORKS[name] | FAULTS)

    def configure(self, settings: dict[str, str]) -> None:
        """Changes settings of the shaper."""
        query = urllib.parse.urlencode(settings)
        request = urllib.request.Request(f"{self.shaped}/__config?{query}", method="POST")
        urllib.request.urlopen(request).read()

    def touch(self, name: str) -> None:
        """Reads all objects below a name from disk: who asks first must not pay for that."""
        for path in (self._data / BUCKET / name).rglob("*"):
            if path.is_file():
                os.listxattr(path)
                path.read_bytes()

    def reset(self) -> None:
        """Counts from zero."""
        urllib.request.urlopen(f"{self.shaped}/__reset").read()

    def stats(self) -> dict:
        """What passed the shaper since the last reset."""
        return json.loads(urllib.request.urlopen(f"{self.shaped}/__stats").read())

    def close(self) -> None:
        """Ends both processes."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait(timeout=20)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def free_port() -> int:
    """A port of the loopback interface that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _await(url: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(url, timeout=2).read()
            return
        except urllib.error.HTTPError:
            return  # it answers
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(f"{url} does not answer")


def _tool(tools: Path, name: str) -> str:
    """The path of a Go program, built or installed if it is not there."""
    found = shutil.which(name) if name == "versitygw" else None
    target = tools / name
    if found or (target.exists() and not _is_stale(target, name)):
        return found or str(target)
    if shutil.which("go") is None:
        raise SystemExit("bin/bench dense: no Go found: it builds the S3 server and the shaper")
    tools.mkdir(parents=True, exist_ok=True)
    if name == "shaper":
        command = ["go", "build", "-o", str(target), "."]
        subprocess.run(command, cwd=HERE / "shaper", check=True)
    else:
        subprocess.run(
            ["go", "install", VERSITYGW], env=os.environ | {"GOBIN": str(tools)}, check=True
        )
    return str(target)


def _is_stale(target: Path, name: str) -> bool:
    sources = HERE.glob("shaper/*.go") if name == "shaper" else ()
    return any(source.stat().st_mtime > target.stat().st_mtime for source in sources)
