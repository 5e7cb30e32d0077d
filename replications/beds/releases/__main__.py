"""Releases that were replayed with buto, counted without it.

examples:
  python -m beds.releases count closure
  python -m beds.releases table closure
  python -m beds.releases confirm

What is counted already stays, so that a command may be ended and repeated.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import astuple, fields

from beds.artefacts import CACHE, BedError
from beds.releases.confirm import Confirmed, confirm_checks
from beds.releases.counts import LIBRARIES, MEASURES, Count, Move, count_releases, find_moves
from benchmark import records
from buto.errors import ButoError
from buto_replications.commands.run_releases import RELEASES, load_series

N_CLASSES = 3
CONFIRMED = RELEASES / "confirmed.csv"
REPLAYS = {"first": "", "second": "-again"}
"""What the name of a replay's file has behind that of the library."""


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
        before, after = (_of(counts, version) for version in (accepted, release))
        if before and after:
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


def write_confirmed() -> int:
    """Write which checks of all replays a count confirms."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([field.name for field in fields(Confirmed)])
    rows.writerows(astuple(confirmed) for confirmed in confirm_all())
    CONFIRMED.write_text(text.getvalue(), encoding="utf-8")
    return 0


def confirm_all() -> list[Confirmed]:
    """Return what confirms the checks of all replays that failed."""
    checks: list[Confirmed] = []
    for library in LIBRARIES:
        counts = records.read(RELEASES / f"{library}-counts.csv", Count)
        for replay in REPLAYS.values():
            path = RELEASES / f"{library}{replay}.csv"
            with path.open(encoding="utf-8", newline="") as rows:
                checks += confirm_checks(path.stem, list(csv.DictReader(rows)), counts)
    return checks


COMMANDS = {"count": _count, "table": _table}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m beds.releases",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in (
        ("count", "launch what is not counted yet"),
        ("table", "print what each check said beside what moved"),
    ):
        commands.add_parser(name, help=text).add_argument("library", choices=LIBRARIES)
    commands.add_parser("confirm", help=f"write {CONFIRMED.name}: which failing checks a count confirms")
    given = parser.parse_args(arguments)
    try:
        if given.command == "confirm":
            return write_confirmed()
        return COMMANDS[given.command](given.library)
    except (BedError, ButoError, OSError, csv.Error) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
