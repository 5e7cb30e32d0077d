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
from buto.run.model import run_set
from buto_replications.bed import archive
from buto_replications.bed.effects import effect_tables, effects
from buto_replications.bed.labels import PART_OF_BLOCK, Labels, RunBlock, chosen, together
from buto_replications.dataset.archive import RECORDED, load
from buto_replications.report import content
from buto_replications.suggestions.rejudge import Rejudge, suggest
from buto_replications.suggestions.suggestion import CheckShare, PastCheck, Truth
from tests.support.checkout import ROOT

TEST = "consumerproducer"
USUAL, MORE_THREADS, STILL_MORE_THREADS = (
    "consumerproducer-v0",
    "consumerproducer-v2",
    "consumerproducer-v4",
)
"""Stored runs of the others fail without turns: no machine moves how many threads a program starts."""
N_TRAINING, N_CHECKED = 10, 3
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Recorded:
    """Checks of three runs each, in the order in which they were recorded."""

    def __init__(self, runs):
        self.variants = {
            name: [replace(run, test=TEST) for run in runs[name].valid()]
            for name in (USUAL, MORE_THREADS, STILL_MORE_THREADS)
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
        *(recorded.check(MORE_THREADS, number, Truth.UNCHANGED) for number in (0, 1)),
        recorded.check(STILL_MORE_THREADS, 0, Truth.REGRESSION),
        *(recorded.check(USUAL, number) for number in (0, 1)),
    ]
    like = [recorded.check(MORE_THREADS, 2), recorded.check(STILL_MORE_THREADS, 1), recorded.check(USUAL, 2)]
    judge = Rejudge(dict.fromkeys(recorded.runs, recorded.oracle), recorded.runs.__getitem__)
    found = suggest(TEST, {}, checks, judge)
    assert (found.now.alarms, found.then.alarms) == (CheckShare(2, 4), CheckShare(0, 4))
    assert (found.now.found, found.then.found) == (CheckShare(1, 1), CheckShare(1, 1))
    assert {cause.n_alarms for cause in found.causes} <= {1, 2}
    assert [judge(check.run_ids, {}).fails for check in like] == [True, True, False]
    assert [judge(check.run_ids, found.effects).fails for check in like] == [False, True, False]


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
    for run in runs:
        gaps_s = np.diff(run.run.times_s)
        assert fewest <= len(gaps_s) <= most, run.run
        assert 0.4 < gaps_s.min() <= gaps_s.max() < 1.0, run.run
        assert run.run.quality.valid
        phases = [mark for mark in run.run.marks if mark.name.startswith("phase-")]
        assert [mark.name for mark in phases] == ["phase-1", "phase-2", "phase-3", "phase-4"]
        assert all(0 <= mark.time_s < run.run.times_s[-1] for mark in phases)


def test_no_source_is_missing_and_what_was_not_read_has_a_reason(runs):
    for run in runs:
        assert {source.name: source.kind for source in run.run.sources} == SOURCES
        assert all(not source.reason for source in run.run.sources), run.run
        assert {re.split(r"[.\[]", prop.name)[0] for prop in run.run.properties} == PREFIXES
        assert len(run.run.properties) > 1300
        unread = {
            prop.name
            for prop, column in zip(run.run.properties, run.run.values.T, strict=True)
            if np.isnan(column).any()
        }
        assert unread == set(run.run.nan_reasons)


def test_every_planned_run_is_there_with_its_labels(runs, part):
    planned = {
        run.name: Labels(run.environment.name, run.role.value, run.fault.name, run.labels["bed.load"])
        for run in planned_runs(int(BLOCKS[RunBlock(part)]))
        if run.name not in INVALID
    }
    assert {run.run.test: run.labels for run in runs} == planned
    assert len(runs) == len(planned)
    assert Counter(run.labels.role for run in runs) == ROLES[part]
    for run in runs:
        assert (run.labels.fault != "none") == ("fault" in run.labels.role)
        assert run.run.metadata["environment.name"] == run.labels.environment


def test_the_part_that_is_set_apart_was_recorded_on_another_day(tuning):
    first, second = (
        {bed_run.run.id[:8] for bed_run in some} for some in (tuning, archive.load(part="set apart"))
    )
    assert max(first) < min(second)
    assert archive.parts() == {RunBlock.TUNING: 50, RunBlock.SET_APART: 54, RunBlock.LONG: 18}


def test_nothing_in_a_run_itself_tells_its_fault_or_names_a_machine(runs):
    for run in runs:
        texts = " ".join(map(str, chain.from_iterable(run.run.metadata.items())))
        assert not re.search(r"\bfault|bed\.|/(work|tmp|root|home|usr)/", texts)
        assert not any("node=" in name for name in run.run.column_of)
        assert (run.run.stdout, run.run.stderr, dict(run.run.outputs)) == (b"", b"", {})


def test_runs_of_the_base_have_nearly_all_properties_in_common(tuning):
    base = chosen(tuning, environment="base")
    shared = set.intersection(*(set(bed_run.run.column_of) for bed_run in base))
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
