"""At which addresses this process listens."""

from __future__ import annotations

import psutil


def listening() -> set[tuple[str, int]]:
    """Return the addresses and ports at which this process listens."""
    found = psutil.Process().net_connections("tcp")
    return {
        (connection.laddr.ip, connection.laddr.port)
        for connection in found
        if connection.status == psutil.CONN_LISTEN
    }
