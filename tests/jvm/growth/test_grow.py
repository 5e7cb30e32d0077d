"""What grows in real programs: leaks of each kind, and what only warms up, fills, and comes and goes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from buto import jars, schemas
from buto.judging.rounds import NATIVE_MEMORY
from buto.measure.holders import find_reader, repository
from buto.run.store import RunStore
from tests.support.processes.command import called
from tests.support.rarely import mark_all_but

GROWTH = ("-cp", str(jars.path(jars.TESTPROGRAMS)), "buto.testprograms.growth.Growth")
MARKED = ("--marks", "yes", "--rounds", "12")
MANY_MARKED = ("--marks", "yes", "--rounds", "48")
BY_WORK = ("--marks", "no", "--rounds", "400")


REPOSITORY = repository()
"""Of whoever tests; where HOME has none, no heap is dumped, which saves seconds."""


@pytest.fixture
def reader_of_dumps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one in the home of whoever tests."""
    monkeypatch.setenv("HOME", str(REPOSITORY.parents[1]))


def grown(directory: Path, *words: str, options: tuple[str, ...] = (), exits: int) -> dict[str, Any]:
    """What ``buto grow`` writes of a program of the bed."""
    java = ("java", "-Xmx128m", "-XX:+UseSerialGC", *GROWTH, *words)
    called(directory, "grow", "shop", "--json", "found.json", *options, "--", *java, exits=exits)
    document: dict[str, Any] = json.loads((directory / "found.json").read_text())
    jsonschema.validate(document, schemas.load("growth"))
    return document


def named(document: dict[str, Any]) -> list[str]:
    return [growth["name"] for growth in document["grows"]]


LEAKS = {
    "static-map": "buto.testprograms.growth.Leaks$Order",
    "thread-local": "buto.testprograms.growth.Leaks$Order",
    "key-without-equals": "buto.testprograms.growth.Leaks$Key",
    "threads": "jvm.thread.count",
    "descriptors": "process.unix.file_descriptor.count",
    "class-loaders": "jvm.class.count",
    "direct-buffers": "jvm.buffer.memory.used[direct]",
    "mbeans": "MBeans",
}


@pytest.mark.slow
@pytest.mark.parametrize("leak", mark_all_but(("static-map", "threads", "descriptors"), LEAKS))
def test_a_leak_is_named(tmp_path: Path, leak: str) -> None:
    document = grown(tmp_path, "--keeps", leak, *MARKED, exits=1)
    assert document["status"] == "regression"
    assert document["rounds"] == {"counted": 12, "warm_up": 4, "by": "program", "share_bytes": None}
    assert LEAKS[leak] in named(document)


@pytest.mark.all
@pytest.mark.slow
@pytest.mark.parametrize("leak", ["deflaters", "unsafe-memory"])
def test_memory_that_native_code_keeps_is_named(tmp_path: Path, leak: str) -> None:
    document = grown(tmp_path, "--keeps", leak, *MANY_MARKED, exits=1)
    (native,) = [growth for growth in document["grows"] if growth["name"] == NATIVE_MEMORY]
    assert native["rate"] == pytest.approx(4 << 20, rel=0.3)


@pytest.mark.all
@pytest.mark.slow
@pytest.mark.parametrize("habit", ["deflaters-in-turn", "pool-of-deflaters"])
def test_native_memory_that_is_released_or_pooled_passes(tmp_path: Path, habit: str) -> None:
    document = grown(tmp_path, "--keeps", habit, *MANY_MARKED, exits=0)
    assert (document["status"], document["grows"]) == ("pass", [])


@pytest.mark.slow
@pytest.mark.parametrize(
    "habit",
    mark_all_but(
        ("lru-cache", "thread-pool"), ["lru-cache", "warm-up", "thread-pool", "redeployed", "buffers-in-turn"]
    ),
)
def test_what_fills_or_comes_and_goes_passes(tmp_path: Path, habit: str) -> None:
    document = grown(tmp_path, "--keeps", habit, *MARKED, exits=0)
    assert (document["status"], document["grows"]) == ("pass", [])


@pytest.mark.slow
def test_without_marks_equal_shares_of_what_is_allocated_are_rounds(tmp_path: Path) -> None:
    document = grown(tmp_path, "--keeps", "static-map", *BY_WORK, exits=1)
    assert document["rounds"]["by"] == "work"
    assert document["rounds"]["share_bytes"] > 100 << 20
    assert "buto.testprograms.growth.Leaks$Order" in named(document)


@pytest.mark.slow
def test_of_many_marked_rounds_equally_many_are_put_together(tmp_path: Path) -> None:
    words = ("--keeps", "static-map", "--marks", "yes", "--rounds", "50")
    document = grown(tmp_path, *words, options=("--rounds", "8"), exits=1)
    order = next(growth for growth in document["grows"] if growth["name"].endswith("$Order"))
    assert document["rounds"]["counted"] == 8
    assert order["objects"] == 6 * 200


def test_the_judged_run_is_in_the_store(tmp_path: Path) -> None:
    document = grown(tmp_path, "--keeps", "static-map", *MARKED, exits=1)
    run = RunStore(tmp_path / ".buto").load("shop@grow", document["run"])
    assert [mark.name for mark in run.marks] == ["round"] * 12
    assert [histogram.point for histogram in run.histograms] == ["round"] * 12
    kept = [
        sum(class_count.instances for class_count in histogram.classes if class_count.name.endswith("$Order"))
        for histogram in run.histograms
    ]
    # The array that is the bytes of each order came first into the list of the largest classes.
    assert kept == [200 * number for number in range(1, 13)]


