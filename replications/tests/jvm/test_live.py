"""Live checks by the real command: forced into turns, and read from what it wrote."""

import subprocess
from fnmatch import fnmatchcase
from math import inf

import pytest

from buto.actions.monitor import is_first_of_check, series_of
from buto.run.properties import COUNTED
from buto.run.store import RunStore
from buto.steps import Action
from buto_replications.live import builds, session, ways
from buto_replications.live.calls import EqualTrial
from buto_replications.live.journal import TRAIN
from buto_replications.live.parts import LivePart
from buto_replications.live.programs import BEDS
from buto_replications.live.trained import check_subjects
from buto_replications.live.ways import WAYS, LaunchedProgram
from tests.support.projects import project_in

pytestmark = [pytest.mark.jvm, pytest.mark.slow, pytest.mark.all]

SUBJECT = LaunchedProgram(BEDS[0], "argument-file")


def carry_out(data, *, forced, only=()):
    trials = (EqualTrial("beds", SUBJECT.name, "quiet", 0),)
    part = LivePart("?", trials, check_subjects([SUBJECT], forced=forced))
    session.carry_out(part, "beds", data, 1, inf, lambda *ignored: None, only)
    return session.journal_of(data, "beds").entries()


@pytest.mark.parametrize("way", [way for way in WAYS if BEDS[0] in WAYS[way].programs])
def test_each_way_launches_the_same_program(tmp_path, way):
    launch = LaunchedProgram(BEDS[0], way).prepare(tmp_path / "here", tmp_path / "cache")
    done = subprocess.run(
        launch.command, cwd=tmp_path / "here", capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith("leaked ")
    assert (tmp_path / "here" / "buto.yaml").exists() == (launch.words == ())


def test_two_revisions_have_the_same_program_and_are_all_that_a_repository_has(tmp_path):
    launch = LaunchedProgram(BEDS[0], "revisions").prepare(tmp_path / "here", tmp_path / "cache")

    def git(*words):
        command = ["git", "-C", str(tmp_path / "here"), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    assert launch.revisions
    assert git("diff", "--name-only", ways.OLD, ways.NEW) == ["NOTES.md"]
    assert git("status", "--porcelain") == []
    assert len(git("rev-list", "HEAD")) == 2


def test_a_forced_check_takes_turns_and_both_arms_are_read(tmp_path):
    trained, checked = carry_out(tmp_path, forced=True)
    assert (trained.action, trained.exit_code, trained.status) == (TRAIN, 0, "trained")
    assert not trained.reached_turns
    assert len(trained.plain) == 10
    # One more is of the copy that training has kept; disturbed runs are launches, too.
    assert trained.launches >= 11
    assert checked.reached_turns
    assert min(len(checked.old), len(checked.new)) >= 3
    assert checked.launches >= len(checked.plain) + len(checked.old) + len(checked.new)
    assert checked.status in ("pass", "regression", "inconclusive")
    for counters in (*trained.plain, *checked.old, *checked.new):
        assert counters["jvm.memory.allocated"] > 0
        assert counters["jvm.thread.started"] > 0
        assert [name for name in counters if not any(fnmatchcase(name, each) for each in COUNTED)] == []


def test_each_build_is_a_commit_of_its_own_which_the_monitor_looks_at(tmp_path):
    trials = tuple(EqualTrial("builds", f"{BEDS[0].name}/class-path", "quiet", number) for number in range(4))
    part = LivePart("?", trials, builds.check_builds(BEDS[:1]), in_order=True)
    session.carry_out(part, "builds", tmp_path, 1, inf, lambda *ignored: None)
    trained, *checked = session.journal_of(tmp_path, "builds").entries()
    assert (trained.action, trained.exit_code) == (TRAIN, 0)
    assert [entry.number for entry in checked] == [0, 1, 2, 3]
    # At the defaults one in a hundred unchanged programs fails; its first run belongs to the series as well.
    assert {entry.status for entry in checked} <= {"pass", "regression"}
    directory = part.directory(trials[0], tmp_path)
    store = RunStore(directory / ".buto")
    firsts = [head for head in (one.head for one in store.summaries("program")) if is_first_of_check(head)]
    assert len({head.metadata["buto.commit"] for head in firsts}) == 4
    known = project_in(directory).load_known("program", Action.CHECK).oracle
    over, workspace = known.fitted.over_builds(), project_in(directory).workspace()
    commits = [head.metadata["buto.commit"] for head in firsts]
    last = store.load("program", firsts[-1].id)
    assert len(series_of(workspace, known, over, last, commits).builds) == 4


def test_a_command_that_cannot_start_is_an_entry_and_is_not_checked(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:NoSuchOption=1")
    entries = carry_out(tmp_path, forced=False)
    assert [(entry.action, entry.exit_code, entry.status) for entry in entries] == [(TRAIN, 3, "error")]
    assert entries[0].reasons
    assert carry_out(tmp_path, forced=False) == entries
