"""What does it cost to predict a system, to map call graphs, and to read traces?

A made-up architecture of 30 components on 10 stations, 5 endpoints, tests of all components, a curve of 10
loads; a call graph of 1,000 components of which 20 are renamed; a million spans of 100,000 requests in a file
of OTLP JSON. Each is measured in a process of its own on one core. Processor time counts, so that a busy
machine changes the answer little. The memory is the largest of a process that did nothing else, less what it
had before.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from buto_predict.mapping import map_graphs
from buto_predict.model import Architecture, Call, Component, Endpoint, Station
from buto_predict.prediction.predict import predict
from buto_predict.results.model import ComponentResult
from buto_predict.traces.files import read_traces
from buto_predict.traces.summary import summarize
from perf.figures import BenchmarkFigure, at_most, benchmark, conclude, figure_of

TITLE = "Predicting a system: 30 components, 5 endpoints, 10 loads; mapping 1,000 components; a million spans"
PREDICTING_S, MAPPING_S, MEMORY_MB = 5.0, 1.0, 200.0
N_COMPONENTS, N_STATIONS, N_ENDPOINTS, N_LOADS = 30, 10, 5, 10
N_MAPPED, N_RENAMED = 1000, 20
N_REQUESTS, SPANS_EACH = 100_000, 10
FORKS = 10

Result = TypeVar("Result")


def predicting_s() -> float:
    """Return how long one prediction takes, with its curve."""
    random = np.random.default_rng(5)
    components = tuple(
        Component(
            f"c{number}",
            f"s{number % N_STATIONS}",
            float(random.uniform(0.001, 0.005)),
            tuple(Call(f"c{to}", 0.5) for to in range(number + 1, min(N_COMPONENTS, number + 3))),
            cv=0.7,
        )
        for number in range(N_COMPONENTS)
    )
    made = Architecture(
        "made",
        tuple(Station(f"s{number}", 2) for number in range(N_STATIONS)),
        components,
        tuple(Endpoint(f"e{number}", (Call(f"c{2 * number}", 1),), 5.0) for number in range(N_ENDPOINTS)),
    )

    def results(slower: float) -> list[ComponentResult]:
        times_s = 0.002 * (1 + 0.03 * random.standard_normal((N_COMPONENTS, FORKS)))
        times_s[::3] *= slower
        return [ComponentResult(f"c{number}", own, "fork") for number, own in enumerate(times_s)]

    old, new = results(1.0), results(1.4)
    with threadpool_limits(1):
        began = time.process_time()
        prediction = predict(made, old, new)
        taken_s = time.process_time() - began
    assert len(prediction.curve) == N_LOADS, prediction
    return taken_s


def mapping_s() -> float:
    """Return how long it takes to map two call graphs."""
    random = np.random.default_rng(2)
    old = {
        f"p.C{number}.m{number}": {f"p.C{to}.m{to}": 1.0 for to in random.integers(0, N_MAPPED, 4)}
        for number in range(N_MAPPED)
    }
    renamed = {
        f"p.C{number}.m{number}": f"q.D{number}.n{number}"
        for number in random.choice(N_MAPPED, N_RENAMED, replace=False)
    }
    new = {
        renamed.get(caller, caller): {renamed.get(callee, callee): 1.0 for callee in callees}
        for caller, callees in old.items()
    }
    began = time.process_time()
    mapping = map_graphs(old, new)
    taken_s = time.process_time() - began
    assert len(mapping.pairs) > N_MAPPED - N_RENAMED, mapping
    return taken_s


def write_spans(file: TextIO) -> None:
    """Write requests to a service that calls another one; each line is one request of one service."""
    for request in range(N_REQUESTS):
        begin_ns = 1_700_000_000_000_000_000 + 10_000_000 * request
        for service, first, last in (("web", 0, 5), ("stock", 5, SPANS_EACH)):
            spans = [
                {
                    "traceId": f"{request:032x}",
                    "spanId": f"{number:016x}",
                    "parentSpanId": f"{number - 1:016x}" if number else "",
                    "name": f"step {number}",
                    "kind": 1,
                    "startTimeUnixNano": str(begin_ns + 100_000 * number),
                    "endTimeUnixNano": str(begin_ns + 9_000_000 - 100_000 * number),
                }
                for number in range(first, last)
            ]
            named = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
            resources = [{"resource": named, "scopeSpans": [{"spans": spans}]}]
            file.write(json.dumps({"resourceSpans": resources}) + "\n")


def reading(path: Path) -> tuple[float, float]:
    """Return how long it takes to summarize the traces of a file, and the memory in MB."""
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    summary = summarize(read_traces([path]))
    taken_s = time.process_time() - began
    assert (summary.requests, summary.cut) == (N_REQUESTS, 0), summary
    return taken_s, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb) / 1e3


def measure(repeats: int) -> Iterator[BenchmarkFigure]:
    for name, function, goal_s in (
        ("prediction", predicting_s, PREDICTING_S),
        ("mapping of call graphs", mapping_s, MAPPING_S),
    ):
        yield at_most(name, [_alone(function) for _ in range(repeats)], goal_s, "s", 2)
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "traces.json"
        with path.open("w") as file:
            write_spans(file)
        costs = [_alone(reading, path) for _ in range(repeats)]
    yield figure_of("a million spans read", [taken_s for taken_s, _ in costs], "s")
    yield at_most("a million spans: memory", [memory_mb for _, memory_mb in costs], MEMORY_MB, "MB", 0)


def _alone(function: Callable[..., Result], *arguments: object) -> Result:
    """Return what a function returns in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.repeats)), options)


if __name__ == "__main__":
    sys.exit(main())
