"""What do a thousand numbers a second from five sources cost?

The sources are read as in a run: the machine, a tree of processes, and three metrics pages of a server in
another process. Processor time is that of all threads of the process that reads, less what it takes without
sources.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection

from buto.measure.recording import Checkpoint, Recording
from buto.measure.sources.chosen import source
from buto.measure.sources.sampling import Follower
from buto.measure.target import SourceSpec
from perf.figures import BenchmarkFigure, at_least, at_most, benchmark, conclude, figure_of

TITLE = "Five sources: a thousand numbers each second"
PERCENT = 3.0
NUMBERS = 1000
_LABELS = 'method="GET",outcome="SUCCESS",status="200",uri="/realms/{realm}/users/'


class Pages(BaseHTTPRequestHandler):
    """A page of 330 numbers with labels, all different at each request."""

    n_asked = 0

    def do_GET(self) -> None:
        Pages.n_asked += 1
        lines = [f'requests_seconds_sum{{{_LABELS}{n}"}} {Pages.n_asked * n * 0.001:.6f}' for n in range(330)]
        body = ("# TYPE requests_seconds summary\n" + "\n".join(lines) + "\n").encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


def serve(to: Connection) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        to.send(server.server_port)
        server.serve_forever()


class Reading:
    """Stands for a program that is measured: this process."""

    pid: int | None = None

    def __init__(self, pids: list[int]) -> None:
        self._pids = pids
        self.recording = Recording("perf")

    def members(self) -> list[int]:
        return self._pids

    def ports(self) -> tuple[int, ...]:
        return ()


def specs(port: int) -> list[SourceSpec]:
    settings = {"url": f"http://127.0.0.1:{port}/metrics"}
    pages = [SourceSpec(f"page{number}", "prometheus", settings) for number in range(3)]
    return [SourceSpec("machine", "host"), SourceSpec("tree", "process"), *pages]


def percent(seconds: float) -> float:
    """Return the processor time of this process while it waits, in percent of a core."""
    begun, used = time.monotonic(), time.process_time()
    threading.Event().wait(seconds)
    return 100 * (time.process_time() - used) / (time.monotonic() - begun)


def measure(rounds: int, seconds: float) -> Iterator[BenchmarkFigure]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    server = context.Process(target=serve, args=(there,), daemon=True)
    server.start()
    port, used, numbers, idle = here.recv(), [], [], []
    assert server.pid is not None
    try:
        for _ in range(rounds):
            idle.append(percent(seconds / 2))
            program = Reading([server.pid])
            followers = [
                Follower(spec, source(spec.kind)(spec.settings), program, program.recording)
                for spec in specs(port)
            ]
            for follower in followers:
                follower.start()
            percent(2.0)
            used.append(percent(seconds) - idle[-1])
            for follower in followers:
                follower.ask_to_end()
            for follower in followers:
                follower.wait_for_end(time.monotonic())
            states = program.recording.changes_since(Checkpoint())[0].sources
            assert all(not state.reason for state in states), states
            numbers.append(float(sum(len(track.names()) for track in program.recording.tracks)))
            print(f"   {used[-1]:.2f} % for {numbers[-1]:.0f} numbers", flush=True)
    finally:
        server.terminate()
        server.join()
    yield at_least("numbers each second", numbers, NUMBERS, "", 0)
    yield figure_of("without sources", idle, "% of a core", 2)
    yield at_most("reading them", used, PERCENT, "% of a core", 2)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.rounds, options.seconds)), options)


if __name__ == "__main__":
    sys.exit(main())
