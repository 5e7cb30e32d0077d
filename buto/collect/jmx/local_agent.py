"""The door to a JVM's MBeans: a JMX agent that only loopback reaches and only a one-time password opens.

The password opens it once: its file is emptied when buto is inside.

It is the JDK's own *remote* agent, bound to 127.0.0.1. The *local* one of ``-Dcom.sun.management.jmxremote``
listens on all interfaces and drops what comes from another machine only after accepting it; and every
``-Dcom.sun.management.jmxremote.port`` on a command line starts that one as well (JDK 17 and 25). So both for
launched programs and for running ones the agent is started by a command to the running JVM, and neither
the command line nor the environment of the program says anything of buto.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from buto.collect.jmx.credentials import OPEN, Access
from buto.collect.jvm.diagnostic_command import AttachError, run_command, temporary_directory
from buto.collect.jvm.local_jvm import local_jvm
from buto.collect.process.private_directory import is_abandoned, session_directory, write_private
from buto.collect.process.process_group import is_alive
from buto.errors import MeasureError

START_S = 15.0
_STOP_S = 5.0
_TRIES = 3
_USER = "buto"

_OPTIONS = """\
com.sun.management.jmxremote.host=127.0.0.1
com.sun.management.jmxremote.port={port}
com.sun.management.jmxremote.rmi.port={port}
com.sun.management.jmxremote.ssl=false
com.sun.management.jmxremote.registry.ssl=false
com.sun.management.jmxremote.authenticate=true
com.sun.management.jmxremote.password.toHashes=false
com.sun.management.jmxremote.password.file={directory}/password
com.sun.management.jmxremote.access.file={directory}/access
"""

_OWN_PASSWORD = re.compile(r"jmxremote\.password\.file = (/.*)/password$", re.MULTILINE)
_STATUS, _START, _STOP = (f"ManagementAgent.{name}" for name in ("status", "start", "stop"))


class LeftOpenError(MeasureError):
    """A JVM did not close the door that was opened in it."""


@dataclass(frozen=True, slots=True)
class Door:
    """Where and how a JVM is reached.

    Attributes:
        address: JMX service URL.
        access: what the agent there wants.
        is_own: opened by buto; else the JVM's own, to be left alone.
        password_file: what the agent reads when somebody wants in; None where buto did not write it.
    """

    address: str
    access: Access
    is_own: bool
    password_file: Path | None = None

    def shut(self) -> None:
        """Let nobody else in: the agent finds no password any more. Connections that are open stay so."""
        if self.password_file is not None:
            with suppress(FileNotFoundError):
                # Not removed, for the agent would tell strangers where it had been.
                _empty(self.password_file)


def open_door(pid: int, directory: Path, access: Access = OPEN) -> Door:
    """Use the JMX agent that a JVM of this machine runs, or else start one in it.

    Args:
        directory: of mode 700, for the files that the new agent reads as long as it runs.
        access: what an agent that runs already wants.

    Raises:
        AttachError: the JVM does not do it; the message says why.
        MeasureError: the process cannot be attached to.
        StorageError: the directory cannot be written.
    """
    jvm = local_jvm(pid)
    if jvm is not None and jvm.local_address is not None:
        return Door(jvm.local_address, access, is_own=False)
    if jvm is not None and jvm.remote_address is not None and not _was_ours(pid):
        return Door(jvm.remote_address, access, is_own=False)
    own = Access(_USER, secrets.token_hex(32))
    write_private(directory / "password", f"{own.user} {own.password}\n".encode())
    write_private(directory / "access", f"{own.user} readwrite\n".encode())
    ports = [_free_port() for _ in range(_TRIES)]
    for port in ports:
        text = _OPTIONS.format(port=port, directory=_seen(directory))
        write_private(directory / f"options-{port}", text.encode())
    _give_to_owner(directory, pid)
    for left, port in zip(reversed(range(_TRIES)), ports, strict=True):
        options = directory / f"options-{port}"
        try:
            run_command(pid, f"{_START} config.file={_seen(options)}", START_S)
        except AttachError as failure:
            if not left or "already in use" not in failure.message:
                raise
        else:
            break
    return Door(f"service:jmx:rmi:///jndi/rmi://127.0.0.1:{port}/jmxrmi", own, True, directory / "password")


@contextmanager
def door_while_attached(pid: int, access: Access = OPEN) -> Iterator[Door]:
    """A door to a running JVM that is closed again at the end, if it is ours.

    Raises:
        LeftOpenError: at the end: the JVM is there but does not close it.
    """
    # Held open, for the process may end and its root with it.
    try:
        held = os.open(temporary_directory(pid), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise AttachError(f"cannot attach to process {pid}: {error.strerror}") from error
    try:
        with session_directory(Path(f"/proc/self/fd/{held}")) as directory:
            door = open_door(pid, directory, access)
            try:
                yield door
            finally:
                if door.is_own:
                    _close(pid)
    finally:
        os.close(held)


def _close(pid: int) -> None:
    try:
        run_command(pid, _STOP, _STOP_S)
    except MeasureError as failure:
        if is_alive(pid):
            raise LeftOpenError(
                f"its JMX port on loopback is left open: {failure.message}",
                advice=f"close it with: jcmd {pid} {_STOP}",
            ) from failure


def _was_ours(pid: int) -> bool:
    """Whether the agent was left by a buto that was killed; if so, it is ended.

    Raises:
        AttachError: another buto uses it.
    """
    own = _OWN_PASSWORD.search(run_command(pid, _STATUS, START_S))
    if own is None:
        return False
    if not is_abandoned(Path(f"/proc/{pid}/root{own[1]}")):
        raise AttachError(f"another buto is attached to process {pid}", advice="wait until it has ended")
    run_command(pid, _STOP, _STOP_S)
    return True


def _free_port() -> int:
    """One at which nobody listens (now). RMI never closes a port that it chose itself."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _seen(path: Path) -> str:
    """The path as the JVM knows it."""
    return re.sub(r"^/proc/self/fd/\d+", "/tmp", str(path))


def _give_to_owner(directory: Path, pid: int) -> None:
    """Files of root's are of no use to another user's JVM. Afterwards nothing in there is to be trusted."""
    owner = Path(f"/proc/{pid}").stat().st_uid
    if owner != os.geteuid():
        for path in (*directory.iterdir(), directory):
            os.chown(path, owner, -1, follow_symlinks=False)


def _empty(path: Path) -> None:
    """Empty a file in a directory that another user may own, and may have put something else there.

    Raises:
        FileNotFoundError: it is gone.
        AttachError: it is not what was written there; nothing is changed.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise AttachError(f"{path} was replaced: {error.strerror}") from error
    try:
        status, owner = os.fstat(descriptor), path.parent.lstat().st_uid
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or status.st_uid != owner:
            raise AttachError(f"{path} was replaced: it is not the file that was written there")
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)
