"""Do suggested minimum effects hold for later runs? On the recorded runs of the thesis's programs.

For each pair of a program and a variant that is nearly the same, ten runs of the program train an oracle.
Two checks of the variant are labelled good, as if somebody did not care about the difference; one check of
each of one or two quite different variants is labelled bad. Then other checks, of other runs, are judged by
the oracle as it was and with what is suggested. Prints a row of a table for each pair and host.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from buto import oracle
from buto.run.model import Run, RunSet, run_set
from buto_replications.dataset.archive import RECORDED, hosts, load
from buto_replications.suggestions.rejudge import Rejudge
from buto_replications.suggestions.suggestion import Key, effects_that_avoid

PAIRS = {
    ("classloading-10ms", "classloading-12ms"): ("classloading-100ms", "classloading-1000ms"),
    ("references-strong", "references-strong-rate-550"): ("references-soft", "references-weak"),
    ("leaker-string-builder", "leaker-string-builder-11-leaks"): ("leaker-string", "leaker-thread"),
    ("consumerproducer-v0", "consumerproducer-v0-leak-200"): ("consumerproducer-v2", "consumerproducer-v4"),
    ("consumerproducer-v0", "consumerproducer-v1"): ("consumerproducer-v2", "consumerproducer-v4"),
    ("references-strong", "references-soft"): ("references-weak",),
}
"""A program and a variant that is nearly the same, and variants that are not."""

N_TRAINING, N_CHECKED, N_UNCHANGED = 10, 3, 2
KINDS = ("like false alarms", "like regressions", "unchanged")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m perf.judging.suggestions", description=__doc__)
    parser.add_argument("--draws", type=int, default=3, help="of runs, for each pair and host")
    options = parser.parse_args()
    total = np.zeros((len(KINDS), 3), np.int64)
    for host in hosts(RECORDED):
        runs = load(RECORDED, host)
        for (usual, nearly), others in PAIRS.items():
            each = [drawn(runs, usual, nearly, others, 1 + draw) for draw in range(options.draws)]
            counts = np.sum(each, axis=0)
            print(row(f"{host}: {usual}, {nearly}", counts), flush=True)
            total += counts
    print(row("all", total))
    return 0


def row(name: str, counts: np.ndarray) -> str:
    cells = [f"{then} of {n} fail, {now} before" for n, now, then in counts.tolist()]
    return f"| {name} | {' | '.join(cells)} |"


def drawn(runs: dict[str, RunSet], usual: str, nearly: str, others: Sequence[str], seed: int) -> np.ndarray:
    """Return for each of KINDS the number of checks, how many fail at first, and with what is suggested."""
    random = np.random.default_rng(seed)
    known = shuffled(runs[usual], random)
    learned = oracle.train(run_set(known[:N_TRAINING]))
    unchanged = checks(known[N_TRAINING:])[4 : 4 + N_UNCHANGED]
    alarms = checks(shuffled(runs[nearly], random))[:3]
    regressions = [checks(shuffled(runs[name], random))[:2] for name in others]
    every = {
        key_of(check_runs): run_set(check_runs)
        for check_runs in (*unchanged, *alarms, *(c for r in regressions for c in r))
    }
    judge = Rejudge(dict.fromkeys(every, learned), every.__getitem__)
    failing = [key_of(alarm) for alarm in alarms[:2] if judge(key_of(alarm), {}).fails]
    telling = [key_of(first) for first, _ in regressions if judge(key_of(first), {}).fails]
    effects = effects_that_avoid(judge, failing, telling)
    later = (alarms[2:], [second for _, second in regressions], unchanged)
    return np.array(
        [
            [
                len(some),
                *(
                    sum(judge(key_of(check_runs), said).fails for check_runs in some)
                    for said in ({}, effects)
                ),
            ]
            for some in later
        ]
    )


def shuffled(runs: RunSet, random: np.random.Generator) -> list[Run]:
    """Return the valid runs in a random order, as runs of one test."""
    valid = runs.valid().runs
    return [replace(valid[place], test="program") for place in random.permutation(len(valid))]


def checks(runs: Sequence[Run]) -> list[tuple[Run, ...]]:
    """Return whole checks of these runs."""
    whole = range(0, len(runs) - N_CHECKED + 1, N_CHECKED)
    return [tuple(runs[first : first + N_CHECKED]) for first in whole]


def key_of(runs: Sequence[Run]) -> Key:
    return tuple(run.id for run in runs)


if __name__ == "__main__":
    sys.exit(main())
