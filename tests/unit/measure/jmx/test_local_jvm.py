"""Which processes may be attached to: the check never harms one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from buto.errors import MeasureError
from buto.measure.jmx.local_agent import endpoint_while_attached
from buto.measure.jvms import check_attachable, local_jvm


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is not a JVM, and that SIGQUIT would end."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def test_a_process_that_is_not_a_jvm_is_named_and_left_alone(sleeper: subprocess.Popen[bytes]) -> None:
    with pytest.raises(MeasureError, match=rf"process {sleeper.pid} \(.+\) is not a JVM"):
        check_attachable(sleeper.pid)
    assert local_jvm(sleeper.pid) is None
    assert sleeper.poll() is None


def test_a_stopped_process_is_refused_with_the_command_that_lets_it_go_on(
    sleeper: subprocess.Popen[bytes],
) -> None:
    sleeper.send_signal(signal.SIGSTOP)
    _, status = os.waitpid(sleeper.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    with pytest.raises(MeasureError, match="stopped") as caught:
        check_attachable(sleeper.pid)
    assert caught.value.advice == f"continue it: kill -CONT {sleeper.pid}"


def test_a_process_that_is_gone_is_not_a_process() -> None:
    with subprocess.Popen(["true"]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(MeasureError, match=f"no process {process.pid}"):
            check_attachable(process.pid)
        assert local_jvm(process.pid) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to start a process of another user")
def test_a_process_of_another_user_is_refused_by_name(sleeper: subprocess.Popen[bytes]) -> None:
    code = (
        "import os, sys\n"
        "from buto.measure.jvms import check_attachable\n"
        "from buto.errors import MeasureError\n"
        "os.setuid(65534)\n"
        "try:\n"
        "    check_attachable(int(sys.argv[1]))\n"
        "except MeasureError as refused:\n"
        "    print(refused.message, refused.advice)\n"
    )
    command = [sys.executable, "-c", code, str(sleeper.pid)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "belongs to the user root" in done.stdout
    assert "sudo -u root buto attach" in done.stdout


def test_attaching_refuses_with_the_same_words(sleeper: subprocess.Popen[bytes]) -> None:
    """Also where the process's own directory could not be opened."""
    with pytest.raises(MeasureError, match="is not a JVM"), endpoint_while_attached(sleeper.pid):
        pytest.fail("it was attached to")
    sleeper.kill()
    sleeper.wait()
    with pytest.raises(MeasureError, match=f"no process {sleeper.pid}"), endpoint_while_attached(sleeper.pid):
        pytest.fail("it was attached to")
