"""Send diagnostic commands and agents to a running JVM, through the socket that HotSpot opens for ``jcmd``.

The protocol is version 1 of hotspot/os/posix/attachListener_posix.cpp, which JDK 8 to 25 speak. The JDK's own
Attach API is not used: it cannot stop the agent that it started, looks for the socket at most ten times a
second, and waits 10 s for a JVM that is just ending.

The answer to ``GC.class_histogram`` is read into a histogram of classes.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from buto.errors import MeasureError
from buto.measure import account
from buto.measure.jvms import check_attachable, expects_sigquit, inner_pid
from buto.run.model import MOST_CLASSES, ClassCount, ClassHistogram

_LOOK_S = 0.005
"""Interval between two looks for the socket: a new file cannot be waited for together with a process."""


_LOADED = re.compile(r"(?:return code: )?0\s*")
"""The answer of a JVM that has loaded an agent; JDK 8 has the number alone."""

_REFUSES = re.compile(r"\bEnableDynamicAgentLoading\s*:?=\s*false\b")

_FLAGS_S = 5.0
"""How long a JVM that has not loaded an agent may take to list its settings."""


class AttachError(MeasureError):
    """A JVM did not run a command; the message says why."""


def run_command(pid: int, command: str, within_s: float) -> str:
    """Run a diagnostic command in a JVM of this machine, and return what the command prints.

    Raises:
        AttachError: the JVM does not listen or answer in time, has ended, or the command failed.
        MeasureError: the process may not be attached to, see :func:`check_attachable`.
    """
    code, text = _answer(pid, (b"jcmd", command.encode(), b"", b""), within_s)
    if code != "0":
        raise AttachError(f"process {pid} failed to run {command.split()[0]}: {text.strip() or 'it ended'}")
    return text


def load_agent(pid: int, agent: str, within_s: float) -> None:
    """Load a Java agent into a JVM of this machine.

    Args:
        agent: its jar and its argument, joined by ``=``.

    Raises:
        AttachError: the JVM does not listen or answer in time, has ended, or does not load it.
        MeasureError: the process may not be attached to, see :func:`check_attachable`.
    """
    code, text = _answer(pid, (b"load", b"instrument", b"false", agent.encode()), within_s)
    if code != "0" or not _LOADED.fullmatch(text):
        raise AttachError(
            f"process {pid} does not load buto's agent: {' '.join(text.split()) or 'it ended'}",
            advice="start it with -XX:+EnableDynamicAgentLoading" if _refuses_agents(pid) else None,
        )


def _refuses_agents(pid: int) -> bool:
    """Return whether the JVM's settings forbid to load agents; False if it does not say so."""
    try:
        return _REFUSES.search(run_command(pid, "VM.flags -all", _FLAGS_S)) is not None
    except MeasureError:
        return False


def _answer(pid: int, words: Sequence[bytes], within_s: float) -> tuple[str, str]:
    """Return the code and the text with which a JVM answers: an operation and its three arguments."""
    deadline = time.monotonic() + within_s
    check_attachable(pid)
    path = temporary_directory(pid) / f".java_pid{inner_pid(pid)}"
    if not path.exists():
        _wake(pid, path, deadline)
    try:
        if path.stat().st_uid != Path(f"/proc/{pid}").stat().st_uid:
            raise AttachError(
                f"cannot attach to process {pid}: its socket {path} belongs to another user",
                advice="a killed JVM may have left it behind; unless a JVM of another container uses it: "
                f"rm {path}",
            )
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_time_left_s(deadline))
            connection.connect(str(path))
            connection.sendall(b"\0".join([b"1", *words, b""]))
            answer = bytearray()
            while data := connection.recv(1 << 16):
                answer += data
                connection.settimeout(_time_left_s(deadline))
    except TimeoutError:
        raise _no_answer(pid, f"it did not answer within {within_s:g} s") from None
    except OSError as error:
        raise _no_answer(pid, error.strerror or str(error)) from error
    code, _, text = answer.decode(errors="replace").partition("\n")
    return code, text


def temporary_directory(pid: int) -> Path:
    """Return the directory /tmp as the process sees it."""
    return Path(f"/proc/{pid}/root/tmp")


