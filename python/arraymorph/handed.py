"""Files in memory in which results come from the JVM, used again once nobody sees them any more.

Fresh shared memory costs the system more time than what is written into it. So a file whose last
array is gone waits here for the next result. Each result has a mapping of its own, made anew and
private: what a user writes into an array never reaches the file, and an address that outlives its
array is no address of the next result.

A forked process has the mappings of its parent and may look at them for as long as it likes. So a
file that was mapped or on its way when a process forked is never used again, by neither of them.

No locks: a file is in one place at a time, and taking it out of the queue is one step. Finalizers
run at any time in any thread, also within other code of this module.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import weakref
from collections import deque

_FOLDER = "/dev/shm/"
_MOST_FILES = 8
_MOST_BYTES = 384 << 20
_MOST_MAPPED = 64  # each takes two descriptors, of which a process has some thousand


class _File:
    """A file without a name."""

    __slots__ = ("bytes", "descriptor", "era", "inode")

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.era = _era
        self.measure()

    def measure(self) -> None:
        status = os.fstat(self.descriptor)
        self.bytes, self.inode = status.st_size, status.st_ino

    @property
    def path(self) -> str:
        """By which another process of the same user opens it."""
        return f"/proc/{os.getpid()}/fd/{self.descriptor}"

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self.descriptor)


_era = object()  # another one after each fork, so that what was lent out before is known
_idle: deque[_File] = deque()
_mapped: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


def most_bytes() -> int:
    """How many bytes are kept: ``ARRAYMORPH_SPARE_BYTES``, at most an eighth of such memory."""
    try:
        wanted = int(os.environ.get("ARRAYMORPH_SPARE_BYTES", _MOST_BYTES))
        room = os.statvfs(_FOLDER)
    except (ValueError, OSError, AttributeError):
        return 0
    return min(wanted, room.f_blocks * room.f_frsize // 8)


class Spares:
    """Files that one call of the JVM may write its result into; a context manager.

    Those that it does not take wait for the next call. If the call fails all are given up, for the
    JVM may still be writing.
    """

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}

    def __enter__(self) -> Spares:
        with contextlib.suppress(IndexError):
            while True:
                file = _idle.pop()
                file.era = _era
                self._files[file.path] = file
        return self

    def __str__(self) -> str:
        return "\n".join(f"{path} {f.inode} {f.bytes}" for path, f in self._files.items())

    def map(self, path: str) -> mmap.mmap:
        """The content of the file that the JVM took, or of a new one, which loses its name."""
        file = self._files.pop(path, None)
        if file is None:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            os.unlink(path)
            file = _File(descriptor)
        try:
            file.measure()
            memory = mmap.mmap(file.descriptor, file.bytes, access=mmap.ACCESS_COPY)
        except BaseException:
            file.close()
            raise
        if path.startswith(("/proc/", _FOLDER)) and len(_mapped) < _MOST_MAPPED:
            _mapped.add(memory)
            weakref.finalize(memory, _release, file).atexit = False
        else:
            file.close()
        return memory

    def __exit__(self, failed: object, *_: object) -> None:
        while self._files:
            file = self._files.popitem()[1]
            if failed is None:
                _release(file)
            else:
                file.close()


def _release(file: _File) -> None:
    """Keeps a file that nobody sees, and gives up those that waited longest if they are too many.

    A file that was lent out when this process forked is given up.
    """
    most = most_bytes()
    if file.era is not _era or file.bytes > most:
        file.close()
        return
    _idle.append(file)
    with contextlib.suppress(IndexError):
        while len(_idle) > _MOST_FILES or sum(f.bytes for f in _idle.copy()) > most:
            _idle.popleft().close()


def _forked() -> None:
    global _era
    _era = object()


def _forked_child() -> None:
    _forked()
    with contextlib.suppress(IndexError):
        while True:
            _idle.pop().close()


if hasattr(os, "register_at_fork"):
    # Before for what is given back, afterwards for what is lent out, while the process forks.
    os.register_at_fork(before=_forked, after_in_parent=_forked, after_in_child=_forked_child)
