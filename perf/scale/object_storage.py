"""An object storage in a process of its own, on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perf.scale.ports import free_port

DEADLINE_S = 120.0
KEYS = {"AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}


@contextmanager
def object_storage(log: Path) -> Iterator[tuple[str, int]]:
    """Run moto's server; yield its host and port once it accepts connections."""
    host, port = "127.0.0.1", free_port()
    command = [sys.executable, "-m", "moto.server", "-H", host, "-p", str(port)]
    with log.open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, env=os.environ | KEYS)
    try:
        _await(server, host, port, log)
        yield host, port
    finally:
        server.kill()
        server.wait()


def environment(host: str, port: int, cache: Path) -> dict[str, str]:
    """Return the variables of a user of the storage at an address, with a cache of its own."""
    return {
        **KEYS,
        "AWS_ENDPOINT_URL_S3": f"http://{host}:{port}",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "XDG_CACHE_HOME": str(cache),
    }


def _await(server: subprocess.Popen[bytes], host: str, port: int, log: Path) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            socket.create_connection((host, port), timeout=1).close()
        except OSError:
            assert server.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        else:
            return
