"""Old and new in random turns: what decides, what is said, what is undecided; the launches are scripted."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from buto import schemas
from buto.actions import collecting
from buto.actions.accept import AcceptRequest, accept, find_failed_runs
from buto.actions.bisect import BisectRequest, bisect
from buto.actions.check import CheckRequest, check
from buto.actions.collecting import Collected, LaunchPlan
from buto.actions.ending import Complete, Interrupted
from buto.actions.events import Event, Told
from buto.actions.project import Files, Overrides, Project
from buto.actions.report import ReportRequest, history, report
from buto.causes import launches as profiling
from buto.causes.calls import Count
from buto.causes.flight import Flight
from buto.cli.console import Console, Verbosity
from buto.cli.events import EventPrinter
from buto.judging.procedure import Do, Next, Why
from buto.measure.target import Target
from buto.oracle import load, save
from buto.programs.named import Revision, Unkept
from buto.report.formats.json_result import result_document
from buto.report.outside import BOTH
from buto.report.result import Result
from buto.report.terminal.verdict import Detail, result_lines
from buto.run.model import IN_TURNS, PURPOSE, Outcome, ProblemKind
from buto.run.units import format_seconds
from tests.support.judging import needs_turns
from tests.support.processes.command import called
from tests.support.processes.repository import commit, git
from tests.support.profiles import launches
from tests.support.runs.qualities import invalid
from tests.support.runs.scripted import Event as Launch
from tests.support.runs.scripted import Script
from tests.support.runs.stored import NAMES, leaking_run
from tests.support.runs.trained import N_TURNS, OLD, Trained, drifted, runs, starved, waited

FOUND_BY = 12
"""Launches of both in which bets find a clear change that three runs have shown, whatever the order is."""

DIFFERED = "3 runs differed from the training runs (p = 0.0035)"

NO_DATABASE = replace(
    leaking_run(0),
    outcome=Outcome(1, duration_s=0.1),
    quality=invalid(ProblemKind.EXIT_CODE, "it exited with code 1, expected 0"),
    stderr=b"connection refused",
)


def told(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Told)]


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trained:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    monkeypatch.chdir(tmp_path)
    return Trained(tmp_path, script)


def reasons(result: Result) -> tuple[str, ...]:
    assert result.verdict is not None, result.error
    return result.verdict.reasons


def counts(trained: Trained) -> str:
    """How often turns have launched both programs, as a verdict says it."""
    store = trained.project.store
    turns = [run for run in store.load_set("leaker", store.ids("leaker")) if run.metadata[PURPOSE] == "turns"]
    return f"{trained.n_old()} and {len(turns)}"


def test_before_the_first_launch_it_is_said_what_may_follow_and_for_how_long(trained: Trained) -> None:
    (took_s,) = {run.outcome.duration_s for run in runs(10)}
    trained.check(*runs(1, first=20))
    begin = "1 run, 2 more if it looks different"
    turns = f"then old and new in turns, at most {N_TURNS} + {N_TURNS} runs"
    least, most = format_seconds(took_s), format_seconds(23 * took_s)
    assert (
        told(trained.events)[0] == f"{begin}, {turns}, {least} to {most} if each takes as long as in training"
    )

    store = trained.project.store
    store.delete("leaker", store.ids("leaker"))
    unkept = replace(load(trained.oracle), program=Unkept("it is a script"))
    for lose in (lambda: remove(trained), lambda: save(trained.oracle, unkept)):
        lose()
        trained.check(*runs(1, first=20))
        assert told(trained.events)[0] == begin


def test_all_that_is_said_of_a_check_says_nothing_twice(trained: Trained) -> None:
    trained.check(*runs(3 + N_TURNS, leak=4.0, first=20))
    said = io.StringIO()
    printer = EventPrinter(Console(stdout=said, stderr=said, verbosity=Verbosity.VERBOSE))
    for event in trained.events:
        printer(event)
    lines = said.getvalue().splitlines()
    assert len(lines) == len(set(lines)), said.getvalue()
    assert sum(line.startswith("REGRESSION") for line in lines) == 1


def test_a_machine_that_has_changed_fails_no_program(trained: Trained) -> None:
    result = trained.check(*drifted(3 + N_TURNS, 20), old=drifted(N_TURNS, 40))
    assert result.status == "pass"
    begin = "launching the old and the new program in random turns"
    assert f"{DIFFERED}; {begin}, at most {N_TURNS} runs of each" in told(trained.events)
    (reason,) = reasons(result)
    assert reason.startswith(
        f"old and new program, launched {counts(trained)} times in random order, do not differ: "
    )
    headline, because, *_ = result_lines(result)
    assert headline.startswith(
        "PASS  leaker: the {1} runs did what the {0} runs of the old program did".format(
            *counts(trained).split(" and ")
        )
    )
    assert because == f"  because: {reasons(result)[0]}"


def test_a_program_that_has_changed_fails_in_turns(trained: Trained) -> None:
    result = trained.check(*runs(3 + N_TURNS, 9.0, first=20))
    assert result.status == "regression"
    assert reasons(result) == (
        f"old and new program, launched {counts(trained)} times in random order, differ",
    )
    n_old, n_new = map(int, counts(trained).split(" and "))
    assert n_old + n_new <= FOUND_BY
    assert min(n_old, n_new) >= 2
    assert [do for do, _ in steps(result)] == [Do.LAUNCH, Do.LAUNCH, Do.TURNS, Do.FAIL]


def configured() -> Project:
    """The project in the current directory, which has a configuration."""
    files = Files.locate()
    return Project(files, files.read_configuration())


CART, PAGE = "shop.Cart.add < shop.Main.main", "shop.Page.show < shop.Main.main"


def test_a_program_that_explains_itself_has_verdict_and_cause_together(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, flown = ("java", "-jar", "app.jar"), list[bool]()

    def fly(target: Target, *_: object) -> Flight:
        flown.append(target.command == new)
        levels = {CART: 4e6 if flown[-1] else 1e6, PAGE: 1e6}
        return Flight(launches(levels, 1, len(flown))[0], "", "", 1.0, 1000)

    def count(target: Target, methods: Sequence[str], *_: object) -> dict[str, Count]:
        calls = 3_100_000 if target.command == new else 1_000_000
        return dict.fromkeys(methods, Count(calls, 100, 2400))

    monkeypatch.setattr(profiling, "record_flight", fly)
    monkeypatch.setattr(profiling, "count_calls", count)
    test = {"command": list(new), "explain": "auto"}
    (trained.directory / "buto.yaml").write_text(json.dumps({"version": 1, "tests": {"leaker": test}}))
    monkeypatch.setattr(Trained, "project", property(lambda _: configured()))
    assert trained.check(*runs(1, first=10)).report.causes == ()  # type: ignore[union-attr]
    assert flown == []
    result = trained.check(*runs(3 + N_TURNS, 9.0, first=20))
    assert (result.status, sorted(flown)) == ("regression", [False] * 3 + [True] * 3)
    assert result.report is not None
    cause = result.report.causes[0]
    assert (cause.method, cause.tier, cause.kind) == ("shop.Cart.add", "cause", "allocation")
    assert ", called 1 → 3.1 million times, 24 B each with what it calls" in cause.sentence
    told_as = f"  code: {cause.sentence.replace('`', '')}"
    assert all(told_as in result_lines(result, detail) for detail in (Detail.SHORT, Detail.FULL))
    document = result_document("check", [result], 1, datetime.now(UTC))
    jsonschema.validate(document, schemas.load("result"))
    assert document["tests"][0]["causes"][0]["method"] == "shop.Cart.add"


def test_a_search_for_a_commit_explains_no_commit_on_its_way(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    flown: list[Target] = []
    monkeypatch.setattr(profiling, "record_flight", lambda target, *_: flown.append(target))
    monkeypatch.setattr(Trained, "project", property(lambda _: configured()))
    test = {"command": ["java", "-jar", "app.jar"], "explain": "auto"}
    (trained.directory / "buto.yaml").write_text(json.dumps({"version": 1, "tests": {"leaker": test}}))
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for words in (["init", "-q"], ["add", "app.jar"], ["commit", "-qm", "1"], ["commit", "-qm", "2"]):
        more = ["--allow-empty"] if "commit" in words else []
        subprocess.run(["git", *names, *words, *more], check=True, timeout=30)
    trained.put_down(*runs(1, first=20), *runs(3 + N_TURNS, 9.0, first=30), old=runs(N_TURNS, first=50))
    found = bisect(trained.project, BisectRequest("leaker", "HEAD^", "HEAD"))
    assert found.first_bad is not None and found.first_bad.subject == "2"
    assert flown == []


def test_the_search_for_a_commit_counts_no_trailer_up_to_the_good_one(trained: Trained) -> None:
    def make_commit(message: str) -> str:
        git(trained.directory, "commit", "--quiet", "--allow-empty", "-m", message)
        return git(trained.directory, "rev-parse", "HEAD").strip()

    git(trained.directory, "init", "--quiet")
    (trained.directory / ".gitignore").write_text(".buto/\noracles/\n")
    commit(trained.directory)
    of_training = make_commit("trained")
    save(trained.oracle, replace(load(trained.oracle), commit=of_training))
    trailers = [f"Buto-Accepts: leaker {name} +900% pages are kept" for name in NAMES]
    good = make_commit("\n".join(["good", "", *trailers]))
    bad = make_commit("bad")
    at_good: dict[str, Any] = {"buto.commit": good}
    at_bad: dict[str, Any] = {"buto.commit": bad}
    trained.put_down(
        leaking_run(20, **at_good),
        *(leaking_run(number, leak=9.0, **at_bad) for number in range(30, 33 + N_TURNS)),
        old=runs(N_TURNS, first=50),
    )
    searched = bisect(trained.project, BisectRequest("leaker", good, bad))
    assert trained.n_old() > 0
    assert searched.first_bad is not None and searched.first_bad.name == bad


def test_runs_in_turns_alone_are_accepted(trained: Trained) -> None:
    """As the next step of a search names them, where turns decided."""
    store, ids = trained.project.store, []
    together: dict[str, Any] = {"buto.session": leaking_run(20).id, IN_TURNS: str(N_TURNS)}
    for number in range(20, 20 + 2 * N_TURNS, 2):
        store.add(leaking_run(number, test=OLD, purpose="turns", **together))
        new = leaking_run(number + 1, leak=9.0, purpose="turns", **together)
        store.add(new)
        ids.append(new.id)
    request = AcceptRequest(("leaker",), from_runs=",".join(ids))
    assert accept(trained.project, request).exit_code == 0


@pytest.mark.parametrize(("leak", "status"), [(1.0, "pass"), (9.0, "regression")])
def test_another_environment_is_judged_by_turns(trained: Trained, leak: float, status: str) -> None:
    new = runs(1 + N_TURNS, leak, first=20, release="25")
    result = trained.check(*new, old=runs(N_TURNS, first=40, release="25"))
    assert result.status == status
    other = "another environment than in training (jvm.spec.version: 17 → 25)"
    assert reasons(result) == (
        f"{other}: old and new program were launched {counts(trained)} times in random order",
    )


def test_the_old_program_runs_on_the_jvm_of_the_check(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which JVM it is belongs to the environment: the program is not accused of what another one does."""
    commands: dict[str, Sequence[str]] = {}
    collect = collecting.collect

    def noting(plans: Sequence[LaunchPlan], *others: Any, **settings: Any) -> dict[str, Collected]:
        commands.update((plan.test, plan.target.command) for plan in plans)
        return collect(plans, *others, **settings)

    monkeypatch.setattr(collecting, "collect", noting)
    trained.put_down(*runs(1 + N_TURNS, first=20, release="25"), old=runs(N_TURNS, first=40, release="25"))
    other = Overrides(command=("/opt/25/bin/java", "-jar", "new.jar"))
    check(trained.project, CheckRequest(("leaker",), other))
    for test, name in (("leaker", "new.jar"), (OLD, "app.jar")):
        java, _, jar = commands[test]
        assert (java, Path(jar).name) == ("/opt/25/bin/java", name)


