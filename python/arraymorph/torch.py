"""Arrays as datasets of torch. Needs torch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arraymorph.array import Array
from arraymorph.errors import error
from arraymorph.pieces import PieceReader

try:
    import torch
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError:
    raise error(
        "PACKAGE_MISSING",
        "arraymorph.torch needs torch. Install it, or use arraymorph.pieces.PieceReader.",
    ) from None


class Pieces(IterableDataset):
    """The slices of an array along a dimension as tensors of torch.

    With ``shuffle=seed`` every epoch has its own order, the same for the same seed; ``set_epoch``
    chooses one. Workers of a ``DataLoader`` share the blocks without overlap; they must be forked
    processes, for each calls the JVM of the session.
    """

    def __init__(
        self, array: Array, along: str, *, shuffle: int | None = None, block: int | None = None
    ) -> None:
        super().__init__()
        self._reader = PieceReader(array, along, shuffle=shuffle, block=block)

    def set_epoch(self, epoch: int) -> None:
        """Chooses the order of the next pass."""
        self._reader.epoch = epoch

    def __len__(self) -> int:
        return len(self._reader)

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for piece in self._reader.pieces(worker, workers):
            yield torch.from_numpy(piece)
        self._reader.epoch += 1
