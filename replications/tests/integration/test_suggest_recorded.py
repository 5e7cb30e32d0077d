"""What is suggested from recorded runs of a real program holds for its later runs."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from buto import oracle
from buto.oracle.suggest import Rejudge, suggest
from buto.oracle.suggestion import PastCheck, Share, Truth
from buto.run.model import run_set
from buto_replications.dataset.archive import RECORDED, load

TEST = "leaker"
USUAL, ONE_MORE_LEAK, ANOTHER_LEAK = (
    "leaker-string-builder",
    "leaker-string-builder-11-leaks",
    "leaker-thread",
)
N_TRAINING, N_CHECKED = 10, 3
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Recorded:
    """Checks of three runs each, in the order in which they were recorded."""

    def __init__(self, runs):
        self.variants = {
            name: [replace(run, test=TEST) for run in runs[name].valid()]
            for name in (USUAL, ONE_MORE_LEAK, ANOTHER_LEAK)
        }
        self.runs = {}
        self.oracle = oracle.train(run_set(self.variants[USUAL][:N_TRAINING]))

    def check(self, name, number, truth=Truth.UNKNOWN):
        first = (N_TRAINING if name == USUAL else 0) + N_CHECKED * number
        chosen = self.variants[name][first : first + N_CHECKED]
        key = tuple(run.id for run in chosen)
        self.runs[key] = run_set(chosen)
        return PastCheck(key, NOON + timedelta(hours=len(self.runs)), truth)


@pytest.fixture(scope="module")
def recorded():
    return Recorded(load(RECORDED, "parallel"))


def test_like_checks_are_judged_as_the_labels_wish(recorded):
    checks = [
        *(recorded.check(ONE_MORE_LEAK, number, Truth.UNCHANGED) for number in (0, 1)),
        recorded.check(ANOTHER_LEAK, 0, Truth.REGRESSION),
        *(recorded.check(USUAL, number) for number in (0, 1)),
    ]
    like = [recorded.check(ONE_MORE_LEAK, 2), recorded.check(ANOTHER_LEAK, 1), recorded.check(USUAL, 2)]
    judge = Rejudge(dict.fromkeys(recorded.runs, recorded.oracle), recorded.runs.__getitem__)
    found = suggest(TEST, {}, checks, judge)
    assert (found.now.alarms, found.then.alarms) == (Share(2, 4), Share(0, 4))
    assert (found.now.found, found.then.found) == (Share(1, 1), Share(1, 1))
    assert {cause.n_alarms for cause in found.causes} <= {1, 2}
    assert [judge(one.run_ids, {}).fails for one in like] == [True, True, False]
    assert [judge(one.run_ids, found.effects).fails for one in like] == [False, True, False]
