"""The cloud emulators that ``bin/setup.sh`` installs below target/tools, started for tests."""

import base64
import contextlib
import hashlib
import hmac
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEY = base64.b64encode(b"not a secret").decode()


def find(name: str) -> str | None:
    """The program, on the PATH or where ``am_emulators`` puts it."""
    tools = ROOT / "target" / "tools"
    places = [os.environ["PATH"], tools / "bin", tools / "node_modules" / ".bin"]
    return shutil.which(name, path=os.pathsep.join(map(str, places)))


@contextlib.contextmanager
def _running(port: int, command: list[str], **environment: str) -> Iterator[None]:
    with subprocess.Popen(
        command,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            for _ in range(600):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                if process.poll() is not None:
                    raise RuntimeError(f"{command[0]} did not start")
                time.sleep(0.1)
            yield
        finally:
            process.kill()


def _free_port() -> int:
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def _put_azure(url: str, body: bytes, headers: dict[str, str]) -> None:
    headers = headers | {
        "x-ms-date": formatdate(usegmt=True),
        "x-ms-version": "2021-12-02",
        "Content-Type": "application/octet-stream",
    }
    parts = urllib.parse.urlsplit(url)
    canonical = "".join(f"{k}:{v}\n" for k, v in sorted(headers.items()) if k.startswith("x-ms-"))
    query = "".join(f"\n{k}:{v}" for k, v in sorted(urllib.parse.parse_qsl(parts.query)))
    length = str(len(body)) if body else ""
    to_sign = (
        f"PUT\n\n\n{length}\n\napplication/octet-stream\n\n\n\n\n\n\n{canonical}"
        f"/account{parts.path}{query}"
    )
    digest = hmac.new(base64.b64decode(KEY), to_sign.encode(), hashlib.sha256).digest()
    headers["Authorization"] = f"SharedKey account:{base64.b64encode(digest).decode()}"
    request = urllib.request.Request(url, data=body, headers=headers, method="PUT")
    urllib.request.urlopen(request, timeout=30).close()


@contextlib.contextmanager
def azurite(data: Path, folder: Path, container: str) -> Iterator[dict[str, str]]:
    """Azurite with the files of a folder in a container of ``account``; yields Spark settings."""
    port = _free_port()
    command = [find("azurite-blob"), "--blobHost", "127.0.0.1", "--blobPort", str(port)]
    command += ["--location", str(data), "--silent", "--skipApiVersionCheck", "--disableTelemetry"]
    with _running(port, command, AZURITE_ACCOUNTS=f"account:{KEY}"):
        endpoint = f"http://127.0.0.1:{port}/account"
        _put_azure(f"{endpoint}/{container}?restype=container", b"", {})
        for file in filter(Path.is_file, folder.rglob("*")):
            url = f"{endpoint}/{container}/{file.relative_to(folder).as_posix()}"
            _put_azure(url, file.read_bytes(), {"x-ms-blob-type": "BlockBlob"})
        yield {"spark.arraymorph.azure.endpoint": endpoint, "fs.azure.account.key": KEY}


@contextlib.contextmanager
def fake_gcs(folder: Path, bucket: str) -> Iterator[dict[str, str]]:
    """fake-gcs-server with the files of a folder in a bucket; yields Spark settings."""
    port = _free_port()
    address = f"127.0.0.1:{port}"
    command = [find("fake-gcs-server"), "-scheme", "http", "-backend", "memory"]
    command += ["-host", "127.0.0.1", "-port", str(port), "-public-host", address]
    with _running(port, command):
        endpoint = f"http://{address}"

        def post(path: str, body: bytes, kind: str) -> None:
            headers = {"Content-Type": kind}
            request = urllib.request.Request(endpoint + path, data=body, headers=headers)
            urllib.request.urlopen(request, timeout=30).close()

        post(
            "/storage/v1/b?project=test", json.dumps({"name": bucket}).encode(), "application/json"
        )
        for file in filter(Path.is_file, folder.rglob("*")):
            name = urllib.parse.quote(file.relative_to(folder).as_posix(), safe="")
            path = f"/upload/storage/v1/b/{bucket}/o?uploadType=media&name={name}"
            post(path, file.read_bytes(), "application/octet-stream")
        yield {"fs.gs.storage.root.url": endpoint, "fs.gs.auth.type": "UNAUTHENTICATED"}