def _wake(pid: int, path: Path, deadline: float) -> None:
    """Make the JVM open its socket: create the agreed file and send SIGQUIT."""
    pidfd = account.open_pidfd(pid)
    if pidfd is None:
        raise _no_answer(pid, "it has ended")
    try:
        if not expects_sigquit(pid):
            raise _no_answer(pid, "it was started only a moment ago")
        sign = path.with_name(path.name.replace("java", "attach"))
        # Held by its directory: the process may end, and /proc/PID/root with it.
        directory = os.open(sign.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with suppress(FileExistsError):
                os.close(os.open(sign.name, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=directory))
            signal.pidfd_send_signal(pidfd, signal.SIGQUIT)
            while not path.exists():
                if account.readable(pidfd, _LOOK_S):
                    raise _no_answer(pid, "it has ended")
                if time.monotonic() >= deadline:
                    raise _no_answer(pid, "it did not open its socket in time")
        finally:
            with suppress(FileNotFoundError):
                os.unlink(sign.name, dir_fd=directory)
            os.close(directory)
    except OSError as error:
        why = "it has ended" if error.errno in (errno.ESRCH, errno.ENOENT) else error.strerror or str(error)
        raise _no_answer(pid, why) from error
    finally:
        os.close(pidfd)


def _time_left_s(deadline: float) -> float:
    """Return the time left; never 0, which would make the socket non-blocking."""
    return max(0.001, deadline - time.monotonic())


def _no_answer(pid: int, why: str) -> AttachError:
    return AttachError(
        f"cannot attach to process {pid}: {why}",
        advice="it may hang or be ending; start it with -Dcom.sun.management.jmxremote instead",
    )


_LINE = re.compile(r" *\d+: +(\d{1,18}) +(\d{1,18})  (.+)")
_MODULE = re.compile(r" \([^()]*\)$")
_CHOSEN = re.compile(r"(?:\$\d+)?[/+](?:0x)?[0-9a-f]+$")
"""What the JVM adds to the name of a hidden class: a number and an address, other ones in each run."""

_PRIMITIVES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "Z": "boolean",
}
_NOT_COUNTED = ("buto.probes.", "jdk.internal.vm.Filler")
"""The agent's own classes, and the names that collectors give to gaps between objects from Java 20 on."""


def class_histogram(point: str, instances: int, size_bytes: int, printed: str) -> ClassHistogram:
    """Return a histogram from its totals and the printed lines; lines of another shape are left out.

    The agent's own classes do not count, nor gaps between objects. Classes whose names differ only by a
    number or an address that the JVM chose, such as those of lambdas, are put together.

    Args:
        point: the moment, see :class:`ClassHistogram`.
        instances, size_bytes: of all classes.
        printed: one line for each class: number, instances, bytes, name, and from Java 9 on its module.
    """
    classes: dict[str, ClassCount] = {}
    for line in printed.split("\n"):
        matched = _LINE.fullmatch(line)
        if matched is None:
            continue
        count = ClassCount(_readable(matched[3]), int(matched[1]), int(matched[2]))
        if count.name.startswith(_NOT_COUNTED):
            instances -= count.instances
            size_bytes -= count.size_bytes
            continue
        same = classes.get(count.name)
        if same is not None:
            count = ClassCount(
                count.name, count.instances + same.instances, count.size_bytes + same.size_bytes
            )
        classes[count.name] = count
    largest = sorted(classes.values(), key=lambda class_count: (-class_count.size_bytes, class_count.name))[
        :MOST_CLASSES
    ]
    return ClassHistogram(0.0, point, max(0, instances), max(0, size_bytes), tuple(largest))


def _readable(printed: str) -> str:
    """Return the name as in Java source, without its module."""
    name = _MODULE.sub("", printed)
    n_dimensions = len(name) - len(name.lstrip("["))
    if n_dimensions:
        element = name[n_dimensions:]
        if element.startswith("L") and element.endswith(";"):
            name = element[1:-1]
        else:
            name = _PRIMITIVES.get(element, element)
    return _CHOSEN.sub("", name) + "[]" * n_dimensions
