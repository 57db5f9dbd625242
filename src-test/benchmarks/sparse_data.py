"""The data of bin/bench sparse: twins of the two data sets of the Delta Tensor paper.

``uber_twin`` stands for the FROSTT tensor "Uber pickups": days x hours x latitude x longitude with
exactly as many non-zeros and trips. Months grow, weekdays differ, the day has two peaks; space is
two correlated Gaussians with rough bins, a wide background and three hot spots; time and place are
independent. ``ffhq_like`` stands for FFHQ photographs: smooth shapes, texture and sensor noise.

Both were written for this project; the same seed gives the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

SHAPE = (183, 24, 1140, 1717)
NNZ = 3_309_490
TRIPS = 4_534_327
MONTHS = [
    (30, 564_516),
    (31, 652_435),
    (30, 663_844),
    (31, 796_121),
    (31, 829_275),
    (30, 1_028_136),
]
# Monday .. Sunday; day 0 is a Tuesday.
WEEKDAY = np.array([0.84, 0.93, 1.04, 1.12, 1.08, 1.02, 0.80])
MORNING = [104, 67, 46, 48, 55, 84, 143, 193, 191, 160, 159, 166]
EVENING = [170, 196, 231, 275, 313, 336, 325, 295, 285, 281, 242, 169]
HOUR = np.array([*MORNING, *EVENING], float)
HOT_SPOTS = [(0.022, (430, 1010)), (0.018, (575, 935)), (0.005, (470, 640))]


def prepare(folder: Path, *, quick: bool) -> tuple[Path, Path]:
    """The files of cells and of images in a folder; they are made if they are not there."""
    folder.mkdir(parents=True, exist_ok=True)
    cells, images = folder / "cells.npz", folder / "images.npy"
    if not cells.exists():
        days, trips, nnz = (31, 768_000, 0) if quick else (SHAPE[0], TRIPS, NNZ)
        coords, values, shape = uber_twin(2014, days, trips, nnz)
        np.savez(folder / "part.npz", coords=coords, values=values, shape=shape)
        (folder / "part.npz").rename(cells)
    if not images.exists():
        side, count = (256, 240) if quick else (1024, 200)
        part = folder / "part.npy"
        stack = np.lib.format.open_memmap(part, "w+", "u1", (count, 3, side, side))
        for i in range(count):
            stack[i] = ffhq_like(1, i, side)
        stack.flush()
        part.rename(images)
    return cells, images


def uber_twin(seed=2014, days=SHAPE[0], trips=TRIPS, nnz=NNZ, roughness=1.662):
    """Coordinates int32 (4, nnz), sorted row-major and unique, values int32, shape.

    ``nnz`` 0 leaves the number of non-zeros as it falls.
    """
    rng = np.random.default_rng(seed)
    shape = (days, *SHAPE[1:])
    month = np.concatenate([np.full(d, t / d) for d, t in MONTHS])[:days]
    day = month * WEEKDAY[(np.arange(days) + 1) % 7] * rng.lognormal(0, 0.08, days)
    when = _draw(rng, trips, (day / day.sum())[:, None] * (HOUR / HOUR.sum()))
    area = (
        0.76 * _area(shape[2:], (560, 820), (28, 20), 0.55)
        + 0.19 * _area(shape[2:], (540, 840), (60, 60), 0.1)
        + 0.008 * _area(shape[2:], (560, 850), (170, 220), 0.0)
    )
    area *= rng.lognormal(0, roughness, area.shape)
    counts = [int(trips * part) for part, _ in HOT_SPOTS]
    cell = rng.permutation(_draw(rng, trips - sum(counts), area / area.sum()))
    lat, lon = [cell // shape[3]], [cell % shape[3]]
    when = rng.permutation(when)
    for n, (_, centre) in zip(counts, HOT_SPOTS, strict=True):
        y, x = _gauss(rng, n, centre, (2.0, 2.0))
        lat.append(y)
        lon.append(x)
    lat = np.concatenate(lat).clip(0, shape[2] - 1)
    lon = np.concatenate(lon).clip(0, shape[3] - 1)
    linear = (when * shape[2] + lat) * shape[3] + lon
    cells, values = np.unique(linear, return_counts=True)
    if nnz:
        cells, values = _exact_nnz(cells, values, nnz, shape)
    coords = np.stack(np.unravel_index(cells, shape)).astype(np.int32)
    return coords, values.astype(np.int32), shape


def _gauss(rng, n, centre, sigma):
    a = rng.standard_normal((2, n))
    y = centre[0] + sigma[0] * a[0]
    x = centre[1] + sigma[1] * a[1]
    return np.rint(y).astype(np.int64), np.rint(x).astype(np.int64)


def _draw(rng, n, p):
    """n flat indices distributed as p, in index order."""
    return np.repeat(np.arange(p.size), rng.multinomial(n, p.ravel()))


def _area(shape, centre, sigma, rho):
    y = (np.arange(shape[0])[:, None] - centre[0]) / sigma[0]
    x = (np.arange(shape[1])[None, :] - centre[1]) / sigma[1]
    g = np.exp(-(y * y - 2 * rho * x * y + x * x) / (2 * (1 - rho * rho)))
    return g / g.sum()


def _exact_nnz(cells, values, nnz, shape):
    """Moves single trips to the next longitude bin, or merges them with their neighbour."""
    while len(cells) != nnz:
        miss = nnz - len(cells)
        step = max(1, len(cells) // (2 * abs(miss) + 1))
        if miss > 0:
            at = np.flatnonzero((values > 1) & (cells % shape[3] < shape[3] - 1))
            at = at[~np.isin(cells[at] + 1, cells)]
            at = at[:: max(1, len(at) // miss)][:miss]
            values = values.copy()
            values[at] -= 1
            cells = np.concatenate([cells, cells[at] + 1])
            values = np.concatenate([values, np.ones(len(at), values.dtype)])
        else:
            alone = (values[:-1] == 1) & (cells[:-1] // shape[3] == cells[1:] // shape[3])
            at = np.flatnonzero(alone)[::step][:-miss]
            at = at[np.insert(np.diff(at) > 1, 0, True)]
            values = values.copy()
            values[at + 1] += 1
            keep = np.ones(len(cells), bool)
            keep[at] = False
            cells, values = cells[keep], values[keep]
        order = np.argsort(cells, kind="stable")
        cells, values = cells[order], values[order]
    return cells, values


def ffhq_like(seed: int, i: int, side: int) -> np.ndarray:
    """Image ``i`` as (3, side, side) uint8; the same whatever other images are made."""
    rng = np.random.default_rng([seed, i])
    y, x = np.mgrid[-1 : 1 : side * 1j, -1 : 1 : side * 1j].astype("f4")
    cy, cx = rng.normal(0, 0.08, 2)
    oval = ((y - cy) / rng.uniform(0.6, 0.75)) ** 2 + ((x - cx) / rng.uniform(0.42, 0.55)) ** 2
    mask = (1 / (1 + np.exp((oval - 1) * 18))).astype("f4")
    scales = ((8, 14), (64, 6), (256, 3))
    texture = sum(_zoom(rng.normal(0, s, (n, n)).astype("f4"), side) for n, s in scales)
    out = np.empty((3, side, side), "u1")
    tint = rng.normal(0, 8, (2, 3)) + np.array([[96, 104, 110], [188, 148, 124]])
    for c in range(3):
        back = tint[0, c] + 24 * _zoom(rng.normal(0, 1, (5, 5)).astype("f4"), side)
        noise = rng.normal(0, 2.5, (side, side)).astype("f4")
        plane = back * (1 - mask) + tint[1, c] * mask + texture + noise
        out[c] = np.clip(np.rint(plane), 0, 255)
    return out


def _zoom(a, side):
    """Bilinear enlargement of a small square field to side x side."""
    at = np.linspace(0, a.shape[0] - 1, side)
    low = np.minimum(at.astype(int), a.shape[0] - 2)
    part = (at - low).astype("f4")
    rows = a[low] * (1 - part)[:, None] + a[low + 1] * part[:, None]
    return rows[:, low] * (1 - part) + rows[:, low + 1] * part
