"""Pictures, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arraymorph.errors import error

if TYPE_CHECKING:
    from arraymorph.array import Array
    from arraymorph.plan import Plan

_COLOURS = {
    "whole": "tab:blue",
    "ranges": "tab:orange",
    "function": "tab:green",
    "fill": "0.9",
}
_MOST_LINES = 400


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise error("PACKAGE_MISSING", "plots need matplotlib. Install it.") from None
    return plt.subplots(figsize=(8, 4))[1]


def draw(array: Array, ax: Any, style: dict[str, Any]) -> Any:
    """A line of a 1-D array, colours of a 2-D one."""
    if array.ndim not in (1, 2):
        raise error(
            "SHAPE_MISMATCH",
            f"a plot of shape {array.shape}. Select until one or two dimensions are left.",
        )
    values, axes = array.to_numpy(), _axes(ax)
    if array.ndim == 1:
        axes.plot(_along(array, 0), values, **style)
        axes.set(xlabel=_label(array, 0), ylabel=_titled(array.name, array.attrs))
    else:
        style = {"shading": "nearest", **style}
        mesh = axes.pcolormesh(_along(array, 1), _along(array, 0), values, **style)
        axes.figure.colorbar(mesh, ax=axes, label=_titled(array.name, array.attrs))
        axes.set(xlabel=_label(array, 1), ylabel=_label(array, 0))
    fixed = [
        f"{name} = {a.to_numpy()}"
        for name, a in array.coords.items()
        if a.ndim == 0 and a._member.kind == "coordinate"
    ]
    axes.set_title(", ".join(fixed))
    return axes


def _along(array: Array, axis: int) -> np.ndarray:
    coordinate = array.coords.get(array.dims[axis])
    if coordinate is None or coordinate.dtype.kind not in "iufM":
        return np.arange(array.shape[axis])
    return coordinate.to_numpy()


def _label(array: Array, axis: int) -> str:
    name = array.dims[axis]
    coordinate = array.coords.get(name)
    return name if coordinate is None else _titled(name, coordinate.attrs)


def _titled(name: str, attrs: dict[str, Any]) -> str:
    title = attrs.get("long_name") or attrs.get("standard_name") or name
    return f"{title} [{attrs['units']}]" if "units" in attrs else str(title)


def draw_plan(plan: Plan, y: str | None, x: str | None, ax: Any) -> Any:
    """The chunk grid with its accesses."""
    from matplotlib.patches import Patch, Rectangle

    dims = plan._member.dims
    across = x if x is not None else (dims[-1] if dims else None)
    down = y if y is not None else next((d for d in reversed(dims) if d != across), None)
    for name in (down, across):
        if name is not None and name not in dims:
            raise error(
                "UNKNOWN_DIMENSION",
                f"{plan._member.name} has no dimension '{name}'. It has {', '.join(dims)}.",
            )
    at = tuple(-1 if name is None else dims.index(name) for name in (down, across))
    grid = plan._source.plan_grid(plan._member.name, plan._ranges, plan._how, at)
    rows, columns = grid["vertical"], grid["horizontal"]
    axes = _axes(ax)
    if len(rows) + len(columns) < _MOST_LINES:
        axes.hlines(rows, columns[0], columns[-1], color="0.75", lw=0.6)
        axes.vlines(columns, rows[0], rows[-1], color="0.75", lw=0.6)
    counts: dict[str, int] = {}
    for row, column, method in grid["chunks"]:
        counts[method] = counts.get(method, 0) + 1
        corner = (columns[column], rows[row])
        width, height = columns[column + 1] - corner[0], rows[row + 1] - corner[1]
        colour = _COLOURS.get(method, "tab:red")
        axes.add_patch(Rectangle(corner, width, height, fc=colour, ec="white", lw=0.6, alpha=0.8))
    top, bottom = _span(plan, at[0])
    left, right = _span(plan, at[1])
    axes.add_patch(
        Rectangle((left, top), right - left, bottom - top, fill=False, ec="black", lw=1.4)
    )
    axes.set(
        xlim=(columns[0], columns[-1]),
        ylim=(rows[-1], rows[0]),
        xlabel=across or "",
        ylabel=down or "",
        title=f"{plan._member.name}: planner {plan.planner}",
    )
    marks = [
        Patch(color=_COLOURS.get(m, "tab:red"), label=f"{m} ({n})")
        for m, n in sorted(counts.items())
    ]
    axes.legend(handles=[*marks, Patch(fill=False, label="selected")], loc="upper right")
    return axes


def _span(plan: Plan, axis: int) -> tuple[int, int]:
    if axis < 0:
        return 0, 1
    ranges = plan._ranges[axis]
    return (ranges[0][0], ranges[-1][1]) if ranges else (0, 0)
