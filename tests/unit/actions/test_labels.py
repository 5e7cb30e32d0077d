"""Labels that a person gives, and those that follow from checks and trainings."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from buto.actions.accept import AcceptRequest, accept
from buto.actions.check import CheckRequest, check
from buto.actions.events import Warned
from buto.actions.hooks import Finished
from buto.actions.labels import LabelRequest, label, label_result, labels
from buto.actions.outcome import conclude, keep
from buto.actions.project import Overrides
from buto.actions.train import TrainRequest, train
from buto.errors import BadFileError, UsageError
from buto.judging.verdict import GROWTH, LIMIT, NOTIFICATION, OUTSIDE, Effect, Statement, Status, Verdict
from buto.report.result import Commit, Result
from buto.run.labels import Label, Labelling, LabelStore, current
from buto.run.model import Run
from buto.run.store import RunStore
from buto.steps import Action
from tests.support.projects import project_in
from tests.support.runs.stored import leaking_run, store

JAVA = Overrides(command=("java", "-jar", "leaker.jar"))
N_TRAINING = 10


@pytest.fixture(scope="module", autouse=True)
def person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Git knows the name of the person here, and no other configuration."""
    config = tmp_path_factory.mktemp("person") / "gitconfig"
    config.write_text("[user]\n\tname = Ada Byron\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", str(config))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield


def put(directory: Path, numbers: range, leak: float = 1.0, purpose: str = "train") -> list[str]:
    """Store runs that leak this much and return their ids; those of one purpose are one session."""
    session = leaking_run(numbers[0]).id
    runs = [
        leaking_run(number, leak=leak, purpose=purpose, **{"buto.session": session}) for number in numbers
    ]
    return store(directory, *runs)


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("training")
    put(directory, range(N_TRAINING))
    assert train(project_in(directory), TrainRequest(("leaker",), JAVA, from_runs="all")).exit_code == 0
    return directory


@pytest.fixture
def trained(training: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(training, tmp_path, dirs_exist_ok=True))


def checked(directory: Path, ids: list[str]) -> int:
    return check(project_in(directory), CheckRequest(("leaker",), from_runs=",".join(ids))).exit_code


def record(directory: Path) -> list[Labelling]:
    return labels(project_in(directory), "leaker")


def counting(directory: Path, ids: list[str]) -> list[tuple[str, str]]:
    """Return label and command that count for these runs, once each."""
    found = current(record(directory))
    return list(dict.fromkeys((found[run].label.value, found[run].command) for run in ids if run in found))


def test_training_runs_are_good(trained: Path) -> None:
    [given] = record(trained)
    assert (given.label, given.command, given.person) == (Label.GOOD, "train", "Ada Byron")
    assert given.run_ids == tuple(RunStore(trained / ".buto").ids("leaker"))


def test_training_again_on_the_same_runs_says_nothing_new(trained: Path) -> None:
    train(project_in(trained), TrainRequest(("leaker",), JAVA, from_runs="all"))
    assert len(record(trained)) == 1


@pytest.mark.parametrize(("n_runs", "leak", "code"), [(3, 1.0, 0), (3, 0.1, 1), (1, 9.0, 3)])
def test_what_passes_is_better_or_one_run_alone_gets_no_label(
    trained: Path, n_runs: int, leak: float, code: int
) -> None:
    ids = put(trained, range(20, 20 + n_runs), leak, "check")
    assert checked(trained, ids) == code
    assert counting(trained, ids) == []


@pytest.mark.parametrize(
    ("sources", "is_bad"),
    [
        ((OUTSIDE,), False),
        ((LIMIT,), False),
        ((GROWTH, LIMIT), False),
        ((NOTIFICATION,), True),
        ((LIMIT, NOTIFICATION), True),
    ],
)
def test_runs_are_bad_only_if_their_program_changed(
    tmp_path: Path, sources: tuple[str, ...], *, is_bad: bool
) -> None:
    findings = tuple(Statement(source, source, "1", effect=Effect.WORSE) for source in sources)
    failed = Verdict(Status.REGRESSION, "calibrated", findings)
    result = Result("leaker", None, [leaking_run(1), leaking_run(2)], failed)
    project = project_in(tmp_path)
    label_result(Finished(project.workspace(), "check", result, ""))
    given = [labelling.label for labelling in LabelStore(project.files.store).all("leaker")]
    assert given == ([Label.BAD] if is_bad else [])


