"""Ports for servers that must be told where to listen."""

from __future__ import annotations

import random
import socket

LOWEST, HIGHEST = 15_000, 32_000
"""Below those that Linux gives to sockets without a port of their own (ip_local_port_range). One of these may
be given to another process before the server has it."""


def free_port() -> int:
    """Return a port of loopback at which nobody listens."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Return different ports of loopback at which nobody listens."""
    ports: list[int] = []
    chance = random.SystemRandom()
    for port in chance.sample(range(LOWEST, HIGHEST), HIGHEST - LOWEST):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        ports.append(port)
        if len(ports) == count:
            break
    return ports
