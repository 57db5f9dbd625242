"""Errors with the stable codes of arraymorph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

_CODED = re.compile(r"\[ARRAYMORPH_([A-Z_]+)\] (.*)")


class ArrayMorphError(Exception):
    """What arraymorph refuses or fails with: a stable code, the problem and what to do.

    ``code`` is one of the codes of the guide's page on errors, as ``"UNKNOWN_ARRAY"``; the message
    starts with ``[ARRAYMORPH_<code>]``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"[ARRAYMORPH_{code}] {message}")
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])


class UnknownNameError(ArrayMorphError, KeyError):
    """A name of an array or a dimension, or a label, that there is not; also a ``KeyError``."""


class OutOfBoundsError(ArrayMorphError, IndexError):
    """An index outside of the array; also an ``IndexError``."""


def error(code: str, message: str) -> ArrayMorphError:
    """The error of a code, of the class that its code calls for."""
    no_such_label = code == "INVALID_SLICE" and "no value of" in message
    if no_such_label or code in ("UNKNOWN_ARRAY", "UNKNOWN_DIMENSION", "UNKNOWN_TENSOR"):
        return UnknownNameError(code, message)
    if code == "OUT_OF_BOUNDS":
        return OutOfBoundsError(code, message)
    return ArrayMorphError(code, message)


@contextmanager
def coded() -> Iterator[None]:
    """Turns what the JVM or Spark throws with a code of arraymorph into that error."""
    try:
        yield
    except ArrayMorphError:
        raise
    except Exception as failure:
        found = find(failure)
        if found is None:
            raise
        raise found from failure


def find(failure: BaseException) -> ArrayMorphError | None:
    """The coded error in the text of a failure, if there is one."""
    java = getattr(failure, "java_exception", None)
    text = str(java.toString()) if java is not None else str(failure)
    match = _CODED.search(text) or _CODED.search(str(failure))
    return None if match is None else error(match.group(1), match.group(2))
