"""What turns learn of the machine: kept in the store, for one program, and never in the oracle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from buto.actions import collecting
from buto.actions.bisect import BisectRequest, bisect
from buto.actions.mood import MOST_RUNS, judge_as_then, remember_mood, with_mood
from buto.actions.project import Overrides
from buto.actions.single import begin
from buto.errors import BadFileError, JudgeError
from buto.judging.detector import FittedCalibrated
from buto.oracle import load
from buto.programs.named import Kept
from buto.run.model import Run
from buto.run.store import RunStore
from buto.steps import Action
from tests.support.processes.repository import commit, git
from tests.support.runs.scripted import Event as Launch
from tests.support.runs.scripted import Script
from tests.support.runs.stored import leaking_run
from tests.support.runs.trained import OLD, Trained, runs


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trained:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    monkeypatch.chdir(tmp_path)
    return Trained(tmp_path, script)


def old_runs(trained: Trained, n_runs: int) -> list[Run]:
    found = [leaking_run(number, test=OLD) for number in range(200, 200 + n_runs)]
    for run in found:
        RunStore(trained.directory / ".buto").add(run)
    return found


def fuller(n_runs: int, first: int) -> list[Launch]:
    """What both programs give on a machine that collects later: more used heap, and as much alive."""
    return [
        replace(run, values=run.values + np.array([40.0 * 2**20, 0.0, 0.0, 0.0]))
        for run in (leaking_run(number) for number in range(first, first + n_runs))
    ]


def mood_of(trained: Trained) -> list[str]:
    project = trained.project
    known = with_mood(project.workspace(), project.load_known("leaker", Action.CHECK))
    assert isinstance(known.oracle.fitted, FittedCalibrated)
    return [run.id for run in known.oracle.fitted.mood]


def test_the_newest_runs_are_known_to_the_next_check(trained: Trained) -> None:
    oracle = trained.project.oracle("leaker", Action.CHECK)
    found = old_runs(trained, MOST_RUNS + 3)
    assert mood_of(trained) == []
    remember_mood(trained.project.workspace(), oracle, found[:5])
    remember_mood(trained.project.workspace(), oracle, found[5:])
    assert mood_of(trained) == [run.id for run in found[-MOST_RUNS:]]
    assert len(list((trained.directory / ".buto" / "mood" / "leaker").iterdir())) == 1


def test_a_mood_is_of_one_program_and_one_environment(trained: Trained) -> None:
    oracle = trained.project.oracle("leaker", Action.CHECK)
    workspace = trained.project.workspace()
    remember_mood(workspace, replace(oracle, program=Kept("0" * 64, 1, 1)), old_runs(trained, 2))
    assert mood_of(trained) == []
    elsewhere: dict[str, str] = {"jvm.spec.version": "25"}
    run = leaking_run(300, test=OLD, **elsewhere)  # type: ignore[arg-type]
    RunStore(trained.directory / ".buto").add(run)
    remember_mood(workspace, oracle, [run])
    assert mood_of(trained) == []


def test_turns_that_clear_a_machine_leave_its_mood_and_the_oracle_as_it_was(trained: Trained) -> None:
    before = trained.oracle.read_bytes()
    trained.check(*fuller(13, first=20), old=fuller(10, first=100))
    assert mood_of(trained)
    assert set(mood_of(trained)) <= set(trained.project.store.ids(OLD))
    assert trained.oracle.read_bytes() == before


def test_a_damaged_mood_is_refused_with_the_command_that_removes_it(trained: Trained) -> None:
    oracle = trained.project.oracle("leaker", Action.CHECK)
    remember_mood(trained.project.workspace(), oracle, old_runs(trained, 1))
    (file,) = (trained.directory / ".buto" / "mood" / "leaker").iterdir()
    file.write_text('{"format": "buto-mood", "version": 1, "program": "", "test": 3, "runs": []}')
    with pytest.raises(BadFileError) as caught:
        mood_of(trained)
    assert str(file) in str(caught.value.advice)


def test_the_search_for_a_commit_leaves_the_mood_of_the_trained_program(trained: Trained) -> None:
    git(trained.directory, "init", "--quiet")
    (trained.directory / ".gitignore").write_text(".buto/\noracles/\n")
    commit(trained.directory)
    git(trained.directory, "commit", "--quiet", "--allow-empty", "-m", "2")
    remembered = old_runs(trained, 3)
    remember_mood(trained.project.workspace(), load(trained.oracle), remembered)
    trained.put_down(*runs(1, first=20), *fuller(13, first=30), old=fuller(10, first=100))
    with pytest.raises(JudgeError, match="does not fail"):
        bisect(trained.project, BisectRequest("leaker", "HEAD^", "HEAD"))
    assert trained.n_old() > len(remembered)
    assert mood_of(trained) == [run.id for run in remembered]


def test_stored_runs_are_judged_in_the_mood_before_them(trained: Trained) -> None:
    earlier, later = old_runs(trained, 3), leaking_run(250, test=OLD)
    RunStore(trained.directory / ".buto").add(later)
    workspace, oracle = trained.project.workspace(), load(trained.oracle)
    remember_mood(workspace, oracle, [*earlier, later])
    for number, n_known in ((260, 4), (245, 3), (20, 0)):
        checked = judge_as_then(workspace, oracle, [leaking_run(number)])
        assert isinstance(checked.oracle.fitted, FittedCalibrated)
        assert len(checked.oracle.fitted.mood) == n_known


def test_a_check_that_a_caller_launches_knows_the_mood(trained: Trained) -> None:
    remembered, oracle = old_runs(trained, 3), load(trained.oracle)
    remember_mood(trained.project.workspace(), oracle, remembered)
    command = Overrides(command=("java", "-jar", "app.jar"))
    test = trained.project.test("leaker", Action.CHECK, command, oracle)
    policy = begin(trained.project, test, Action.CHECK).check
    assert policy is not None and isinstance(policy.known.oracle.fitted, FittedCalibrated)
    assert len(policy.known.oracle.fitted.mood) == len(remembered)
