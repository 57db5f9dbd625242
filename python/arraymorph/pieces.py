"""An array piece by piece along one dimension, in a reproducible order, for training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from arraymorph.array import Array
from arraymorph.errors import error


def schedule(
    length: int,
    block: int,
    seed: int | None,
    epoch: int | tuple[int, ...],
    worker: int = 0,
    workers: int = 1,
) -> list[np.ndarray]:
    """The indices ``0 .. length`` in blocks that are read at once, those of one worker.

    With a seed the blocks are shuffled, and the indices in each, anew every epoch; the same seed
    and epoch give the same order. Together the workers have every index once.
    """
    blocks = [np.arange(a, min(a + block, length)) for a in range(0, length, block)]
    if seed is not None:
        parts = epoch if isinstance(epoch, tuple) else (epoch,)
        generator = np.random.default_rng([seed, *parts])
        generator.shuffle(blocks)
        for one in blocks:
            generator.shuffle(one)
    return blocks[worker::workers]


class PieceReader:
    """The slices of an array along a dimension, read chunk by chunk.

    ``along`` names the dimension. A block holds as many indices as a chunk is long there, or
    ``block``: larger blocks shuffle better and need more memory.
    """

    def __init__(
        self, array: Array, along: str, *, shuffle: int | None = None, block: int | None = None
    ) -> None:
        if along not in array.dims:
            raise error(
                "UNKNOWN_DIMENSION",
                f"{array.name} has no dimension '{along}'. It has {', '.join(array.dims)}.",
            )
        if block is not None and block < 1:
            raise error("INVALID_OPTION", f"block {block}. Use a positive number of indices.")
        self.array = array
        self.along = along
        self.shuffle = shuffle
        stored = array.chunks[array._member.dims.index(along)]
        self.block = block or max(1, stored)
        self.epoch: int | tuple[int, ...] = 0

    def __len__(self) -> int:
        return self.array.shape[self.array.dims.index(self.along)]

    def pieces(self, worker: int = 0, workers: int = 1) -> Iterator[np.ndarray]:
        """The slices of one worker, of the epoch that ``epoch`` says."""
        axis = self.array.dims.index(self.along)
        for indices in schedule(len(self), self.block, self.shuffle, self.epoch, worker, workers):
            ascending = np.sort(indices)
            selected: Any = slice(int(ascending[0]), int(ascending[-1]) + 1)
            values = self.array.isel({self.along: selected}).to_numpy()
            for index in indices:
                yield values.take(int(index - ascending[0]), axis=axis)
