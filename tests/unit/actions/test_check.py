"""Training, checking and accepting without a command line: what is reported, and what is returned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from buto.actions import collecting
from buto.actions.accept import AcceptRequest, accept
from buto.actions.check import CheckRequest, check
from buto.actions.ending import Complete, Interrupted
from buto.actions.events import (
    Accepted,
    Event,
    Failed,
    Judged,
    LaunchesEnded,
    LaunchesPlanned,
    LaunchStarted,
    OracleChanged,
    OracleWritten,
    RunStored,
    Told,
    Trained,
    Warned,
)
from buto.actions.outcome import CallOutcome
from buto.actions.project import Overrides
from buto.actions.train import TrainRequest, train
from buto.cli.hints import CommandLineFrontEnd
from buto.errors import BadFileError, JudgeError, MeasureError, UsageError
from buto.judging.detector import FittedCalibrated
from buto.judging.evidence import Evidence
from buto.judging.verdict import Status, Verdict
from buto.measure.host import probe_of
from buto.oracle import AGENT_KEY, load, save
from buto.oracle import train as train_oracle
from buto.report.formats.json_result import result_document, result_text
from buto.report.html import render
from buto.run.entries import ResultStore
from buto.run.model import COMMAND, Run, RunSet, run_set
from buto.steps import Action, Advice, Step
from tests.support.judging import without_turns
from tests.support.projects import project_in
from tests.support.runs.scripted import WRONG_EXIT, Script
from tests.support.runs.scripted import Event as Launch
from tests.support.runs.stored import leaking_run
from tests.support.runs.trained import copy_training

JAVA = Overrides(command=("java", "Leaker"))
N_TRAINING = 10

N_TURNS = 10
"""At most of each program, at the default alpha."""


class EventLog(list[Event]):
    """The events of a call."""

    def __call__(self, event: Event) -> None:
        self.append(event)

    def of(self, *kinds: type) -> list[Event]:
        return [event for event in self if isinstance(event, kinds)]

    def told(self) -> list[str]:
        """What is said besides what is ahead."""
        texts = [event.text for event in self if isinstance(event, Told) and not event.detail]
        return [text for text in texts if not text.endswith("as long as in training")]


@pytest.fixture
def launches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Hands out the runs that a test puts down, in place of launches."""
    # The class path of the program is where it is started, and a checkout changes while its tests run.
    monkeypatch.chdir(tmp_path)
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    return script


def put_down(script: Script, *launched: Launch) -> None:
    """Put down what the program gives; the kept one leaks as it did in training."""
    script.events["leaker"] = iter(launched)
    script.events["leaker@trained"] = (leaking_run(number) for number in count(100))


def leaking(n_runs: int, leak: float = 1.0, first: int = 0) -> list[Run]:
    return [leaking_run(number, leak=leak) for number in range(first, first + n_runs)]


def elsewhere(n_runs: int, leak: float = 1.0) -> list[Run]:
    return [leaking_run(number, leak=leak, **{"jvm.spec.version": "21"}) for number in range(50, 50 + n_runs)]


def trained(directory: Path, script: Script) -> None:
    copy_training(directory, script, JAVA.command)


def checked(directory: Path, script: Script, *launched: Launch) -> tuple[CallOutcome, EventLog]:
    put_down(script, *launched)
    log = EventLog()
    return check(project_in(directory), CheckRequest(("leaker",)), log), log


def test_training_reports_each_launch_and_then_the_oracle(tmp_path: Path, launches: Script) -> None:
    log = EventLog()
    put_down(launches, *leaking(N_TRAINING))
    train(project_in(tmp_path), TrainRequest(("leaker",), JAVA), log)
    assert isinstance(log[0], LaunchesPlanned)
    assert log[0].planned == {"leaker": N_TRAINING}
    assert [event.number for event in log.of(LaunchStarted)] == list(range(1, N_TRAINING + 1))
    assert len(log.of(RunStored)) == N_TRAINING
    (written,) = log.of(OracleWritten)
    assert isinstance(written, OracleWritten)
    assert (written.path, written.n_runs) == (tmp_path / "oracles" / "leaker.json", N_TRAINING)
    assert written.path.is_file()
    assert log.index(log.of(LaunchesEnded)[0]) < log.index(written) < log.index(log.of(Trained)[0])


