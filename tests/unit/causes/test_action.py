"""``why`` without a JVM: launches in turns, what is recorded, and that no profile becomes a run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from buto.actions.compare import two_programs
from buto.actions.events import Event, ProfileRecorded, Told, Warned
from buto.actions.project import Overrides, Project
from buto.actions.stored import ALL, load_stored_runs
from buto.causes import class_files
from buto.causes import launches as profiling
from buto.causes.action import WhyRequest, store_profile, why, why_failed
from buto.causes.calls import Count
from buto.causes.flight import Flight
from buto.causes.model import CallCounts, Explanation, Tier
from buto.causes.profiles import USUAL, Profile, ProfileKind, ProfileStore
from buto.errors import BadFileError, MeasureError, UsageError
from buto.measure.target import Target
from buto.oracle import judge, save, train
from buto.programs.named import files_of
from buto.programs.snapshot import snapshot
from buto.programs.store import ProgramStore
from buto.project.model import TestConfig, build_test
from buto.report.result import FORMAT, VERSION
from buto.run.entries import ResultStore
from buto.run.store import RunStore
from buto.steps import Action
from tests.support.profiles import launches
from tests.support.projects import project_in
from tests.support.runs.signals import program_runs

OLD = {"shop.Cart.add < shop.Main.main": 1e6, "shop.Page.show < shop.Main.main": 1e6}
NEW = {**OLD, "shop.Cart.add < shop.Main.main": 4e6}
PROGRAMS = two_programs("old", "new", (("java", "Old"), ("java", "New")))


@dataclass
class Launcher:
    """Stands for launches under Flight Recorder; remembers them."""

    starved: Callable[[int], bool] = lambda number: False
    too_early: Callable[[int], bool] = lambda number: False
    launched: list[str] = field(default_factory=list)
    counted: list[str] = field(default_factory=list)
    kinds: tuple[ProfileKind, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)

    def __call__(self, target: Target, kinds: Any, *_: object) -> Flight:
        self.kinds = tuple(kinds)
        self.launched.append(target.command[-1])
        number = len(self.launched)
        levels = OLD if target.command[-1] == "Old" else NEW
        (made,) = launches(levels, 1, number, kind=self.kinds[0])
        if self.too_early(number):
            made = replace(made, stacks=())
        profile: Profile = replace(made, facts=self.facts)
        starved = "it was starved: half of it" if self.starved(number) else ""
        return Flight(profile, starved, "", 1.0, 1000)

    def count(self, target: Target, methods: Any, *_: object) -> dict[str, Count]:
        self.counted.append(target.command[-1])
        return dict.fromkeys(methods, Count(10, 10, 160) if target.command[-1] == "Old" else Count(30))


@pytest.fixture
def launcher(monkeypatch: pytest.MonkeyPatch) -> Launcher:
    made = Launcher()
    monkeypatch.setattr(profiling, "record_flight", made)
    monkeypatch.setattr(profiling, "count_calls", made.count)
    return made


def asked(directory: Path, **more: Any) -> Explanation:
    return why(project_in(directory), WhyRequest("old", PROGRAMS, **more))


def test_pairs_are_launched_in_turns_and_the_cause_is_named(tmp_path: Path, launcher: Launcher) -> None:
    explanation = asked(tmp_path, kinds=(ProfileKind.ALLOCATION,))
    assert [sorted(launcher.launched[at : at + 2]) for at in (0, 2, 4)] == [["New", "Old"]] * 3
    (cause,) = explanation.kinds[0].of_tier(Tier.CAUSE)
    assert cause.method == "shop.Cart.add"
    assert launcher.counted == ["Old", "New"]
    assert cause.calls == (CallCounts("shop.Cart.add", 10, 30, 16.0, None),)


def test_calls_that_cannot_be_counted_cost_a_warning_and_not_the_cause(
    tmp_path: Path, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> dict[str, Count]:
        raise MeasureError("the program exited with code 1\nmore")

    monkeypatch.setattr(profiling, "count_calls", fail)
    events: list[Event] = []
    why(project_in(tmp_path), WhyRequest("old", PROGRAMS, kinds=(ProfileKind.ALLOCATION,)), events.append)
    warned = [event.text for event in events if isinstance(event, Warned)]
    assert warned == ["calls are not counted: the program exited with code 1"]


def test_classes_that_cannot_be_kept_cost_a_warning_and_not_the_cause(
    tmp_path: Path, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = tmp_path / "out" / "Shop.class"
    loaded.parent.mkdir()
    loaded.write_bytes(b"class")
    launcher.facts = {class_files.CLASS_PATH: "out", class_files.DIRECTORY: str(tmp_path)}
    monkeypatch.setattr(class_files, "_run_reader", lambda paths: dict.fromkeys(paths, ""))
    project = project_in(tmp_path)
    assert isinstance(project.files.store, Path)
    project.files.store.mkdir(parents=True)
    (project.files.store / "classes").write_text("in the way of a directory")
    events: list[Event] = []
    explanation = why(project, WhyRequest("old", PROGRAMS, kinds=(ProfileKind.ALLOCATION,)), events.append)
    assert explanation.kinds[0].found[0].method == "shop.Cart.add"
    warned = [event.text for event in events if isinstance(event, Warned)]
    assert len([text for text in warned if "cannot be written" in text]) == 6
    assert any("not known what changed" in text for text in explanation.remarks)


def test_a_starved_launch_is_repeated_and_later_used_with_a_warning(
    tmp_path: Path, launcher: Launcher
) -> None:
    launcher.starved = lambda number: number == 2
    events: list[Event] = []
    why(project_in(tmp_path), WhyRequest("old", PROGRAMS, kinds=(ProfileKind.CPU,)), events.append)
    assert len(launcher.launched) == 7
    assert [event.repeated for event in events if isinstance(event, ProfileRecorded)].count("") == 6
    launcher.launched.clear()
    launcher.starved = lambda number: True
    events.clear()
    why(project_in(tmp_path), WhyRequest("old", PROGRAMS, kinds=(ProfileKind.CPU,)), events.append)
    assert len(launcher.launched) == 12
    assert sum(isinstance(event, Warned) and "starved" in event.text for event in events) == 6


def test_a_launch_that_does_not_tell_what_is_kept_is_repeated(tmp_path: Path, launcher: Launcher) -> None:
    launcher.too_early = lambda number: number == 2
    (kept,) = asked(tmp_path, kinds=(ProfileKind.RETENTION,)).kinds
    assert len(launcher.launched) == 7
    assert kept.old == pytest.approx(2e6, rel=0.1)
    assert not any("left out" in text for text in kept.remarks)
    launcher.launched.clear()
    launcher.too_early = lambda number: number > 2
    (kept,) = asked(tmp_path, kinds=(ProfileKind.RETENTION,)).kinds
    assert len(launcher.launched) == 12
    assert any("4 launches of 6 left out" in text for text in kept.remarks)


def test_no_profiled_launch_is_stored_as_a_run_or_a_result(tmp_path: Path, launcher: Launcher) -> None:
    project = project_in(tmp_path)
    test = TestConfig("old", Target(("java", "Old")), {})
    store_profile(project.launcher(), test)
    asked(tmp_path)
    why(project, WhyRequest("old", overrides=_command("New")))
    assert RunStore(project.files.store).tests() == []
    assert ResultStore(project.files.store).all("old") == []
    with pytest.raises(UsageError, match="no usable runs"):
        load_stored_runs(project.workspace(), "old", ALL)
    assert not list(tmp_path.rglob("oracles"))


def test_the_stored_profile_is_the_old_program_and_its_age_is_told(
    tmp_path: Path, launcher: Launcher
) -> None:
    project = project_in(tmp_path)
    events: list[Event] = []
    store_profile(project.launcher(events.append), TestConfig("shop", Target(("java", "Old")), {}))
    assert launcher.kinds == USUAL
    assert [event.text.partition(" in ")[0] for event in events if isinstance(event, Told)] == [
        "3 profiles stored for buto why"
    ]
    explanation = why(project, WhyRequest("shop", overrides=_command("New"), kinds=(ProfileKind.ALLOCATION,)))
    assert explanation.launches == (3, 3)
    assert re.search(r"is stored and \d+ s old", explanation.remarks[0])
    assert explanation.kinds[0].found[0].method == "shop.Cart.add"


def test_a_stored_profile_has_no_secret_of_the_command_line(tmp_path: Path, launcher: Launcher) -> None:
    project = project_in(tmp_path)
    launcher.facts = {"program": "Old run --db-password=hunter-2"}
    command = ("java", "Old", "run", "--db-password=hunter-2")
    store_profile(project.launcher(), TestConfig("shop", Target(command), {}))
    stored = ProfileStore(project.files.store).newest("shop")
    assert stored is not None
    assert {profile.facts["program"] for profile in stored.profiles} == {"Old run --db-password=_MASKED_"}


def test_without_a_stored_profile_the_advice_has_both_ways(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="neither the old program of 'shop' nor a profile") as caught:
        why(project_in(tmp_path), WhyRequest("shop", overrides=_command("New")))
    assert "buto why shop --revisions OLD NEW --build COMMAND" in (caught.value.advice or "")
    assert "buto train shop --profile" in (caught.value.advice or "")


def with_kept_program(tmp_path: Path) -> Project:
    """Return a project whose oracle names a kept program, with no profile."""
    project = project_in(tmp_path)
    main = tmp_path / "Old.class"
    main.write_bytes(b"main")
    found = snapshot(files_of(("java", "-cp", ".", "Old"), tmp_path, {}, (), tmp_path), 1 << 20, within=False)
    kept = ProgramStore(project.files.store).keep("shop", found.program(), found.root)
    save(project.oracle_path("shop"), replace(train(program_runs(1, 6)), test="shop", program=kept))
    return project


def test_without_a_stored_profile_the_kept_program_is_launched(tmp_path: Path, launcher: Launcher) -> None:
    """In turns with the present one, so that a change of the machine changes both."""
    project = with_kept_program(tmp_path)
    explanation = why(project, WhyRequest("shop", overrides=_command("New"), kinds=(ProfileKind.ALLOCATION,)))
    assert sorted(launcher.launched) == ["New"] * 3 + ["Old"] * 3
    assert explanation.kinds[0].found[0].method == "shop.Cart.add"
    assert not any("is stored and" in remark for remark in explanation.remarks)


@pytest.mark.parametrize("has_profile", [False, True])
def test_a_check_is_explained_as_the_command_does(
    tmp_path: Path, launcher: Launcher, has_profile: bool
) -> None:
    project = with_kept_program(tmp_path)
    known = project.oracle("shop", Action.CHECK)
    if has_profile:
        ProfileStore(project.files.store).add("shop", launches(OLD, 3, 1))
    checked = judge(known, [replace(run, test="shop") for run in program_runs(2, 1)])
    test = build_test("shop", {"command": ["java", "New"]}, tmp_path, {})
    explanation = why_failed(project.launcher(), test, known, checked)
    assert sorted(launcher.launched) == ["New"] * 3 + ([] if has_profile else ["Old"] * 3)
    assert any("is stored and" in remark for remark in explanation.remarks) is has_profile


def test_a_damaged_stored_profile_is_refused(tmp_path: Path) -> None:
    place = tmp_path / ".buto"
    ProfileStore(place).add("shop", launches(OLD, 1, 1)).write_bytes(b"\x1f\x8bnothing")
    with pytest.raises(BadFileError, match="cannot be read"):
        why(project_in(tmp_path), WhyRequest("shop", overrides=_command("New")))


@pytest.mark.parametrize(
    ("status", "kinds"),
    [("regression", (ProfileKind.ALIVE, ProfileKind.STARTED)), ("pass", USUAL), (None, USUAL)],
)
def test_the_newest_verdict_chooses_what_is_recorded(
    tmp_path: Path, launcher: Launcher, status: str | None, kinds: tuple[ProfileKind, ...]
) -> None:
    checked(tmp_path, "old", status, {"jvm.thread.count": "worse", "jvm.class.count": "better"})
    asked(tmp_path)
    assert launcher.kinds == kinds


def checked(directory: Path, name: str, status: str | None, effects: dict[str, str]) -> None:
    """Store the result of a check that found these properties."""
    shape = {
        "status": status,
        "p_value": 0.01,
        "findings": [{"subject": subject, "effect": effect} for subject, effect in effects.items()],
        "headlines": [{"finding": place} for place in range(len(effects))],
    }
    verdict = None if status is None else shape
    test = {"status": status or "error", "runs": [], "verdict": verdict}
    finished = "2026-01-02T03:04:05Z"
    document = {"format": FORMAT, "version": VERSION, "command": "check", "finished": finished}
    document |= {"tests": [test]}
    ResultStore(project_in(directory).files.store).add(name, json.dumps(document).encode())


@pytest.mark.parametrize(
    ("status", "threads", "is_warned"),
    [("regression", "better", True), ("regression", "worse", False), ("pass", "better", False)],
)
def test_who_asks_why_a_program_is_better_is_told_what_is_named(
    tmp_path: Path, launcher: Launcher, status: str, threads: str, is_warned: bool
) -> None:
    """Of such a check, the methods that use more would be read as its cause."""
    project, events = project_in(tmp_path), list[Event]()
    store_profile(project.launcher(), TestConfig("shop", Target(("java", "Old")), {}))
    checked(tmp_path, "shop", status, {"jvm.thread.count": threads, "jvm.class.count": "better"})
    why(project, WhyRequest("shop", overrides=_command("New")), events.append)
    assert any(isinstance(event, Warned) for event in events) is is_warned


def test_what_cannot_be_asked_is_a_wrong_usage(tmp_path: Path, launcher: Launcher) -> None:
    with pytest.raises(UsageError, match="needs async-profiler"):
        asked(tmp_path, kinds=(ProfileKind.NATIVE,))
    with pytest.raises(UsageError, match="neither libasyncProfiler"):
        asked(tmp_path, profiler=tmp_path)
    with pytest.raises(UsageError, match="both programs are called"):
        why(project_in(tmp_path), WhyRequest("a", two_programs("a", "a", (("java",), ("java",)))))
    assert launcher.launched == []


def _command(name: str) -> Overrides:
    return Overrides(command=("java", name))
