"""Record many programs in rounds of random order, in as many sessions as needed; and a load beside them."""

from __future__ import annotations

import math
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from buto.actions.collecting import LaunchPlan, collect
from buto.actions.ending import measuring
from buto.actions.events import Event, GivenUp, LaunchRepeated, RunStored, WaitingForStore
from buto.measure.target import Target
from buto.run.model import Quality
from buto.run.store import RunStore
from buto_replications.dataset.generate import FORGIVEN, PURPOSE


@dataclass(frozen=True, slots=True)
class Wanted:
    """The runs of one program.

    Attributes:
        runs: how many there are after all rounds, at most one a round.
        phase: below the number of rounds; of programs with as many runs, in which rounds they have them.
    """

    target: Target
    runs: int
    phase: int

    def after(self, round_: int, rounds: int) -> int:
        """Return how many runs there are after a round, counted from 1: they are spread over all rounds."""
        return (round_ * self.runs + self.phase) // rounds


def phase_of(name: str, seed: int, rounds: int) -> int:
    """Return a phase that depends on nothing but a name and a seed."""
    return random.Random(f"{seed} {name}").randrange(rounds)


def record(
    wanted: Mapping[str, Wanted],
    store: Path,
    rounds: int,
    seed: int,
    *,
    last: int = 0,
    within_s: float = math.inf,
    counts: Callable[[Quality], bool] = attrgetter("valid"),
) -> dict[str, str]:
    """Launch what the store lacks of the rounds, one launch at a time, and store each run.

    Args:
        wanted: by test.
        seed: of the order in each round.
        last: the last round of this session; 0 for all.
        within_s: no launch starts later than this, in seconds from now.
        counts: whether a stored run is one of those wanted; another is launched for one that is not.

    Returns:
        By test, why it was given up.

    Raises:
        StorageError: the store cannot be written.
    """
    runs = RunStore(store)
    failures: dict[str, str] = {}
    deadline_s = time.monotonic() + within_s
    with measuring(store, lambda: show(WaitingForStore(store))):
        for round_ in range(1, (last or rounds) + 1):
            plans = [
                LaunchPlan(test, wanted_run.target, missing)
                for test, wanted_run in wanted.items()
                if test not in failures
                if (missing := wanted_run.after(round_, rounds) - _counted(runs, test, counts)) > 0
            ]
            print(f"round {round_} of {rounds}: {sum(plan.runs for plan in plans)} launches", flush=True)
            if plans and time.monotonic() < deadline_s:
                got = collect(
                    plans,
                    runs,
                    show,
                    seed=seed + round_,
                    purpose=PURPOSE,
                    deadline_s=deadline_s,
                    forgiven=FORGIVEN,
                )
                failures |= {
                    test: str(collected.failure)
                    for test, collected in got.items()
                    if collected.failure is not None
                }
    return failures


def _counted(store: RunStore, test: str, counts: Callable[[Quality], bool]) -> int:
    heads = (summary.head for summary in store.summaries(test))
    return sum(head is not None and counts(head.quality) for head in heads)


def show(event: Event) -> None:
    """Print an event of a recording on a line."""
    match event:
        case RunStored(run=run):
            usable = "" if run.quality.valid else ", not usable"
            print(f"  {run.test}: {run.outcome.describe()}{usable}", flush=True)
        case GivenUp(test=test, error=error) | LaunchRepeated(test=test, error=error):
            print(f"  {test}: {error.message}", flush=True)
        case WaitingForStore(store=store):
            print(f"waiting for another buto that measures into {store}", flush=True)
        case _:
            pass


PHASE_S = (4.0, 15.0)
"""A phase of the load, with as many processes as were drawn, takes between so many seconds."""

MOST_PROCESSES = 3
BUSY = "while True: pass"


@contextmanager
def load_that_changes(seed: int) -> Iterator[None]:
    """Run other programs beside: none to three that compute, another number every few seconds."""
    ended, source = threading.Event(), random.Random(seed)

    def work() -> None:
        while not ended.is_set():
            beside = [
                subprocess.Popen([sys.executable, "-c", BUSY])
                for _ in range(source.randint(0, MOST_PROCESSES))
            ]
            ended.wait(source.uniform(*PHASE_S))
            for process in beside:
                process.kill()
                process.wait()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
