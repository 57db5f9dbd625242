"""Writes random Zarr arrays with other libraries and says what those read back.

    python corpus.py FOLDER --seed 1

For each line on standard input that holds a number `n`, writes array `FOLDER/a<n>` and answers one
line of JSON; `DifferentialTest` asks, compares and deletes. An array depends on seed and number
alone. What a library cannot write is answered with `skipped`.

The answer's `values` is the SHA-256 of all cells: packed, little endian, C order; texts and bytes
of any length each after its length in four bytes. `selections` has the same of parts, read part by
part with the library that wrote; `cells` are the cells as `CellText` writes them, for small arrays.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import warnings
from pathlib import Path

import cells
import numpy as np
import peers
import random_arrays
import selections

MOST_CELLS_AS_TEXT = 3000


def one(folder: Path, seed: int, number: int) -> dict:
    """Writes one array; what it is and holds."""
    rng = np.random.default_rng([seed, number])
    path = folder / f"a{number}"
    try:
        array = random_arrays.write(rng, path)
    except Exception as problem:  # what a library cannot write is not our business
        shutil.rmtree(path, ignore_errors=True)
        return {"number": number, "skipped": f"{type(problem).__name__}: {problem}"[:120]}
    data = array.expected
    read = {name: peers.compare(name, path, array, data) for name in peers.NAMES}
    parts = selections.random(rng, data.shape)
    return {
        "number": number,
        "about": array.about,
        "peers": read,
        "shape": list(data.shape),
        "dimensions": [f"n{d}" if array.named_dimensions else f"dim_{d}" for d in range(data.ndim)],
        "values": cells.digest(data),
        "selections": [
            {"axes": [axis.tolist() for axis in axes], "values": cells.digest(selected)}
            for axes, selected in peers.select(array, data, parts, read)
        ],
        "cells": cells.texts(data) if data.size <= MOST_CELLS_AS_TEXT else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    args.folder.mkdir(parents=True, exist_ok=True)
    for line in sys.stdin:
        print(json.dumps(one(args.folder, args.seed, int(line))), flush=True)


if __name__ == "__main__":
    main()