def test_a_confirmed_regression_is_bad_until_it_is_accepted(trained: Path) -> None:
    ids = put(trained, range(20, 30), 9.0, "check")
    assert checked(trained, ids[:3]) == 1
    assert counting(trained, ids[:3]) == [("bad", "check")]
    assert "keeps" in record(trained)[-1].reason
    outcome = accept(project_in(trained), AcceptRequest(("leaker",), from_runs=",".join(ids)))
    assert outcome.exit_code == 0
    assert counting(trained, ids) == [("good", "accept")]
    assert len(record(trained)) == 3


def test_without_git_nobody_is_named(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert label(project_in(trained), LabelRequest("leaker", "all", Label.GOOD)).person == ""


def test_accepting_other_runs_makes_failed_ones_good_that_the_new_oracle_passes(trained: Path) -> None:
    same, other = (
        put(trained, numbers, leak, "check")
        for numbers, leak in ((range(20, 23), 9.0), (range(30, 33), 90.0))
    )
    assert [checked(trained, ids) for ids in (same, other)] == [1, 1]
    now = put(trained, range(40, 50), 9.0, "accept")
    accept(project_in(trained), AcceptRequest(("leaker",), from_runs=f"{now[0]}.."))
    assert counting(trained, now) == [("good", "accept")]
    assert counting(trained, same) == [("good", "accept")]
    assert counting(trained, other) == [("bad", "check")]


def test_looking_at_an_acceptance_labels_nothing(trained: Path) -> None:
    ids = put(trained, range(20, 30), 9.0, "check")
    request = AcceptRequest(("leaker",), from_runs=",".join(ids), dry_run=True)
    accept(project_in(trained), request)
    assert counting(trained, ids) == []


def test_what_was_accepted_was_meant_and_keeps_its_reason(trained: Path) -> None:
    ids = put(trained, range(20, 30), 9.0, "check")
    request = AcceptRequest(("leaker",), from_runs=",".join(ids), reason="a new cache")
    accept(project_in(trained), request)
    newest = record(trained)[-1]
    assert (newest.command, newest.meant, newest.reason) == ("accept", True, "a new cache")
    assert not record(trained)[0].meant


def test_a_person_says_whether_a_change_was_meant(trained: Path) -> None:
    project = project_in(trained)
    assert not label(project, LabelRequest("leaker", "last", Label.GOOD)).meant
    assert label(project, LabelRequest("leaker", "last", Label.GOOD, meant=True)).meant
    with pytest.raises(UsageError, match="only good runs can be those of a change that is meant, got bad"):
        label(project, LabelRequest("leaker", "last", Label.BAD, meant=True))


def test_a_reason_that_is_too_long_is_refused_before_anything_is_learned(trained: Path) -> None:
    before = (trained / "oracles" / "leaker.json").read_bytes()
    with pytest.raises(UsageError, match="at most 1000 characters, got 1001"):
        accept(project_in(trained), AcceptRequest(("leaker",), from_runs="all", reason="x" * 1001))
    assert (trained / "oracles" / "leaker.json").read_bytes() == before


def test_a_check_does_not_replace_what_a_person_said(trained: Path) -> None:
    ids = put(trained, range(20, 23), 9.0, "check")
    said = LabelRequest("leaker", ",".join(ids), Label.GOOD, "a new cache")
    given = label(project_in(trained), said)
    assert (given.command, given.person, given.reason) == ("label", "Ada Byron", "a new cache")
    assert checked(trained, ids) == 1
    assert counting(trained, ids) == [("good", "label")]
    assert [labelling.label for labelling in record(trained)[-2:]] == [Label.GOOD, Label.BAD]


def test_a_bisection_labels_the_first_bad_commit_and_its_parent(tmp_path: Path) -> None:
    bad: list[Run] = [leaking_run(1), leaking_run(2)]
    good: list[Run] = [leaking_run(3)]
    project, commit = project_in(tmp_path), Commit("a1b2c3d4e5f6a7b8", "Ada <a@b>", "2026-01-01", "Cache all")
    passed = Result("leaker", None, good, Verdict(Status.PASS, "calibrated"))
    label_result(Finished(project.workspace(), "bisect", Result("leaker", None, bad), "", commit, passed))
    given = current(LabelStore(project.files.store).all("leaker"))
    assert [given[run.id].label.value for run in (*bad, *good)] == ["bad", "bad", "good"]
    assert given[bad[0].id].reason == "first bad commit: a1b2c3d4e5f6 Cache all"
    assert given[good[0].id].reason == "the commit before a1b2c3d4e5f6 Cache all"


@pytest.mark.parametrize("parent", [None, Result("leaker", None, [leaking_run(3)])])
def test_a_parent_that_was_not_judged_gets_no_label(tmp_path: Path, parent: Result | None) -> None:
    project, commit = project_in(tmp_path), Commit("a1b2", "Ada", "2026-01-01", "Cache")
    found = Result("leaker", None, [leaking_run(1)])
    label_result(Finished(project.workspace(), "bisect", found, "", commit, parent))
    [given] = LabelStore(project.files.store).all("leaker")
    assert given.label is Label.BAD


def test_a_label_that_cannot_be_written_is_a_warning(trained: Path) -> None:
    directory = trained / ".buto" / "labels" / "leaker"
    [path] = directory.iterdir()
    path.write_text("{")
    events: list[object] = []
    result = Result("leaker", None, [leaking_run(60)])
    keep(project_in(trained).launcher(events.append), conclude(Action.TRAIN, [result]))
    [warned] = events
    assert isinstance(warned, Warned)
    assert str(path) in warned.text
    assert warned.text.endswith("these runs get no label")


def test_runs_are_named_in_four_ways(tmp_path: Path) -> None:
    first, second = put(tmp_path, range(3)), put(tmp_path, range(5, 7), purpose="check")
    project = project_in(tmp_path)

    def named(which: str) -> list[str]:
        return list(label(project, LabelRequest("leaker", which, Label.INVALID)).run_ids)

    assert named("all") == first + second
    assert named("last") == second
    assert named(f"{first[1]}..") == first[1:] + second
    assert named(f"..{first[1]}") == first[:2]
    assert named(f"{second[0]}, {first[0]}") == [first[0], second[0]]


def test_a_damaged_newest_run_is_labelled_alone(tmp_path: Path) -> None:
    ids = put(tmp_path, range(3))
    for run_id in ids[1:]:
        (tmp_path / ".buto" / "runs" / "leaker" / run_id / "run.json").write_text("{")
    assert label(project_in(tmp_path), LabelRequest("leaker", "last", Label.INVALID)).run_ids == (ids[2],)


def test_runs_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    with pytest.raises(BadFileError, match="holds no runs of 'leaker'"):
        label(project, LabelRequest("leaker", "all", Label.GOOD))
    with pytest.raises(BadFileError, match="holds no runs of 'leaker'"):
        labels(project, "leaker")
    put(tmp_path, range(2))
    assert labels(project, "leaker") == []
    with pytest.raises(BadFileError, match="there is no run '2026' of 'leaker'") as unknown:
        label(project, LabelRequest("leaker", "2026", Label.GOOD))
    assert str(unknown.value.advice).startswith("buto runs list leaker")
    with pytest.raises(UsageError, match=r"holds no runs of 'leaker' in 3\.\."):
        label(project, LabelRequest("leaker", "3..", Label.GOOD))
    with pytest.raises(UsageError, match="a reason must have at most 1000 characters, got 1001"):
        label(project, LabelRequest("leaker", "all", Label.GOOD, "x" * 1001))
    assert labels(project, "leaker") == []
