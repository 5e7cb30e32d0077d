"""Each program as its user sees it: arguments, output, exit code, and what it does in its time."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from typing import Self

import pytest

pytestmark = pytest.mark.all

REFERENCES = "references.References"
LEAKER = "leaker.Leaker"
CLASSLOADING = "classloading.ClassLoading"
CONSUMER_PRODUCER = "consumerproducer.ConsumerProducer"
PROGRAMS = [REFERENCES, LEAKER, CLASSLOADING, CONSUMER_PRODUCER]

RunProgram = Callable[..., subprocess.CompletedProcess[str]]
Probe = Callable[..., list[str]]


class Stopwatch:
    """How long a launch took, start and end of its JVM included: what none can do more in than its rate.

    On a busy machine a program does less by its end, or its end comes late.
    """

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        return self

    def __exit__(self, *raised: object) -> None:
        self.seconds = time.monotonic() - self._began


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_lasts_as_long_as_specified_and_exits_with_0(run_program: RunProgram, name: str) -> None:
    with Stopwatch() as lasted:
        done = run_program(name, "--duration", "400ms")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert lasted.seconds >= 0.4
    assert re.search(r"\d", done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_unknown_argument_ends_with_2_and_the_usage(run_program: RunProgram, name: str) -> None:
    done = run_program(name, "--colour", "red")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("unknown argument: --colour\nusage: java buto.testprograms." + name)
    assert "--duration " in done.stderr
    assert "--seed " in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--duration"], "--duration: not a duration: ''"),
        (["--duration", "3h"], "--duration: not a duration: '3h'"),
        (["--duration", "0s"], "--duration: not a duration: '0s'"),
        (["--leaks", "0"], "--leaks: not a number: '0'"),
        (["--leaks", "-1"], "--leaks: not a number: '-1'"),
        (["--leaks", "9999999999"], "--leaks: not a number: '9999999999'"),
        (["--piece-size", "9000m"], "--piece-size: not a size: '9000m'"),
        (["--object", "tree"], "--object: not a string|string-builder|thread: 'tree'"),
        (["leaks", "3"], "unknown argument: leaks"),
    ],
)
def test_a_wrong_value_is_named(run_program: RunProgram, arguments: list[str], complaint: str) -> None:
    done = run_program(LEAKER, *arguments)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == complaint


def test_help_is_not_an_error(run_program: RunProgram) -> None:
    done = run_program(LEAKER, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: ")


@pytest.mark.parametrize(("rate", "in_a_tick"), [("1000", 20), ("1100", 22)])
def test_references_creates_whole_ticks_at_its_rate(
    run_program: RunProgram, rate: str, in_a_tick: int
) -> None:
    pace = ["--duration", "500ms", "--rate", rate, "--tick", "20ms"]
    with Stopwatch() as lasted:
        done = run_program(REFERENCES, *pace, "--object-size", "100")
    created = int(re.fullmatch(r"created (\d+) objects\n", done.stdout)[1])  # type: ignore[index]
    assert created % in_a_tick == 0
    assert 5 <= created // in_a_tick <= lasted.seconds / 0.020


@pytest.mark.parametrize("leaks", [10, 11])
def test_leaker_leaks_so_many_at_each_interval(run_program: RunProgram, leaks: int) -> None:
    pace = ["--duration", "800ms", "--interval", "100ms", "--leaks", str(leaks)]
    with Stopwatch() as lasted:
        done = run_program(LEAKER, *pace, "--pieces", "2")
    leaked = int(re.fullmatch(r"leaked (\d+) objects\n", done.stdout)[1])  # type: ignore[index]
    assert 3 * leaks <= leaked <= leaks * lasted.seconds / 0.100


def test_leaked_threads_keep_printing(run_program: RunProgram) -> None:
    done = run_program(
        LEAKER, "--object", "thread", "--duration", "600ms", "--leaks", "3", "--print-every", "50ms"
    )
    assert done.returncode == 0
    leaked = re.search(r"^leaked (\d+) objects$", done.stdout, re.MULTILINE)
    assert leaked
    assert done.stdout.count("still here\n") > int(leaked[1]) >= 3


def test_classloading_deploys_at_each_interval(run_program: RunProgram) -> None:
    with Stopwatch() as lasted:
        done = run_program(CLASSLOADING, "--duration", "500ms", "--interval", "20ms")
    deployed = int(re.fullmatch(r"deployed (\d+) times\n", done.stdout)[1])  # type: ignore[index]
    assert 5 <= deployed <= 1 + lasted.seconds / 0.020


@pytest.mark.parametrize("every", [0, 10])
def test_one_page_in_so_many_is_leaked(run_program: RunProgram, every: int) -> None:
    done = run_program(CONSUMER_PRODUCER, "--duration", "500ms", "--pause", "1ms", "--leak-every", str(every))
    match = re.fullmatch(r"processed (\d+) jobs, leaked (\d+) pages\n", done.stdout)
    assert match
    jobs, pages = int(match[1]), int(match[2])
    assert jobs > 20
    # Each of the ten consumers may have counted a job whose page it has not filed yet.
    assert abs(pages - (jobs // every if every else 0)) <= (10 if every else 0)


def test_managers_keep_what_their_references_say(probe: Probe) -> None:
    assert probe("buto.testprograms.references.Survivors") == [
        "strong: 5",
        "strong, limit 3: 2",
        "weak: 0",
        "soft: 5",
    ]


def test_string_and_builder_hold_the_same_text_but_not_the_same_room(probe: Probe) -> None:
    string, builder, capacity = probe("buto.testprograms.leaker.Texts")
    assert string == builder
    assert len(string) == 133 * 400
    assert int(capacity) > 1.9 * len(string)


def test_the_chain_of_configurations_keeps_every_loader(probe: Probe) -> None:
    assert probe("buto.testprograms.classloading.Chain") == ["5", "0"]


def test_the_same_seed_gives_the_same_students(probe: Probe) -> None:
    first, again, other = probe("Students", "1", "1", "2")
    assert first == again
    assert first != other


def test_a_monitor_sees_milestones_and_state(probe: Probe) -> None:
    size = ["--buffer-size", "7", "--log-interval", "20"]
    lines = probe("Milestones", "--duration", "60s", "--pause", "5ms", *size)
    sequences = []
    # Two consumers may print in another order than they count.
    for line in sorted(lines[:3], key=lambda line: int(line.split()[3])):
        milestone = re.fullmatch(r"milestone (\S+) (\S+) (\d+) (\d+) jobs processed", line)
        assert milestone
        assert milestone[1] == "buto.testprograms.milestone"
        assert milestone[2] == "buto.testprograms:type=Counter"
        assert int(milestone[4]) == 20 * int(milestone[3])
        sequences.append(int(milestone[3]))
    assert sequences == list(range(sequences[0], sequences[0] + 3))
    buffer_size, queued, jobs = map(int, lines[3].split()[1:])
    assert buffer_size == 7
    assert 0 <= queued <= 7
    assert jobs >= 20 * sequences[-1]
    assert lines[4] == "buffer 7"
    assert int(lines[5].split()[1]) >= jobs
