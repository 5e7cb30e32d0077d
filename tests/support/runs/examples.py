"""Runs to store: one of a known shape, and any that Hypothesis thinks of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

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
from buto.run.properties import Better, Kind, Property, Role


def full_run(run_id: str = "20261120T234041.123Z-1f2e", test: str = "leaker", **changes: Any) -> Run:
    """A small run with something in every field."""
    fields: dict[str, Any] = {
        "id": run_id,
        "test": test,
        "properties": (
            Property(
                "jvm.memory.used[G1 Eden Space]", "By", Kind.GAUGE, Role.PROGRAM, 0.0, math.inf, Better.LOWER
            ),
            Property("jvm.class.loaded", "{class}", Kind.COUNTER, Role.PROGRAM, 0.0, math.inf, Better.LOWER),
            Property("mbean[shop:type=Queue]/Balance", "1"),
        ),
        "times_s": np.array([-0.002, 0.1, 0.2003]),
        "values": np.array([[1e6, 450.0, math.nan], [2.5e6, 451.0, -0.0], [0.1 + 0.2, 451.0, 5e-324]]),
        "outcome": Outcome(0, duration_s=0.21),
        "notifications": (
            Notification(0.15, "shop.full", "shop:type=Queue", 1, "the queue is full"),
            Notification(0.16, "shop.full", "shop:type=Queue", 2, "ещё раз 🎉"),
        ),
        "metadata": {"java": "17.0.15", "cores": 2, "load": 0.25, "share": 1.0, "agent": True, "flags": None},
        "nan_reasons": {"mbean[shop:type=Queue]/Balance": "not registered yet"},
        "quality": Quality((), 0.0, 0.1003, 0.05),
        "stdout": b"ready\n",
        "stderr": b"\xff\x00 not text\n",
        "marks": (Mark(-0.001, "service"), Mark(0.1, "warm-up", "all caches are full")),
        "sources": (SourceState("db", "sql", "it refuses the connection"), SourceState("host", "host")),
        "histograms": (
            ClassHistogram(0.2, "end", 81_234, 5_123_456, (ClassCount("com.acme.Session", 2512, 2**33),)),
        ),
    }
    return Run(**(fields | changes))


def assert_same(run: Run, other: Run) -> None:
    """Equal in every field, floats to the bit, values to their types."""
    assert (run.id, run.test, run.properties) == (other.id, other.test, other.properties)
    assert run.times_s.tobytes() == other.times_s.tobytes()
    assert (run.values.shape, run.values.tobytes()) == (other.values.shape, other.values.tobytes())
    assert repr(run.outcome) == repr(other.outcome)
    assert repr(run.quality) == repr(other.quality)
    assert repr(run.notifications) == repr(other.notifications)
    assert repr(dict(run.metadata)) == repr(dict(other.metadata))
    assert dict(run.nan_reasons) == dict(other.nan_reasons)
    assert (run.stdout, run.stderr) == (other.stdout, other.stderr)
    assert repr((run.marks, run.sources)) == repr((other.marks, other.sources))
    assert repr(run.histograms) == repr(other.histograms)


_any_float = st.floats(width=64)
_int64 = st.integers(-(2**63), 2**63 - 1)
_metadata = st.text() | st.integers() | _any_float | st.booleans() | st.none()

properties = st.builds(
    Property,
    name=st.text(),
    unit=st.text(max_size=10),
    kind=st.sampled_from(Kind),
    role=st.sampled_from(Role),
    lower=_any_float.filter(lambda bound: not math.isnan(bound)),
    upper=_any_float.filter(lambda bound: not math.isnan(bound)),
    better=st.sampled_from(Better),
)
problems = st.builds(Problem, st.sampled_from(ProblemKind), st.text())
_marks = st.builds(Mark, _any_float, st.text(), st.text())
_sources = st.builds(SourceState, st.text(), st.text(), st.text())
_counts = st.builds(ClassCount, st.text(), _int64, _int64)
_histograms = st.builds(
    ClassHistogram, _any_float, st.text(), _int64, _int64, st.lists(_counts, max_size=3).map(tuple)
)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    columns = draw(st.lists(properties, max_size=5, unique_by=lambda prop: prop.name))
    times = sorted(draw(st.sets(st.floats(allow_nan=False, allow_infinity=False), max_size=6)))
    return Run(
        id=draw(st.from_regex(r"[0-9A-Za-z][0-9A-Za-z._-]{0,79}", fullmatch=True).filter(str.isascii)),
        test=draw(st.text(min_size=1, max_size=15).filter(lambda name: name == name.strip())),
        properties=tuple(columns),
        times_s=np.array(times, dtype=np.float64),
        values=draw(arrays.arrays(np.float64, (len(times), len(columns)), elements=_any_float)),
        outcome=draw(
            st.builds(
                Outcome,
                st.none() | st.integers(),
                st.none() | st.integers(),
                st.booleans(),
                _any_float,
                st.text(),
            )
        ),
        notifications=tuple(
            draw(
                st.lists(
                    st.builds(Notification, _any_float, st.text(), st.text(), _int64, st.text()), max_size=4
                )
            )
        ),
        metadata=draw(st.dictionaries(st.text(), _metadata, max_size=5)),
        nan_reasons=draw(st.dictionaries(st.text(), st.text(), max_size=3)),
        quality=draw(
            st.builds(Quality, st.lists(problems, max_size=3).map(tuple), _any_float, _any_float, _any_float)
        ),
        stdout=draw(st.binary(max_size=50)),
        stderr=draw(st.binary(max_size=50)),
        marks=tuple(draw(st.lists(_marks, max_size=2))),
        sources=tuple(draw(st.lists(_sources, max_size=2))),
        histograms=tuple(draw(st.lists(_histograms, max_size=2))),
    )
