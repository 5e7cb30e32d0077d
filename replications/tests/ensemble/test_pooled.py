"""Runs judged by the environments of all blocks, and long runs cut to short ones."""

from dataclasses import replace

import numpy as np
import pytest

from buto.run.model import Mark
from buto.run.properties import Kind, Property
from buto_replications.bed.labels import BedRun, Labels, RunBlock
from buto_replications.bed.phases import cut_phases
from buto_replications.ensembles.ablation import ENVELOPE, EVERYTHING
from buto_replications.ensembles.pooled import (
    ALL,
    DISK,
    LIMITS,
    OWN,
    PROCESSORS,
    TITLES,
    alike,
    pooled,
    table,
    titled,
)
from tests.support.runs.signals import make_run

COUNTER, GAUGE = "postgres.cpu.time", "postgres.memory.usage"
KINDS = {
    COUNTER: Property(COUNTER, "s", Kind.COUNTER),
    GAUGE: Property(GAUGE, "By", Kind.GAUGE),
}
RATES = (20.0, 40.0, 30.0, 50.0)


def bed_run(number, environment, role, *, phase_s=15.0, slower=1.0, metadata=None):
    """Return a run with the rates of the bed, whose counter grows with them."""
    noise = np.random.default_rng(number)
    times_s = np.arange(0.0, 4 * phase_s + 1.5, 0.5)
    rate = np.array(RATES)[np.clip((times_s - 1) // phase_s, 0, 3).astype(int)]
    growth = slower * rate * (1 + 0.02 * noise.standard_normal(len(times_s)))
    columns = {
        COUNTER: np.cumsum(growth) - growth[0],
        GAUGE: 1e6 * (1 + 0.02 * noise.standard_normal(len(times_s))),
    }
    labels = {"environment.label.name": environment, **(metadata or {})}
    run = make_run(number, times_s, columns, properties=KINDS, metadata=labels)
    marks = tuple(Mark(1 + phase * phase_s, f"phase-{phase + 1}") for phase in range(4))
    fault = "repeat-high" if role.endswith("fault") else "none"
    return BedRun(replace(run, marks=marks), Labels(environment, role, fault, "20-40-30-50"))


def test_a_cut_run_has_the_first_seconds_of_each_phase():
    long = bed_run(1, "base", "steady", phase_s=90.0).run
    short = cut_phases(long, 15.0)
    assert (short.times_s[0], short.times_s[-1], len(short.times_s)) == (0.0, 60.0, 121)
    counted, whole = short.series(COUNTER), long.series(COUNTER)
    for phase in range(4):
        first = round((1 + 90 * phase) / 0.5)
        grown = whole[first : first + 31] - whole[first]
        np.testing.assert_allclose(counted[30 * phase : 30 * phase + 31] - counted[30 * phase], grown)
        np.testing.assert_array_equal(
            short.series(GAUGE)[30 * phase : 30 * phase + 30], long.series(GAUGE)[first : first + 30]
        )


def test_a_counter_that_was_never_read_stays_unread():
    run = bed_run(1, "base", "steady").run
    column = run.column_of[COUNTER]
    values = run.values.copy()
    values[:, column] = np.nan
    assert np.isnan(cut_phases(replace(run, values=values), 15.0).series(COUNTER)).all()


@pytest.mark.parametrize(
    ("limits", "processors", "disk"),
    [
        ("none", "none", "none"),
        ("one core", "one core", "none"),
        ("40 writes a second", "none", "40 writes a second"),
    ],
)
def test_limits_are_told_apart_as_in_the_last_block(limits, processors, disk):
    found = alike(bed_run(1, "base", "steady", metadata={LIMITS: limits}), RunBlock.TUNING).run.metadata
    assert (found[PROCESSORS], found[DISK], LIMITS in found) == (processors, disk, False)


def block(first, environments, phase_s=15.0):
    good = [bed_run(first + n, name, "environment", phase_s=phase_s) for n, name in enumerate(environments)]
    return [*good, bed_run(first + 9, environments[0], "environment-fault", phase_s=phase_s, slower=3.0)]


def test_each_run_is_judged_by_other_environments_of_its_block_and_of_all():
    blocks = {
        RunBlock.TUNING: block(10, ("a", "b", "c", "d")),
        RunBlock.LONG: block(20, ("a", "b", "e", "f"), phase_s=90.0),
    }
    found = list(pooled(blocks))
    assert len(found) == 10
    # All of six others, of two blocks, without the environment itself.
    priors = [{run.labels.environment for run in scored.scenario.prior} for scored in found]
    assert [len(scored.scenario.prior) for scored in found] == [6, 6, 7, 7, 6, 6, 6, 7, 7, 6]
    assert all(
        scored.scenario.judged.labels.environment not in prior
        for scored, prior in zip(found, priors, strict=True)
    )
    for scored in (found[4], found[9]):
        for way in (OWN, ALL):
            assert scored.scores[titled(EVERYTHING, way)].right == 1
            assert scored.scores[titled(ENVELOPE, way)].right == 1
    shown = table(found)
    assert len(shown.rows) == 3 * len(TITLES)
    assert shown.rows[0][:2] == (EVERYTHING, "all: 10")
