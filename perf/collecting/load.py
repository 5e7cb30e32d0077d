"""What does a load of 500 requests a second cost beyond the requests themselves?

In turns, a process sends the same requests with a bare loop of the HTTP client, and with buto's load: at
random times, of two kinds, with variables, and with latencies of each kind. The server is another process.
Processor time is that of the process that sends.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

from buto.measure.workload.load import LoadListener, drive
from buto.measure.workload.plan import Load, Phase, RequestKind, Variable
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "A load of 500 requests a second"
RATE = 500.0
CORES = 0.1
MIX = {"search": 3.0, "create": 1.0}


def serve(to: Connection) -> None:
    """Answer each request at once, over connections that stay open."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
                await reader.readexactly(int(length or 0))
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        to.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def bare(port: int, seconds: float) -> None:
    """Send the requests with the client alone, one task each."""
    from aiohttp import ClientSession

    async def ask(session: ClientSession, number: int) -> None:
        url = f"http://127.0.0.1:{port}"
        request = (
            session.post(f"{url}/create", data=b"{}") if number % 4 == 0 else session.get(f"{url}/search")
        )
        async with request as answer:
            await answer.read()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with ClientSession() as session:
            begun, tasks = loop.time(), set()
            for number in range(round(RATE * seconds)):
                await asyncio.sleep(begun + number / RATE - loop.time())
                task = loop.create_task(ask(session, number))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            await asyncio.gather(*tasks)

    asyncio.run(run())


def by_buto(port: int, seconds: float) -> None:
    """Send them as a workload does."""
    kinds = (
        RequestKind("search", "/search?q=${word}"),
        RequestKind("create", "/create", "POST", body='{"name": "user-${n}", "of": ${user}}'),
    )
    variables = {"word": Variable(texts=("shoes", "hats")), "user": Variable(1, 20000)}
    load = Load("", kinds, (Phase("busy", seconds, RATE, MIX),), variables=variables)
    listener = LoadListener(phase=lambda name: None, interval=lambda middle_s, reading: None)
    summary, problems = drive(load, f"http://127.0.0.1:{port}", threading.Event(), listener)
    print(f"      {summary}", flush=True)
    assert not problems, problems


WAYS: dict[str, Callable[[int, float], None]] = {"a bare loop": bare, "buto": by_buto}


def cores(way: str, port: int, seconds: float, to: Connection) -> None:
    """Send the processor time of this process while it sends requests, in cores."""
    WAYS[way](port, 1.0)
    before = resource.getrusage(resource.RUSAGE_SELF)
    WAYS[way](port, seconds)
    after = resource.getrusage(resource.RUSAGE_SELF)
    to.send((after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) / seconds)


def measure(rounds: int, seconds: float) -> Iterator[BenchmarkFigure]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    server = context.Process(target=serve, args=(there,), daemon=True)
    server.start()
    port = here.recv()
    used: dict[str, list[float]] = {way: [] for way in WAYS}
    try:
        for number in range(rounds):
            for way in [*WAYS] if number % 2 == 0 else [*WAYS][::-1]:
                sender = context.Process(target=cores, args=(way, port, seconds, there))
                sender.start()
                used[way].append(here.recv())
                sender.join()
                print(f"   {way}: {used[way][-1]:.3f} cores", flush=True)
    finally:
        server.terminate()
        server.join()
    for way, values in used.items():
        yield figure_of(way, values, "cores", 3)
    more = [ours - theirs for theirs, ours in zip(*used.values(), strict=True)]
    yield at_most("buto, more than the bare loop", more, CORES, "cores", 3)


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=15.0)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.rounds, options.seconds)), options)


if __name__ == "__main__":
    sys.exit(main())
