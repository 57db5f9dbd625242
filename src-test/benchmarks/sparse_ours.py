"""Our side of the sparse benchmark: a session, the processor time of its processes, figures."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import dense_store
import psutil
import sessions
from report import Row


class Ours:
    """The JVM's and this process's work."""

    def __init__(self) -> None:
        self.spark = sessions.session()
        self._jvm = psutil.Process(self.spark.sparkContext._gateway.proc.pid)
        children = self._jvm.children(recursive=True)
        self._all = [psutil.Process(), self._jvm, *children]

    def cpu(self) -> float:
        """Processor seconds so far."""
        times = [p.cpu_times() for p in self._all if p.is_running()]
        return sum(t.user + t.system for t in times)

    def s3(self, endpoint: str) -> dict[str, str]:
        """How the test server is reached."""
        return {
            "fs.s3a.endpoint": endpoint,
            "fs.s3a.endpoint.region": "us-east-1",
            "fs.s3a.path.style.access": "true",
            "fs.s3a.access.key": dense_store.ACCESS_KEY,
            "fs.s3a.secret.key": dense_store.SECRET_KEY,
        }


def cpu_of(row: Row) -> float:
    return float(row.note.split("cpu ")[1].split(" ")[0])


def note(cpu: list[float], *more: str, mean: bool = False) -> str:
    value = statistics.mean(cpu) if mean else statistics.median(cpu)
    return " ".join([f"cpu {value:.4f} s", *filter(None, more)])


def bytes_out(stats: dict) -> int:
    return int(stats["bytes_out"]) if "bytes_out" in stats else int(stats["bytes"])


def moved_by(stats: dict, store: str) -> dict:
    if store == "local":
        return {}
    return {"requests": int(stats["requests"]), "bytes": bytes_out(stats)}


def live_bytes(uri: str) -> int:
    """Bytes of the data files that the newest version refers to."""
    live: dict[str, int] = {}
    for entry in sorted(Path(uri, "_delta_log").glob("*.json")):
        for line in entry.read_text().splitlines():
            action = json.loads(line)
            if "add" in action:
                live[action["add"]["path"]] = action["add"]["size"]
            if "remove" in action:
                live.pop(action["remove"]["path"], None)
    return sum(live.values())


def parquet_bytes(root: Path, name: str) -> int:
    """Bytes of all data files of a table in the test server's folder."""
    folder = root / "s3" / dense_store.BUCKET / name
    return sum(f.stat().st_size for f in folder.glob("*.parquet"))
