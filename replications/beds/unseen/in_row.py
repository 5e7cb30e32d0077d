"""Record unchanged programs many times in a row: as the machine is, beside a load, elsewhere.

examples:
  python -m beds.unseen.in_row --jdk /usr/lib/jvm/java-17 --host parallel --store rows-quiet
  python -m beds.unseen.in_row --jdk /usr/lib/jvm/java-17 --host parallel --load --store rows-load
  python -m beds.unseen.in_row --jdk /usr/lib/jvm/java-25 --host g1 --cores 0 --store rows-elsewhere
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import nullcontext
from pathlib import Path

from beds.rounds import load_that_changes, show
from beds.unseen.catalogue import BASE, SEED, build, command, programs
from beds.unseen.recording import COLLECTORS, INTERVAL_S, TIMEOUT_S
from buto.actions.collecting import LaunchPlan, collect
from buto.actions.ending import measuring
from buto.measure.target import LiveSet, Target
from buto.run.store import RunStore
from buto_replications.dataset.generate import FORGIVEN, PURPOSE, name_on, recorded

PROGRAMS = ("sessions", "jobs", "csv")
RUNS = 70


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m beds.unseen.in_row",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--jdk", type=Path, required=True, help="directory of a JDK")
    parser.add_argument("--host", choices=COLLECTORS, required=True, help="garbage collector")
    parser.add_argument("--store", type=Path, required=True, metavar="DIR")
    parser.add_argument("--cores", type=int, nargs="*", default=[], help="use only these processors")
    parser.add_argument("--load", action="store_true", help="beside programs that start and stop")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each program (default: {RUNS})")
    given = parser.parse_args(arguments)
    if given.cores:
        os.sched_setaffinity(0, given.cores)
    classes, known, store = build(), programs(), RunStore(given.store)
    for program in PROGRAMS:
        words = command(str(given.jdk / "bin" / "java"), [COLLECTORS[given.host]], classes, program, BASE)
        target = Target(
            tuple(words),
            timeout_s=TIMEOUT_S,
            interval_s=INTERVAL_S,
            live_set=LiveSet(),
            asks_git=False,
        )
        test = name_on(given.host, known[program].name)
        missing = given.runs - recorded(store, test).usable
        if missing > 0:
            plans = [LaunchPlan(test, target, missing)]
            beside = load_that_changes(SEED) if given.load else nullcontext()
            with measuring(given.store, lambda: None), beside:
                collect(plans, store, show, seed=SEED, purpose=PURPOSE, forgiven=FORGIVEN)
    return 0


if __name__ == "__main__":
    sys.exit(main())
