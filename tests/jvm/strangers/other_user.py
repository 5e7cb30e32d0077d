"""Another user of the machine, who knows all that the process table tells: ``other_user.py WHAT JSON``.

Becomes ``nobody`` before it does anything, and prints as JSON what came of each attempt: ``refused``, or
what it got.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

NOBODY = 65534


def take(line: str) -> None:
    """Becomes the JVM that is measured."""
    os.rename(line, f"{line}-taken")


def write(pipe: str) -> None:
    os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))


def command_socket(path: str) -> bytes:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(path)
        connection.sendall(b"1\0jcmd\0ManagementAgent.status\0\0\0")
        return connection.recv(4096)


def attempt(act: Callable[[], Any]) -> str:
    try:
        got = act()
    except TimeoutError:
        return "no answer"
    except OSError:
        return "refused"
    return f"got {got!r}"


def attempts(given: dict[str, Any]) -> dict[str, str]:
    pid = int(given["pid"])
    found = {
        f"read {path}": attempt(lambda path=path: Path(path).read_bytes()) for path in given.get("files", ())
    }
    found |= {f"list {path}": attempt(lambda path=path: os.listdir(path)) for path in given.get("places", ())}
    found["environment"] = attempt(lambda: Path(f"/proc/{pid}/environ").read_bytes())
    found["signal"] = attempt(lambda: os.kill(pid, signal.SIGTERM))
    if "sockets" in given:
        found |= {path: attempt(lambda path=path: command_socket(path)) for path in given["sockets"]}
    for line in given.get("lines", ()):
        found[f"take {line}"] = attempt(lambda line=line: take(line))
        found |= {f"{line}/{name}": attempt(lambda at=f"{line}/{name}": write(at)) for name in ("up", "down")}
    return found


def main() -> None:
    given = json.loads(sys.argv[1])
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    print(json.dumps(attempts(given)))


if __name__ == "__main__":
    main()
