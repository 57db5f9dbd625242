"""Coordinate values as the text of option ``slice`` writes them (docs/spec/slice.md)."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from arraymorph.errors import error


def term(label: Any, dimension: str) -> str:
    """The right side of a term: one value, or a range with both ends included."""
    if isinstance(label, slice):
        low = "" if label.start is None else value(label.start, dimension)
        high = "" if label.stop is None else value(label.stop, dimension)
        return f"{low}:{high}"
    return value(label, dimension)


def value(label: Any, dimension: str) -> str:
    """One value."""
    if isinstance(label, np.datetime64):
        return _instant(label, dimension)
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, np.ndarray) and label.ndim == 0:
        return value(label[()], dimension)
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, (int, float)):
        return repr(label)
    if isinstance(label, str):
        return "'" + label.replace("'", "''") + "'"
    if hasattr(label, "to_datetime64") and getattr(label, "tzinfo", None) is None:
        return _instant(label.to_datetime64(), dimension)
    if isinstance(label, datetime.datetime):
        if label.tzinfo is not None:
            label = label.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return "'" + label.isoformat(timespec="microseconds") + "'"
    if isinstance(label, datetime.date):
        return "'" + label.isoformat() + "T00:00:00.000000'"
    raise error(
        "INVALID_SLICE",
        f"a {type(label).__name__} is no label along '{dimension}'. "
        "Use numbers, texts, dates, slices or lists of these.",
    )


def is_list(label: Any) -> bool:
    """Whether several labels were given."""
    return isinstance(label, (list, tuple, range)) or (
        hasattr(label, "__len__") and not isinstance(label, (str, bytes)) and np.ndim(label) == 1
    )


def _instant(moment: np.datetime64, dimension: str) -> str:
    if np.isnat(moment):
        raise error("INVALID_SLICE", f"NaT is no label along '{dimension}'. Give a date.")
    return "'" + str(moment.astype("datetime64[us]")) + "'"
