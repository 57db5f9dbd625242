"""What arrays, datasets and plans look like as text and HTML."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arraymorph.array import Array
    from arraymorph.dataset import Dataset

_SHOWN_ATTRIBUTES = 12
_SHOWN_ARRAYS = 40


def bytes_text(count: float) -> str:
    """A number of bytes for people, as ``19.4 MB``."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if abs(count) < 1000 or unit == "TB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


def array_text(array: Array) -> str:
    """An array: dimensions, chunks, coordinates, attributes."""
    lines = [f"<arraymorph.Array '{array.name}' {_signature(array)}>", f"  {array.uri}"]
    lines.append(f"  {_storage(array)}")
    if array.coords:
        lines.append("Coordinates:")
        lines += [f"    {_line(a)}" for a in array.coords.values()]
    lines += _attributes(array.attrs)
    return "\n".join(lines)


def dataset_text(dataset: Dataset) -> str:
    """A dataset: dimensions, coordinates, variables with shapes and chunks, attributes."""
    lines = [f"<arraymorph.Dataset {dataset.uri}>"]
    lines.append("Dimensions: " + ", ".join(f"{d}: {n}" for d, n in dataset.dims.items()))
    for title, arrays in (("Coordinates", dataset.coords), ("Variables", dataset.variables)):
        if arrays:
            lines.append(f"{title}:")
            shown = list(arrays.values())[:_SHOWN_ARRAYS]
            storage = title == "Variables"
            lines += [f"    {_line(a)}" + (f"  {_storage(a)}" if storage else "") for a in shown]
            if len(arrays) > len(shown):
                lines.append(f"    .. and {len(arrays) - len(shown)} more")
    lines += _attributes(dataset.attrs)
    return "\n".join(lines)


def _signature(array: Array) -> str:
    dims = ", ".join(f"{d}: {n}" for d, n in zip(array.dims, array.shape))
    return f"({dims}) {_type(array)}"


def _type(array: Array) -> str:
    return str(array.dtype) if array._member.dtype else array._member.stored


def _line(array: Array) -> str:
    dims = ", ".join(array.dims)
    return f"{array.name:<16} ({dims}) {_type(array)} {array.shape}"


def _storage(array: Array) -> str:
    parts = [f"chunks {array.chunks}"]
    if array.shards:
        parts.append(f"shards {array.shards}")
    parts.append(array._member.compression)
    if array._member.dtype:
        parts.append(bytes_text(array.nbytes))
    return ", ".join(parts)


def _attributes(attrs: dict[str, Any]) -> list[str]:
    if not attrs:
        return []
    lines = ["Attributes:"]
    for name, value in list(attrs.items())[:_SHOWN_ATTRIBUTES]:
        text = str(value)
        lines.append(f"    {name}: {text[:70]}{'..' if len(text) > 70 else ''}")
    if len(attrs) > _SHOWN_ATTRIBUTES:
        lines.append(f"    .. and {len(attrs) - _SHOWN_ATTRIBUTES} more")
    return lines


def table_text(head: list[str], rows: list[list[str]]) -> str:
    """A table with columns aligned."""
    widths = [max(len(line[i]) for line in [head, *rows]) for i in range(len(head))]
    lines = [
        "  ".join(
            text.ljust(w) if i == 0 else text.rjust(w)
            for i, (text, w) in enumerate(zip(line, widths))
        )
        for line in [head, *rows]
    ]
    return "\n".join(line.rstrip() for line in lines)


def table_html(caption: str, head: list[str], rows: list[list[str]]) -> str:
    """A table for notebooks."""

    def cells(tag: str, line: list[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in line) + "</tr>"

    body = "".join(cells("td", row) for row in rows)
    return (
        f"<table><caption>{html.escape(caption)}</caption>"
        f"<thead>{cells('th', head)}</thead><tbody>{body}</tbody></table>"
    )
