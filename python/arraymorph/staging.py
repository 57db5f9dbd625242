"""Memory that is shared with the driver's JVM, through which values come box by box."""

from __future__ import annotations

import contextlib
import mmap
import os
import secrets
import select
import shutil
import socket
import struct
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

from arraymorph.errors import ArrayMorphError, coded

SLOTS = 16
SLOT_BYTES = 1 << 20
_SHARED_MEMORY = "/dev/shm"
_CONNECT_SECONDS = 20
_MOST_IN_MEMORY = 1 << 30
_HEAD = struct.Struct("<iii")
_ALL_PUT = -1


def scratch() -> str:
    """The folder for files: ``ARRAYMORPH_SCRATCH``, else that for temporary files."""
    return os.environ.get("ARRAYMORPH_SCRATCH") or tempfile.gettempdir()


class Box:
    """Part of a result that lies in shared memory until the next one is asked for."""

    __slots__ = ("bounds", "content")

    def __init__(self, content: memoryview, bounds: tuple[int, ...]) -> None:
        self.content = content
        self.bounds = bounds

    def slices(self) -> tuple[slice, ...]:
        """Where it lies in the result."""
        return tuple(map(slice, self.bounds[::2], self.bounds[1::2]))

    def shape(self) -> tuple[int, ...]:
        """Its lengths."""
        return tuple(b - a for a, b in zip(self.bounds[::2], self.bounds[1::2]))


class Staging:
    """Slots of memory that the JVM fills, and the line on which it says so.

    For one result at a time. After a failure it is of no use and must be closed.
    """

    def __init__(self, jvm: Any) -> None:
        size = SLOTS * SLOT_BYTES
        token = secrets.token_hex(16)
        with contextlib.ExitStack() as stack:
            descriptor, path = _file(size)
            stack.callback(os.close, descriptor)
            stack.callback(os.unlink, path)
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            listener.settimeout(_CONNECT_SECONDS)
            with coded():
                self._java = jvm.io.arraymorph.spark.python.StagedOutput.connect(
                    path, SLOTS, SLOT_BYTES, listener.getsockname()[1], token
                )
            self._socket = _caller(listener, token.encode("ascii"))
            self._memory = mmap.mmap(descriptor, size)
        self._received = bytearray()
        self._all_put = True

    @property
    def java(self) -> Any:
        """What the JVM puts values into."""
        return self._java

    @property
    def all_put(self) -> bool:
        """True if the last result is complete."""
        return self._all_put

    def boxes(self, seconds: float) -> Iterator[Box | None]:
        """The parts of a result as they come; None each time that so many seconds bring none.

        Ends when the JVM has put all, or failed: its job then says with what.
        """
        view = memoryview(self._memory)
        while True:
            head = self._take(_HEAD.size, seconds)
            while head is None:
                yield None
                head = self._take(_HEAD.size, seconds)
            slot, length, rank = _HEAD.unpack(head)
            if slot < 0:
                self._all_put = slot == _ALL_PUT
                return
            bounds = self._take(16 * rank, None)
            start = slot * SLOT_BYTES
            yield Box(view[start : start + length], struct.unpack(f"<{2 * rank}q", bounds))
            self._socket.send(bytes([slot]))

    def _take(self, count: int, seconds: float | None) -> bytes | None:
        while len(self._received) < count:
            if seconds is not None and not select.select([self._socket], [], [], seconds)[0]:
                return None
            more = self._socket.recv(1 << 16)
            if not more:
                raise ArrayMorphError(
                    "CANCELLED", "the driver's JVM hung up. Is the session still there?"
                )
            self._received += more
        taken = bytes(self._received[:count])
        del self._received[:count]
        return taken

    def is_open(self) -> bool:
        """False if the JVM hung up."""
        return not self._received and not select.select([self._socket], [], [], 0)[0]

    def close(self) -> None:
        """Hangs up, upon which the JVM forgets it too."""
        self._socket.close()


def _caller(listener: socket.socket, token: bytes) -> socket.socket:
    """The connection that knows the token; others are turned away."""
    while True:
        caller, _ = listener.accept()
        caller.settimeout(_CONNECT_SECONDS)
        said = b""
        with contextlib.suppress(OSError):
            while len(said) < len(token) and (more := caller.recv(len(token) - len(said))):
                said += more
        if secrets.compare_digest(said, token):
            caller.settimeout(None)
            caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return caller
        caller.close()


def _file(size: int) -> tuple[int, str]:
    """A file with room for so many bytes, in memory where there is such a folder."""
    if "ARRAYMORPH_SCRATCH" not in os.environ and os.access(_SHARED_MEMORY, os.W_OK):
        with contextlib.suppress(ArrayMorphError):
            return reserved(size, _SHARED_MEMORY)
    return reserved(size, scratch())


def exchange_file(size: int) -> tuple[int, str]:
    """Descriptor and path of a new file for what is handed to the JVM, in memory if it has room.

    At most a gigabyte, and half of what is free there, for others need it too.
    """
    folder = scratch()
    if "ARRAYMORPH_SCRATCH" not in os.environ and os.access(_SHARED_MEMORY, os.W_OK):
        with contextlib.suppress(OSError):
            if size <= _MOST_IN_MEMORY and shutil.disk_usage(_SHARED_MEMORY).free >= 2 * size:
                folder = _SHARED_MEMORY
    return tempfile.mkstemp(prefix="arraymorph-", suffix=".cells", dir=folder)


def reserved(size: int, folder: str) -> tuple[int, str]:
    """Descriptor and path of a new file whose room is taken: it cannot run out later."""
    free = shutil.disk_usage(folder).free
    if free < size:
        raise _full(size, folder, f"which has {free} free")
    descriptor, path = tempfile.mkstemp(prefix="arraymorph-", dir=folder)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, size)
        else:
            os.truncate(descriptor, size)
    except OSError as failure:
        os.close(descriptor)
        os.unlink(path)
        raise _full(size, folder, str(failure)) from failure
    return descriptor, path


def _full(size: int, folder: str, why: str) -> ArrayMorphError:
    return ArrayMorphError(
        "STORE_FULL",
        f"{size} bytes are needed in {folder}: {why}. "
        "Select less, or name another folder with ARRAYMORPH_SCRATCH.",
    )


_idle: list[tuple[Any, Staging]] = []
_MOST_IDLE = 2
_lock = threading.Lock()


@contextlib.contextmanager
def staging(jvm: Any) -> Iterator[Staging]:
    """A staging of this process and JVM that no other read uses; kept for the next one."""
    taken = _kept(jvm._gateway_client) or Staging(jvm)
    try:
        yield taken
    except BaseException:
        taken.close()
        raise
    with _lock:
        _idle.append((jvm._gateway_client, taken))
        surplus = _idle.pop(0)[1] if len(_idle) > _MOST_IDLE else None
    if surplus is not None:
        surplus.close()


def _kept(client: Any) -> Staging | None:
    with _lock:
        for one in [i for i in _idle if i[0] is client][::-1]:
            _idle.remove(one)
            if one[1].is_open():
                return one[1]
            one[1].close()
    return None


def _forget() -> None:
    """In a forked process: what its parent shares with the JVM is the parent's."""
    global _lock
    _lock = threading.Lock()
    while _idle:
        _idle.pop()[1].close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
