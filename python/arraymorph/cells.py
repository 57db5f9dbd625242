"""Stored cells of a slice, as numpy, pydata/sparse, torch or scipy."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from arraymorph.errors import error
from arraymorph.packing import dtype_of


class Cells:
    """The stored cells of a slice: unique, sorted row-major, in positions of the slice."""

    def __init__(self, head: dict[str, Any], parts: list[np.ndarray]) -> None:
        self.shape: tuple[int, ...] = tuple(head["shape"])
        self.dims: tuple[str, ...] = tuple(head["dimension_names"])
        self.columns: list[np.ndarray] = parts[: len(self.shape)]
        self.values: np.ndarray = parts[len(self.shape)]
        fill = base64.b64decode(head["fill"])
        dtype = dtype_of(head["data_type"])
        self.fill: Any = (
            np.frombuffer(fill, dtype)[0]
            if dtype is not None
            else fill.decode()
            if head["data_type"] == "string"
            else fill
        )

    @property
    def nnz(self) -> int:
        """The number of stored cells."""
        return len(self.values)

    @property
    def coords(self) -> np.ndarray:
        """The positions of the cells, of shape ``(ndim, nnz)``."""
        wide = any(length > np.iinfo(np.int32).max for length in self.shape)
        if not self.columns:
            return np.empty((0, self.nnz), np.int32)
        return np.stack([c.astype(np.int64, copy=False) if wide else c for c in self.columns])

    def numpy(self) -> np.ndarray:
        """A dense array, the fill value where nothing is stored."""
        dense = np.full(self.shape, self.fill, dtype=self.values.dtype)
        if self.shape:
            dense[tuple(self.columns)] = self.values
        elif self.nnz:
            dense[()] = self.values[0]
        return dense

    def sparse(self) -> Any:
        """A ``sparse.COO`` of pydata/sparse."""
        import sparse

        return sparse.COO(
            self.coords,
            self.values,
            shape=self.shape,
            fill_value=self.fill,
            sorted=True,
            has_duplicates=False,
        )

    def torch(self) -> Any:
        """A coalesced ``torch.sparse_coo_tensor``; the fill value must be zero."""
        import torch

        self._need_zero_fill("torch")
        indices = torch.from_numpy(self.coords.astype(np.int64, copy=False))
        values = torch.from_numpy(np.array(self.values))
        return torch.sparse_coo_tensor(indices, values, self.shape, is_coalesced=True)

    def scipy(self) -> Any:
        """A ``scipy.sparse.coo_array`` of one or two dimensions; the fill value must be zero."""
        import scipy.sparse

        self._need_zero_fill("scipy")
        return scipy.sparse.coo_array((self.values, tuple(self.columns)), shape=self.shape)

    def _need_zero_fill(self, library: str) -> None:
        if self.fill != 0:
            raise error(
                "UNSUPPORTED_FEATURE",
                f"{library} has no fill value but 0, this tensor has {self.fill!r}; "
                "use .sparse() or .numpy()",
            )

    def __repr__(self) -> str:
        return f"<Cells {self.shape} {self.values.dtype} nnz={self.nnz}>"
