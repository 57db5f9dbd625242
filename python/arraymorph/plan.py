"""What a read will take, as the optimizer foresees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arraymorph.display import bytes_text, table_html, table_text
from arraymorph.source import Member, Source


@dataclass(frozen=True)
class Access:
    """The requests of one access method: ``whole``, ``ranges``, ``index``, ``function``, ``fill``.

    ``seconds`` are those the method would take alone; methods overlap, so the total is less than
    their sum.
    """

    method: str
    requests: int
    bytes: int
    seconds: float
    dollars: float


class Plan:
    """How the optimizer would read a selection. Made from metadata; nothing is read."""

    def __init__(
        self,
        source: Source,
        member: Member,
        ranges: list[list[list[int]]],
        how: tuple[str, str, str],
    ) -> None:
        self._source = source
        self._member = member
        self._ranges = ranges
        self._how = how
        found = source.plan(member.name, ranges, how)
        self.planner: str = found["planner"]
        self.profile: str = found["profile"]
        self.chunks: int = found["chunks"]
        self.total_chunks: int = found["total_chunks"]
        self.bytes_needed: int = found["bytes_needed"]
        #: True if compressed bytes are counted as decoded: fewer will be moved.
        self.upper_bound: bool = found["upper_bound"]
        self.accesses = tuple(Access(**one) for one in found["methods"])
        self.total = Access(**found["total"])

    @property
    def requests(self) -> int:
        """The number of requests."""
        return self.total.requests

    @property
    def bytes(self) -> int:
        """The bytes to move."""
        return self.total.bytes

    @property
    def seconds(self) -> float:
        """The estimated seconds."""
        return self.total.seconds

    @property
    def dollars(self) -> float:
        """The estimated dollars."""
        return self.total.dollars

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``, a row for each method and the total."""
        import pandas

        rows = [vars(one) for one in (*self.accesses, self.total)]
        return pandas.DataFrame(rows).set_index("method")

    def _title(self) -> str:
        return (
            f"{self._member.name}: planner {self.planner}, profile {self.profile}, "
            f"chunks {self.chunks} of {self.total_chunks}, {bytes_text(self.bytes_needed)} needed"
        )

    def _table(self) -> tuple[list[str], list[list[str]]]:
        most = "<= " if self.upper_bound else ""
        rows = [
            [
                one.method,
                str(one.requests),
                most + bytes_text(one.bytes),
                f"{one.seconds:.4g}",
                f"{one.dollars:.3g}",
            ]
            for one in (*self.accesses, self.total)
        ]
        return ["method", "requests", "bytes", "seconds", "dollars"], rows

    def __repr__(self) -> str:
        return f"{self._title()}\n{table_text(*self._table())}"

    def _repr_html_(self) -> str:
        return table_html(self._title(), *self._table())

    def plot(self, y: str | None = None, x: str | None = None, ax: Any = None) -> Any:
        """Draws the chunk grid along two dimensions, each chunk coloured by its access method.

        By default along the last two; along the others the first chunks that are touched. A
        selected area is outlined. Returns matplotlib's axes.
        """
        from arraymorph.plotting import draw_plan

        return draw_plan(self, y, x, ax)
