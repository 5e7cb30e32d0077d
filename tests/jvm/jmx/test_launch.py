"""Programs that buto launches, recorded through JMX."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from buto.errors import MeasureError
from buto.measure.jmx import polling_loop
from buto.measure.jmx.collector import JmxCollector
from buto.measure.jmx.local_agent import JmxEndpoint, open_endpoint
from buto.measure.jmx.worker_client import Worker
from buto.measure.progress import OnTick
from buto.measure.recording import Recording
from buto.measure.target import MBeanSpec, Target
from buto.run.masking import Mask
from buto.run.model import ProblemKind, Run
from tests.support.jvm.driven import QUEUE, once_sampled

FAST = ("-XX:TieredStopAtLevel=1", "-Xshare:auto")


NEVER = Path("never")


def driven(java: str, classes: Path, end: Path = NEVER, *arguments: str) -> tuple[str, ...]:
    return (java, *FAST, "-cp", str(classes), "Driven", str(end), *arguments)


@pytest.fixture
def record(shared_worker: Worker) -> Callable[..., Run]:
    """Launch a command through the shared worker; settings are the target's."""

    def record(*command: str, on_tick: OnTick | None = None, **settings: object) -> Run:
        settings = {"timeout_s": 60.0, "interval_s": 0.05, "collector": "jmx"} | settings
        target = Target(command, **settings)  # type: ignore[arg-type]
        with JmxCollector(target, shared_worker) as collector:
            return collector.record("test", on_tick)

    return record


def launched_jvm() -> int:
    """Process id of the only java among this process's descendants."""
    (jvm,) = [child for child in psutil.Process().children(recursive=True) if child.name() == "java"]
    return jvm.pid


