"""``buto suggest`` and its page, on a made-up history of twenty checks: the whole loop of a user."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from buto.errors import EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_PASS, EXIT_REGRESSION, EXIT_USAGE
from buto.run.store import RunStore
from buto_replications.suggestions.suggest import suggest
from buto_replications.suggestions.suggestion import CheckShare, Truth
from tests.support.checkout import ROOT
from tests.support.pages import remade
from tests.support.processes.command import called
from tests.support.runs.past import (
    COLD,
    FALSE_ALARMS,
    LATER,
    LIKE_ACCEPTED,
    LIKE_FALSE_ALARM,
    LIKE_REGRESSION,
    N_CHECKS,
    REGRESSIONS,
    TEST,
    ids_of,
    make_history,
)
from tests.support.runs.stored import leaking_run, store

PAGE = ROOT / "replications" / "docs" / "suggestions.md"
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINES = re.compile(r"Write to buto.yaml:\n\n(.*?)\n\nthen: (.*)\n", re.DOTALL)


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The history; no test changes it."""
    directory = tmp_path_factory.mktemp("past")
    config = directory / "gitconfig"
    config.write_text("[user]\n\tname = Ada Byron\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", str(config))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        # The class path of the program is where it is started.
        patch.chdir(directory)
        make_history(directory)
    return directory


