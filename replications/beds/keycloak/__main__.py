"""Keycloak on PostgreSQL: what is planned to be recorded, and recording it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import buto
from beds.artefacts import BedError
from beds.keycloak.generate import generate, is_recorded
from beds.keycloak.plan import BLOCKS, PlannedRun, planned_runs
from beds.keycloak.switched import describe, record

_STORE = "directory of the recorded runs"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m beds.keycloak",
        description=__doc__,
        epilog="example: python -m beds.keycloak generate --block 1 bed-runs",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    helps = {
        "plan": "list the runs of a block, and which of them are recorded",
        "generate": "record the runs of a block that are not recorded yet",
    }
    for name, text in helps.items():
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("store", type=Path, metavar="STORE", help=_STORE)
        command.add_argument("--block", type=int, choices=BLOCKS, default=BLOCKS[0], help="default: 1")
        command.add_argument("--only", nargs="+", metavar="NAME", help="these runs (default: all)")
    switched = "record one run of three minutes in which two faults are switched on and off"
    command = commands.add_parser("switched", help=switched, description=switched)
    command.add_argument("store", type=Path, metavar="STORE", help=_STORE)
    return parser


def _show(planned: Sequence[PlannedRun], store: Path) -> None:
    for run in planned:
        rates = " ".join(map(str, run.load.rates))
        state = "recorded" if is_recorded(run.name, store) else ""
        line = f"{run.name:34} {run.role:18} {run.environment.name:14} {run.fault.name:18} {rates:12} {state}"
        print(line.rstrip())


def _chosen(parser: argparse.ArgumentParser, given: argparse.Namespace) -> tuple[PlannedRun, ...]:
    planned = planned_runs(given.block)
    if unknown := set(given.only or ()) - {run.name for run in planned}:
        parser.error(f"no run of block {given.block} is named {', '.join(sorted(unknown))}")
    return tuple(run for run in planned if not given.only or run.name in given.only)


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        if given.command == "switched":
            print(describe(*record(given.store)))
            return 0
        planned = _chosen(parser, given)
        if given.command == "plan":
            _show(planned, given.store)
            return 0
        failed = generate(planned, given.store)
    except BedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    except buto.ButoError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
        return 130
    if failed:
        print(
            f"error: no valid run of {', '.join(failed)}; type the same command to try again", file=sys.stderr
        )
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
