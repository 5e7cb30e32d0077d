"""Regressions in released libraries: pairs of releases, counted without buto.

examples:
  python -m benchmark list
  python -m benchmark reproduce jsoup-parse --runs 5
  python -m benchmark sums org.jsoup:jsoup:1.21.1
  python -m benchmark configuration && buto compare jsoup-parse-old --against jsoup-parse-new
  python -m benchmark causes && buto experiments causes --manifest causes.yaml --data profiles
  python -m benchmark series && buto record --config series.yaml --store series-runs --runs 6
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import yaml

from beds.artefacts import BedError, digest_of
from benchmark import reproduce, series
from benchmark.causes import manifest
from benchmark.launch import configuration
from benchmark.pairs import Measure, Pair, read_all

Command = Callable[[argparse.Namespace], int]
Named = TypeVar("Named")


def row(pair: Pair, java: str, measure: Measure, outcome: reproduce.Outcome) -> str:
    """Return the line of a pair and a measure: medians, and the least and largest of its runs."""
    old, new = (f"{median(one):9.2f} ({min(one):.2f}-{max(one):.2f})" for one in (outcome.old, outcome.new))
    answer = "yes" if outcome.reproduced else "no"
    return f"{pair.name:<24} {java:<7} {measure:<13} {old:<28} {new:<28} {outcome.ratio:6.3f}  {answer}"


def _reproduce(given: argparse.Namespace) -> int:
    heads = (
        f"{'pair':<24}",
        f"{'java':<7}",
        f"{'measure':<13}",
        f"{'old':<28}",
        f"{'new':<28}",
        " ratio",
        "more",
    )
    print(*heads)
    javas = dict(word.rpartition("=")[::2] for word in given.java)
    missed = 0
    for pair in named(read_all(), given.names):
        counted: list[reproduce.Counts] = []
        for name, java in javas.items():
            runs = list(reproduce.count(pair, java, name, given.runs))
            counted += runs
            expected = pair.regression.measures if pair.regression else ()
            for measure in Measure:
                outcome = reproduce.outcome(runs, measure)
                missed += measure in expected and not outcome.reproduced
                if measure in expected or given.all:
                    print(row(pair, name, measure, outcome), flush=True)
        if given.write:
            reproduce.COUNTED.mkdir(exist_ok=True)
            with (reproduce.COUNTED / f"{pair.name}.csv").open("w", encoding="utf-8", newline="") as out:
                reproduce.write(counted, out)
    return 1 if missed else 0


def _list(given: argparse.Namespace) -> int:
    for pair in named(read_all(), given.names):
        print(f"{pair.name}: {pair.releases}, {pair.issue}")
        found = pair.regression
        kind = f"{found.kind}, {found.difficulty}" if found else "good"
        print(f"    {kind}: {pair.reported}")
    return 0


def _sums(given: argparse.Namespace) -> int:
    for coordinates in given.names:
        print(f"  {coordinates}: {digest_of(coordinates)}")
    return 0


def _configuration(given: argparse.Namespace) -> int:
    pairs = named(read_all(), given.names)
    return _written(given.output, lambda: configuration(pairs), "tests")


def _causes(given: argparse.Namespace) -> int:
    pairs = [pair for pair in named(read_all(), given.names) if pair.regression]
    return _written(given.output, lambda: manifest(pairs), "programs")


def _series(given: argparse.Namespace) -> int:
    return _written(given.output, lambda: series.tests(named(series.read_series(), given.names)), "tests")


def _labels(given: argparse.Namespace) -> int:
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(series.COLUMNS)
    out.writerows(series.labels(named(series.read_series(), given.names)))
    return 0


class UnknownNameError(BedError):
    """Something was named that is not there."""


def named(known: Mapping[str, Named], names: list[str]) -> list[Named]:
    """Return what is named, or all if no name is given.

    Raises:
        UnknownNameError: a name is not known.
    """
    if unknown := [name for name in names if name not in known]:
        raise UnknownNameError(f"NAME must be one of {', '.join(known)}, got {', '.join(unknown)}")
    return [known[name] for name in names or known]


def _written(output: Path, make: Callable[[], dict[str, Any]], of: str) -> int:
    if output.exists():
        raise BedError(f"{output} exists: remove it, or write another file with --output FILE")
    content = make()
    output.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))
    print(f"{output}: {len(content[of])} {of}")
    return 0


COMMANDS: dict[str, tuple[Command, str]] = {
    "list": (_list, "show the pairs and what was reported"),
    "reproduce": (
        _reproduce,
        "run both releases in turns; exit with 1 if a pair does not show what was reported",
    ),
    "sums": (_sums, "print lines with the SHA-256 of files of Maven Central, for the file of a pair"),
    "configuration": (_configuration, "write a buto.yaml with a test for each release"),
    "causes": (_causes, "write a manifest for buto experiments causes, with the methods that changed"),
    "series": (_series, "write a configuration with a test for each release of the series"),
    "labels": (_labels, "print which releases of the series are regressions, as CSV"),
}
_FILES = {"configuration": "buto.yaml", "causes": "causes.yaml", "series": "series.yaml"}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmark",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    added = {
        name: commands.add_parser(name, help=text, description=text) for name, (_, text) in COMMANDS.items()
    }
    for name, command in added.items():
        many, what = (
            ("+", "group:name:version") if name == "sums" else ("*", "pairs or series (default: all)")
        )
        command.add_argument("names", nargs=many, metavar="NAME", help=what)
    counting = added["reproduce"]
    counting.add_argument(
        "--runs",
        type=_runs,
        default=reproduce.RUNS,
        metavar="N",
        help=f"of each release (default: {reproduce.RUNS})",
    )
    counting.add_argument(
        "--java", action="append", metavar="NAME=JAVA", help="a JVM; may be repeated (default: default=java)"
    )
    counting.add_argument("--all", action="store_true", help="print all counts, not only those of the report")
    counting.add_argument(
        "--write", action="store_true", help=f"keep all counts in {reproduce.COUNTED.name}/"
    )
    for name, file in _FILES.items():
        added[name].add_argument(
            "--output", type=Path, default=Path(file), metavar="FILE", help=f"(default: {file})"
        )
    return parser


def _runs(text: str) -> int:
    if not text.isdecimal() or int(text) < reproduce.LEAST_RUNS:
        raise argparse.ArgumentTypeError(f"must be at least {reproduce.LEAST_RUNS}, got {text}")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    if given.command == "reproduce":
        given.java = given.java or ["default=java"]
    try:
        return COMMANDS[given.command][0](given)
    except BedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UnknownNameError) else 3


if __name__ == "__main__":
    sys.exit(main())
