"""kill -9 of what measures: nothing that was started outlives it, and the store has no half run."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from buto.run.store import RunStore
from tests.support.jvm.harness import Harness, harness, phases

MOMENTS = ["start", "middle", "end"]


def wait_for(moment: str, measuring: Harness) -> None:
    """The JVM was just started; its program has run for a while; it is on its way out."""
    jvm = measuring.begun("Phases\0/")
    if moment != "start":
        measuring.reached("middle")
    if moment == "end":
        os.kill(jvm, signal.SIGTERM)
        measuring.reached("ending")


def assert_no_half_run(directory: Path) -> None:
    store = RunStore(directory / ".buto")
    assert store.tests() == []
    assert [path for path in store.root.rglob("*") if path.is_file()] == []


def assert_all_is_killed(directory: Path, *command: str, moment: str = "middle") -> None:
    """Kill what measures at that moment; all that it started ends, and no half run is left."""
    with harness(directory, *command) as measuring:
        wait_for(moment, measuring)
        if "jmx" in command:
            assert measuring.descendants("jmx.worker")
        measuring.kill()
        measuring.assert_alone()
    assert_no_half_run(directory)


def hanging(classes: Path, directory: Path) -> list[str]:
    return ["java", "-cp", str(classes), "Phases", str(directory), "hangs"]


RECORD = ("-m", "buto", "record", "t")
PYTEST = ("-m", "pytest", "-p", "no:cacheprovider", "--buto-train", ".")


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_buto_takes_all_that_it_started_with_it(tmp_path: Path, classes: Path, moment: str) -> None:
    command = phases(classes, tmp_path, "hangs")
    assert_all_is_killed(tmp_path, *RECORD, "--jvm", "Phases", "--", *command, moment=moment)


@pytest.mark.all
def test_a_buto_with_jmx_that_is_killed_takes_its_worker_with_it(tmp_path: Path, classes: Path) -> None:
    assert_all_is_killed(tmp_path, *RECORD, "--collector", "jmx", "--", *hanging(classes, tmp_path))


def test_a_killed_buto_takes_its_workload_with_it(tmp_path: Path, classes: Path) -> None:
    load = ["sh", "-c", f"setsid sleep 603 & sleep 604 & touch {tmp_path}/loaded; wait"]
    tests = {"t": {"command": hanging(classes, tmp_path), "workload": {"command": load}}}
    (tmp_path / "buto.yaml").write_text(json.dumps({"version": 1, "tests": tests}))
    with harness(tmp_path, *RECORD) as measuring:
        measuring.reached("loaded")
        measuring.begun("604")
        measuring.kill()
        measuring.assert_alone()
    assert_no_half_run(tmp_path)


@pytest.mark.all
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_worker_ends_the_target_and_is_reported(tmp_path: Path, classes: Path, moment: str) -> None:
    with harness(tmp_path, *RECORD, "--collector", "jmx", "--", *hanging(classes, tmp_path)) as measuring:
        worker = measuring.begun("jmx.worker")
        wait_for(moment, measuring)
        os.kill(worker, signal.SIGKILL)
        assert measuring.ended() == 3, measuring.printed()
        measuring.assert_alone()
        assert "buto's JMX worker ended when asked to" in measuring.printed()
        assert "(exit code -9)" in measuring.printed()
        assert "Traceback" not in measuring.printed()
    assert_no_half_run(tmp_path)
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.all
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_pytest_takes_all_that_it_started_with_it(
    tmp_path: Path, classes: Path, moment: str
) -> None:
    mark = f"@pytest.mark.buto(command={phases(classes, tmp_path, 'hangs')!r}, jvm='Phases')"
    (tmp_path / "test_it.py").write_text(f"import pytest\n\n{mark}\ndef test_it():\n    pass\n")
    assert_all_is_killed(tmp_path, *PYTEST, moment=moment)


@pytest.mark.all
def test_a_test_that_drives_its_program_leaves_nothing_when_pytest_is_killed(
    tmp_path: Path, classes: Path
) -> None:
    block = f"with buto.record(command={phases(classes, tmp_path, 'hangs')!r}, jvm='Phases'):"
    (tmp_path / "test_it.py").write_text(
        f"import time\n\ndef test_it(buto):\n    {block}\n        time.sleep(600)\n"
    )
    assert_all_is_killed(tmp_path, *PYTEST)


@pytest.mark.all
def test_a_killed_watcher_does_not_disturb_a_measurement(tmp_path: Path, classes: Path) -> None:
    command = phases(classes, tmp_path, "ends", "300")
    with harness(tmp_path, *RECORD, "--jvm", "Phases", "--", *command) as measuring:
        os.kill(measuring.begun("process_group.py"), signal.SIGKILL)
        assert measuring.ended() == 0, measuring.printed()
        measuring.assert_alone()
    # A run that was disturbed otherwise is kept, too, and then repeated.
    assert len(RunStore(tmp_path / ".buto").load_set("t").valid()) == 1
