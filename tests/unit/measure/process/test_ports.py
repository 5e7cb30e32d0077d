"""Which ports a process listens at."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

from buto.measure.private_directory import listening


def test_a_port_is_there_while_its_process_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert port in listening(os.getpid())
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
            assert port not in listening(other.pid)
            other.kill()
    assert port not in listening(os.getpid())


def test_a_connection_and_a_process_that_is_gone_listen_nowhere() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as mine,
    ):
        assert mine.getsockname()[1] not in listening(os.getpid())
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert listening(gone.pid) == ()
