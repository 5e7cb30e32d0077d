"""The scheduler that buto starts by itself."""

from __future__ import annotations

from contextlib import closing

import psutil

from buto.cluster.local import loopback_scheduler


def listening() -> set[tuple[str, int]]:
    """Return the addresses and ports at which this process listens."""
    found = psutil.Process().net_connections("tcp")
    return {(one.laddr.ip, one.laddr.port) for one in found if one.status == psutil.CONN_LISTEN}


def test_its_ports_can_be_reached_from_this_machine_only() -> None:
    before = listening()
    with closing(loopback_scheduler()):
        opened = listening() - before
    assert len(opened) >= 2
    assert {address for address, _ in opened} == {"127.0.0.1"}
