"""Programs that hardly run are measured from before their first instruction to their end."""

from __future__ import annotations

import time

import numpy as np
import pytest

from buto.measure import messages as channel
from buto.measure.target import MBeanSpec
from tests.support.jvm.recorder import Recorder, problems, said_times

N_LAUNCHES = 6
END_S = 0.05


@pytest.mark.parametrize("duration_ms", [0, 300])
def test_a_short_program_is_measured_whole_in_every_launch(record: Recorder, duration_ms: int) -> None:
    late_s = []
    for _ in range(N_LAUNCHES):
        run = record.java("Ends", str(duration_ms))
        began_ns, ended_ns = said_times(run)
        assert problems(run) == []
        assert run.outcome.exit_code == 0
        assert run.outcome.last_sample == "agent"
        assert run.times_s[0] < 0 < run.times_s[-1]
        assert began_ns > record.last_time_ns(run) - run.times_s[-1] * 1e9
        late_s.append((record.last_time_ns(run) - ended_ns) * 1e-9)
    assert min(late_s) > 0
    # The fastest, because of what runs beside this test; perf/ shows every launch on a quiet machine.
    assert min(late_s) < END_S, late_s


def test_the_time_for_which_buto_holds_a_program_lacks_no_sample(
    record: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = channel.go

    def late() -> bytes:
        time.sleep(2.0)
        return go()

    monkeypatch.setattr(channel, "go", late)
    run = record.java("Ends", "300")
    assert run.times_s[0] < -2.0
    assert run.quality.missed_share < 0.75, "without the two seconds of forty samples"


def test_the_programs_own_beans_and_notifications_are_recorded(record: Recorder) -> None:
    spec = MBeanSpec("test:*", attributes=("Jobs",), metadata=("Slots",))
    run = record.java("Bean", mbeans=(spec,), interval_s=0.02)
    jobs = run.series("mbean[test:type=Bean]/Jobs")
    assert np.isnan(jobs[0])
    assert jobs[-1] == 20
    assert "mbean[test:type=Bean]/Jobs" in run.nan_reasons
    assert [note.message for note in run.notifications] == [f"job {k}" for k in range(1, 21)]
    assert [note.sequence for note in run.notifications] == list(range(1, 21))
    times = [note.time_s for note in run.notifications]
    assert times == sorted(times)
    assert 0.1 < times[0] < times[-1] < run.outcome.duration_s