@pytest.fixture
def project(past: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the history."""
    directory = tmp_path / "project"
    shutil.copytree(past, directory)
    monkeypatch.chdir(directory)
    return directory


def apply(project: Path) -> None:
    """Do what ``buto suggest`` prints: add its lines to the configuration, and train again."""
    printed = LINES.search(called(project, "suggest", TEST).stdout)
    assert printed is not None
    (project / "buto.yaml").write_text(printed[1])
    called(project, *shlex.split(printed[2])[1:], exits=EXIT_PASS)


def checked(project: Path, day: int, *options: str) -> int:
    return called(project, "check", TEST, "--from-runs", ids_of(day), *options).returncode


def test_afterwards_a_like_false_alarm_passes_and_a_like_regression_fails(
    project: Path, tmp_path: Path
) -> None:
    # In a copy, for a check that fails labels its runs.
    before = tmp_path / "before"
    shutil.copytree(project, before)
    assert [checked(before, day) for day in LATER] == [EXIT_REGRESSION] * 3
    apply(project)
    assert checked(project, LIKE_FALSE_ALARM) == EXIT_PASS
    assert checked(project, LIKE_REGRESSION) == EXIT_REGRESSION
    assert checked(project, LIKE_ACCEPTED) == EXIT_REGRESSION


def test_checks_are_then_judged_as_was_said(project: Path) -> None:
    said = suggest(TEST)
    apply(project)
    for day in (*FALSE_ALARMS, *REGRESSIONS):
        [then] = [check.then for check in said.checks if ",".join(check.check.run_ids) == ids_of(day)]
        if day > max(alarm for alarm in FALSE_ALARMS if alarm < 12):
            # Later than the acceptance: the oracle at hand is that of their time.
            assert checked(project, day) == (EXIT_REGRESSION if then.fails else EXIT_PASS)


def test_what_is_suggested_is_true_of_the_history(project: Path) -> None:
    found = suggest(TEST)
    assert len(found.checks) == N_CHECKS
    assert (found.now.alarms, found.then.alarms) == (CheckShare(3, 17), CheckShare(0, 17))
    assert (found.now.found, found.then.found) == (CheckShare(2, 2), CheckShare(2, 2))
    # What was accepted was no false alarm, and is judged by the training before it.
    assert found.now.meant == CheckShare(1, 1)
    assert [check.check.reason for check in found.checks if check.check.truth is Truth.UNCHANGED] == [
        COLD
    ] * 3
    assert not (project / "buto.yaml").exists()


def test_the_document_has_everything(project: Path) -> None:
    done = called(project, "suggest", TEST, "--json", "-")
    document = json.loads(done.stdout)
    assert (document["format"], document["version"], document["test"]) == ("buto-suggestion", 1, TEST)
    assert document["minimum_effect"]["present"] == {}
    assert list(document["minimum_effect"]["suggested"]) == [
        "jvm.memory.heap.live",
        "jvm.memory.heap.used_after_last_gc",
    ]
    assert document["now"]["alarms"] == {"count": 3, "of": 17, "at_least": 0.038, "at_most": 0.4343}
    assert document["held_out"]["found"]["count"] == 2
    assert len(document["checks"]) == N_CHECKS
    assert "Write to buto.yaml" in done.stderr
    failed = [check for check in document["checks"] if check["truth"] == "unchanged"]
    assert {check["person"] for check in failed} == {"Ada Byron"}
    assert [check["then"]["fails"] for check in failed] == [False] * 3
    assert failed[0]["now"]["changes"][0]["subject"] == "jvm.memory.heap.live"


def test_a_failed_check_that_nobody_labelled_counts_as_a_regression(project: Path) -> None:
    assert checked(project, LIKE_FALSE_ALARM) == EXIT_REGRESSION
    done = called(project, "suggest", TEST)
    assert "Write to buto.yaml; 1 false alarm cannot be avoided:" in done.stdout
    assert "1 regression is labelled by the check alone" in done.stdout
    called(project, "label", TEST, ids_of(LIKE_FALSE_ALARM), "good", "--reason", COLD, exits=EXIT_PASS)
    assert "jvm.memory.heap.used_after_last_gc: 21MiB" in called(project, "suggest", TEST).stdout


def test_checks_without_their_runs_are_counted(project: Path) -> None:
    runs = RunStore(project / ".buto")
    runs.delete(TEST, ids_of(5).split(","))
    runs.delete(TEST, [run_id for run_id in runs.ids(TEST) if run_id.startswith("20260102")])
    done = called(project, "suggest", TEST)
    assert "1 check not judged again: the runs are deleted." in done.stdout
    assert "10 checks not judged again: the training runs are deleted." in done.stdout
    assert done.returncode == EXIT_PASS


def test_what_cannot_be_suggested_is_said(tmp_path: Path) -> None:
    called(tmp_path, "suggest", "leaker", exits=EXIT_BAD_FILE)
    store(tmp_path, *map(leaking_run, range(10)))
    train = ("train", "leaker", "--from-runs", "all", "--", "java", "Leaker")
    called(tmp_path, *train, exits=EXIT_PASS)
    done = called(tmp_path, "suggest", "leaker", exits=EXIT_NOT_JUDGED)
    assert "no check of 'leaker' can be judged again: the store has none" in done.stderr
    same = {"buto.session": leaking_run(23).id}
    ids = ",".join(
        store(tmp_path, *(leaking_run(n, leak=9.0, purpose="check", **same) for n in (23, 24, 25)))
    )
    called(tmp_path, "check", "leaker", "--from-runs", ids, exits=EXIT_REGRESSION)
    done = called(tmp_path, "suggest", "leaker", exits=EXIT_PASS)
    assert "Nothing to suggest" in done.stdout
    assert "after a false alarm: buto label leaker last good" in done.stdout
    (tmp_path / "buto.yaml").write_text("version: 1\ntests: {leaker: {judge: {method: thesis}}}\n")
    called(tmp_path, *train, exits=EXIT_PASS)
    done = called(tmp_path, "suggest", "leaker", exits=EXIT_USAGE)
    assert "must have minimum effects, as the default has, got thesis" in done.stderr


def test_what_the_page_shows_is_what_is_printed(project: Path) -> None:
    def printed(typed: str) -> str:
        done = called(project, *shlex.split(typed))
        assert done.stderr == "" or done.returncode == EXIT_REGRESSION, done.stderr
        return done.stdout

    assert remade(PAGE, "suggest [^\n]*", printed) == 1


def test_the_python_of_the_page_works(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [code] = PYTHON.findall(PAGE.read_text(encoding="utf-8"))
    exec(compile(code, str(PAGE), "exec"), {"project": project})
    assert capsys.readouterr().out.startswith("{'jvm.memory.heap.live': ")


def test_help_is_as_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    done = called(tmp_path, "suggest", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    golden = ROOT / "replications" / "tests" / "golden" / "suggest.txt"
    assert done.stdout == golden.read_text(encoding="utf-8")
