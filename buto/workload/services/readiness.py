"""Checks whether a service is ready. Each asks once and answers within a second."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import urllib.error
import urllib.request
from functools import partial
from typing import Protocol

import psutil

from buto.collect.process import kernel
from buto.collect.process.account import Account, identity
from buto.collect.process.launch import Launch
from buto.units import format_seconds
from buto.workload.services.model import (
    GOOD_STATUS,
    CommandSucceeds,
    HttpAnswers,
    LogLine,
    PortOpen,
    Readiness,
)

_ANSWER_S = 1.0
_COMMAND_S = 10.0
_PIECE_BYTES = 1 << 16
_LONGEST_LINE = 1 << 16
_LOOPBACK = ("127.0.0.1", "::1")

_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Ignores the proxies of the environment, which cannot reach 127.0.0.1 of this machine."""


class Check(Protocol):
    """Asks a service whether it is ready."""

    def missing(self) -> str | None:
        """Return what is still missing, as a clause; None if the service is ready."""


def check_of(readiness: Readiness, launch: Launch, account: Account | None) -> Check:
    """Return the check of a service that was launched."""
    match readiness:
        case PortOpen(port):
            return _Port(port)
        case HttpAnswers():
            return HttpCheck(readiness)
        case LogLine():
            return _Log(readiness, launch)
        case CommandSucceeds(command):
            return _Command(command, launch, account)


def is_open(port: int) -> bool:
    """Return whether something listens at a TCP port of this machine."""
    for address in _LOOPBACK:
        try:
            socket.create_connection((address, port), _ANSWER_S).close()
        except OSError:
            continue
        return True
    return False


def owner_of(port: int) -> str:
    """Return which process listens at a port, as far as this process may know."""
    for one in psutil.net_connections("tcp"):
        listens = one.status == psutil.CONN_LISTEN and one.laddr and one.laddr.port == port
        if listens and one.pid is not None:
            try:
                return f"process {one.pid} ({psutil.Process(one.pid).name()})"
            except psutil.NoSuchProcess:
                break
    return "another process"


class _Port:
    def __init__(self, port: int) -> None:
        self._port = port

    def missing(self) -> str | None:
        return None if is_open(self._port) else f"nothing listens at port {self._port}"


class HttpCheck:
    """Asks a server by HTTP; redirects are followed, proxies are not used."""

    def __init__(self, wanted: HttpAnswers) -> None:
        self._wanted = wanted

    def missing(self) -> str | None:
        try:
            with _OPENER.open(self._wanted.url, timeout=_ANSWER_S) as answer:
                status = answer.status
        except urllib.error.HTTPError as error:
            status = error.code
            error.close()
        except (OSError, http.client.HTTPException) as error:
            return f"{self._wanted.url} does not answer: {getattr(error, 'reason', error)}"
        good = GOOD_STATUS if self._wanted.status is None else (self._wanted.status,)
        return None if status in good else f"{self._wanted.url} answers with status {status}"


class _Log:
    """Reads each line of the output once."""

    def __init__(self, wanted: LogLine, launch: Launch) -> None:
        self._wanted = wanted
        self._output = launch.stdout.descriptor
        self._at = 0
        self._begun = b""

    def missing(self) -> str | None:
        while piece := os.pread(self._output, _PIECE_BYTES, self._at):
            self._at += len(piece)
            *lines, rest = (self._begun + piece).split(b"\n")
            self._begun = rest[-_LONGEST_LINE:]
            if any(self._wanted.pattern.search(line.decode(errors="replace")) for line in lines):
                return None
        return f"it has not printed a line with {self._wanted.pattern.pattern!r}"


class _Command:
    """Runs a command as the service itself runs, so that it ends with the service at the latest."""

    def __init__(self, command: tuple[str, ...], launch: Launch, account: Account | None) -> None:
        self._command = command
        self._launch = launch
        self._account = account

    def missing(self) -> str | None:
        name = self._command[0]
        try:
            done = subprocess.run(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self._launch.target.directory,
                env=self._launch.environment,
                timeout=_COMMAND_S,
                check=False,
                start_new_session=True,
                preexec_fn=partial(kernel.die_with_parent, os.getpid()),
                **identity(self._account),
            )
        except OSError as error:
            return f"{name} cannot be started: {error.strerror}"
        except subprocess.TimeoutExpired:
            return f"{name} does not end within {format_seconds(_COMMAND_S)}"
        return None if done.returncode == 0 else f"{name} exits with code {done.returncode}"
