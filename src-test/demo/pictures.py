"""The pictures of the demo."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle


def field(
    path: Path,
    values: np.ndarray,
    lon: np.ndarray,
    lat: np.ndarray,
    title: str,
    cmap: str = "turbo",
) -> None:
    """A map of one field; missing cells are grey."""
    figure, axes = plt.subplots(figsize=(9, 4.2), layout="constrained")
    axes.set_facecolor("0.75")
    mesh = axes.pcolormesh(lon, lat, values, cmap=cmap, shading="nearest")
    figure.colorbar(mesh, ax=axes, shrink=0.9)
    axes.set(title=title, xlabel="degrees east", ylabel="degrees north")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def chunks(
    path: Path,
    shape: tuple[int, int],
    shard: tuple[int, int],
    inner: tuple[int, int],
    pieces: list[tuple[int, int, int, int]],
) -> None:
    """The grid of shards and inner chunks; the inner chunks that rows came from are coloured.

    ``pieces`` holds (first row, first column, rows, columns) of each piece in array indices.
    """
    figure, axes = plt.subplots(figsize=(9, 4.8), layout="constrained")
    for y in range(0, shape[0], inner[0]):
        for x in range(0, shape[1], inner[1]):
            axes.add_patch(Rectangle((x, y), inner[1], inner[0], fill=False, ec="0.85", lw=0.4))
    for y in range(0, shape[0], shard[0]):
        for x in range(0, shape[1], shard[1]):
            axes.add_patch(Rectangle((x, y), shard[1], shard[0], fill=False, ec="0.3", lw=1.2))
    touched = {(y // inner[0], x // inner[1]) for y, x, _, _ in pieces}
    for cy, cx in touched:
        corner = (cx * inner[1], cy * inner[0])
        axes.add_patch(Rectangle(corner, inner[1], inner[0], fc="tab:orange", ec="none", alpha=0.8))
    for y, x, height, width in pieces:
        axes.add_patch(Rectangle((x, y), width, height, fc="tab:red", ec="none"))
    axes.set(
        xlim=(0, shape[1]),
        ylim=(0, shape[0]),
        xlabel="column",
        ylabel="row",
        title="Shards (black), inner chunks (grey), decoded (orange), selected (red)",
    )
    figure.savefig(path, dpi=110)
    plt.close(figure)
