"""At which TCP ports a process of this machine listens.

psutil would read the sockets of buto's own network namespace, not those of a process in a container.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LISTEN = "0A"
"""State in /proc/PID/net/tcp, see proc(5)."""

_ADDRESS, _STATE, _INODE = 1, 3, 9


def listening(pid: int) -> tuple[int, ...]:
    """Return the ports in increasing order; none for a process that has ended or belongs to another user."""
    own = _sockets(pid)
    ports = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[_STATE] == _LISTEN and fields[_INODE] in own:
                    ports.add(int(fields[_ADDRESS].rpartition(":")[2], 16))
    return tuple(sorted(ports))


def _sockets(pid: int) -> set[str]:
    """Return the inodes of the process's open sockets."""
    found = set()
    with suppress(OSError):
        for entry in os.scandir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                link = os.readlink(entry.path)
                if link.startswith("socket:["):
                    found.add(link[len("socket:[") : -1])
    return found