def test_stored_turns_are_judged_as_they_were(trained: Trained) -> None:
    """A report says what the check said, and accept takes a pass for one, though the oracle alone accuses."""
    known = load(trained.oracle)
    for new, old, status in (
        (drifted(3 + N_TURNS, 20), drifted(N_TURNS, 40), "pass"),
        (runs(3 + N_TURNS, 30.0, first=20), runs(N_TURNS, first=40), "regression"),
    ):
        checked = trained.check(*new, old=old)
        again = reported(trained)
        assert (checked.status, again.status, reasons(again)) == (status, status, reasons(checked))
        assert steps(again)[-1] == steps(checked)[-1]
        assert bool(find_failed_runs(trained.project.workspace(), known)) is (status == "regression")


def test_stored_turns_of_two_programs_beyond_training_stay_a_regression(trained: Trained) -> None:
    """What both read has changed; what is around the program now does not tell what it was."""
    result = trained.check(*runs(3 + N_TURNS, 9.0, first=20), old=runs(N_TURNS, 9.0, first=40))
    again = reported(trained)
    assert (result.status, again.status) == ("regression", "regression")
    turned = [(Do.PASS, Why.NO_DIFFERENCE), (Do.FAIL, Why.OUTSIDE)]
    assert steps(result)[-2:] == steps(again)[-2:] == turned
    assert reasons(result)[0].startswith(BOTH)
    assert reasons(again) == (BOTH, *reasons(result)[1:])
    assert find_failed_runs(trained.project.workspace(), load(trained.oracle))


