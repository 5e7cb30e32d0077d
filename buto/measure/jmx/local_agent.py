"""Reach the MBeans of a JVM on this machine through the JDK's own *remote* JMX agent, bound to 127.0.0.1.

Only a one-time password opens it: once buto is connected, the password file is emptied.

The JDK's *local* agent (``-Dcom.sun.management.jmxremote``) would listen on all interfaces and drop a
connection from another machine only after accepting it. Every ``-Dcom.sun.management.jmxremote.port`` on a
command line starts that agent as well (JDK 17 and 25). So buto starts the agent by a command to the running
JVM, for launched programs too, and leaves no trace in the program's command line or environment.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from msgspec import Struct

from buto.errors import MeasureError
from buto.measure.diagnostic_command import AttachError, run_command, temporary_directory
from buto.measure.jmx.credentials import NO_CREDENTIALS, Credentials
from buto.measure.jvms import check_attachable, local_jvm
from buto.measure.private_directory import give_to_owner, is_abandoned, private_directory, write_private_file
from buto.measure.process_group import is_alive

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

_BUTO_PASSWORD = re.compile(r"jmxremote\.password\.file = (/.*)/password$", re.MULTILINE)
_STATUS, _START, _STOP = (f"ManagementAgent.{name}" for name in ("status", "start", "stop"))


class AgentLeftRunningError(MeasureError):
    """A JVM did not stop the JMX agent that buto started in it."""


class JmxEndpoint(Struct, frozen=True):
    """The address of a JMX agent and how to log in to it.

    Attributes:
        address: JMX service URL.
        credentials: what the agent asks for.
        started_by_buto: whether buto started the agent; any other agent is left alone.
        password_file: where the agent looks up passwords; None if buto did not write it.
    """

    address: str
    credentials: Credentials
    started_by_buto: bool
    password_file: Path | None = None

    def revoke_password(self) -> None:
        """Empty the password file, so that nobody else can log in. Open connections stay open."""
        if self.password_file is not None:
            with suppress(FileNotFoundError):
                # Emptied and not removed: without the file the agent would tell anybody its path.
                _empty(self.password_file)


def open_endpoint(pid: int, directory: Path, credentials: Credentials = NO_CREDENTIALS) -> JmxEndpoint:
    """Return the JMX agent that a JVM of this machine runs, or start one in it.

    Args:
        directory: of mode 700, for the files that a new agent reads as long as it runs.
        credentials: what an agent that is already running asks for.

    Raises:
        AttachError: the JVM cannot be asked to start one; the message says why.
        MeasureError: the process cannot be attached to.
        StorageError: a file cannot be written.
    """
    jvm = local_jvm(pid)
    if jvm is not None and jvm.local_address is not None:
        return JmxEndpoint(jvm.local_address, credentials, started_by_buto=False)
    if jvm is not None and jvm.remote_address is not None and not _stop_abandoned_agent(pid):
        return JmxEndpoint(jvm.remote_address, credentials, started_by_buto=False)
    own = Credentials(_USER, secrets.token_hex(32))
    write_private_file(directory / "password", f"{own.user} {own.password}\n".encode())
    write_private_file(directory / "access", f"{own.user} readwrite\n".encode())
    # A port that was found free may be found again.
    ports = dict.fromkeys(_free_port() for _ in range(_TRIES))
    for port in ports:
        text = _OPTIONS.format(port=port, directory=_observe(directory))
        write_private_file(directory / f"options-{port}", text.encode())
    give_to_owner(directory, pid)
    for left, port in zip(reversed(range(len(ports))), ports, strict=True):
        options = directory / f"options-{port}"
        try:
            run_command(pid, f"{_START} config.file={_observe(options)}", START_S)
        except AttachError:
            if not left or _is_free(port):
                raise
        else:
            break
    return JmxEndpoint(
        f"service:jmx:rmi:///jndi/rmi://127.0.0.1:{port}/jmxrmi", own, True, directory / "password"
    )


@contextmanager
def endpoint_while_attached(pid: int, credentials: Credentials = NO_CREDENTIALS) -> Iterator[JmxEndpoint]:
    """Yield the JMX agent of a running JVM; stop it at the end if buto started it.

    Raises:
        AgentLeftRunningError: at the end, if the JVM is still there but does not stop the agent.
    """
    check_attachable(pid)
    # Held open: the process may end, and /proc/PID/root with it.
    try:
        held = os.open(temporary_directory(pid), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise AttachError(f"cannot attach to process {pid}: {error.strerror}") from error
    try:
        with private_directory(Path(f"/proc/self/fd/{held}")) as directory:
            endpoint = open_endpoint(pid, directory, credentials)
            with _agent_stopped(pid) if endpoint.started_by_buto else nullcontext():
                yield endpoint
    finally:
        os.close(held)


@contextmanager
def _agent_stopped(pid: int) -> Iterator[None]:
    """Stop the agent at the end, also after a failure, which the message then begins with."""
    before = ""
    try:
        yield
    except MeasureError as failure:
        before = f"{failure.message}; "
        raise
    finally:
        _stop_agent(pid, before)


def _stop_agent(pid: int, before: str) -> None:
    try:
        run_command(pid, _STOP, _STOP_S)
    except MeasureError as failure:
        if is_alive(pid):
            raise AgentLeftRunningError(
                f"{before}its JMX port on loopback is left open: {failure.message}",
                advice=f"close it with: jcmd {pid} {_STOP}",
            ) from failure


def _stop_abandoned_agent(pid: int) -> bool:
    """Stop an agent that was left by a buto that was killed; return whether there was one.

    Raises:
        AttachError: another buto is using it.
    """
    own = _BUTO_PASSWORD.search(run_command(pid, _STATUS, START_S))
    if own is None:
        return False
    if not is_abandoned(Path(f"/proc/{pid}/root{own[1]}")):
        raise AttachError(f"another buto is attached to process {pid}", advice="wait until it has ended")
    run_command(pid, _STOP, _STOP_S)
    return True


def _free_port() -> int:
    """Return a port at which nobody listens now. RMI would never close a port that it chose itself."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _is_free(port: int) -> bool:
    """Return whether nobody listens at a port."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def _observe(path: Path) -> str:
    """Return the path as the JVM sees it."""
    return re.sub(r"^/proc/self/fd/\d+", "/tmp", str(path))


def _empty(path: Path) -> None:
    """Empty a file in a directory that may belong to another user, who may have replaced the file.

    Raises:
        FileNotFoundError: it is gone.
        AttachError: it is not the file that was written; nothing is changed.
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
            raise AttachError(f"{path} was replaced: it is not the file that buto wrote")
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)
