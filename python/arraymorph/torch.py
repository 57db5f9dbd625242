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

    With ``shuffle=seed`` every epoch has its own order; without workers the same one for the same
    seed and number of the epoch, which ``set_epoch`` chooses. Workers of a ``DataLoader`` share the
    blocks without overlap. Each epoch starts them anew, so where ``set_epoch`` was not called their
    order also depends on the seed of torch (``torch.manual_seed``). They must be forked processes,
    for each calls the JVM of the session.
    """

    def __init__(
        self, array: Array, along: str, *, shuffle: int | None = None, block: int | None = None
    ) -> None:
        super().__init__()
        self._reader = PieceReader(array, along, shuffle=shuffle, block=block)
        self._epoch = 0
        self._is_chosen = False

    def set_epoch(self, epoch: int) -> None:
        """Chooses the order of the next pass."""
        self._epoch = epoch
        self._is_chosen = True

    def __len__(self) -> int:
        return len(self._reader)

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        # Torch draws one seed for each start of the workers and adds their numbers.
        drawn = () if info is None or self._is_chosen else (info.seed - info.id,)
        self._reader.epoch = (self._epoch, *drawn)
        self._epoch += 1
        for piece in self._reader.pieces(worker, workers):
            yield torch.from_numpy(piece)

    def __getstate__(self) -> Any:
        raise error(
            "UNSUPPORTED_FEATURE",
            "Pieces in a process that was spawned, where there is no session. "
            "Use DataLoader(.., multiprocessing_context='fork').",
        )
