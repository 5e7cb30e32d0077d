"""A command without a JVM: what the kernel counted of it to its end, by programs that know it themselves."""

from __future__ import annotations

import resource
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from buto.errors import MeasureError
from buto.measure.opener import open_collector
from buto.measure.process import LEAST_READINGS
from buto.measure.target import PROCESS, Target
from buto.run.model import EXECUTABLE, ProblemKind, Run
from buto.run.properties import COMMAND_PEAK, OF_A_COMMAND, Kind

MIB = 2**20
GAUGES = ("process.thread.count", "process.unix.file_descriptor.count", "process.memory.usage")


def record(*command: str, **settings: object) -> Run:
    target = Target(command, collector=PROCESS, **{"timeout_s": 30.0, **settings})  # type: ignore[arg-type]
    with open_collector(target) as collector:
        return collector.record("program")


def python(script: str, **settings: object) -> Run:
    return record(sys.executable, "-I", "-S", "-c", script, **settings)


def last(run: Run, name: str) -> float:
    return float(run.series(name)[-1])


def test_processor_time_of_a_short_program_is_its_own() -> None:
    script = (
        "import os\nwhile sum(os.times()[:2]) < .05: pass\n"
        "with open('/proc/self/schedstat') as file: print(file.read().split()[0])"
    )
    run = python(script)
    assert run.quality.valid
    own_s = int(run.stdout) * 1e-9
    # The kernel counts the exit, too, and buto's child process has computed before exec.
    assert own_s - 0.01 < last(run, "command.cpu.time") < own_s + 0.03


def test_what_buto_does_before_the_program_begins_is_not_counted() -> None:
    run = record("/bin/true")
    # A dynamic program of C needs some 70 faults; the child process of buto alone has hundreds.
    assert 20 < last(run, "command.paging.faults[minor]") < 250


def test_memory_is_the_largest_and_each_page_a_fault() -> None:
    # The kernel keeps the larger of it and what the process of the tests has, which its child begins with.
    own_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    size_mib = 256 + 2 * own_mib
    run = python(f"held = bytearray({size_mib} << 20); held[::4096] = b'1' * len(held[::4096]); del held")
    assert size_mib * MIB < last(run, COMMAND_PEAK) < (size_mib + 44) * MIB
    assert last(run, "command.paging.faults[minor]") > size_mib * MIB / 4096 * 0.01


def test_input_and_output_count_to_the_very_end(tmp_path: Path) -> None:
    target = tmp_path / "written"
    run = python(f"import os; os.write(os.open({str(target)!r}, os.O_CREAT | os.O_WRONLY), b'x' * 1234567)")
    assert last(run, "process.io.bytes[write]") == 1234567
    assert last(run, "process.io.calls[write]") == 1


def test_children_that_are_waited_for_count_and_others_do_not() -> None:
    burn = "import os\nwhile sum(os.times()[:2]) < .2: pass"
    waited = python(
        f"import os\npid = os.fork()\nif not pid:\n exec({burn!r})\n os._exit(0)\nos.waitpid(pid, 0)"
    )
    assert last(waited, "command.cpu.time") > 0.19
    left = python(f"import os\nif not os.fork():\n exec({burn!r})\n os._exit(0)")
    assert last(left, "command.cpu.time") < 0.19


def test_a_program_that_ends_soon_has_totals_and_no_gauges() -> None:
    run = record("/bin/true")
    assert run.n_samples == 2
    assert not np.isnan(run.values[-1, [run.column_of["command.cpu.time"]]]).any()
    for name in GAUGES:
        assert np.isnan(run.series(name)).all()
        assert str(LEAST_READINGS) in run.nan_reasons[name]


def test_memory_below_that_of_butos_own_process_is_not_made_up() -> None:
    run = record("/bin/true")
    assert np.isnan(run.series(COMMAND_PEAK)).all()
    assert COMMAND_PEAK in run.nan_reasons


@pytest.mark.all
def test_a_program_that_lives_is_read_at_each_interval() -> None:
    script = (
        "import threading, time\n"
        "held = [open('/dev/null') for _ in range(7)]\n"
        "threads = [threading.Thread(target=time.sleep, args=(4,)) for _ in range(3)]\n"
        "[one.start() for one in threads]\n[one.join() for one in threads]"
    )
    # As long as it takes a busy machine to read it often enough.
    run = python(script, interval_s=0.5)
    assert np.nanmax(run.series("process.thread.count")) == 4
    assert np.nanmax(run.series("process.unix.file_descriptor.count")) == 10


def test_each_run_has_the_same_properties() -> None:
    assert record("/bin/true").properties == OF_A_COMMAND


def test_a_program_that_fails_is_no_good_run() -> None:
    run = python("raise SystemExit(3)")
    assert [one.kind for one in run.quality.problems] == [ProblemKind.EXIT_CODE]


def test_a_server_that_handles_no_sigterm_has_ended_as_it_was_asked() -> None:
    stopped = record("/bin/sh", "-c", "kill -TERM $$", expected_exit=143)
    assert (stopped.quality.valid, stopped.outcome.exit_code, stopped.outcome.signal) == (True, 143, None)
    killed = record("/bin/sh", "-c", "kill -KILL $$", expected_exit=143)
    assert (killed.quality.valid, killed.outcome.signal) == (False, 9)


def test_a_counter_never_falls() -> None:
    run = python("import time\nfor _ in range(20): time.sleep(.05)", interval_s=0.05)
    for prop in OF_A_COMMAND:
        if prop.kind is Kind.COUNTER:
            values = run.series(prop.name)
            assert (np.diff(values[~np.isnan(values)]) >= 0).all(), prop.name


def test_a_program_beyond_its_time_is_stopped() -> None:
    run = record("/bin/sleep", "60", timeout_s=0.3)
    assert [one.kind for one in run.quality.problems] == [ProblemKind.TIME_LIMIT]


def test_a_command_that_is_missing_is_an_error() -> None:
    with pytest.raises(MeasureError):
        record("/nowhere/program")


def test_the_executable_is_known_by_content(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    shutil.copy("/bin/true", first)
    shutil.copy("/bin/sleep", second)
    runs = [record(str(path), *arguments) for path, arguments in ((first, ()), (second, ("0",)))]
    assert runs[0].metadata[EXECUTABLE] == str(first)
    digests = {run.metadata["process.program"] for run in runs}
    assert len(digests) == 2 and None not in digests
