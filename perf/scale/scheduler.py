"""What a scheduler does for many hosts: ``python -m perf.scale.scheduler [HOSTS]``.

The hosts are workers of Dask in a process of their own, which launch nothing: they report and return as much
as a launch of a small program does. Printed is the processor time that the scheduler needs for each part, and
its memory.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
import psutil
from distributed import Client, Worker, get_worker

from buto_cluster.connection import Cluster
from buto_cluster.host import DESCRIPTION, RESOURCE, TOPIC, description
from buto_cluster.worker import QUIET

HOSTS = 200
LAUNCHES = 2000
REPORTS = 10_000
LOOKS = 50
IDLE_S = 20.0
DEADLINE_S = 120.0
ORDER, RUN = b"o" * 4096, b"r" * 24_576
"""About what a launch and a run of a few seconds are on their way."""


class ClusterNotStartedError(SystemExit):
    """The cluster did not start in time."""


def launched(order: bytes) -> bytes:
    """Return as many bytes as a small run has."""
    return RUN


def reported(number: int) -> None:
    """Report progress, many times."""
    for second in range(number):
        message = {"key": "nobody's", "elapsed_s": float(second), "n_samples": second, "stage": "running"}
        get_worker().log_event(TOPIC, message)


async def serve(address: str, n_hosts: int, directory: str) -> None:
    """Be many hosts, until this process is ended."""
    described = description("host", ())
    workers = [
        Worker(
            address,
            nthreads=1,
            name=f"host{number}",
            resources={RESOURCE: 1},
            memory_limit=0,
            local_directory=directory,
            startup_information={DESCRIPTION: lambda worker: described},
            host="127.0.0.1",
            dashboard=False,
            dashboard_address="127.0.0.1:0",
        )
        for number in range(n_hosts)
    ]
    for worker in workers:
        await worker
    await asyncio.gather(*(worker.finished() for worker in workers))


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Run Python, and end it; if the cluster does not start, print what it said, which is in a file."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([sys.executable, *words], stderr=said, stdout=said, text=True)
        try:
            yield process
        except ClusterNotStartedError:
            said.seek(0)
            print(" ".join(words), said.read(), sep="\n", file=sys.stderr)
            raise
        finally:
            process.terminate()
            process.wait()


def measure(n_hosts: int) -> dict[str, float]:
    """Return processor seconds and bytes of a scheduler of so many hosts."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory) / "scheduler.json"
        words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(place)]
        with running("-m", "distributed.cli.dask_scheduler", *words) as process:
            _await(lambda: place.exists() and bool(re.search("tcp://", place.read_text())))
            address = json.loads(place.read_text())["address"]
            scheduler = psutil.Process(process.pid)
            began = scheduler.memory_info().rss
            with (
                running("-m", "perf.scale.scheduler", "--serve", address, str(n_hosts), directory),
                Client(address, set_as_default=False) as client,
            ):
                cluster = Cluster(client, address)
                _await(lambda: len(cluster.hosts()) == n_hosts)
                return {"hosts": n_hosts, **_parts(client, cluster, scheduler, began)}


def _parts(client: Client, cluster: Cluster, scheduler: psutil.Process, began: int) -> dict[str, float]:
    hosts = list(cluster.hosts())

    def cost(action: Callable[[], object]) -> float:
        times = scheduler.cpu_times()
        action()
        now = scheduler.cpu_times()
        return float(now.user + now.system - times.user - times.system)

    costs: dict[str, float] = {
        "memory_of_a_host_bytes": round((scheduler.memory_info().rss - began) / len(hosts))
    }
    costs["open_files_of_a_host"] = round(scheduler.num_fds() / len(hosts), 2)
    idle_s = cost(lambda: time.sleep(IDLE_S))
    costs["idle_share_of_a_core"] = round(idle_s / IDLE_S, 4)
    costs["list_of_hosts_ms"] = round(cost(lambda: [cluster.hosts() for _ in range(LOOKS)]) / LOOKS * 1e3, 2)

    def launch() -> None:
        futures = [
            cluster.submit(f"launch-{number}", hosts[number % len(hosts)], launched, ORDER)
            for number in range(LAUNCHES)
        ]
        for future in futures:
            assert len(future.result()) == len(RUN)

    costs["launch_ms"] = round(cost(launch) / LAUNCHES * 1e3, 2)
    before = scheduler.memory_info().rss
    cluster.listen(lambda report: None)
    share = REPORTS // 10

    def report() -> None:
        for future in [
            cluster.submit(f"report-{report_number}", hosts[report_number], reported, share)
            for report_number in range(10)
        ]:
            future.result()

    costs["report_ms"] = round(cost(report) / REPORTS * 1e3, 3)
    costs["memory_of_a_report_bytes"] = round((scheduler.memory_info().rss - before) / REPORTS)
    costs["memory_bytes"] = scheduler.memory_info().rss
    return costs


def _await(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        if time.monotonic() > deadline_s:
            raise ClusterNotStartedError("the cluster did not start")
        time.sleep(0.1)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--serve"]:
        with dask.config.set(QUIET):
            asyncio.run(serve(arguments[1], int(arguments[2]), arguments[3]))
        return
    print(json.dumps(measure(int(arguments[0]) if arguments else HOSTS), indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
