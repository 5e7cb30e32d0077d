"""Real command-line tools in consecutive releases: what is true of them, and what buto says.

examples:
  python -m beds.tools sums
  python -m beds.tools draw
  python -m beds.tools truth --half tuning
  python -m beds.tools try --half tuning --place /tmp/tools
  python -m beds.tools table --half tuning

What is there already stays, so that each command may be ended and repeated.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from math import comb
from pathlib import Path

import yaml

from beds.artefacts import BedError
from beds.tools import catalogue, trial, truth
from benchmark import records
from buto_replications.checkout import DATA

COUNTED, SAID = DATA / "tools" / "counts.csv", DATA / "tools" / "said.csv"

OF_A_TRUTH = {
    "allocated": ("jvm.memory.allocated",),
    "live": ("jvm.memory.heap.live", "jvm.object.live", "jvm.object.live.by_class"),
    "classes": ("jvm.class.loaded", "jvm.class.count", "jvm.class.initialized"),
    "left": ("jvm.thread.count", "jvm.thread.daemon.count", "process.thread.count"),
    "files": ("process.unix.file_descriptor.count", "process.socket.count"),
}
"""The properties that say what is true, by the measure of the probe."""


def _chosen(given: argparse.Namespace) -> list[catalogue.Tool]:
    half = catalogue.halves()
    return [
        tool
        for name, tool in catalogue.tools().items()
        if (not given.half or half[name] == given.half) and (not given.names or name in given.names)
    ]


def _truth(given: argparse.Namespace) -> int:
    known = records.read(COUNTED, truth.Count)
    for tool, release, round_ in truth.missing(_chosen(given), known, given.rounds):
        records.add(COUNTED, [truth.count(tool, release, round_)])
        print(f"{tool.name} {release} {round_}", flush=True)
    return 0


def _try(given: argparse.Namespace) -> int:
    known = records.read(SAID, trial.Said)
    for tool in _chosen(given):
        done = {(said.new, said.number) for said in known if said.tool == tool.name}
        for said in trial.said(tool, given.place, done, given.unchanged):
            records.add(SAID, [said])
            print(f"{said.tool} {said.new}: {said.verdict} ({said.runs}): {said.first}", flush=True)
    return 0


def _table(given: argparse.Namespace) -> int:
    counts, said = records.read(COUNTED, truth.Count), records.read(SAID, trial.Said)
    unchanged: list[bool] = []
    changed: list[bool] = []
    named: list[bool] = []
    print("| tool | releases | true | said | first |\n| --- | --- | --- | --- | --- |")
    for tool in _chosen(given):
        of_tool = truth.truths(tool, [count for count in counts if count.tool == tool.name])
        known = {release_truth.new: release_truth for release_truth in of_tool}
        for said_line in [summary_line for summary_line in said if summary_line.tool == tool.name]:
            fails = said_line.verdict == "regression"
            of = known.get(said_line.new)
            if said_line.new == said_line.old:
                unchanged.append(fails)
                true = "the same"
            elif of is None or not of.is_known:
                true = "small" if of else "not counted"
            elif of.is_change:
                changed.append(fails)
                true = ", ".join(f"{name} {value:+.3g}" for name, value in of.changes.items())
                if fails:
                    named.append(any(said_line.first in OF_A_TRUTH[name] for name in of.changes))
            else:
                unchanged.append(fails)
                true = "nothing"
            words = f"{said_line.verdict} ({said_line.runs})"
            print(
                f"| {tool.name} | {said_line.old} → {said_line.new} | {true} | {words} | {said_line.first} |"
            )
    print(f"\nunchanged: {sum(unchanged)} of {len(unchanged)} fail (95 %: at most {_upper(unchanged):.3f})")
    print(
        f"changed: {sum(changed)} of {len(changed)} found; "
        f"first finding as the truth: {sum(named)} of {len(named)}"
    )
    return 0


def _upper(trials: Sequence[bool]) -> float:
    """Return the largest share with which so few failures have a chance of 1 in 20 (Clopper and Pearson)."""
    n, k = len(trials), sum(trials)
    if k == n:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        chance = sum(comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(k + 1))
        low, high = (share, high) if chance > 0.05 else (low, share)
    return high


def _sums(given: argparse.Namespace) -> int:
    catalogue.write_sums()
    return 0


def _draw(given: argparse.Namespace) -> int:
    print(yaml.safe_dump(catalogue.draw(), sort_keys=False), end="")
    return 0


COMMANDS = {
    "sums": (_sums, "write down the sums of the jars, as they are served now"),
    "draw": (_draw, "print which tools tune and which are set apart"),
    "truth": (_truth, "count what each release uses, by the probe of the bed"),
    "try": (_try, "train on each first release, and check the others as somebody types it"),
    "table": (_table, "print what is true and what was said"),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m beds.tools", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        command.add_argument("names", nargs="*", metavar="NAME", help="tools (default: all)")
        command.add_argument("--half", choices=("tuning", "apart"), help="only this half of the written draw")
        command.add_argument("--rounds", type=int, default=truth.ROUNDS, help="runs of each release")
        command.add_argument(
            "--unchanged", type=int, default=trial.UNCHANGED, help="checks of each first release itself"
        )
        command.add_argument("--place", type=Path, default=Path("tools-bed"), help="where tools are tried")
    given = parser.parse_args(arguments)
    try:
        return COMMANDS[given.command][0](given)
    except (BedError, OSError, csv.Error, json.JSONDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
