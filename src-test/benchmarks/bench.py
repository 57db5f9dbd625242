"""Runs one benchmark and prints its table; see bin/bench."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

import dense_goals
import report

NAMES = ("cells", "write", "plan", "dense", "decode", "python", "sparse")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bin/bench", description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--quick", action="store_true", help="smaller data, under ten minutes")
    parser.add_argument("--networks", help="of dense only: some of raw,LAN,WAN")
    parser.add_argument("--layouts", help='of dense only: some, as "plain 1 MiB,sharded 4 MiB"')
    parser.add_argument("--minutes", type=float, help="of dense only: begin no part after so many")
    parser.add_argument("--work", type=Path, help="of dense only: folder of data and parts so far")
    parser.add_argument("--out", type=Path, help="JSON file for the rows")
    args = parser.parse_args()
    some = {}
    if args.name == "dense":
        some = {
            name: tuple(value.split(","))
            for name, value in (("networks", args.networks), ("layouts", args.layouts))
            if value
        }
        if args.minutes is not None:
            some["minutes"] = args.minutes
        if args.work:
            args.work.mkdir(parents=True, exist_ok=True)
    bench = importlib.import_module(f"bench_{args.name}")
    with tempfile.TemporaryDirectory(prefix="arraymorph-bench-") as folder:
        rows = bench.run(args.work or Path(folder), quick=args.quick, **some)
    report.print_table(rows)
    if args.name == "dense":
        dense_goals.print_goals(rows)
    if args.out:
        report.write_json(rows, args.out)
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
