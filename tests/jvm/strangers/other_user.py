"""Another user of the machine, who knows all that the process table tells: ``other_user.py WHAT JSON``.

Becomes ``nobody`` before it does anything, and prints as JSON what came of each attempt: ``refused``, or
what it got.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

NOBODY = 65534


def text(value: str) -> bytes:
    return struct.pack(">I", len(value)) + value.encode()


def hello(secret: str) -> bytes:
    body = b"\1" + struct.pack(">H", 4) + text(secret) + struct.pack(">q", os.getpid())
    body += text("Stranger") + text("17") + struct.pack(">qqq", 0, 0, 0)
    return struct.pack(">I", len(body)) + body


def answer_to(port: int, words: bytes) -> bytes:
    """All that the port answers until it closes."""
    heard = b""
    with socket.socket() as connection:
        connection.settimeout(20)
        connection.connect(("127.0.0.1", port))
        connection.sendall(words)
        while part := connection.recv(4096):
            heard += part
    return heard


def listen(port: int) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen()


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
    if "port" in given:
        found["listen"] = attempt(lambda: listen(given["port"]))
        for name, words in given["words"].items():
            greeting = hello(words) if name.startswith("hello") else words.encode()
            found[name] = attempt(lambda greeting=greeting: answer_to(given["port"], greeting))
    return found


def main() -> None:
    given = json.loads(sys.argv[1])
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    print(json.dumps(attempts(given)))


if __name__ == "__main__":
    main()
