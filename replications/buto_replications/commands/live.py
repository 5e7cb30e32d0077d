"""``buto experiments live``: launch the installed command on unchanged programs, and on some that changed."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from buto.cli.console import Console
from buto.cli.interruption import Stopped
from buto.errors import EXIT_PASS
from buto.run.units import format_count
from buto_replications.live.journal import CommandEntry
from buto_replications.live.parts import PARTS
from buto_replications.live.session import carry_out

HELP = f"""

Each trial is a command as a user types it, in a directory of its own below --data, with its files fetched by
Maven or made by code. Trials come in a random order. After each command a line is added to PART.jsonl: after
Ctrl-C or --minutes, the same command continues. "buto experiments run live" prints the tables.

{chr(10).join(f"  {name:10} {part.asks}" for name, part in PARTS.items())}

example: buto experiments live placebo --minutes 30 --only 'closure/jar-*'"""


def add_live_arguments(parser: ArgumentParser) -> None:
    """Add what is particular to it; ``--data``, ``--minutes`` and ``--seed`` are those of all recordings."""
    parser.add_argument("part", metavar="PART", choices=list(PARTS), help=", ".join(PARTS))
    parser.add_argument(
        "--only",
        metavar="PATTERN",
        nargs="+",
        default=[],
        help="shell patterns of subjects, as 'closure/*' (default: all)",
    )


def run_live(args: Namespace, again: str, console: Console) -> int:
    """Carry out trials and print a line for each command.

    Args:
        again: how to continue.

    Raises:
        Stopped: Ctrl-C.
    """

    def tell(entry: CommandEntry, done: int, total: int) -> None:
        turns = ", in turns" if entry.reached_turns else ""
        console.result(
            f"{done} of {total}  {entry.subject}, {entry.condition}: {entry.action}, exit {entry.exit_code}, "
            f"{format_count(entry.launches, 'launch')}{turns}, {entry.seconds:.0f} s"
        )

    deadline_s = time.monotonic() + 60 * args.minutes
    try:
        left = carry_out(PARTS[args.part], args.part, args.data, args.seed, deadline_s, tell, args.only)
    except KeyboardInterrupt as stop:
        raise Stopped("stopped by Ctrl-C", again) from stop
    console.info(f"{format_count(left, 'trial')} left; {again}" if left else "all trials are done")
    return EXIT_PASS
