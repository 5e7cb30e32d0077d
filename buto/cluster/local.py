"""A cluster of one host, this machine, for ``--scheduler local``."""

from __future__ import annotations

import atexit
import socket
import subprocess
import sys
import time

from distributed import LocalCluster

from buto.cluster.connection import Cluster, connect
from buto.errors import MeasureError

START_S = 60.0
_POLL_S = 0.05
_STOP_S = 10.0


def start() -> Cluster:
    """Start a scheduler in this process and a worker beside it; both end with this process.

    Raises:
        MeasureError: the worker does not join, or a worker runs on this machine already.
    """
    scheduler = loopback_scheduler()
    atexit.register(scheduler.close)
    address = str(scheduler.scheduler_address)
    cluster = connect(address)
    words = ["worker", "--scheduler", address, "--name", socket.gethostname(), "--no-doctor"]
    worker = subprocess.Popen(
        [sys.executable, "-m", "buto", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    atexit.register(_stop, worker)
    deadline_s = time.monotonic() + START_S
    while not cluster.hosts():
        if worker.poll() is not None:
            assert worker.stderr is not None
            said = worker.stderr.read().decode(errors="replace").strip()
            raise MeasureError(f"the worker of this machine ended at once:\n{said}")
        if time.monotonic() > deadline_s:
            raise MeasureError(f"the worker of this machine did not join within {START_S:g} s")
        time.sleep(_POLL_S)
    return cluster


def loopback_scheduler() -> LocalCluster:
    """Start a scheduler without workers, which only this machine can reach."""
    # Without a host, Dask's status page listens on all interfaces.
    return LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=50)


def _stop(worker: subprocess.Popen[bytes]) -> None:
    worker.terminate()
    try:
        worker.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()
