"""The configuration of a service, and the fresh copy of a directory in which it begins every run.

The copy gives the service the same state in each run. No service is started here.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import signal
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from buto.errors import StorageError, UsageError
from buto.measure.target import http_url
from buto.run.units import parse_seconds

READY_WITHIN_S = 60.0
STOP_WITHIN_S = 10.0
GOOD_STATUS = range(200, 400)

At = tuple[str | int, ...]
"""Path of a value within a service's configuration."""


class PortOpen(Struct, frozen=True):
    """Ready when something listens at this TCP port of this machine."""

    port: int


class HttpAnswers(Struct, frozen=True):
    """Ready when a GET is answered with this status; None: any from 200 to 399."""

    url: str
    status: int | None = None

    @property
    def local_port(self) -> int | None:
        """The port, if the URL is of this machine."""
        parts = urlsplit(self.url)
        return (parts.port or 80) if parts.hostname in ("127.0.0.1", "localhost", "::1") else None


class LogLine(Struct, frozen=True):
    """Ready when the service has printed a line in which the pattern is found."""

    pattern: re.Pattern[str]


class CommandSucceeds(Struct, frozen=True):
    """Ready when this command exits with code 0."""

    command: tuple[str, ...]


Readiness = PortOpen | HttpAnswers | LogLine | CommandSucceeds


@dataclass(frozen=True, slots=True)
class Service:
    """A command that runs from before the program's start to after its end.

    Attributes:
        name: unique in a test.
        readiness: the sign that it is ready.
        within_s: how long it may take until it is ready.
        template: a directory; each run has a fresh copy of it, in which the service starts.
        directory: where it starts; relative to the copy if there is a template. None: the copy, or the
            current directory.
        environment: variables added to buto's own environment.
        user: the user that it runs as if buto is root; None: the same as buto.
        stop_signal: asks it to end.
        stop_within_s: after that time it is killed.
        mask: further shell patterns for names of secrets.
        secrets: values to mask besides those in the command and the environment.
    """

    name: str
    command: tuple[str, ...]
    readiness: Readiness
    within_s: float = READY_WITHIN_S
    template: Path | None = None
    directory: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    user: str | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    stop_within_s: float = STOP_WITHIN_S
    mask: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def port(self) -> int | None:
        """The port of this machine at which it will listen, as far as its configuration says so."""
        match self.readiness:
            case PortOpen(port):
                return port
            case HttpAnswers() as check:
                return check.local_port
            case _:
                return None


def service_from(
    name: str,
    data: Mapping[str, Any],
    base: Path | None,
    text: Callable[[At, Any], str],
    words: Callable[[At, Any], tuple[str, ...]],
    mask: tuple[str, ...] = (),
) -> Service:
    """Build a service from the part of a configuration that follows the schema.

    Args:
        base: the directory to which others are relative; None for the current one.
        text: replaces variables in a text; gets the path of the value within ``data``.
        words: splits a command and replaces variables; gets its path, too.

    Raises:
        UsageError: a pattern, a time or a URL is invalid.
    """
    template = data.get("template")
    directory = data.get("working-directory")
    here = Path() if base is None else base
    where = None if directory is None else Path(text(("working-directory",), directory))
    if template is None:
        where = base if where is None else here / where
    return Service(
        name,
        words(("command",), data["command"]),
        _readiness(data["ready"], text, words),
        parse_seconds(str(data["ready"].get("within", READY_WITHIN_S))),
        None if template is None else here / text(("template",), template),
        where,
        {key: text(("environment", key), value) for key, value in data.get("environment", {}).items()},
        data.get("user"),
        signal.Signals[f"SIG{data.get('stop-signal', 'TERM')}"],
        parse_seconds(str(data.get("stop-within", STOP_WITHIN_S))),
        mask,
    )


def _readiness(
    data: Mapping[str, Any],
    text: Callable[[At, Any], str],
    words: Callable[[At, Any], tuple[str, ...]],
) -> Readiness:
    if "status" in data and "http" not in data:
        raise UsageError("ready: status can be used with http only", advice="ready: {http: URL, status: 200}")
    if "port" in data:
        return PortOpen(data["port"])
    if "log" in data:
        try:
            return LogLine(re.compile(data["log"]))
        except re.error as error:
            raise UsageError(
                f"ready: log must be a regular expression, got {data['log']!r}: {error}",
                advice='log: "ready to accept connections"',
            ) from error
    if "command" in data:
        return CommandSucceeds(words(("ready", "command"), data["command"]))
    return http_answers(text(("ready", "http"), data["http"]), data.get("status"))


def http_answers(url: str, status: int | None) -> HttpAnswers:
    """Return the sign that a server answers; ``${port}`` may stand for a port that is not known yet.

    Raises:
        UsageError: the URL is not of HTTP.
    """
    if http_url(url) is None:
        raise UsageError(
            f"ready: http must be an HTTP URL, got {url!r}", advice="http: http://127.0.0.1:8080/health"
        )
    return HttpAnswers(url, status)


_FICLONE = 0x40049409
"""linux/fs.h: share the blocks of a file until one of the two is written."""


def copy_fresh(template: Path, destination: Path, service: str) -> None:
    """Copy a directory with the modes and times of its files; links stay links.

    On file systems that share blocks between files (Btrfs, XFS) nothing is copied until it is written.

    Raises:
        UsageError: there is no such directory, or it cannot be read.
        StorageError: the copy cannot be written.
    """
    if not template.is_dir():
        raise UsageError(
            f"the template {template} of the service {service!r} "
            + ("is not a directory" if template.exists() else "does not exist"),
            advice="create it, or correct services: {" + service + ": {template: ...}}",
        )
    try:
        shutil.copytree(template, destination, symlinks=True, copy_function=_clone)
    except shutil.Error as error:
        source, _, why = error.args[0][0]
        raise StorageError(
            f"the template of the service {service!r} cannot be copied: {source}: {why}", advice=_ADVICE
        ) from error
    except OSError as error:
        raise StorageError(
            f"the template {template} of the service {service!r} cannot be copied: {error.strerror}",
            advice=_ADVICE,
        ) from error


_ADVICE = "set TMPDIR to a directory on a disk with room, and see whether the template can be read"


def _clone(source: str, destination: str) -> str:
    """Copy one file; share its blocks where the file system can."""
    if not stat.S_ISREG(os.stat(source).st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    with open(source, "rb") as old, open(destination, "wb") as new:
        try:
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
        except OSError:
            return str(shutil.copy2(source, destination))
    shutil.copystat(source, destination)
    return destination
