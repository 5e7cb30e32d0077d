"""Valid files as seeds: runs of an invented program, and an oracle that was trained on them."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from buto.judging.configuration import settings_from
from buto.oracle import Oracle, numbers, train
from buto.run.journal import Entry
from buto.run.model import Notification, Outcome, Problem, ProblemKind, Quality, Run, run_set
from buto.run.properties import property_for
from buto.run.stored import plain

TEST = "leaker"
N_TRAINING = 6
_NAMES = ("jvm.memory.heap.used", "jvm.thread.count", "jvm.class.loaded")

CONFIG = {
    "version": 1,
    "defaults": {"runs": 10, "timeout": "2min", "environment": {"LANG": "C"}, "judge": {"alpha": 0.05}},
    "tests": {
        "leaker": {"command": ["java", "-cp", "app.jar", "Leaker", "${HOME}"]},
        "shop": {
            "command": "./gradlew run --args='--orders 1000'",
            "jvm": "com.acme.*",
            "working-directory": "shop",
            "interval": "50ms",
            "expect-exit": 0,
            "mbeans": [{"name": "com.acme:type=Queue,*", "attributes": ["Size"], "metadata": ["Capacity"]}],
            "workload": {"http": {"url": "http://127.0.0.1:8080/", "rate": 50, "duration": "1s"}},
            "judge": {"method": "thesis", "thesis": {"window": 9, "resample": 0.25, "bounds": "particle"}},
        },
    },
}

CONFIG_TEXT = """\
version: 1
defaults: &all {runs: auto, environment: {A: "${HOME}", B: 010}}
tests:
  one: {<<: *all, command: [java, -cp, "a b", Main]}
  two:
    <<: [*all, *all]
    command: >-
      java -jar
      app.jar
"""


def run(number: int, leak: float = 1.0, test: str = TEST) -> Run:
    """Return two seconds of a leak of ``leak`` MiB a second with a little noise."""
    noise = np.random.default_rng(number)
    times = np.arange(0.0, 2.0, 0.1) + noise.uniform(0, 0.002, 20)
    heap = 2**20 * (8 + leak * times + noise.normal(0, 0.02, 20))
    return Run(
        id=f"20260101T0000{number:02d}.000Z-{number:04x}",
        test=test,
        properties=tuple(property_for(name) for name in _NAMES),
        times_s=times,
        values=np.column_stack([heap, np.full(20, 10.0), np.full(20, 450.0)]),
        outcome=Outcome(0, duration_s=2.0),
        notifications=(Notification(0.5, "shop.full", "shop:type=Queue", 1, "the queue is full"),),
        metadata={"jvm.spec.version": "17", "host.cores": 2, "host.load.foreign": 0.01},
        nan_reasons={},
        quality=Quality((), 0.0, 0.1, 0.01),
        stdout=b"ready\n",
    )


def disturbed(number: int) -> Run:
    """Return a run that must never pass."""
    starved = Problem(ProblemKind.STARVED, "too many samples are missing")
    return replace(run(number), quality=Quality((starved,), 0.5))


ENTRY_ARRAYS = np.arange(2, dtype="<i8").tobytes() + np.ones((1, 2)).tobytes()


def entry_documents() -> list[dict[str, Any]]:
    """Return the documents of two entries of a journal, each of which goes with ENTRY_ARRAYS."""
    prop = plain(property_for("jvm.thread.count"))
    first = {
        "rows": 2,
        "columns": 1,
        "zero_ns": 0,
        "properties": [prop],
        "metadata": {"buto.interval": 0.1, "jvm.vm.name": "a JVM"},
        "nan_reasons": {"jvm.thread.count": "not there"},
        "notifications": [[1, "full", "a:b=c", 1, "very"]],
    }
    return [first, {**first, "properties": [], "metadata": {}, "nan_reasons": {}}]


def entries() -> list[Entry]:
    """Return two entries of a journal."""
    return [
        Entry(np.array([5, 9]), np.ones((2, 1)), (property_for("jvm.thread.count"),), zero_ns=1),
        Entry(np.array([15, 19]), np.ones((2, 1)), metadata={"a": 1}, zero_ns=1),
    ]


@cache
def oracle(method: str = "calibrated") -> Oracle:
    runs = run_set([run(number) for number in range(N_TRAINING)])
    return train(
        runs,
        settings_from({"method": method}),
        target={"command": ["java", "-jar", "leaker.jar"], "interval": "100ms"},
    )


_OF_NUMBERS = ("runs", "foreign_load", "environment", "environment_varying", "said", "classes", "model")

_FOR_PEOPLE = ("environment",)
"""In the text, too."""


def whole(path: Path) -> dict[str, Any]:
    """Return the data of an oracle: of its text and of its numbers."""
    text: dict[str, Any] = json.loads(path.read_bytes())
    digest = text["checksums"][numbers.DIGEST]
    beside = json.loads(gzip.decompress(numbers.beside(path, digest).read_bytes()))
    return {**text, **{key: beside[key] for key in _OF_NUMBERS if key in beside}}


def rewrite(path: Path, data: Any) -> None:
    """Write an oracle with other data, as somebody would who also changes the digest of its numbers."""
    if isinstance(data, dict):
        of_numbers = {key: data[key] for key in _OF_NUMBERS if key in data}
        head = {"format": numbers.FORMAT, "version": numbers.VERSION}
        digest, content = numbers.packed(json.dumps({**head, **of_numbers}))
        numbers.beside(path, digest).write_bytes(content)
        written = data.get("checksums")
        named = {"checksums": {**written, numbers.DIGEST: digest}} if isinstance(written, dict) else {}
        data = {key: one for key, one in data.items() if key in _FOR_PEOPLE or key not in of_numbers} | named
    path.write_text(json.dumps(data))