def test_a_run_like_those_of_the_training_passes_alone(tmp_path: Path, launches: Script) -> None:
    trained(tmp_path, launches)
    outcome, log = checked(tmp_path, launches, leaking_run(21))
    (result,) = outcome.results
    assert result.verdict is not None
    assert (result.verdict.status, outcome.exit_code) == (Status.PASS, 0)
    assert len(result.runs) == 1
    assert log.told() == []
    assert [event.result for event in log if isinstance(event, Judged)] == [result]


def test_training_runs_that_are_gone_are_missed_in_a_report(tmp_path: Path, launches: Script) -> None:
    trained(tmp_path, launches)
    project = project_in(tmp_path)
    project.store.delete("leaker", project.store.ids("leaker")[:3])
    put_down(launches, leaking_run(21))
    log = EventLog()
    check(project, CheckRequest(("leaker",), with_training=True), log)
    assert log.told() == ["7 of its 10 training runs are stored here, for the report"]


def test_an_oracle_written_while_a_check_waits_judges_its_run(tmp_path: Path, launches: Script) -> None:
    trained(tmp_path, launches)
    path = tmp_path / "oracles" / "leaker.json"
    before = load(path)

    def after_a_wait() -> Iterator[Run]:
        more = run_set([leaking_run(number, leak=9.0) for number in range(40, 50)])
        save(path, train_oracle(more, target=before.target))
        yield leaking_run(60, leak=9.0)

    launches.events["leaker"] = after_a_wait()
    log = EventLog()
    outcome = check(project_in(tmp_path), CheckRequest(("leaker",), JAVA), log)
    (result,) = outcome.results
    assert result.verdict is not None
    assert (result.verdict.status, len(result.runs)) == (Status.PASS, 1)
    assert log.told() == ["its oracle was written anew meanwhile, and this one judges"]


@pytest.mark.parametrize("is_ours", [True, False])
def test_an_oracle_of_another_build_s_agent_is_said_before_the_first_launch(
    tmp_path: Path, launches: Script, is_ours: bool
) -> None:
    agent = {AGENT_KEY: probe_of("agent") if is_ours else "of another build"}
    put_down(launches, *(leaking_run(number, **agent) for number in range(N_TRAINING)))
    train(project_in(tmp_path), TrainRequest(("leaker",), JAVA))
    _, log = checked(tmp_path, launches, leaking_run(20, **agent))
    before = log[: next(place for place, event in enumerate(log) if isinstance(event, LaunchStarted))]
    warnings = [event.text for event in before if isinstance(event, Warned)]
    assert [isinstance(text, Advice) and text.parts[-1] for text in warnings] == (
        [] if is_ours else [Step(Action.TRAIN, "leaker", plain=True)]
    )


@pytest.mark.parametrize("leak", [1.0, 9.0])
def test_an_oracle_of_an_agent_that_counted_more_fails_only_what_the_kept_program_does_not_do(
    tmp_path: Path, launches: Script, leak: float
) -> None:
    """The agent of today counts less in both programs, so that turns alone tell what has changed."""
    before = {AGENT_KEY: "of another build"}
    put_down(launches, *(leaking_run(number, leak=3.0, **before) for number in range(N_TRAINING)))
    train(project_in(tmp_path), TrainRequest(("leaker",), JAVA))
    now = {AGENT_KEY: probe_of("agent")}
    launches.events["leaker"] = (leaking_run(number, leak=leak, **now) for number in count(20))
    launches.events["leaker@trained"] = (leaking_run(number, **now) for number in count(100))
    (result,) = check(project_in(tmp_path), CheckRequest(("leaker",))).results
    assert launches.launched.count("leaker@trained") > 0
    assert result.status == ("pass" if leak == 1.0 else "regression")


def test_a_run_that_does_not_pass_is_confirmed_by_two_more_of_its_session(
    tmp_path: Path, launches: Script
) -> None:
    trained(tmp_path, launches)
    outcome, log = checked(tmp_path, launches, *leaking(3 + N_TURNS, 9.0))
    why = "live heap is beyond what training expects of a run"
    assert log.told()[0] == f"{why}; launching 2 more to judge them together"
    (result,) = outcome.results
    n_turns = len(result.runs)
    assert (result.status, outcome.exit_code, 2 <= n_turns <= N_TURNS) == ("regression", 1, True)
    store = project_in(tmp_path).store
    session = [run for run in store.load_set("leaker") if run.metadata["buto.purpose"] != "train"]
    assert {run.metadata["buto.session"] for run in session} == {session[0].id}
    assert [run.metadata["buto.purpose"] for run in session] == ["check"] * 3 + ["turns"] * n_turns