def test_too_few_rounds_decide_nothing(tmp_path: Path) -> None:
    java = ("java", *GROWTH, "--keeps", "static-map", "--marks", "yes", "--rounds", "5")
    assert "5 rounds" in called(tmp_path, "grow", "shop", "--", *java, exits=3).stderr


def test_a_collector_that_cannot_count_decides_nothing(tmp_path: Path) -> None:
    java = ("java", "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx512m")
    words = ("--keeps", "static-map", *MARKED)
    called(tmp_path, "grow", "shop", "--", *java, *GROWTH, *words, exits=3)


def test_a_program_that_fails_decides_nothing(tmp_path: Path) -> None:
    called(tmp_path, "grow", "shop", "--", "java", *GROWTH, "--keeps", "not-known", exits=3)


def test_a_test_without_a_load_cannot_repeat_it(tmp_path: Path) -> None:
    java = ("java", *GROWTH, "--keeps", "static-map", *MARKED)
    called(tmp_path, "grow", "shop", "--workload", "--", *java, exits=2)


def test_without_buto_grow_a_marked_round_is_nothing(tmp_path: Path) -> None:
    java = ("java", *GROWTH, "--keeps", "nothing", *MARKED)
    run_id = called(tmp_path, "record", "shop", "--", *java, exits=0).stdout.strip()
    run = RunStore(tmp_path / ".buto").load("shop", run_id)
    assert run.quality.valid
    assert run.marks == ()
    assert [histogram.point for histogram in run.histograms] == ["end"]


LOADED = """\
version: 1
tests:
  server:
    command: >-
      java -Xmx128m -cp ${testprograms} buto.testprograms.leaker.Leaker --at request --leaks 3 --duration 60s
    expect-exit: 143
    workload:
      port: any
      http: {url: "http://127.0.0.1:${port}/", rate: 30, duration: 500ms}
      stop: true
"""


@pytest.mark.all
@pytest.mark.slow
def test_the_load_of_a_test_is_repeated_as_rounds(tmp_path: Path) -> None:
    (tmp_path / "buto.yaml").write_text(LOADED)
    called(tmp_path, "grow", "server", "--workload", "--rounds", "8", "--json", "found.json", exits=1)
    document = json.loads((tmp_path / "found.json").read_text())
    assert document["rounds"]["by"] == "load"
    assert document["rounds"]["counted"] == 8
    # Fifteen requests a round leave three texts each; a text has an array.
    (array,) = [growth for growth in document["grows"] if growth["name"] == "byte[]"]
    assert array["objects"] == pytest.approx(45, abs=5)


@pytest.mark.slow
@pytest.mark.skipif(find_reader(REPOSITORY) is None, reason="LeakCanary's shark is not in ~/.m2")
@pytest.mark.usefixtures("reader_of_dumps")
@pytest.mark.parametrize(
    ("leak", "field"),
    [
        ("static-map", ("buto.testprograms.growth.Leaks", "BY_KEY")),
        ("thread-local", ("java.lang.Thread", "threadLocals")),
        ("queue-without-bound", ("buto.testprograms.growth.Leaks", "WAITING")),
        ("class-loaders", ("buto.testprograms.growth.Leaks", "KEPT")),
    ],
)
def test_the_holding_path_begins_with_the_field_that_keeps(
    tmp_path: Path, leak: str, field: tuple[str, str]
) -> None:
    path = grown(tmp_path, "--keeps", leak, *MARKED, exits=1)["held_by"][0]
    first = path["steps"][0]
    assert (first["class"], first["field"]) == field
    assert path["share"] > 0.8


LONG = ("--marks", "no", "--rounds", "800")
"""So long that each share of the work has samples."""


def warned_of_growth(directory: Path, *words: str) -> list[str]:
    """The warnings of a training that name ``buto grow``, in the order in which they are printed."""
    java = ("java", "-Xmx128m", "-XX:+UseSerialGC", *GROWTH, *words)
    options = ("--runs", "5", "--interval", "20ms", "--json", "trained.json")
    said = called(directory, "train", "shop", *options, "--", *java, exits=0).stderr.splitlines()
    (test,) = json.loads((directory / "trained.json").read_text())["tests"]
    kept = [text for text in test["warnings"] if "buto grow shop" in text]
    printed = [number for number, text in enumerate(said) if "buto grow shop" in text]
    after_first = [number for number, text in enumerate(said) if "run 2 of 5" in text]
    assert len(kept) == len(printed)
    assert not printed or not after_first or printed[0] < after_first[0]
    return kept


@pytest.mark.all
@pytest.mark.slow
def test_the_first_run_of_a_training_warns_of_threads_that_are_never_ended(tmp_path: Path) -> None:
    (warning,) = warned_of_growth(tmp_path, "--keeps", "threads", *LONG)
    assert "threads" in warning


@pytest.mark.all
@pytest.mark.slow
def test_a_training_does_not_warn_of_a_cache_that_is_full(tmp_path: Path) -> None:
    assert warned_of_growth(tmp_path, "--keeps", "lru-cache", *LONG) == []
