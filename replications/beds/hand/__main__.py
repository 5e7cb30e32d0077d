"""Programs by another hand: what their author says of each version, and what buto says of it, live.

examples:
  python -m beds.hand list
  python -m beds.hand try --set plain --minutes 60
  python -m beds.hand table --set plain

What is there already stays, so that each command may be ended and repeated.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from pathlib import Path

import yaml

from beds.artefacts import BedError
from beds.hand import catalogue, tables, trial
from beds.hand.probe import read_probe
from benchmark import records
from buto_replications.checkout import DATA

SEED = 20261130
SAID = DATA / "hand" / "said.csv"


def _chosen(given: argparse.Namespace) -> dict[str, catalogue.Program]:
    return {
        name: program
        for name, program in catalogue.programs().items()
        if (not given.set or program.set == given.set) and (not given.names or name in given.names)
    }


def _list(given: argparse.Namespace) -> int:
    for program in _chosen(given).values():
        print(f"{program.set:10} {program.name:14} {program.resource}")
    return 0


def _sums(given: argparse.Namespace) -> int:
    catalogue.SUMS.write_text(yaml.safe_dump(catalogue.sums_of()), encoding="utf-8")
    return 0


def _try(given: argparse.Namespace) -> int:
    chosen, known = _chosen(given), set(map(trial.key_of, records.read(SAID, trial.Said)))
    order = [key for key in trial.plan(chosen.values(), SEED) if key not in known]
    SAID.parent.mkdir(parents=True, exist_ok=True)
    deadline_s = time.monotonic() + 60 * given.minutes
    done = 0
    for done, said in enumerate(trial.try_all(chosen, order, given.place, deadline_s), start=1):
        records.add(SAID, [said])
        what = f"{said.program} {said.version}, JDK {said.jdk}"
        print(f"{done} of {len(order)}  {what}: {said.line}", flush=True)
    print(f"{len(order) - done} checks left")
    return 0


def _table(given: argparse.Namespace) -> int:
    chosen = _chosen(given)
    said = [each for each in records.read(SAID, trial.Said) if each.program in chosen]
    print(tables.markdown(tables.HEAD, tables.rows(said, chosen, read_probe())), end="\n\n")
    print(tables.markdown(("resource", "small", "large"), tables.by_resource(said, chosen)), end="\n\n")
    wrong = [
        (each.program, str(each.jdk), each.version, chosen[each.program].resource, each.line)
        for each in sorted(said, key=trial.key_of)
        if _is_wrong(each, chosen[each.program])
    ]
    print(tables.markdown(("program", "JDK", "version", "resource", "first line"), wrong))
    return 0


def _is_wrong(said: trial.Said, program: catalogue.Program) -> bool:
    """Return whether a check says anything else than the author would."""
    fails = said.verdict == "regression"
    if said.version in (catalogue.BASE, *catalogue.HARMLESS):
        return fails
    is_welcome = said.version == catalogue.BETTER
    return (
        not fails or said.is_welcome != is_welcome or not tables.names_what_its_author_accepts(said, program)
    )


COMMANDS = {
    "list": (_list, "print the programs with what their regression uses more of"),
    "sums": (_sums, "write down the sums of the libraries, as they are served now"),
    "try": (_try, "train each program and check its versions as somebody types it"),
    "table": (_table, "print what was said beside what is true"),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m beds.hand", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        command.add_argument("names", nargs="*", metavar="NAME", help="programs (default: all)")
        command.add_argument("--set", choices=catalogue.SETS, help="only this set")
        command.add_argument("--minutes", type=float, default=60.0, help="begin nothing later")
        command.add_argument("--place", type=Path, default=Path("hand-bed"), help="where programs are tried")
    given = parser.parse_args(arguments)
    try:
        return COMMANDS[given.command][0](given)
    except (BedError, OSError, csv.Error, json.JSONDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
