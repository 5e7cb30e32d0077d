"""A tiny recording of the small store, made up: no queues, no network, a few versions under one load."""

import json

import numpy as np

from beds.store.plan import Item, Kind
from beds.store.traces import keep_traces, measured_requests
from beds.store.versions import FIXED, MEASURED_S, OLD
from buto_predict.traces.tree import Span
from buto_predict.traces.tree import SpanKind as SpanKind
from buto_replications.store.measured import MeasuredRun, write_measured
from predict.tests.support.traces import write_otlp

HOME, SEARCH, ORDER = FIXED.rates
MADE = (("old", 0.0), ("old", 0.0), ("hot-high", 1.5), ("same-1", 0.0))
"""Runs, each with what its Recommender.rank takes longer."""


def write_recording(directory):
    """What ``generate`` leaves of these runs and of their component tests; ``current`` has the last spans."""
    directory.mkdir(exist_ok=True)
    for number, (version, slower) in enumerate(MADE):
        write_run(directory, version, slower, number)
        write_jmh(directory, version, slower, number)
        if version != "same-1":
            write_junit(directory, version, slower, number)
    return directory


def requests(rng, slower=0.0):
    """Requests at the fixed load that never wait: 2 ms on the web, 4 ms of Recommender.rank for home."""
    start_s = 0.0
    for number in range(round(FIXED.rate * (MEASURED_S + 1))):
        start_s += rng.exponential(1 / FIXED.rate)
        endpoint = str(rng.choice([HOME, SEARCH, ORDER], p=[0.5, 0.3, 0.2]))
        web_s, rank_s = 0.002 * rng.gamma(9, 1 / 9), 0.004 * (1 + slower) * rng.gamma(9, 1 / 9)
        total_s = web_s + (rank_s if endpoint == HOME else 0.0)
        ids = (f"{number:032x}", "1", "")
        root = Span(*ids, endpoint, "web", "web", SpanKind.LOCAL, start_s, start_s + total_s, cpu_s=total_s)
        rank = Span(
            ids[0], "2", "1", "catalogue/Recommender.rank", "catalogue", "catalogue",
            SpanKind.LOCAL, start_s, start_s + rank_s, cpu_s=rank_s,
        )  # fmt: skip
        yield [root._replace(cpu_s=web_s), rank] if endpoint == HOME else [root]


def write_run(directory, version, slower, seed):
    """What ``generate`` leaves of a run, of a store without queues and without a network."""
    spans = list(requests(np.random.default_rng(seed), slower))
    current = directory / "current"
    current.mkdir(exist_ok=True)
    for process in ("web", "catalogue", "order"):
        write_otlp(current / f"{process}.json", [own for span in spans if (own := of(process, span))])
    measured = measured_requests(current, 1.0)
    busy = {
        process: sum(span.cpu_s or 0.0 for recorded_span in spans for span in of(process, recorded_span))
        / (MEASURED_S + 1)
        for process in ("web", "catalogue")
    }
    if version == OLD.name:
        keep_traces(current, measured, directory / "traces" / f"{seed}.json")
    path = Item(Kind.RUN, version, FIXED.name, seed).result(directory)
    write_measured(MeasuredRun(version, FIXED.name, "id", measured.responses_s, busy, 0.5, 2, 0.0), path)


def of(process, spans):
    return [span for span in spans if span.service == process]


def write_jmh(directory, version, slower, seed):
    rng = np.random.default_rng(seed)
    forks = [[4000 * (1 + slower) * (1 + 0.01 * rng.standard_normal())] for _ in range(5)]
    result = {
        "benchmark": "buto.store.catalogue.RecommenderBench.rank",
        "mode": "avgt",
        "primaryMetric": {"scoreUnit": "us/op", "rawData": forks},
    }
    path = Item(Kind.JMH, version).result(directory)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([result]))


def write_junit(directory, version, slower, seed):
    rng = np.random.default_rng(seed)
    (directory / "junit").mkdir(exist_ok=True)
    for report in range(1, 6):
        time_s = 0.4 * (1 + slower) * (1 + 0.01 * rng.standard_normal())
        case = (
            f'<testcase classname="buto.store.catalogue.RecommenderTest" name="rank()" time="{time_s:.3f}"/>'
        )
        text = (
            f'<testsuite hostname="somewhere"><properties><property name="java.home" value="/secret"/>'
            f"</properties>{case}</testsuite>"
        )
        (directory / "junit" / f"{version}-{report}.xml").write_text(text)