@pytest.mark.parametrize(
    ("wait_s", "status", "why"),
    [(9.0, "pass", Why.BUSIER), (0.3, "regression", Why.OUTSIDE)],
)
def test_what_moves_with_a_busier_machine_is_no_change_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_s: float, status: str, why: Why
) -> None:
    """A program that works for a given time keeps what the machine lets it; on a steady one that is news."""
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    monkeypatch.chdir(tmp_path)
    trained = Trained(tmp_path, script, [waited(run, 0.4) for run in runs(10)])
    busy = starved(3 + N_TURNS, 20, wait_s)
    result = trained.check(*busy, old=starved(N_TURNS, 40, wait_s))
    assert (result.status, steps(result)[-1][1]) == (status, why)
    assert steps(reported(trained))[-1][1] is why


def reported(trained: Trained) -> Result:
    (again,) = report(trained.project, ReportRequest(("leaker",))).results
    return again


def steps(result: Result) -> list[tuple[Do, Why]]:
    assert result.verdict is not None, result.error
    return [(step.do, step.why) for step in result.verdict.steps]


def test_accept_learns_only_from_runs_of_the_new_program(trained: Trained) -> None:
    trained.check(*runs(3 + N_TURNS, 9.0, first=20))
    judged = trained.project.store.ids("leaker")[10:]
    trained.put_down(*runs(10 - len(judged), 9.0, first=40))
    accept(trained.project, AcceptRequest(("leaker",)))
    assert load(trained.oracle).run_ids == tuple(trained.project.store.ids("leaker")[10:])
    assert len(load(trained.oracle).run_ids) == 10


