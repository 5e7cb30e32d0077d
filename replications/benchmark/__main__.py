"""Releases of libraries, of which one is reported to use more than the one before: pairs, and series.

examples:
  python -m beds.versions list
  python -m beds.versions reproduce jsoup-parse --runs 5
  python -m beds.versions configuration && buto compare jsoup-parse-old --against jsoup-parse-new
  python -m beds.versions causes && buto experiments causes --manifest causes.yaml --data profiles
  python -m beds.versions series && buto record --config series.yaml --store series-runs --runs 6
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from beds.artefacts import BedError
from beds.versions.causes import manifest
from beds.versions.launch import LEAST_RUNS, SIDES, Outcome, Side, build, configuration, use
from beds.versions.pairs import PAIRS, Kind, Pair
from beds.versions.series import COLUMNS, SERIES, Series, labels, tests

OF_SERIES = ("series", "labels")
"""Commands that take series instead of pairs."""


def reproduce(pair: Pair, runs: int) -> dict[Kind, Outcome]:
    """Run both releases in turns, each second turn the new one first, and return what came of each kind.

    Raises:
        BedError: a file cannot be fetched, or the scenario failed.
    """
    classes = build(pair)
    used: dict[Side, list[dict[str, float]]] = {side: [] for side in SIDES}
    for turn in range(runs):
        for side in SIDES if turn % 2 == 0 else SIDES[::-1]:
            used[side].append(use(pair, side, classes))
    return {kind: Outcome(*([one[kind] for one in used[side]] for side in SIDES)) for kind in pair.kinds}


def row(pair: Pair, kind: Kind, outcome: Outcome) -> str:
    """Return the line of a pair and a kind: medians, and the least and largest of its runs."""
    old, new = (f"{median(one):9.2f} ({min(one):.2f}-{max(one):.2f})" for one in (outcome.old, outcome.new))
    answer = "yes" if outcome.reproduced else "no"
    return f"{pair.name:<20} {kind:<13} {old:<26} {new:<26} {outcome.ratio:5.2f}  {answer}"


def _reproduce(pairs: list[Pair], runs: int) -> int:
    heads = (f"{'pair':<20}", f"{'measure':<13}", f"{'old':<26}", f"{'new':<26}", "ratio", " reproduced")
    print(*heads)
    missed = 0
    for pair in pairs:
        for kind, outcome in reproduce(pair, runs).items():
            missed += not outcome.reproduced
            print(row(pair, kind, outcome), flush=True)
    return 1 if missed else 0


def _list(pairs: list[Pair]) -> int:
    for pair in pairs:
        measures = ", ".join(kind.name.lower() for kind in pair.kinds)
        print(f"{pair.name}: {pair.versions}, {pair.issue}\n    {measures}: {pair.reported}")
    return 0


def _write(output: Path, make: Callable[[], dict[str, Any]], of: str) -> int:
    if output.exists():
        raise BedError(f"{output} exists: remove it, or write another file with --output FILE")
    content = make()
    output.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))
    print(f"{output}: {len(content[of])} {of}")
    return 0


def _labels(series: list[Series]) -> int:
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    out.writerows(labels(series))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m beds.versions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    helps = {
        "list": "show the pairs and what was reported",
        "reproduce": "run both releases in turns; exit with 1 if a pair does not reproduce",
        "configuration": "write a buto.yaml with a test for each release",
        "causes": "write a manifest for buto experiments causes, with the methods that changed",
        "series": "write a configuration with a test for each release of the series",
        "labels": "print which releases of the series are regressions, as CSV",
    }
    added = {name: commands.add_parser(name, help=text, description=text) for name, text in helps.items()}
    for command in added.values():
        command.add_argument("names", nargs="*", metavar="NAME", help="pairs or series (default: all)")
    added["reproduce"].add_argument("--runs", type=int, default=5, help="runs of each release (default: 5)")
    for name, file in (("configuration", "buto.yaml"), ("causes", "causes.yaml"), ("series", "series.yaml")):
        added[name].add_argument(
            "--output", type=Path, default=Path(file), metavar="FILE", help=f"(default: {file})"
        )
    return parser


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    pairs, series = ({pair.name: pair for pair in PAIRS}, {one.pair.name: one for one in SERIES})
    known = list(series if given.command in OF_SERIES else pairs)
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"NAME must be one of {', '.join(known)}, got {', '.join(unknown)}")
    names = given.names or known
    try:
        match given.command:
            case "list":
                return _list([pairs[name] for name in names])
            case "configuration":
                return _write(given.output, lambda: configuration([pairs[name] for name in names]), "tests")
            case "causes":
                return _write(given.output, lambda: manifest([pairs[name] for name in names]), "programs")
            case "series":
                return _write(given.output, lambda: tests([series[name] for name in names]), "tests")
            case "labels":
                return _labels([series[name] for name in names])
            case _:
                if given.runs < LEAST_RUNS:
                    parser.error(f"--runs must be at least {LEAST_RUNS}, got {given.runs}")
                return _reproduce([pairs[name] for name in names], given.runs)
    except BedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
