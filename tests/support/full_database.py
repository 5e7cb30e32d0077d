"""Fill the disk of a database that runs as a service, and print what becomes of it: TEMPLATE."""

from __future__ import annotations

import json
import re
import signal
import struct
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from buto.measure.workload.services import LogLine, Service
from buto.measure.workload.serving import running
from perf.scale.ports import free_port
from tests.support import postgresql
from tests.support.services import TICK, with_program

PATIENCE_S = 120.0
POLL_S = 0.02


def occupy(path: Path) -> None:
    """Write a file until the disk is full."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while file.write(bytes(1 << 16)):
            pass


def fill(template: Path) -> tuple[list[str], list[str]]:
    """Use the database until it has ended; return what the program heard, and the problems of the run."""
    port = free_port()
    command = [str(postgresql.postgresql() / "postgres"), "-D", ".", "-p", str(port)]
    service = Service(
        "database",
        (*command, "-c", "unix_socket_directories=", "-c", "fsync=off"),
        LogLine(re.compile("ready to accept connections")),
        template=template,
        user=postgresql.owner(),
        stop_signal=signal.SIGINT,
    )
    with running([service]) as services:
        program = with_program(services)
        tick = services.on_each_tick(None)
        deadline = time.monotonic() + PATIENCE_S
        # The first connection writes files without which there are no others.
        postgresql.query(port, "SELECT 1")
        occupy(Path(tempfile.gettempdir(), "others"))
        # Without room for the next file of its log the server ends, which breaks the connection.
        with suppress(RuntimeError, OSError, ValueError, struct.error):
            while time.monotonic() < deadline:
                # A slow answer is not a broken connection, though it is an OSError, too.
                with suppress(TimeoutError):
                    postgresql.query(port, "SELECT pg_logical_emit_message(true, 'a', repeat('x', 4000000))")
        while not program.heard and time.monotonic() < deadline:
            tick(TICK)
            time.sleep(POLL_S)
        return program.heard, [problem.text for problem in services.program_ended()]


if __name__ == "__main__":
    print(json.dumps(fill(Path(sys.argv[1]))))