def test_stored_runs_that_are_named_take_no_turns(trained: Trained) -> None:
    """By the oracle alone: what no machine moves accuses, and the rest is open."""
    for new, status in (
        (drifted(3 + N_TURNS, 20), "inconclusive"),
        (runs(3 + N_TURNS, first=20, classes=900), "regression"),
    ):
        before = len(trained.project.store.ids("leaker"))
        trained.check(*new)
        n_launched = len(trained.script.launched)
        named = ",".join(trained.project.store.ids("leaker")[before : before + 3])
        result = trained.check(from_runs=named)
        assert result.verdict is not None
        assert (result.status, len(trained.script.launched)) == (status, n_launched)
        assert needs_turns(result.verdict) is (status == "inconclusive")


def damage(trained: Trained) -> None:
    for path in (trained.directory / ".buto/programs/blobs").rglob("*"):
        if path.is_file():
            path.write_bytes(b"damaged")


def remove(trained: Trained) -> None:
    for path in (trained.directory / ".buto/programs/manifests").rglob("*.json"):
        path.unlink()


def name_a_lost_revision(trained: Trained) -> None:
    save(trained.oracle, replace(load(trained.oracle), program=Revision("0" * 40)))


@pytest.mark.parametrize(
    ("lose", "reason"), [(damage, "it is damaged"), (name_a_lost_revision, "is in no git repository")]
)
@pytest.mark.parametrize("leak", [1.0, 9.0])
def test_a_program_that_is_lost_leaves_the_check_undecided(
    trained: Trained, lose: Callable[[Trained], None], reason: str, leak: float
) -> None:
    lose(trained)
    new = runs(3, 9.0, first=20) if leak == 9.0 else runs(1, first=20, release="25")
    result = trained.check(*new)
    assert result.verdict is not None
    assert (result.status, result.verdict.status.exit_code, trained.n_old()) == ("inconclusive", 3, 0)
    why = reasons(result)[0]
    assert "\n" not in why and ", and the old program cannot be launched: " in why and reason in why
    assert result_lines(result)[-1].startswith("  next: buto train leaker")


@pytest.mark.parametrize(("release", "status"), [("17", "regression"), ("25", "inconclusive")])
def test_a_store_without_the_program_leaves_the_decision_to_three_runs(
    trained: Trained, release: str, status: str
) -> None:
    remove(trained)
    new = runs(3, 9.0, 20, classes=900) if release == "17" else runs(1, first=20, release=release)
    result = trained.check(*new)
    assert result.verdict is not None
    assert (result.status, trained.n_old()) == (status, 0)
    (without,) = (warning for warning in result.verdict.warnings if warning.startswith("without turns: "))
    assert f"the old program is not in {trained.project.files.store}" in without
    headline, *_ = result_lines(result)
    assert " leaker: without turns, " in headline
    assert result.report is not None
    steps = result.report.next_steps
    assert any(step.startswith("buto train") for step in steps) is (status == "inconclusive")
    assert not any(step.startswith("buto why") for step in steps)
    assert any("{build: COMMAND}" in step for step in steps)


