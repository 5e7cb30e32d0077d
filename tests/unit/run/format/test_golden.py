"""Runs as earlier versions of buto wrote them: they are read for good, as they were meant."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from buto.run import format
from buto.run.model import (
    ClassCount,
    ClassHistogram,
    Mark,
    Notification,
    Outcome,
    Problem,
    ProblemKind,
    Quality,
    Run,
    SourceState,
)
from buto.run.names import encode_test
from buto.run.properties import Better, Kind, Property, Role
from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.runs.examples import assert_same

GOLDEN = ROOT / "tests" / "golden" / "runs"

RUN = Run(
    id="20261120T234041.123Z-1f2e",
    test="golden/leaker",
    properties=(
        Property(
            "jvm.memory.used[G1 Eden Space]", "By", Kind.GAUGE, Role.PROGRAM, 0.0, math.inf, Better.LOWER
        ),
        Property(
            "jvm.gc.time[G1 Young Generation]", "s", Kind.COUNTER, Role.PROGRAM, 0.0, math.inf, Better.LOWER
        ),
        Property("buto.snapshot.time", "s", Kind.GAUGE, Role.COST, 0.0, 10.0, Better.LOWER),
        Property("mbean[shop:type=Queue]/BufferSize", "1", Kind.CONSTANT, Role.PROGRAM, better=Better.HIGHER),
    ),
    times_s=np.array([-0.0012, 0.0988, 0.1988, 0.3001]),
    values=np.array(
        [
            [1048576.0, 0.0, 4.1e-05, 1000.0],
            [math.nan, 0.001, 2.3e-05, 1000.0],
            [3145728.0, 0.1 + 0.2, 2.2e-05, math.nan],
            [-0.0, 1 / 3, 5e-324, 1000.0],
        ]
    ),
    outcome=Outcome(None, 9, False, 0.3125, "hsperfdata"),
    notifications=(
        Notification(0.15, "shop.full", "shop:type=Queue", 1, "the queue is full"),
        Notification(0.25, "shop.full", "shop:type=Queue", 2**62, "ещё раз 🎉\n"),
    ),
    metadata={
        "jvm.version": "17.0.15+6",
        "host.cores": 2,
        "load": 0.25,
        "whole": 1.0,
        "unknown": math.nan,
        "remote": False,
        "nothing": None,
    },
    nan_reasons={"mbean[shop:type=Queue]/BufferSize": "javax.management.InstanceNotFoundException"},
    quality=Quality((Problem(ProblemKind.OTHER, "12 % of the samples are missing"),), 0.12, 0.1013, math.nan),
    stdout=b"ready\n",
    stderr=b"\xff\x00 not text\n",
    marks=(Mark(-0.0005, "service"), Mark(0.125, "warm-up", "ещё раз 🎉")),
    sources=(SourceState("db", "sql", "it refuses the connection"),),
    histograms=(
        ClassHistogram(
            0.3,
            "end",
            81_234,
            5_123_456,
            (ClassCount("com.acme.Session", 2512, 10_705_920), ClassCount("byte[]", 40_000, 2_000_000)),
        ),
    ),
)

OLDER = replace(RUN, marks=(), sources=(), histograms=())
"""The run in versions 1 and 2."""


INVALID = "golden/invalid"
"""A test with a run of version 1 that has one problem of each wording which that version wrote."""

KINDS = [
    ProblemKind.TIME_LIMIT,
    ProblemKind.SIGNAL,
    ProblemKind.EXIT_CODE,
    ProblemKind.JVM_END,
    ProblemKind.WORKLOAD,
    ProblemKind.SLOW_MBEAN,
    ProblemKind.SLOW_MBEAN,
    ProblemKind.UNREADABLE_MBEANS,
    ProblemKind.LOST_NOTIFICATIONS,
    ProblemKind.LATE_START,
    ProblemKind.EARLY_LOSS,
    ProblemKind.EARLY_LOSS,
    ProblemKind.EARLY_LOSS,
    ProblemKind.EARLY_LOSS,
    ProblemKind.OPEN_PORT,
    ProblemKind.BUTO_LOST,
    ProblemKind.STARVED,
    ProblemKind.OTHER,
]
"""What they are, in the order in which that run has them."""

SINCE = {ProblemKind.SERVICE, ProblemKind.NO_WINDOW, ProblemKind.BUSY_HOST}
"""Kinds that later versions added."""


@pytest.mark.parametrize(("version", "expected"), [(1, OLDER), (2, OLDER), (3, RUN), (format.VERSION, RUN)])
def test_every_version_is_read_as_it_was_written(version: int, expected: Run) -> None:
    store = RunStore(GOLDEN / f"v{version}")
    assert_same(store.load(RUN.test, RUN.id), expected)
    (summary,) = store.summaries(RUN.test)
    assert summary.head is not None
    assert (summary.head.outcome, repr(summary.head.quality)) == (RUN.outcome, repr(RUN.quality))


def test_the_texts_of_version_1_get_their_kinds() -> None:
    (run,) = RunStore(GOLDEN / "v1").load_set(INVALID)
    (written,) = (GOLDEN / "v1" / "runs" / encode_test(INVALID)).rglob("run.json")
    texts = json.loads(written.read_text())["quality"]["problems"]
    assert run.quality.problems == tuple(map(Problem, KINDS, texts))
    assert set(KINDS) == set(ProblemKind) - SINCE


def test_the_newest_version_is_what_is_written(tmp_path: Path) -> None:
    """Change this test together with ``document.VERSION``, and keep the old golden run."""
    RunStore(tmp_path).add(RUN)
    (golden,) = (GOLDEN / f"v{format.VERSION}").rglob("run.json")
    written, expected = (json.loads(path.read_text()) for path in (next(tmp_path.rglob("run.json")), golden))
    # How well they are packed depends on the version of zlib.
    for data in (written, expected):
        del data["files"]["samples.columns"], data["files"]["notifications.columns"]
    assert written == expected
