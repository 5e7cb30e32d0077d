"""The live objects of each class are judged as one property where runs have counted them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from buto.errors import BadFileError
from buto.judging import profile_data as stored
from buto.judging.comparison import Programs
from buto.judging.detector import FittedCalibrated
from buto.judging.judge_settings import CALIBRATED
from buto.judging.profile import MOST_CLASSES, learn_classes
from buto.judging.verdict import Direction, Effect, Status
from buto.oracle import Oracle, check, load, save, train
from buto.run.model import ClassCount, ClassHistogram, Run, RunSet, run_set
from buto.run.properties import LIVE_CLASSES
from tests.support.runs.signals import program_run, program_runs

SIZES = {"byte[]": 900_000, "java.lang.String": 200_000, "com.acme.Session": 40_000}
OTHERS = {f"com.acme.Other{number}": 30_000 - 100 * number for number in range(MOST_CLASSES)}


def counted(run: Run, sizes: Mapping[str, int]) -> Run:
    """The run with a histogram at its end; an object has 8 bytes."""
    found = sorted(sizes.items(), key=lambda pair: -pair[1])
    classes = tuple(ClassCount(name, size // 8, size) for name, size in found)
    total = sum(sizes.values())
    return replace(run, histograms=(ClassHistogram(1.0, "end", total // 8, total, classes),))


def runs_of(first: int, n: int, **grown: int) -> RunSet:
    """Runs that differ by some bytes of arrays, as runs do; ``grown`` is added to the sessions' bytes."""
    rng = np.random.default_rng(first)
    runs = [program_run(4, first + number) for number in range(n)]
    more = grown.get("sessions", 0)
    return run_set(
        [
            counted(
                run,
                {
                    **SIZES,
                    "byte[]": SIZES["byte[]"] + int(rng.integers(0, 20_000)),
                    "com.acme.Session": SIZES["com.acme.Session"] + more,
                },
            )
            for run in runs
        ]
    )


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    """An oracle of ten runs, stored and read again."""
    place = tmp_path_factory.mktemp("oracles") / "oracle.json"
    save(place, train(runs_of(0, 10), CALIBRATED))
    return load(place)


def test_a_class_that_grows_is_found_and_named(oracle: Oracle) -> None:
    verdict = check(oracle, runs_of(100, 3, sessions=200_000))
    assert verdict.status is Status.REGRESSION
    found = next(finding for finding in verdict.findings if finding.subject == LIVE_CLASSES.name)
    assert found.measure == "live objects of com.acme.Session at the end"
    assert (found.direction, found.effect) == (Direction.MORE, Effect.WORSE)
    assert (found.expected, found.observed) == (40_000, 240_000)
    assert found.window_s is None


def test_unchanged_classes_pass(oracle: Oracle) -> None:
    assert check(oracle, runs_of(100, 3)).status is Status.PASS


def test_a_class_that_no_training_run_lists_is_found(oracle: Oracle) -> None:
    runs = run_set([counted(run, {**SIZES, "com.acme.Leaked": 500_000}) for run in program_runs(4, 3)])
    verdict = check(oracle, runs)
    assert verdict.status is Status.REGRESSION
    found = next(finding for finding in verdict.findings if finding.subject == LIVE_CLASSES.name)
    assert found.measure == "live objects of com.acme.Leaked at the end"
    assert found.expected == 0


def test_without_a_count_the_runs_are_judged_by_the_rest_and_a_warning_says_so(oracle: Oracle) -> None:
    verdict = check(oracle, run_set([program_run(4, 100 + number) for number in range(3)]))
    assert verdict.status is Status.PASS
    assert f"{LIVE_CLASSES.name} could not be read" in verdict.warnings


def test_training_runs_without_a_count_compare_no_classes() -> None:
    runs = run_set([*runs_of(0, 9), program_run(4, 9)])
    learned = train(runs, CALIBRATED).fitted
    assert isinstance(learned, FittedCalibrated)
    assert learned.profile.classes is None


def test_no_class_that_training_leaves_out_uses_more_than_the_floor() -> None:
    run = counted(program_run(4, 0), {**SIZES, **OTHERS})
    classes = learn_classes([run])
    assert classes is not None
    left_out = {**SIZES, **OTHERS}.keys() - classes.names
    assert len(left_out) == 4
    assert max(OTHERS[name] for name in left_out) <= classes.floor
    assert classes.measure(counted(run, {})).tolist() == [classes.floor] * len(classes.names)


def test_two_programs_are_compared_by_class() -> None:
    verdict, _ = Programs(CALIBRATED).compare(runs_of(0, 8), runs_of(100, 8, sessions=200_000))
    assert verdict.status is Status.REGRESSION
    assert verdict.findings[0].measure == "live objects of com.acme.Session at the end"


@pytest.mark.parametrize(
    "broken",
    [{"floor": -1, "sizes": {}}, {"floor": 0, "sizes": {"A": [1, 2]}}, {"sizes": {}}, []],
    ids=["floor", "number", "no floor", "list"],
)
def test_a_damaged_list_of_classes_is_refused(oracle: Oracle, broken: object) -> None:
    with pytest.raises(BadFileError, match="the features are damaged"):
        stored.read({**oracle.fitted.to_data(), "live_classes": broken})