@pytest.mark.parametrize(
    ("launched", "with_turns", "judged"),
    [
        (leaking(1, first=21), True, [1]),
        ([leaking_run(20, leak=1.6), *leaking(2, first=21)], True, [1, 3]),
        (leaking(3, 9.0, first=20), False, [1, 3]),
        (leaking(3 + N_TURNS, 9.0, first=20), True, [1, 3]),
    ],
)
def test_runs_are_judged_once_from_the_launch_to_the_reports(
    tmp_path: Path,
    launches: Script,
    monkeypatch: pytest.MonkeyPatch,
    launched: list[Run],
    with_turns: bool,
    judged: list[int],
) -> None:
    """The first alone, and the three once; turns are judged as two programs."""
    sizes = []

    def noting(fitted: FittedCalibrated, runs: RunSet) -> Evidence:
        sizes.append(len(runs))
        return weighed(fitted, runs)

    trained(tmp_path, launches)
    if not with_turns:
        without_turns(tmp_path / "oracles" / "leaker.json")
    weighed = FittedCalibrated.evidence
    monkeypatch.setattr(FittedCalibrated, "evidence", noting)
    (result,) = checked(tmp_path, launches, *launched)[0].results
    assert result.report is not None
    result_text(result_document("check", [result], 0, result.report.made))
    render(result.report)
    assert sizes == judged


def test_one_odd_run_among_good_ones_passes(tmp_path: Path, launches: Script) -> None:
    trained(tmp_path, launches)
    outcome, log = checked(tmp_path, launches, *leaking(1, 9.0, first=26), *leaking(2, first=27))
    assert len(log.told()) == 1
    (result,) = outcome.results
    assert (result.status, outcome.exit_code, len(result.runs)) == ("pass", 0, 3)


def test_a_number_of_runs_that_was_specified_is_kept_to(tmp_path: Path, launches: Script) -> None:
    trained(tmp_path, launches)
    put_down(launches, *leaking(9, 9.0))
    log = EventLog()
    outcome = check(project_in(tmp_path), CheckRequest(("leaker",), runs=1), log)
    assert len(outcome.results[0].runs) == 1
    assert log.told() == []


