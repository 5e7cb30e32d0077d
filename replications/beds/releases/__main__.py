"""Releases that were replayed with buto, counted without it.

examples:
  python -m beds.releases count closure
  python -m beds.releases table closure

What is counted already stays, so that a command may be ended and repeated.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence

from beds.artefacts import CACHE, BedError
from beds.releases.counts import LIBRARIES, MEASURES, Count, Move, count_releases, find_moves
from benchmark import records
from buto.errors import ButoError
from buto_replications.commands.run_releases import RELEASES, load_series

N_CLASSES = 3


def _count(library: str) -> int:
    path = RELEASES / f"{library}-counts.csv"
    for counted in count_releases(load_series(library), records.read(path, Count), CACHE):
        records.add(path, [counted])
        print(f"{counted.release} {counted.launch}: {counted.live} bytes alive", flush=True)
    return 0


def _table(library: str) -> int:
    """Print of each release what its check said, and what moved since the release that its oracle knew."""
    counts = records.read(RELEASES / f"{library}-counts.csv", Count)
    with (RELEASES / f"{library}.csv").open(encoding="utf-8", newline="") as rows:
        checks = list(csv.DictReader(rows))
    print("| release | a check says | the count: medians |\n| --- | --- | --- |")
    accepted = ""
    for check in checks:
        release = check["release"]
        if accepted:
            before, after = (_of(counts, version) for version in (accepted, release))
            said = check["found"] if check["status"] == "regression" else "passes"
            print(f"| {release} | {said} | {_tell(find_moves(before, after))} |")
        if check["status"] in ("trained", "regression"):
            accepted = release
    return 0


def _of(counts: Sequence[Count], release: str) -> list[Count]:
    return [count for count in counts if count.release == release]


def _tell(moves: Sequence[Move]) -> str:
    """Return what lies apart: of numbers all, of classes the three that moved by most bytes."""
    apart = [move for move in moves if move.is_apart]
    numbers = [move for move in apart if move.measure in MEASURES]
    classes = [move for move in apart if move.measure not in MEASURES]
    return ", ".join(
        f"{move.measure} {move.old:.0f} → {move.new:.0f} ({move.share:+.1%})"
        for move in (*numbers, *classes[:N_CLASSES])
    )


COMMANDS = {"count": _count, "table": _table}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m beds.releases",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("library", choices=LIBRARIES)
    given = parser.parse_args(arguments)
    try:
        return COMMANDS[given.command](given.library)
    except (BedError, ButoError, OSError, csv.Error) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
