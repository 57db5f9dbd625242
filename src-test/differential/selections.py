"""Random selections: for each axis the indices, ascending."""

from __future__ import annotations

import numpy as np

COUNT = 6


def random(rng, shape) -> list[tuple[np.ndarray, ...]]:
    """Boxes, strided boxes and lists of indices."""
    if 0 in shape:
        return []
    return [tuple(_axis(rng, n) for n in shape) for _ in range(COUNT)]


def _axis(rng, length: int) -> np.ndarray:
    start = int(rng.integers(0, length))
    stop = int(rng.integers(start, length)) + 1
    kind = rng.integers(0, 4)
    if kind == 0:
        return np.arange(start, stop)
    if kind == 1:
        return np.arange(start, stop, int(rng.integers(1, 5)))
    if kind == 2:
        return np.array([start])
    chosen = rng.choice(length, size=min(length, int(rng.integers(1, 9))), replace=False)
    return np.sort(chosen)