def test_runs_that_allow_no_verdict_fail_their_test_alone(
    tmp_path: Path, launches: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(fitted: FittedCalibrated, runs: RunSet) -> Verdict:
        raise JudgeError("nothing can be said of these runs")

    trained(tmp_path, launches)
    monkeypatch.setattr(FittedCalibrated, "check", refuse)
    outcome, log = checked(tmp_path, launches, leaking_run(21))
    (result,) = outcome.results
    assert isinstance(result.error, JudgeError)
    assert (outcome.exit_code, len(result.runs)) == (3, 1)
    assert log.of(Failed) == [Failed(result)]


def test_what_was_judged_and_learned_is_in_the_history(tmp_path: Path, launches: Script) -> None:
    trained(tmp_path, launches)
    checked(tmp_path, launches, leaking_run(21))
    assert len(list((ResultStore(tmp_path / ".buto").root).rglob("results/*/*.json"))) == 2


def accepted(directory: Path, script: Script, request: AcceptRequest, *launched: Launch) -> EventLog:
    put_down(script, *launched)
    log = EventLog()
    assert accept(project_in(directory), request, log).exit_code == 0
    return log


def test_accepting_learns_from_the_runs_of_a_failed_check_and_launches_what_is_missing(
    tmp_path: Path, launches: Script
) -> None:
    """The runs launched now would pass: what did not pass is learned from all the same."""
    trained(tmp_path, launches)
    without_turns(tmp_path / "oracles" / "leaker.json")
    (result,) = checked(tmp_path, launches, *leaking(3, 9.0, first=20))[0].results
    log = accepted(tmp_path, launches, AcceptRequest(("leaker",)), *leaking(7, 1.0, first=30))
    judged = tuple(run.id for run in result.runs)
    taken = "the 3 runs of the newest check, which did not pass, and 7 more are accepted"
    assert log.told()[0] == f"{taken}: 3 would be too few for an oracle"
    (changed,) = log.of(OracleChanged)
    assert isinstance(changed, OracleChanged)
    assert changed.learned.run_ids[:3] == judged
    assert len(changed.learned.run_ids) == N_TRAINING
    assert load(tmp_path / "oracles" / "leaker.json").run_ids == changed.learned.run_ids


def test_accepting_launches_nothing_if_enough_runs_were_judged(tmp_path: Path, launches: Script) -> None:
    """After turns they are, and only those of the new program are learned from."""
    trained(tmp_path, launches)
    put_down(launches, *leaking(N_TRAINING + N_TURNS, 9.0, first=20))
    check(project_in(tmp_path), CheckRequest(("leaker",), runs=N_TRAINING))
    n_launched, n_judged = len(launches.launched), launches.launched[N_TRAINING:].count("leaker")
    log = accepted(tmp_path, launches, AcceptRequest(("leaker",)))
    assert len(launches.launched) == n_launched
    assert log.told()[0].startswith(
        f"the {n_judged} runs of the newest check, which did not pass, are accepted ("
    )
    learned = load(tmp_path / "oracles" / "leaker.json").run_ids
    assert len(learned) == n_judged
    assert set(learned).isdisjoint(project_in(tmp_path).store.ids("leaker@trained"))
    outcome, _ = checked(tmp_path, launches, leaking_run(40, leak=9.0))
    assert outcome.exit_code == 0


@pytest.mark.parametrize("of_a_failed_check", [False, True])
def test_accepting_launches_all_runs_after_a_pass_or_if_asked_to(
    tmp_path: Path, launches: Script, of_a_failed_check: bool
) -> None:
    trained(tmp_path, launches)
    checked(tmp_path, launches, *leaking(3 + N_TURNS, 9.0 if of_a_failed_check else 1.0, first=20))
    request = AcceptRequest(("leaker",), launch=of_a_failed_check)
    log = accepted(tmp_path, launches, request, *leaking(N_TRAINING, 9.0, first=30))
    assert not any("newest check" in text for text in log.told())
    assert len(log.of(RunStored)) == N_TRAINING


def test_accepting_leaves_out_judged_runs_of_another_environment(tmp_path: Path, launches: Script) -> None:
    """An oracle of both could not be learned: accepting would launch, and fail, each time anew."""
    trained(tmp_path, launches)
    outcome, _ = checked(tmp_path, launches, *elsewhere(1 + N_TURNS, 9.0))
    assert outcome.results[0].status == "regression"
    log = accepted(tmp_path, launches, AcceptRequest(("leaker",)), *leaking(N_TRAINING, 9.0, first=30))
    assert "of another command or environment" in log.told()[0], "it is said before the first launch"
    assert len(log.of(RunStored)) == N_TRAINING


def test_accepting_refuses_to_launch_another_command_than_failed_also_in_another_environment(
    tmp_path: Path, launches: Script
) -> None:
    trained(tmp_path, launches)
    other = "java -Xmx1g Leaker 9"
    runs = [replace(run, metadata={**run.metadata, COMMAND: other}) for run in elsewhere(1 + N_TURNS, 9.0)]
    outcome, _ = checked(tmp_path, launches, *runs)
    assert outcome.results[0].status == "regression"
    with pytest.raises(UsageError) as refused:
        accept(project_in(tmp_path), AcceptRequest(("leaker",)))
    assert isinstance(refused.value.advice, Advice)
    assert (
        Step(Action.ACCEPT, "leaker", command=tuple(other.split()), plain=True) in refused.value.advice.parts
    )


def warnings_of(log: EventLog) -> list[Warned]:
    return [event for event in log if isinstance(event, Warned)]


def test_training_says_what_the_newest_check_failed_for(tmp_path: Path, launches: Script) -> None:
    """It would bless a change without a word; after it, nothing is open any more."""
    trained(tmp_path, launches)
    outcome, _ = checked(tmp_path, launches, *leaking(3 + N_TURNS, 9.0, first=20))
    assert outcome.results[0].status == "regression"
    for expected in (1, 0):
        log = EventLog()
        put_down(launches, *leaking(N_TRAINING, 9.0, first=40))
        train(project_in(tmp_path), TrainRequest(("leaker",), JAVA), log)
        warned = [
            warning for warning in warnings_of(log) if "the newest check failed for live heap" in warning.text
        ]
        assert len(warned) == expected
        for warning in warned:
            assert log.index(warning) < log.index(log.of(RunStored)[0])


def test_training_says_nothing_of_a_check_that_passed(tmp_path: Path, launches: Script) -> None:
    trained(tmp_path, launches)
    checked(tmp_path, launches, *leaking(1, first=20))
    log = EventLog()
    put_down(launches, *leaking(N_TRAINING, first=40))
    train(project_in(tmp_path), TrainRequest(("leaker",), JAVA), log)
    assert not any("newest check" in warning.text for warning in warnings_of(log))


def test_a_test_that_fails_is_reported_and_gives_the_exit_code(tmp_path: Path, launches: Script) -> None:
    trained(tmp_path, launches)
    outcome, log = checked(tmp_path, launches, WRONG_EXIT)
    (result,) = outcome.results
    assert isinstance(result.error, MeasureError)
    assert result.error.advice == "if this program should end so: --expect-exit 3"
    assert log.of(Failed) == [Failed(result)]
    assert outcome.exit_code == 3


def test_an_interruption_has_what_is_complete_as_data(tmp_path: Path, launches: Script) -> None:
    put_down(launches, *leaking(2), KeyboardInterrupt())
    log = EventLog()
    with pytest.raises(Interrupted) as stopped:
        train(project_in(tmp_path), TrainRequest(("leaker",), JAVA), log)
    first, *_ = project_in(tmp_path).store.ids("leaker")
    assert stopped.value.complete == (Complete("leaker", 2, N_TRAINING),)
    assert (stopped.value.store, stopped.value.first_id) == (tmp_path / ".buto", first)
    assert isinstance(log[-1], LaunchesEnded)


def test_a_training_is_taken_up_where_it_was_interrupted(tmp_path: Path, launches: Script) -> None:
    put_down(launches, *leaking(2), KeyboardInterrupt(), *leaking(8, first=2))
    with pytest.raises(Interrupted) as stopped:
        train(project_in(tmp_path), TrainRequest(("leaker",), JAVA))
    outcome = train(project_in(tmp_path), TrainRequest(("leaker",), JAVA, resume=stopped.value.first_id))
    assert [result.status for result in outcome.results] == ["trained"]
    assert len(outcome.results[0].runs) == N_TRAINING


def test_accepting_learns_from_the_runs_that_it_is_given(tmp_path: Path, launches: Script) -> None:
    trained(tmp_path, launches)
    without_turns(tmp_path / "oracles" / "leaker.json")
    outcome, _ = checked(tmp_path, launches, *leaking(3, 9.0))
    ids = ",".join(run.id for run in outcome.results[0].runs)
    request = AcceptRequest(("leaker",), JAVA, from_runs=ids, dry_run=True)
    before = (tmp_path / "oracles" / "leaker.json").read_bytes()
    log = EventLog()
    refused = accept(project_in(tmp_path), request, log)
    assert refused.exit_code == 3, "three runs are too few for an oracle"
    put_down(launches, *leaking(N_TRAINING, 9.0))
    dry = accept(project_in(tmp_path), AcceptRequest(("leaker",), dry_run=True), log)
    (accepted,) = log.of(Accepted)
    assert isinstance(accepted, Accepted)
    assert (tmp_path / "oracles" / "leaker.json").read_bytes() == before
    assert accepted.again is not None
    which = accepted.again.from_runs
    put_down(launches)
    done = accept(project_in(tmp_path), AcceptRequest(("leaker",), from_runs=which))
    assert (dry.exit_code, done.exit_code) == (0, 0)
    assert (tmp_path / "oracles" / "leaker.json").read_bytes() != before


def test_a_test_without_an_oracle_is_refused_with_the_step_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="'leaker' has no oracle yet") as refused:
        check(project_in(tmp_path), CheckRequest(("leaker",)))
    refused.value.rephrase(CommandLineFrontEnd(project_in(tmp_path).files).words)
    assert refused.value.advice == f"buto train leaker --store {tmp_path / '.buto'} -- java ..."