def test_a_launched_program_gives_a_whole_run(
    record: Callable[..., Run], java: str, classes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recordings = []
    end = tmp_path / "end"

    class SeenRecording(Recording):
        def __init__(self, test: str, mask: Mask | None = None) -> None:
            super().__init__(test, mask=mask)
            recordings.append(self)

    monkeypatch.setattr("buto.measure.collector.Recording", SeenRecording)
    queue = MBeanSpec("buto.tests:type=Queue,*", ("Depth",))
    command = driven(java, classes, end, "3")
    run = record(*command, on_tick=once_sampled(3, end.touch), expected_exit=3, mbeans=(queue,))
    assert (run.outcome.exit_code, run.outcome.signal, run.outcome.timed_out) == (3, None, False)
    assert run.outcome.last_sample == "jmx"
    assert len(run.times_s) >= 3
    assert run.outcome.duration_s > run.times_s[-1] > run.times_s[0]
    assert set(run.series(f"mbean[{QUEUE}]/Depth")) == {3}
    main, ready = run.stdout.decode().splitlines()
    assert ready == "ready"
    main_ns = int(main.removeprefix("main "))
    # Time zero counts whole milliseconds, and lies just before main.
    assert -2e6 < main_ns - recordings[0].zero_ns < 1e9


@pytest.mark.parametrize(
    ("command", "words", "advice"),
    [
        (("java", "-XX:+NoSuchOption", "Driven"), "Unrecognized VM option", "correct the JVM's options"),
        (("java", "no.such.Main"), "no.such.Main", "class path"),
        (("sh", "-c", "exit 5"), "started no JVM", "java command"),
    ],
)
def test_nothing_to_record_is_one_clear_message(
    record: Callable[..., Run], command: tuple[str, ...], words: str, advice: str
) -> None:
    with pytest.raises(MeasureError, match=re.escape(words)) as caught:
        record(*command)
    assert advice in str(caught.value.advice)


def test_a_jvm_that_is_gone_before_it_is_attached_to_is_reported_like_any_that_ended(
    record: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(pid: int, directory: Path) -> JmxEndpoint:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        return open_endpoint(pid, directory)

    monkeypatch.setattr(polling_loop, "open_endpoint", too_late)
    with pytest.raises(MeasureError, match=re.escape("no.such.Main")):
        record("java", "no.such.Main")


@pytest.mark.all
def test_a_program_that_is_killed_gives_a_run_that_says_so(
    record: Callable[..., Run], one_java: str, classes: Path
) -> None:
    kill = once_sampled(4, lambda: os.kill(launched_jvm(), signal.SIGKILL))
    run = record(*driven(one_java, classes), on_tick=kill)
    assert run.outcome.signal == signal.SIGKILL
    assert len(run.times_s) >= 4
    assert not run.quality.valid


@pytest.mark.all
def test_a_stopped_program_does_not_hang_its_collector(
    shared_worker: Worker, one_java: str, classes: Path
) -> None:
    stop = once_sampled(4, lambda: os.kill(launched_jvm(), signal.SIGSTOP))
    target = Target(driven(one_java, classes), timeout_s=6, interval_s=0.05)
    with JmxCollector(target, shared_worker) as collector:
        began = time.monotonic()
        run = collector.record("test", stop)
        assert time.monotonic() - began < 40
        assert run.outcome.timed_out
        kinds = [problem.kind for problem in run.quality.problems]
        assert kinds[0] is ProblemKind.TIME_LIMIT
        assert ProblemKind.EARLY_LOSS in kinds
        assert len(run.times_s) >= 4
        assert collector.worker() is shared_worker, "the worker is well"


@pytest.mark.all
def test_ctrl_c_stops_the_program_and_the_collector_goes_on(
    shared_worker: Worker, one_java: str, classes: Path
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    target = Target(driven(one_java, classes), timeout_s=60, interval_s=0.05)
    with JmxCollector(target, shared_worker) as collector:
        with pytest.raises(KeyboardInterrupt):
            collector.record("test", once_sampled(2, interrupt))
        assert not [child for child in psutil.Process().children(recursive=True) if child.name() == "java"]
        with pytest.raises(KeyboardInterrupt):
            collector.record("test", once_sampled(2, interrupt))


@pytest.mark.all
def test_a_worker_that_is_killed_costs_one_run_and_is_replaced(
    one_java: str, classes: Path, tmp_path: Path
) -> None:
    end = tmp_path / "end"
    with JmxCollector(Target(driven(one_java, classes, end), interval_s=0.05)) as collector:
        first = collector.worker().pid
        assert first is not None
        kill = once_sampled(2, lambda: os.kill(first, signal.SIGKILL))
        with pytest.raises(MeasureError, match="JMX worker ended"):
            collector.record("test", kill)
        run = collector.record("test", once_sampled(3, end.touch))
        assert collector.worker().pid != first
    assert len(run.times_s) > 1


@pytest.mark.all
def test_a_jvm_without_performance_counters_is_attached_to(
    record: Callable[..., Run], one_java: str, classes: Path, tmp_path: Path
) -> None:
    end = tmp_path / "end"
    java, *rest = driven(one_java, classes, end)
    run = record(java, "-XX:-UsePerfData", *rest, on_tick=once_sampled(3, end.touch))
    assert run.outcome.exit_code == 0
    assert len(run.times_s) >= 3
    assert "UsePerfData" in str(run.metadata["buto.hsperfdata.missing"])


@pytest.mark.all
def test_a_jvm_that_its_command_leaves_behind_is_followed_to_its_end(
    record: Callable[..., Run], one_java: str, classes: Path, tmp_path: Path
) -> None:
    end = tmp_path / "end"
    command = f"{' '.join(driven(one_java, classes, end))} &"
    run = record("sh", "-c", command, on_tick=once_sampled(3, end.touch))
    assert run.outcome.exit_code == 0
    assert len(run.times_s) >= 3
    assert str(run.metadata["system.property[sun.java.command]"]).startswith("Driven")
    assert b"JAVA_TOOL_OPTIONS" not in run.stderr
