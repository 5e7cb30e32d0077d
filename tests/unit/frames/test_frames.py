"""Frames have the numbers that they are made of, and the same types whatever those are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from buto import frames
from buto.errors import JudgeError, UsageError
from buto.judging.verdict import Difference, Direction, Effect, Finding, Statement, Status, Verdict
from buto.report.history import HistoryEntry
from buto.run.labels import Label, Labelling
from buto.run.model import Mark, Outcome, Problem, ProblemKind, Quality, Run
from buto.run.properties import Property, property_for

HEAP, THREADS, CPU = "jvm.memory.heap.used", "jvm.thread.count", "jvm.cpu.time"
FIRST, SECOND = "20260102T030405.678Z-00ff", "20260102T030505.000Z-00aa"


def a_run(
    run_id: str = FIRST, names: tuple[str, ...] = (HEAP, THREADS), n_samples: int = 3, test: str = "shop"
) -> Run:
    """Samples every 0.25 s from -0.25 s on; the value is 10 * sample + column."""
    return Run(
        id=run_id,
        test=test,
        properties=tuple(map(property_for, names)),
        times_s=np.arange(n_samples) * 0.25 - 0.25,
        values=10.0 * np.arange(n_samples)[:, np.newaxis] + np.arange(len(names)),
        outcome=Outcome(0, duration_s=0.5),
        metadata={"host.cores": 2, "jvm.vm.name": "OpenJDK", "jvm.debug": False, "host.load": None},
        quality=Quality(missed_share=0.125, largest_gap_s=0.25, foreign_load=0.5),
    )


def types(frame: pd.DataFrame) -> dict[str, str]:
    return {str(name): str(dtype) for name, dtype in frame.dtypes.items()}


def test_samples_of_a_window_begin_at_zero() -> None:
    marks = (Mark(0.0, "load.start"), Mark(0.5, "load.end", "10 requests"))
    run = replace(a_run(names=(HEAP, CPU), n_samples=5), marks=marks)
    frame = frames.samples(run, window=("load.start", "load.end"))
    assert list(frame.index) == [timedelta(seconds=second) for second in (0, 0.25, 0.5)]
    assert frame.to_numpy().tolist() == [[10, 0], [20, 10], [30, 20]]
    assert frames.samples(run, window=True).equals(frames.samples(run))
    with pytest.raises(JudgeError, match="it has no mark 'warm-up', only load.start, main, load.end, end"):
        frames.samples([run], window=("warm-up", "load.end"))


def test_labels_are_rows() -> None:
    at = datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=1)))
    bad = Labelling("shop", (FIRST, SECOND), Label.BAD, at, "check")
    good = Labelling("shop", (FIRST,), Label.GOOD, at + timedelta(days=1), "label", "Ada", "a new cache")
    frame = frames.labels([good, bad])
    assert list(frame.index) == [FIRST, FIRST, SECOND]
    assert frame["label"].tolist() == ["bad", "good", "bad"]
    assert frame["replaced"].tolist() == [True, False, False]
    assert frame.iloc[1][["command", "person", "reason"]].tolist() == ["label", "Ada", "a new cache"]
    assert frame["at"].iloc[0] == pd.Timestamp("2026-01-02T02:00Z")
    assert types(frames.labels([])) == types(frame)


def test_marks_are_rows() -> None:
    run = replace(a_run(), marks=(Mark(0.0, "load.start"), Mark(0.5, "load.end", "10 requests")))
    frame = frames.marks([run, a_run(SECOND)])
    assert frame.to_numpy().tolist() == [
        [FIRST, 0.0, "load.start", ""],
        [FIRST, 0.5, "load.end", "10 requests"],
    ]
    assert types(frame) == types(frames.marks([]))


def test_samples_of_one_run() -> None:
    frame = frames.samples(a_run())
    assert list(frame.columns) == [HEAP, THREADS]
    assert frame.columns.name == "property"
    assert frame.index.name == "time"
    assert str(frame.index.dtype) == "timedelta64[ns]"
    assert list(frame.index) == [timedelta(seconds=second) for second in (-0.25, 0, 0.25)]
    assert frame.to_numpy().tolist() == [[0, 1], [10, 11], [20, 21]]
    assert frame.attrs == {
        "units": {HEAP: "By", THREADS: "{thread}"},
        "kinds": {HEAP: "gauge", THREADS: "gauge"},
    }


def test_pandas_slices_and_resamples_by_time() -> None:
    frame = frames.samples(a_run(n_samples=9))
    assert frame.loc["0s":"500ms", HEAP].tolist() == [10, 20, 30]  # type: ignore[misc]
    assert frame.resample("1s", origin="start").mean()[HEAP].tolist() == [15, 55, 80]


def test_samples_of_several_runs_in_the_order_of_their_start() -> None:
    late = a_run(SECOND, (THREADS, CPU), 2)
    frame = frames.samples([late, a_run()])
    assert frame.index.names == ["run", "time"]
    assert list(frame.index.get_level_values("run")) == [FIRST] * 3 + [SECOND] * 2
    assert list(frame.columns) == [HEAP, THREADS, CPU]
    assert frame.loc[SECOND][THREADS].tolist() == [0, 10]
    assert frame.loc[SECOND][HEAP].isna().all()
    assert frame.loc[FIRST][CPU].isna().all()
    assert frame.attrs["kinds"][CPU] == "counter"
    pd.testing.assert_frame_equal(
        frame.loc[FIRST][[HEAP, THREADS]], frames.samples(a_run()), check_index_type=True
    )


def test_named_properties_in_their_order() -> None:
    assert list(frames.samples(a_run(), [THREADS]).columns) == [THREADS]
    assert frames.samples([a_run()], [THREADS, HEAP]).to_numpy().tolist() == [[1, 0], [11, 10], [21, 20]]


def test_an_unknown_property_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no run has a property 'heap'"):
        frames.samples([a_run()], ["heap"])


def test_runs_of_different_tests_are_a_data_set() -> None:
    others = [a_run(SECOND, (THREADS,), 1, test="store")]
    with pytest.raises(JudgeError, match="different tests"):
        frames.samples([a_run(), *others])
    frame = frames.data_set({"store": others, "shop": [a_run()]})
    assert frame.index.names == ["test", "run", "time"]
    assert list(frame.index.get_level_values("test")) == ["shop"] * 3 + ["store"]
    assert frame.loc["store", SECOND][THREADS].tolist() == [0]
    assert frame[HEAP].isna().tolist() == [False, False, False, True]


@given(
    arrays.arrays(
        np.float64, arrays.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=5), elements=st.floats()
    )
)
def test_values_are_the_runs_own_to_the_bit(values: np.ndarray) -> None:
    properties = tuple(Property(f"p{number}") for number in range(values.shape[1]))
    run = Run("r", "t", properties, np.arange(float(len(values))), values.copy(), Outcome(0))
    for frame in (frames.samples(run), frames.samples([run]), frames.data_set({"t": [run]})):
        assert frame.shape == values.shape
        assert frame.to_numpy(dtype=np.float64).tobytes() == values.tobytes()
        assert set(types(frame).values()) <= {"float64"}


@given(st.lists(st.integers(-(10**9), 10**12), min_size=1, max_size=20, unique=True))
def test_times_are_exact_to_a_nanosecond_and_stay_in_order(microseconds: list[int]) -> None:
    times_s = np.array(sorted(microseconds)) / 1e6
    run = Run("r", "t", (), times_s, np.empty((len(times_s), 0)), Outcome(0))
    index = frames.samples(run).index
    assert all(before < after for before, after in pairwise(index))
    assert index.total_seconds().to_numpy() == pytest.approx(times_s, abs=1e-9, rel=0)


def test_a_frame_cannot_change_its_run() -> None:
    run = a_run()
    frame = frames.samples(run)
    frame.loc[:, HEAP] = 0.0
    assert run.series(HEAP).tolist() == [0, 10, 20]


def test_no_runs_and_no_samples() -> None:
    assert frames.samples([]).shape == (0, 0)
    assert frames.data_set({}).index.names == ["test", "run", "time"]
    nothing, something = a_run(n_samples=0), a_run()
    for empty, full in (
        (frames.samples(nothing), frames.samples(something)),
        (frames.samples([nothing]), frames.samples([something])),
        (frames.data_set({"shop": [nothing]}), frames.data_set({"shop": [something]})),
        (frames.runs([]), frames.runs([something])),
        (frames.findings(a_verdict()), frames.findings(a_verdict(a_finding()))),
    ):
        assert len(empty) == 0
        assert types(empty) == types(full)
        assert empty.index.nlevels == full.index.nlevels
        for level in range(full.index.nlevels):
            levels = [frame.index.get_level_values(level).dtype for frame in (empty, full)]
            assert levels[0] == levels[1]


def test_how_runs_went() -> None:
    killed = replace(
        a_run("ci-7", n_samples=0),
        outcome=Outcome(None, signal=9, timed_out=True, duration_s=60.0, last_sample="hsperfdata"),
        quality=Quality(
            (
                Problem(ProblemKind.TIME_LIMIT, "it was stopped"),
                Problem(ProblemKind.STARVED, "it starved"),
            )
        ),
    )
    frame = frames.runs([a_run(), killed])
    assert types(frame) == {
        "test": "string",
        "start": "datetime64[ns, UTC]",
        "exit_code": "Int64",
        "signal": "Int64",
        "timed_out": "bool",
        "duration_s": "float64",
        "last_sample": "string",
        "n_samples": "int64",
        "n_properties": "int64",
        "valid": "bool",
        "problem_kinds": "string",
        "problems": "string",
        "missed_share": "float64",
        "largest_gap_s": "float64",
        "foreign_load": "float64",
    }
    assert list(frame.index) == [FIRST, "ci-7"] and frame.index.name == "run"
    assert frame.loc[FIRST].tolist() == [
        "shop",
        datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC),
        *(0, pd.NA, False, 0.5, "agent", 3, 2, True, "", "", 0.125, 0.25, 0.5),
    ]
    assert frame.loc["ci-7", "problem_kinds"] == "time-limit starved"
    assert frame.loc["ci-7", "problems"] == "it was stopped; it starved"
    assert frame.loc["ci-7", ["exit_code", "start", "foreign_load"]].isna().all()
    assert not frame.loc["ci-7", "valid"] and frame.loc["ci-7", "signal"] == 9


def test_metadata_are_what_was_recorded() -> None:
    other = replace(a_run(SECOND), metadata={"host.cores": 4.5, "jvm.gc": "G1"})
    frame = frames.metadata([a_run(), other])
    assert list(frame.columns) == ["host.cores", "jvm.vm.name", "jvm.debug", "host.load", "jvm.gc"]
    assert set(types(frame).values()) == {"object"}
    assert frame.loc[FIRST].tolist() == [2, "OpenJDK", False, None, None]
    assert frame.loc[SECOND].tolist() == [4.5, None, None, None, "G1"]
    assert type(frame.loc[FIRST, "host.cores"]) is int
    assert frames.metadata([]).shape == (0, 0)


def a_finding() -> Finding:
    return Difference(
        source="bounds",
        subject=HEAP,
        run_id=FIRST,
        direction=Direction.MORE,
        effect=Effect.WORSE,
        unit="By",
        observed=8.0,
        lower=1.0,
        upper=4.0,
        expected=2.0,
        at_s=0.25,
        window_s=(0.0, 0.25),
        outside_share=0.5,
        severity=3.0,
        evidence=0.75,
        text="grows",
    )


def a_verdict(*findings: Finding) -> Verdict:
    return Verdict(Status.REGRESSION, "calibrated", findings, p_value=0.02, alpha=0.05)


def test_findings() -> None:
    missing = Statement("notification", "com.acme.full", FIRST, Direction.LESS)
    frame = frames.findings(a_verdict(a_finding(), missing))
    assert frame.loc[0].to_dict() == {
        "source": "bounds",
        "subject": HEAP,
        "run_id": FIRST,
        "direction": "more",
        "effect": "worse",
        "unit": "By",
        "measure": "",
        "observed": 8.0,
        "lower": 1.0,
        "upper": 4.0,
        "expected": 2.0,
        "at_s": 0.25,
        "window_start_s": 0.0,
        "window_end_s": 0.25,
        "outside_share": 0.5,
        "severity": 3.0,
        "evidence": 0.75,
        "text": "grows",
        "noted": False,
    }
    numbers = ["observed", "lower", "upper", "expected", "at_s", "window_start_s", "window_end_s", "evidence"]
    assert frame.loc[1, numbers].isna().all()
    assert frame.loc[1, ["direction", "effect", "severity"]].tolist() == ["less", "unknown", 0.0]
    assert {types(frame)[name] for name in numbers} == {"float64"}
    assert frame.attrs == {"status": "regression", "detector": "calibrated", "p_value": 0.02, "alpha": 0.05}
    alone = frames.findings(a_verdict(missing))
    assert types(alone) == types(frame)


def test_history() -> None:
    at = datetime(2026, 1, 2, 5, 4, 5, tzinfo=timezone(timedelta(hours=2)))
    trained = HistoryEntry(at, "trained", None, {HEAP: 5.0}, (), ("a", "b"))
    failed = HistoryEntry(
        at + timedelta(days=1), "regression", "0123+dirty", {CPU: 0.5}, (HEAP, CPU), ("c",), 0.01
    )
    frame = frames.history([trained, failed])
    assert frame.index.name == "at" and str(frame.index.dtype) == "datetime64[ns, UTC]"
    assert frame.index[0] == at
    assert frame["status"].tolist() == ["trained", "regression"]
    assert frame["commit"].tolist() == [pd.NA, "0123+dirty"]
    assert frame["worst"].tolist() == [pd.NA, HEAP]
    assert frame[["n_runs", "n_findings"]].to_numpy().tolist() == [[2, 0], [1, 2]]
    np.testing.assert_array_equal(frame[["p_value", HEAP, CPU]], [[np.nan, 5.0, np.nan], [0.01, np.nan, 0.5]])
    assert frame.attrs["units"] == {HEAP: "By", CPU: "s"}
    fixed = ["status", "commit", "p_value", "n_runs", "n_findings", "worst"]
    assert types(frames.history([])) == types(frame[fixed])
    assert frames.history([]).index.dtype == frame.index.dtype
