"""Does the detector ``history`` find regressions of kinds that nobody has labelled? On recorded runs.

Each program is a test of its own. Some of its runs train it, as many more are labelled good, and up to four
runs of each of its regressions are labelled bad, but none of the kind that is judged. Then runs without a
label are judged, one by one: unchanged ones, ones of this kind, and these once more after runs of this kind
were labelled, too. A test of a library has one regression; there the labels of the other libraries teach.
Prints a table, with lines for each data set.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from buto import oracle
from buto.judging.verdict import Status
from buto.oracle import Oracle, settings_from
from buto.run.labels import Label, Labelling, Past
from buto.run.model import Run, run_set
from buto_replications.history.histories import ProgramRuns, bed_faults, programs, releases

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
N_BAD, N_JUDGED, N_UNCHANGED = 4, 4, 8
UNCHANGED, NEW, KNOWN = "unchanged", "regressions of a new kind", "regressions of a known kind"
KINDS = (UNCHANGED, NEW, KNOWN)


@dataclass(frozen=True)
class LabelPlan:
    """How many of a program's good runs train and are labelled; the others are judged."""

    n_training: int
    n_good: int
    settings: Mapping[str, Any]


USUAL = LabelPlan(10, 10, {"method": "history"})
FEWER = LabelPlan(6, 6, {"method": "history", "history": {"alpha": 0.1}})
"""For data with few good runs: at an alpha of .05, 19 good ones would be needed."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m perf.judging.new_kinds", description=__doc__)
    parser.add_argument("--programs", type=int, help="about so many of each data set (default: all)")
    options = parser.parse_args()
    print(
        "| data | judged | runs | regression | inconclusive | pass |\n| --- | --- | --- | --- | --- | --- |"
    )
    for name, recorded, plan, taught_by in (
        ("programs and servers", programs(), USUAL, alone),
        ("libraries", releases(), FEWER, others),
        ("Keycloak", bed_faults(), FEWER, alone),
    ):
        large = [runs for runs in recorded if len(runs.good) > plan.n_training + plan.n_good]
        chosen = large[:: max(1, len(large) // options.programs)] if options.programs else large
        statuses: Counter[tuple[str, Status]] = Counter()
        for runs in chosen:
            statuses.update(judged(runs, plan, taught_by(runs, large, plan)))
        for kind in KINDS:
            print(row(f"{name} ({len(chosen)})", kind, statuses), flush=True)
    return 0


def row(name: str, kind: str, statuses: Counter[tuple[str, Status]]) -> str:
    counts = [statuses[kind, status] for status in (Status.REGRESSION, Status.INCONCLUSIVE, Status.PASS)]
    return f"| {name} | {kind} | {sum(counts)} | {' | '.join(map(str, counts))} |"


def alone(program: ProgramRuns, every: Sequence[ProgramRuns], plan: LabelPlan) -> Sequence[Past]:
    """Return no pasts of other tests."""
    return ()


def others(program: ProgramRuns, every: Sequence[ProgramRuns], plan: LabelPlan) -> Sequence[Past]:
    """Return the pasts of all other tests, with all their regressions."""
    return [parts(runs, plan).past(list(runs.changed)) for runs in every if runs is not program]


def judged(program: ProgramRuns, plan: LabelPlan, pasts: Sequence[Past]) -> Iterator[tuple[str, Status]]:
    """Yield what was judged, and how."""
    ours = parts(program, plan)
    for number, kind in enumerate(program.changed):
        without = [runs for runs in program.changed if runs != kind]
        if not without and not pasts:
            continue
        known = ours.trained(without, pasts)
        bad, later = divided(ours.changed[kind])
        yield from ((NEW, status(known, run)) for run in later)
        if not number:
            yield from ((UNCHANGED, status(known, run)) for run in ours.later)
        if bad:
            taught = ours.trained([*without, kind], pasts)
            yield from ((KNOWN, status(taught, run)) for run in later)


@dataclass(frozen=True, eq=False)
class Parts:
    """The runs of a program by what they are for."""

    plan: LabelPlan
    taught: Sequence[Run]
    good: Sequence[Run]
    later: Sequence[Run]
    changed: Mapping[str, Sequence[Run]]

    def past(self, kinds: Sequence[str]) -> Past:
        """Return the labelled past with regressions of these kinds."""
        bad = [run for kind in kinds for run in divided(self.changed[kind])[0]]
        said = (
            ("train", Label.GOOD, self.taught),
            ("label", Label.GOOD, self.good),
            ("label", Label.BAD, bad),
        )
        test = self.taught[0].test
        labellings = tuple(
            Labelling(test, tuple(run.id for run in runs), label, NOON, command)
            for command, label, runs in said
            if runs
        )
        return Past(test, (*self.taught, *self.good, *bad), labellings)

    def trained(self, kinds: Sequence[str], pasts: Sequence[Past]) -> Oracle:
        settings = settings_from(self.plan.settings)
        return oracle.train(run_set(self.taught), settings, pasts=[self.past(kinds), *pasts])


def divided(runs: Sequence[Run]) -> tuple[Sequence[Run], Sequence[Run]]:
    """Return the runs of a regression that are labelled, and those that are judged."""
    n_labelled = min(N_BAD, len(runs) // 2)
    return runs[:n_labelled], runs[n_labelled : n_labelled + N_JUDGED]


def parts(program: ProgramRuns, plan: LabelPlan) -> Parts:
    """Return the runs of a program in a random order, those of training before all others."""
    random = np.random.default_rng(1)
    good = renamed(shuffled(program.good, random), program.name, 0)
    first, last = plan.n_training, plan.n_training + plan.n_good
    changed = {
        kind: renamed(shuffled(runs, random), program.name, 1000 * (1 + number))
        for number, (kind, runs) in enumerate(program.changed.items())
    }
    return Parts(plan, good[:first], good[first:last], good[last : last + N_UNCHANGED], changed)


def shuffled(runs: Sequence[Run], random: np.random.Generator) -> list[Run]:
    return [runs[place] for place in random.permutation(len(runs))]


def renamed(runs: Sequence[Run], test: str, first: int) -> list[Run]:
    """Return the runs of one test with ids in this order, as if they had been recorded so."""
    return [
        replace(run, test=test, id=f"20260101T000000.000Z-{first + number:04x}")
        for number, run in enumerate(runs)
    ]


def status(known: Oracle, run: Run) -> Status:
    return oracle.check(known, run_set([run])).status


if __name__ == "__main__":
    sys.exit(main())
