"""What is recorded in data/ keeps what the pages promise, and what is suggested from it holds.

With the environment variable BUTO_WRITE_GOLDEN the tables of the page are written again; read them.
"""

import os
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain

import numpy as np
import pytest

from beds.keycloak.plan import planned_runs
from buto import oracle
from buto.oracle.suggest import Rejudge, suggest
from buto.oracle.suggestion import PastCheck, Share, Truth
from buto.run.model import run_set
from buto_replications.bed import archive
from buto_replications.bed.effects import effect_tables, effects
from buto_replications.bed.labels import PART_OF_BLOCK, Labels, Part, chosen, together
from buto_replications.dataset.archive import RECORDED, load
from buto_replications.report import content
from tests.support.checkout import ROOT

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


PAGE = ROOT / "replications" / "docs" / "bed-faults.md"
BLOCK = re.compile(r"^(```text made by: buto experiments bed faults\n)(.*?)^```$", re.MULTILINE | re.DOTALL)
SOURCES = {"metrics": "prometheus", "postgres": "process", "database": "sql", "host": "host"}
PREFIXES = {"jvm", "process", "load", *SOURCES}
PARTS = ("tuning", "set apart", "long")
BLOCKS = {part: block for block, part in PART_OF_BLOCK.items()}
SHORT = {
    "good": 8,
    "fault": 10,
    "other-load": 6,
    "steady": 4,
    "steady-fault": 2,
    "environment": 10,
    "environment-fault": 10,
}
ROLES = {
    "tuning": SHORT,
    "set apart": SHORT | {"steady-fault": 6},
    "long": {"steady": 1, "steady-fault": 1, "environment": 9, "environment-fault": 7},
}
"""The second block has two more faults, each at two intensities; the third two runs in each environment."""
INVALID = {"b3-in-one-core-slow-disk-small-buffers", "b3-in-one-core-postgresql-14-connections-low"}
"""Requests failed in these runs of the third block, so they are no measurements."""
INTERVALS = {"tuning": (120, 160), "set apart": (120, 160), "long": (718, 760)}


@pytest.fixture(scope="module", params=PARTS)
def part(request):
    return request.param


@pytest.fixture(scope="module")
def runs(part):
    """The runs of each part. Of those that are set apart, no test looks at what was measured."""
    return archive.load(part=part)


@pytest.fixture(scope="module")
def tuning():
    return archive.load()


def test_the_data_set_is_small_enough_for_a_repository():
    size = sum(path.stat().st_size for path in archive.RECORDED.rglob("*.parquet"))
    assert size < 25e6


def test_each_run_has_a_window_of_regular_intervals_of_half_a_second(runs, part):
    fewest, most = INTERVALS[part]
    for one in runs:
        gaps_s = np.diff(one.run.times_s)
        assert fewest <= len(gaps_s) <= most, one.run
        assert 0.4 < gaps_s.min() <= gaps_s.max() < 1.0, one.run
        assert one.run.quality.valid
        phases = [mark for mark in one.run.marks if mark.name.startswith("phase-")]
        assert [mark.name for mark in phases] == ["phase-1", "phase-2", "phase-3", "phase-4"]
        assert all(0 <= mark.time_s < one.run.times_s[-1] for mark in phases)


def test_no_source_is_missing_and_what_was_not_read_has_a_reason(runs):
    for one in runs:
        assert {source.name: source.kind for source in one.run.sources} == SOURCES
        assert all(not source.reason for source in one.run.sources), one.run
        assert {re.split(r"[.\[]", prop.name)[0] for prop in one.run.properties} == PREFIXES
        assert len(one.run.properties) > 1300
        unread = {
            prop.name
            for prop, column in zip(one.run.properties, one.run.values.T, strict=True)
            if np.isnan(column).any()
        }
        assert unread == set(one.run.nan_reasons)


def test_every_planned_run_is_there_with_its_labels(runs, part):
    planned = {
        one.name: Labels(one.environment.name, one.role.value, one.fault.name, one.labels["bed.load"])
        for one in planned_runs(int(BLOCKS[Part(part)]))
        if one.name not in INVALID
    }
    assert {one.run.test: one.labels for one in runs} == planned
    assert len(runs) == len(planned)
    assert Counter(one.labels.role for one in runs) == ROLES[part]
    for one in runs:
        assert (one.labels.fault != "none") == ("fault" in one.labels.role)
        assert one.run.metadata["environment.name"] == one.labels.environment


def test_the_part_that_is_set_apart_was_recorded_on_another_day(tuning):
    first, second = ({one.run.id[:8] for one in some} for some in (tuning, archive.load(part="set apart")))
    assert max(first) < min(second)
    assert archive.parts() == {Part.TUNING: 50, Part.SET_APART: 54, Part.LONG: 18}


def test_nothing_in_a_run_itself_tells_its_fault_or_names_a_machine(runs):
    for one in runs:
        told = " ".join(map(str, chain.from_iterable(one.run.metadata.items())))
        assert not re.search(r"\bfault|bed\.|/(work|tmp|root|home|usr)/", told)
        assert not any("node=" in name for name in one.run.column_of)
        assert (one.run.stdout, one.run.stderr, dict(one.run.outputs)) == (b"", b"", {})


def test_runs_of_the_base_have_nearly_all_properties_in_common(tuning):
    base = chosen(tuning, environment="base")
    shared = set.intersection(*(set(one.run.column_of) for one in base))
    assert len(together(base).properties) - len(shared) < 40
    assert len(shared) > 1500


def test_the_page_shows_what_each_fault_changes(tuning):
    lines = [line for table in effect_tables(effects(tuning)) for line in (*content.lines(table), "")]
    printed = "\n".join(lines)
    page = PAGE.read_text()
    (block,) = BLOCK.finditer(page)
    if os.environ.get("BUTO_WRITE_GOLDEN"):
        PAGE.write_text(page.replace(block[0], f"{block[1]}{printed}```"))
        return
    assert block[2] == printed, (
        "read it, then: BUTO_WRITE_GOLDEN=1 pytest replications/tests/test_recorded.py"
    )
