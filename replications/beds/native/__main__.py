"""Native executables in many releases: count what each uses, then let buto judge them.

python -m beds.native probe --program closure --from 20220104.0.0 --to 20250520.0.0
python -m beds.native moves --program closure
python -m beds.native judge --program closure
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from beds.artefacts import BedError
from beds.native import probe, trial
from beds.native.releases import NATIVES, fetch, make_inputs, releases

DATA = Path(__file__).resolve().parents[3] / "data" / "native"
COUNTS, SAID = DATA / "counts.csv", DATA / "said.csv"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m beds.native", description=__doc__)
    parser.add_argument("what", choices=("probe", "moves", "judge"))
    parser.add_argument("--program", choices=NATIVES, default="closure")
    parser.add_argument("--from", dest="first", default="", help="first release")
    parser.add_argument("--to", dest="last", default="", help="last release")
    parser.add_argument("--place", type=Path, default=Path("native-bed"), help="for executables and inputs")
    arguments = parser.parse_args()
    program, place = arguments.program, arguments.place.resolve()
    if arguments.what == "moves":
        print_moves(program)
    elif arguments.what == "probe":
        probe_releases(program, arguments.first, arguments.last, place)
    else:
        judge_releases(program, arguments.first, arguments.last, place)


def probe_releases(program: str, first: str, last: str, place: Path) -> None:
    """Count what the releases of a row use that are not counted yet, and append it to the file of counts."""
    native, inputs = NATIVES[program], make_inputs(place / "inputs")
    row = _part(releases(native), first, last)
    known = probe.read(COUNTS, program)
    with _appending(COUNTS, probe.COLUMNS) as (file, writer):
        for release in row:
            if release in known:
                continue
            try:
                executable = fetch(native, release, place)
            except BedError as error:
                print(f"{release}: {error}", file=sys.stderr)
                continue
            writer.writerows(probe.rows(program, release, native.command(executable, inputs)))
            file.flush()
            executable.unlink()


def _part(row: Sequence[str], first: str, last: str) -> Sequence[str]:
    """Return the part of a row of releases from one to another; empty names are its ends."""
    return row[row.index(first) if first else 0 : row.index(last) + 1 if last else None]


def judge_releases(program: str, first: str, last: str, place: Path) -> None:
    """Let buto judge counted releases of a row by the one before, unless it has; append what it says."""
    native, inputs = NATIVES[program], make_inputs(place / "inputs")
    known = {(row["before"], row["after"]) for row in _rows(SAID) if row["program"] == program}
    with _appending(SAID, trial.COLUMNS) as (file, writer):
        for before, after in itertools.pairwise(_part([*probe.read(COUNTS, program)], first, last)):
            if (before, after) in known:
                continue
            said = trial.judge(program, native, before, after, place, inputs)
            writer.writerow((program, before, after, said.verdict, said.launches, said.first, said.line))
            file.flush()


def print_moves(program: str) -> None:
    """Print how each release compares with the one before, and what buto says of it."""
    counted = probe.read(COUNTS, program)
    said = {(row["before"], row["after"]): row for row in _rows(SAID) if row["program"] == program}
    for before, after in itertools.pairwise(counted):
        found = probe.moves(counted[before], counted[after])
        numbers = ", ".join(f"{move.number} {move.share:+.1%}" for move in found)
        row = said.get((before, after))
        verdict = "not judged" if row is None else f"{row['verdict']} ({row['launches']}): {row['line']}"
        print(f"{before} -> {after}: {probe.kind(found)} ({numbers}); {verdict}")


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@contextmanager
def _appending(path: Path, columns: Sequence[str]) -> Iterator[tuple[Any, Any]]:
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(columns)
        yield file, writer


if __name__ == "__main__":
    main()