def test_a_program_that_does_not_start_any_more_leaves_the_check_undecided(trained: Trained) -> None:
    result = trained.check(*runs(3 + N_TURNS, 9.0, first=20), old=[NO_DATABASE])
    assert result.status == "inconclusive"
    ended = "the old program does not run any more: the program exited with code 1"
    assert reasons(result)[0] == f"{DIFFERED}, and {ended}"
    (failed,) = trained.project.store.ids(OLD)
    show, train_again = result_lines(result)[-2:]
    assert show.startswith(f"  next: buto runs show {OLD} {failed}")
    assert train_again.startswith("  next: buto train leaker")


def test_a_present_program_that_fails_in_turns_is_an_error(trained: Trained) -> None:
    result = trained.check(*runs(3, 9.0, first=20), NO_DATABASE)
    assert result.verdict is None and result.error is not None
    assert result.error.exit_code == 3


def test_without_a_kept_program_three_runs_decide(trained: Trained) -> None:
    unkept = Unkept("mvn builds and starts it")
    save(trained.oracle, replace(load(trained.oracle), program=unkept))
    result = trained.check(*runs(3, 9.0, first=20, classes=900))
    assert result.verdict is not None and result.status == "regression"
    assert result.verdict.steps[-1] == Next(Do.FAIL, Why.COUNTED)
    without = "without turns: the old program was not kept: mvn builds and starts it"
    assert result.verdict.warnings[0] == without
    heap = trained.check(*drifted(3, 20))
    assert heap.verdict is not None and needs_turns(heap.verdict)
    elsewhere = trained.check(*runs(1, first=20, release="25"))
    assert elsewhere.verdict is not None and elsewhere.status == "inconclusive"
    assert elsewhere.verdict.warnings[0] == without
    good = trained.check(*runs(1, first=30))
    assert good.verdict is not None and good.verdict.warnings == ()


def test_turns_that_are_interrupted_leave_their_runs_and_nothing_else(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    new: list[Launch] = [*runs(3, 9.0, first=20, classes=900), KeyboardInterrupt()]
    trained.put_down(*new, old=[*runs(N_TURNS, first=40)])
    places: list[Path] = []
    collect = collecting.collect

    def noting(plans: Sequence[LaunchPlan], *others: Any, **settings: Any) -> dict[str, Collected]:
        places.extend(Path(plan.target.command[2]) for plan in plans if plan.test == OLD)
        return collect(plans, *others, **settings)

    monkeypatch.setattr(collecting, "collect", noting)
    with pytest.raises(Interrupted) as stopped:
        check(trained.project, CheckRequest(("leaker",)))
    assert stopped.value.complete == (Complete(OLD, trained.n_old(), N_TURNS), Complete("leaker", 0, N_TURNS))
    assert len(trained.project.store.ids("leaker")) == 13
    (place,) = places
    assert place.name == "app.jar" and not place.exists()
    assert set(trained.script.opened) == set(trained.script.closed)
    (again,) = report(trained.project, ReportRequest(("leaker",))).results
    assert (again.status, reasons(again)) == ("regression", ()), "of the first three runs alone"


def test_the_old_program_s_runs_are_listed_and_are_no_test(trained: Trained) -> None:
    trained.check(*runs(3 + N_TURNS, 9.0, first=20))
    listed = called(trained.directory, "runs", "list").stdout.splitlines()
    assert len([line for line in listed if line.startswith(OLD) and " turns " in line]) == trained.n_old()
    assert sorted(entry.status for entry in history(trained.project, "leaker")) == ["regression", "trained"]
    for asked in ("history", "label"):
        assert OLD not in called(trained.directory, asked, "leaker").stdout
    checks = [entry for entry in history(trained.project, "leaker") if not entry.is_training]
    assert [str(len(past_check.run_ids)) for past_check in checks] == [counts(trained).split(" and ")[1]]
    (trained.directory / "buto.yaml").write_text(
        "version: 1\ntests:\n  leaker: {command: java -jar app.jar}\n"
    )
    trained.put_down(*runs(1, first=60))
    done = called(trained.directory, "check")
    assert (done.returncode, OLD in done.stdout) == (0, False)
