"""Pairs of releases of a library, of which the newer one is reported to use more.

examples:
  python -m beds.versions list
  python -m beds.versions reproduce jsoup-parse --runs 5
  python -m beds.versions configuration && buto compare jsoup-parse-old --against jsoup-parse-new
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

import yaml

from beds.artefacts import BedError
from beds.versions.configuration import configuration
from beds.versions.launch import SIDES, Side, build, use
from beds.versions.outcome import LEAST_RUNS, Outcome
from beds.versions.pairs import PAIRS, Pair


def reproduce(pair: Pair, runs: int) -> Outcome:
    """Run both releases in turns, each second turn the new one first.

    Raises:
        BedError: a file cannot be fetched, or the scenario failed.
    """
    classes = build(pair)
    used: dict[Side, list[float]] = {side: [] for side in SIDES}
    for turn in range(runs):
        for side in SIDES if turn % 2 == 0 else SIDES[::-1]:
            used[side].append(use(pair, side, classes)[pair.kind])
    return Outcome(used["old"], used["new"])


def row(pair: Pair, outcome: Outcome) -> str:
    """Return the line of a pair: medians, and the least and largest of its runs."""
    old, new = (f"{median(one):9.2f} ({min(one):.2f}-{max(one):.2f})" for one in (outcome.old, outcome.new))
    answer = "yes" if outcome.reproduced else "no"
    return f"{pair.name:<20} {pair.kind:<13} {old:<26} {new:<26} {outcome.ratio:5.2f}  {answer}"


def _reproduce(pairs: list[Pair], runs: int) -> int:
    heads = (f"{'pair':<20}", f"{'measure':<13}", f"{'old':<26}", f"{'new':<26}", "ratio", " reproduced")
    print(*heads)
    missed = 0
    for pair in pairs:
        outcome = reproduce(pair, runs)
        missed += not outcome.reproduced
        print(row(pair, outcome), flush=True)
    return 1 if missed else 0


def _list(pairs: list[Pair]) -> int:
    for pair in pairs:
        print(f"{pair.name}: {pair.versions}, {pair.issue}\n    {pair.kind.name.lower()}: {pair.reported}")
    return 0


def _configuration(pairs: list[Pair], output: Path) -> int:
    if output.exists():
        raise BedError(f"{output} exists: remove it, or write another file with --output FILE")
    output.write_text(yaml.safe_dump(configuration(pairs), sort_keys=False, allow_unicode=True))
    print(f"{output}: {2 * len(pairs)} tests")
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
    }
    added = {name: commands.add_parser(name, help=text, description=text) for name, text in helps.items()}
    for command in added.values():
        command.add_argument("names", nargs="*", metavar="NAME", help="pairs (default: all)")
    added["reproduce"].add_argument("--runs", type=int, default=5, help="runs of each release (default: 5)")
    added["configuration"].add_argument("--output", type=Path, default=Path("buto.yaml"), metavar="FILE")
    return parser


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    known = {pair.name: pair for pair in PAIRS}
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"NAME must be one of {', '.join(known)}, got {', '.join(unknown)}")
    pairs = [known[name] for name in given.names or known]
    try:
        match given.command:
            case "list":
                return _list(pairs)
            case "configuration":
                return _configuration(pairs, given.output)
            case _:
                if given.runs < LEAST_RUNS:
                    parser.error(f"--runs must be at least {LEAST_RUNS}, got {given.runs}")
                return _reproduce(pairs, given.runs)
    except BedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
