"""Where an opened dataset comes from: the driver's JVM, or (over Spark Connect) a table."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from arraymorph import transfer
from arraymorph.errors import coded, error

_CHOSEN_LATER = {"rows": "to_spark(rows=..)", "slice": "sel() or isel()", "path": "the URI"}


@dataclass(frozen=True)
class Member:
    """What is known of one array without reading it."""

    name: str
    kind: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    stored: str
    chunks: tuple[int, ...]
    shards: tuple[int, ...] | None
    compression: str
    uri: str
    is_time: bool
    attrs: dict[str, Any] = field(hash=False)


@dataclass(frozen=True)
class Description:
    """What is known of a dataset without reading it."""

    uri: str
    is_array: bool
    attrs: dict[str, Any]
    dims: dict[str, int]
    members: dict[str, Member]
    warnings: tuple[str, ...]


class Source(Protocol):
    """What reads, plans and resolves labels; everything else is arithmetic on indices."""

    description: Description
    spark: Any
    options: dict[str, str]

    def labels(self, name: str, dimension: str, terms: list[str]) -> list[list[list[int]]]:
        """For each label the ranges of indices that it selects."""

    def read(self, name: str, ranges: list[list[list[int]]]) -> np.ndarray:
        """The values at the product of ranges, packed."""

    def plan(self, name: str, ranges: list[list[list[int]]], how: tuple[str, str, str]) -> dict:
        """What reading them will take."""


def option_texts(options: Mapping[str, Any]) -> dict[str, str]:
    """Options as Spark takes them; those that methods stand for are refused."""
    texts = {}
    for name, given in options.items():
        if name.lower() in _CHOSEN_LATER:
            raise error(
                "INVALID_OPTION", f"option {name} of open(). Use {_CHOSEN_LATER[name.lower()]}."
            )
        if isinstance(given, (list, tuple)):
            given = ",".join(map(str, given))
        texts[name.replace("_", "-")] = (
            str(given).lower() if isinstance(given, bool) else str(given)
        )
    return texts


def jvm_of(spark: Any) -> Any:
    """The JVM of a classic session with the connector in it; None over Spark Connect.

    A session without the connector's jar is refused.
    """
    jvm = getattr(spark, "_jvm", None)
    if jvm is None:
        return None
    from py4j.java_gateway import JavaClass

    if not isinstance(jvm.io.arraymorph.spark.python.PythonDataset, JavaClass):
        raise error(
            "JAR_MISSING",
            "the session has no arraymorph connector. Add its jar, as with "
            'config("spark.jars", "arraymorph-spark-0.1.0.jar"), and start the session again.',
        )
    return jvm


class JvmSource:
    """A dataset that the driver's JVM has open."""

    def __init__(self, spark: Any, jvm: Any, uri: str, options: dict[str, str]) -> None:
        self.spark = spark
        self.options = options
        self._process = os.getpid()
        self._jvm = jvm
        with coded():
            self._dataset = jvm.io.arraymorph.spark.python.PythonDataset.open(
                spark._jsparkSession, uri, options
            )
            self.description = _described(json.loads(self._java.describe()))

    @property
    def _java(self) -> Any:
        """The JVM's dataset; a forked process must not speak through its parent's connection."""
        if self._process != os.getpid():
            client = self._dataset._gateway_client
            client.thread_connection = threading.local()
            client.deque.clear()
            self._process = os.getpid()
        return self._dataset

    def labels(self, name: str, dimension: str, terms: list[str]) -> list[list[list[int]]]:
        with coded():
            return json.loads(self._java.indices(name, dimension, terms))

    def read(self, name: str, ranges: list[list[list[int]]]) -> np.ndarray:
        selection = json.dumps(ranges)
        with coded():
            layout = json.loads(self._java.layout(name, selection))
        return transfer.read(self._jvm, self._java, name, selection, layout, name)

    def plan(self, name: str, ranges: list[list[list[int]]], how: tuple[str, str, str]) -> dict:
        with coded():
            return json.loads(self._java.plan(name, json.dumps(ranges), *how))

    def plan_grid(
        self,
        name: str,
        ranges: list[list[list[int]]],
        how: tuple[str, str, str],
        axes: tuple[int, int],
    ) -> dict:
        """The chunks of a plane of the chunk grid with their access methods."""
        with coded():
            return json.loads(self._java.planGrid(name, json.dumps(ranges), *how, *axes))


def _described(json_of: dict) -> Description:
    members = {}
    for name, one in json_of["arrays"].items():
        members[name] = Member(
            name=name,
            kind=one["kind"],
            dims=tuple(one["dims"]),
            shape=tuple(one["shape"]),
            dtype=one["dtype"],
            stored=one["stored"],
            chunks=tuple(one["chunks"]),
            shards=tuple(one["shards"]) if "shards" in one else None,
            compression=one["compression"],
            uri=one["uri"],
            is_time=one["is_time"],
            attrs=one["attributes"],
        )
    return Description(
        uri=json_of["uri"],
        is_array=json_of["is_array"],
        attrs=json_of["attributes"],
        dims=json_of["dimensions"],
        members=members,
        warnings=tuple(json_of["warnings"]),
    )
