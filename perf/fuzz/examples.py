"""Valid files as seeds: runs of an invented program, and an oracle that was trained on them."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from buto.causes.profiles import ClassSize, Frame, Profile, ProfileKind, Stack, text_of
from buto.judging.configuration import settings_from
from buto.judging.verdict import Verdict
from buto.oracle import Oracle, check, numbers, train
from buto.programs.named import to_data
from buto.programs.surroundings import FileEntry, Surroundings
from buto.programs.surroundings import FileKind as EntryKind
from buto.report.formats.json_result import result_document, result_text
from buto.report.result import Result
from buto.run.archive import pack
from buto.run.journal import JournalEntry as JournalEntry
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
            "limit": "512MiB",
            "growth": "auto",
            "budget": {"jvm.memory.allocated": "5%"},
            "release": "v*",
            "judge": {"method": "thesis", "thesis": {"window": 9, "resample": 0.25, "bounds": "particle"}},
        },
    },
}

SURROUNDINGS = Surroundings(
    1,
    "00ff",
    {"LANG": "0" * 32},
    {"time zone": "Etc/UTC"},
    {
        "conf": FileEntry(EntryKind.DIRECTORY),
        "conf/a.properties": FileEntry(EntryKind.FILE, 5, 7, "0" * 64, is_own=True),
        "link": FileEntry(EntryKind.LINK, 5, 7, leads_to="conf"),
    },
    n_levels=3,
)

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


def entries() -> list[JournalEntry]:
    """Return two entries of a journal."""
    return [
        JournalEntry(np.array([5, 9]), np.ones((2, 1)), (property_for("jvm.thread.count"),), zero_ns=1),
        JournalEntry(np.array([15, 19]), np.ones((2, 1)), metadata={"a": 1}, zero_ns=1),
    ]


@cache
def oracle(method: str = "calibrated") -> Oracle:
    runs = run_set([run(number) for number in range(N_TRAINING)])
    return train(
        runs,
        settings_from({"method": method}),
        target={"command": ["java", "-jar", "leaker.jar"], "interval": "100ms"},
    )


@cache
def regression() -> Verdict:
    """Return the verdict on runs that leak far more than those of the training."""
    return check(oracle(), run_set([run(30 + number, leak=40.0) for number in range(3)]))


@cache
def result() -> bytes:
    """Return the stored result of a regression."""
    shown = Result(TEST, Path("oracles/leaker.json"), (run(30),), regression())
    return result_text(result_document("check", [shown], 1, datetime(2026, 1, 2, tzinfo=UTC))).encode()


def label() -> bytes:
    """Return the file of a label."""
    data = {
        "format": "buto-label",
        "version": 2,
        "test": TEST,
        "label": "bad",
        "runs": [run(3).id],
        "at": "2026-01-02T03:04:05+00:00",
        "command": "label",
        "person": "Ann",
        "reason": "known leak",
        "meant": False,
    }
    return json.dumps(data).encode()


def mood() -> bytes:
    """Return what turns learned of the machine: the run of a program that the oracle does not keep."""
    program = json.dumps(to_data(oracle().program), sort_keys=True)
    data = {"format": "buto-mood", "version": 1, "program": program, "test": TEST, "runs": [run(3).id]}
    return json.dumps(data).encode()


COMMITS = ("0" * 40, "1" * 40)


def build() -> bytes:
    """Return the program of a release, as the store keeps it."""
    program, target = to_data(oracle().program), oracle().target
    data = {"format": "buto-build", "version": 1, "commit": COMMITS[0], "release": "v1"}
    return json.dumps({**data, "program": program, "target": dict(target)}).encode()


def alarm() -> bytes:
    """Return an alarm of a monitor, of the program of the oracle."""
    data = {
        "format": "buto-alarm",
        "version": 1,
        "program": json.dumps(to_data(oracle().program), sort_keys=True),
        "session": run(3).id,
        "first": run(3).id,
        "at": run(5).id,
        "status": "pass",
        "turns": [run(4).id],
        "since": [run(3).id, COMMITS[0]],
        "before": ["", COMMITS[1]],
        "quantity": _NAMES[0],
        "window": 4,
        "old": 1e6,
        "new": 1.2e6,
        "p_value": 0.0003,
        "n_before": 20,
        "commits": ["000000000 Keep each page (Ann)"],
    }
    return json.dumps(data).encode()


def archive() -> bytes:
    """Return the archive of a run that waits for its bucket."""
    packed = BytesIO()
    pack({"run.json": b"{}", "samples": b"x" * 500, "empty": b""}, packed)
    return packed.getvalue()


MESSAGE = "Keep pages\n\nButo-Accepts: leaker jvm.memory.heap.used +900% a cache of pages\n"
"""Of a commit that means a change."""


BLOB = b"classes\n"
"""The contents of two files of the program, one after the other; a third one is empty."""


def manifest() -> bytes:
    """Return the manifest of a kept program."""
    both, empty = (sha256(content).hexdigest() for content in (BLOB, b""))
    first, second = (sha256(part).hexdigest() for part in (BLOB[:4], BLOB[4:]))
    data = {
        "format": "buto-program",
        "version": 2,
        "command": [
            ["java"],
            ["-cp", {"file": "lib/a.jar"}, ":", {"file": "classes"}],
            [{"written": "${A}"}],
        ],
        "environment": {"CLASSPATH": [{"file": "classes"}]},
        "within": "classes",
        "root": "../program",
        "files": [
            ["classes/Main.class", first, 4, True, both, 0],
            ["lib/a.jar", second, len(BLOB) - 4, False, both, 4],
            ["b.txt", empty, 0, False, empty, 0],
        ],
    }
    return json.dumps(data).encode()


def profiles() -> str:
    """Return the text of two profiles."""
    frames = (Frame("com.acme.Shop", "add", is_users=True), Frame("java.util.List", "add", is_users=False))
    kept = ("byte[]", "com.acme.Shop.all", "a < b")
    stacks = tuple(
        Stack(kind, (1, 0), 5.0, 25.0, 3, 7, *kept) for kind in (ProfileKind.ALLOCATION, ProfileKind.CPU)
    )
    sizes, facts = {"byte[]": ClassSize(3, 72.0)}, {"version": "17"}
    profile = Profile(frames, stacks, sizes, facts, {"buffers.memory": 1.0}, (1, 2), 6, 1.5)
    return text_of([profile, profile])


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
        digest, content = numbers.pack(json.dumps({**head, **of_numbers}))
        numbers.beside(path, digest).write_bytes(content)
        written = data.get("checksums")
        named = {"checksums": {**written, numbers.DIGEST: digest}} if isinstance(written, dict) else {}
        data = {
            key: value for key, value in data.items() if key in _FOR_PEOPLE or key not in of_numbers
        } | named
    path.write_text(json.dumps(data))
