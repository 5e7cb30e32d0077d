"""Functions do what commands of their names do: on stored runs, with the same files, events and errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import buto
from buto.causes import launches as profiling
from buto.causes.flight import Flight
from buto.causes.profiles import ProfileKind
from buto.errors import EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_USAGE
from buto.measure.target import Target
from tests.support.processes.command import called
from tests.support.profiles import launches
from tests.support.runs.stored import leaking_run, store

COMMAND = ["java", "-jar", "app.jar"]
LEAKY = 60


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with ten usual runs and three that leak four times as much and load more classes."""
    store(tmp_path, *(leaking_run(number) for number in range(10)))
    store(
        tmp_path,
        *(leaking_run(LEAKY + number, leak=4.0, classes=900, purpose="check") for number in range(3)),
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def leaky() -> str:
    return ",".join(leaking_run(LEAKY + number).id for number in range(3))


def test_train_and_check_write_and_read_the_files_of_the_command_line(project: Path) -> None:
    seen: list[object] = []
    trained = buto.train("leaker", command=COMMAND, from_runs="all", on_event=seen.append)
    assert trained.oracle == Path("oracles/leaker.json")
    assert len(trained.runs) == 10 and trained.strengths
    assert type(seen[0]) is buto.events.OracleWritten
    assert called(project, "check", "leaker", "--from-runs", leaky()).returncode == 1

    result = buto.check("leaker", from_runs=leaky(), on_event=seen.append)
    assert result.verdict is not None and result.verdict.status is buto.Status.REGRESSION
    assert "jvm.memory.heap.used" in {finding.subject for finding in result.verdict.findings}
    assert any(isinstance(event, buto.events.Judged) for event in seen)
    assert result.report is not None and len(result.report.training) == 10
    # Both checks were of the same runs, and count once.
    assert sorted(entry.status for entry in buto.history("leaker")) == ["regression", "trained"]


def test_a_release_is_named_and_its_sum_asked_for_as_on_the_command_line(project: Path) -> None:
    (project / "app.jar").write_text("a program")
    buto.train("leaker", command=COMMAND, from_runs="all")
    released = buto.release("leaker", "v1.4")
    assert (released.test, released.release, released.commit) == ("leaker", "v1.4", "")
    assert called(project, "release", "leaker", "v1.5").returncode == 0
    with pytest.raises(buto.UsageError):
        buto.release("leaker", "")
    with pytest.raises(buto.UsageError):
        buto.check("leaker", release=True, from_runs="all")


def test_advice_is_a_call(project: Path) -> None:
    buto.train("leaker", command=COMMAND, from_runs="all")
    result = buto.check("leaker", from_runs=leaky())
    assert result.report is not None
    show, plot, turns, accept = result.report.next_steps
    first = leaking_run(LEAKY).id
    assert show == f'buto.open_store().load("leaker", "{first}")'
    assert plot == "buto.plot_result(result)  # draws what differs"
    assert turns == "have the old program built: program: {build: COMMAND}, at the test in buto.yaml"
    assert accept == 'buto.accept("leaker")  # if the change is meant: later checks expect it'
    loaded = eval(show, {"buto": buto})
    assert loaded.id == first


def test_accept_learns_again(project: Path) -> None:
    buto.train("leaker", command=COMMAND, from_runs="all")
    known = buto.load_oracle("oracles/leaker.json")
    changes: list[object] = []
    every = f"{leaking_run(0).id}..{leaking_run(7).id}"
    buto.accept("leaker", from_runs=every, dry_run=True, on_event=changes.append)
    (changed,) = [event for event in changes if isinstance(event, buto.events.OracleChanged)]
    assert (len(changed.known.run_ids), len(changed.learned.run_ids)) == (10, 8)
    assert buto.load_oracle("oracles/leaker.json").run_ids == known.run_ids
    buto.accept("leaker", from_runs=every)
    assert buto.load_oracle("oracles/leaker.json").run_ids == changed.learned.run_ids


def test_compare_and_selftest(project: Path) -> None:
    for number in range(10):
        store(project, leaking_run(number, test="old", purpose="compare"))
        store(project, leaking_run(20 + number, test="new", leak=2.0, purpose="compare"))
    result = buto.compare("old", "new", from_runs="all")
    assert result.verdict is not None and result.verdict.status is buto.Status.REGRESSION
    buto.train("leaker", command=COMMAND, from_runs="all")
    found = buto.selftest("leaker", training=7)
    assert len(found.runs) == 10
    assert 0 <= found.found.failing.rate <= found.found.turning.rate <= 1


def test_why_explains_as_the_command_does(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = {"shop.Cart.add < shop.Main.main": 1e6}
    seen: list[object] = []
    asked: list[tuple[str, ...]] = []

    def record(target: Target, kinds: Sequence[ProfileKind], *_: object) -> Flight:
        asked.append(tuple(kind.value for kind in kinds))
        levels = old if target.command[-1] == "Old" else dict.fromkeys(old, 4e6)
        return Flight(launches(levels, 1, len(asked))[0], "", "", 1.0, 1000)

    monkeypatch.setattr(profiling, "record_flight", record)
    monkeypatch.setattr(profiling, "count_calls", lambda *_: {})
    found = buto.why(
        "old",
        command=["java", "Old"],
        against="new",
        against_command=["java", "New"],
        kinds=["allocation", "cpu"],
        on_event=seen.append,
    )
    assert set(asked) == {("allocation", "cpu")}
    assert (found.causes[0].method, found.causes[0].tier) == ("shop.Cart.add", buto.Tier.CAUSE)
    assert isinstance(seen[-1], buto.events.LaunchesEnded)
    with pytest.raises(buto.BadFileError, match="neither the old program of 'shop' nor a profile") as missing:
        buto.why("shop", command=["java", "New"])
    assert missing.value.advice is not None
    assert 'buto.why("shop", build="COMMAND", revisions=("OLD", "NEW"))' in missing.value.advice
    assert missing.value.advice.endswith('buto.train("shop", profile=True)')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"against": "b", "revisions": ("a", "b")}, "against and revisions exclude each other"),
        ({"against_command": ["java"]}, "against_command needs against"),
        ({"build": "make"}, "build needs revisions"),
        ({"pairs": 21}, "pairs must be a whole number from 1 to 20, got 21"),
        ({"kinds": ["heap"]}, "each of kinds must be one of allocation, .*, got 'heap'"),
        ({"kinds": ["native"]}, "native needs async-profiler"),
    ],
)
def test_why_refuses_what_the_command_refuses(project: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(buto.UsageError, match=message):
        buto.why("shop", **arguments)


def test_an_error_has_the_exit_code_and_message_of_the_command_and_advice_as_a_call(project: Path) -> None:
    with pytest.raises(buto.BadFileError, match="'cart' has no oracle yet") as missing:
        buto.check("cart")
    assert missing.value.exit_code == EXIT_BAD_FILE
    assert missing.value.advice == 'buto.train("cart", command=["java", "..."])'
    assert f"buto: {missing.value.message}" in called(project, "check", "cart").stderr
    with pytest.raises(buto.UsageError, match="no command is known for 'cart'") as unknown:
        buto.train("cart")
    assert unknown.value.exit_code == EXIT_USAGE
    with pytest.raises(buto.JudgeError) as few:
        buto.learn([leaking_run(0)])
    assert few.value.exit_code == EXIT_NOT_JUDGED


def test_advice_stands_below_the_message_of_a_traceback(project: Path) -> None:
    with pytest.raises(buto.BadFileError) as missing:
        buto.check("cart")
    assert missing.value.__notes__ == ['buto.train("cart", command=["java", "..."])']


def test_files_elsewhere(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("elsewhere")
    trained = buto.train(
        "leaker", command=COMMAND, from_runs="all", store=str(project / ".buto"), oracle=place / "o.json"
    )
    assert trained.oracle == place / "o.json"
    with pytest.raises(buto.UsageError) as refused:
        buto.check("other", oracle=place / "o.json")
    assert refused.value.advice == f'buto.check("leaker", oracle="{place / "o.json"}")'


def test_options_that_do_not_exist_are_refused_at_once(project: Path) -> None:
    with pytest.raises(TypeError, match="there is no option 'intervall'; known are .*interval"):
        buto.train("leaker", intervall="10ms")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="command must be a list of arguments"):
        buto.record("leaker", command="java -jar app.jar")


@pytest.mark.parametrize("runs", [0, -3, 1.5, True, "many", 10_001])
@pytest.mark.parametrize("action", [buto.record, buto.train, buto.check, buto.accept])
def test_a_number_of_runs_is_one_that_the_command_line_takes(
    project: Path, action: Callable[..., object], runs: object
) -> None:
    with pytest.raises(buto.UsageError, match="runs must be a whole number from 1 to 10000"):
        action("leaker", command=COMMAND, runs=runs)


def test_two_programs_and_a_selftest_take_whole_numbers_of_runs(project: Path) -> None:
    with pytest.raises(buto.UsageError, match="runs must be a whole number from 1 to 10000, got 0"):
        buto.compare("one", "two", runs=0)
    with pytest.raises(buto.UsageError, match="training must be a whole number from 1 to 10000, got -1"):
        buto.selftest("leaker", training=-1)


def test_stored_runs_are_neither_resumed_nor_launched(project: Path) -> None:
    with pytest.raises(buto.UsageError, match="from_runs and resume exclude each other"):
        buto.train("leaker", command=COMMAND, from_runs="all", resume="20260101")
    with pytest.raises(buto.UsageError, match="from_runs and launch exclude each other"):
        buto.accept("leaker", command=COMMAND, from_runs="all", launch=True)


def test_patterns_are_a_list(project: Path) -> None:
    with pytest.raises(TypeError, match="mbeans must be a list of patterns"):
        buto.record("leaker", command=COMMAND, mbeans="com.acme:*")


@pytest.mark.parametrize("name", ["record", "train", "check", "accept", "compare", "selftest", "why"])
def test_the_docstring_names_every_argument(name: str) -> None:
    function = getattr(buto, name)
    words = (function.__doc__ or "").replace(",", " ").replace(":", " ").split()
    assert [parameter for parameter in inspect.signature(function).parameters if parameter not in words] == []
