"""Names in settings and trailers that match nothing are said, and those that another run may have are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.actions import collecting
from buto.actions.accept_only import AcceptOnlyRequest, accept_only
from buto.actions.check import CheckRequest, check
from buto.actions.project import Overrides
from buto.actions.train import TrainRequest, train
from buto.actions.unmatched import is_unknown
from buto.errors import UsageError
from buto.report.result import Result
from tests.support.processes.command import called
from tests.support.processes.repository import git
from tests.support.projects import project_in
from tests.support.runs.scripted import Script
from tests.support.runs.stored import NAMES, leaking_run, store

CONFIG = """\
version: 1
tests:
  leaker:
    command: [java, Main]
    judge: {minimum-effect: {jvm.memory.allocate: 5%, jvm.memory.heap.live: 2%, "jvm.gc.time[[]ZGC*": never}}
    budget: {jvm.memory.heap.lives: 5%}
"""


@pytest.mark.parametrize(
    "name",
    [
        "jvm.memory.allocate",
        "jvm.memory.allocations*",
        "process.io.bytes[reads]",
        "com.acme:type=Pool/Size",
    ],
)
def test_a_name_that_no_run_has_is_unknown(name: str) -> None:
    assert is_unknown(name, NAMES)


@pytest.mark.parametrize(
    "name",
    [
        *NAMES,
        "*",
        "jvm.memory.*",
        "jvm.memory.*Eden*",
        "jvm.memory.used[[]ZHeap*",
        "jvm.memory.used[G1 Old Gen]",
        "jvm.gc.count[ZGC Cycles]",
        "jvm.buffer.memory.used[direct]",
        "jvm.buffer.memory.used[[]direct]",
        "jvm.thread.virtual.count",
        "process.io.bytes[read]",
    ],
)
def test_a_name_that_another_jdk_or_collector_has_is_known(name: str) -> None:
    assert not is_unknown(name, NAMES)


def test_training_and_check_warn_of_settings_that_name_nothing(tmp_path: Path) -> None:
    (tmp_path / "buto.yaml").write_text(CONFIG)
    store(tmp_path, *(leaking_run(number) for number in range(10)))
    trained = called(tmp_path, "train", "leaker", "--from-runs", "all", exits=0)
    (checked,) = store(tmp_path, leaking_run(20, purpose="check"))
    done = called(tmp_path, "check", "leaker", "--from-runs", checked)
    for text in (trained.stderr, done.stdout):
        assert "jvm.memory.allocate names no property of this test" in text
        assert "jvm.memory.heap.live names" not in text
        assert "ZGC" not in text
    assert "budget: jvm.memory.heap.lives names" in trained.stderr
    assert "did you mean jvm.memory.heap.live?" in trained.stderr


def commit_all(directory: Path, message: str) -> str:
    git(directory, "add", "--all", ":!.buto")
    git(directory, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(directory, "rev-parse", "HEAD").strip()


class Repository:
    """A test whose program and oracle are in git."""

    def __init__(self, directory: Path, script: Script) -> None:
        self.directory, self.script = directory, script
        git(directory, "init", "--quiet", "--initial-branch=main")
        (directory / "app.jar").write_text("as trained")
        self.head = commit_all(directory, "The program")

    def train(self, state: str = "") -> Result:
        runs = [leaking_run(number, **{"buto.commit": f"{self.head}{state}"}) for number in range(10)]
        self.script.events["leaker"] = iter(runs)
        (result,) = train(
            project_in(self.directory), TrainRequest(("leaker",), Overrides(command=("java", "Main")))
        ).results
        commit_all(self.directory, "Train")
        return result

    def check(self, message: str) -> Result:
        head = commit_all(self.directory, message)
        runs = [leaking_run(number, leak=1.6, **{"buto.commit": head}) for number in range(20, 33)]
        self.script.events["leaker"] = iter(runs)
        self.script.events["leaker@trained"] = iter(
            leaking_run(number, **{"buto.commit": head}) for number in range(40, 50)
        )
        (result,) = check(project_in(self.directory), CheckRequest(("leaker",))).results
        return result


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    script = Script({})
    monkeypatch.setattr(collecting, "collect", script.collect)
    monkeypatch.chdir(tmp_path)
    return Repository(tmp_path, script)


def warnings_of(result: Result) -> str:
    return "\n".join(result.warnings if result.verdict is None else result.verdict.warnings)


@pytest.mark.parametrize(
    ("trailer", "warning"),
    [
        ("leaker jvm.memory.heap.lives +30% pages", "has no property jvm.memory.heap.lives"),
        ("laeker jvm.memory.heap.live +30% pages", "no test is called 'laeker'"),
        ("other jvm.memory.heap.live +30% pages", ""),
        ("leaker jvm.memory.used[ZHeap] +30% pages", ""),
    ],
)
def test_a_trailer_that_accepts_nothing_is_said(repository: Repository, trailer: str, warning: str) -> None:
    elsewhere = repository.directory / "module" / "oracles"
    elsewhere.mkdir(parents=True)
    (elsewhere / "other.json").write_text("{}")
    repository.train()
    result = repository.check(f"Keep pages\n\nButo-Accepts: {trailer}")
    assert warning in warnings_of(result)
    assert ("Buto-Accepts" in warnings_of(result)) is bool(warning)


def test_an_oracle_without_a_commit_says_that_no_trailer_counts(repository: Repository) -> None:
    assert "no Buto-Accepts of a later commit counts" in warnings_of(repository.train("+dirty"))
    assert "Buto-Accepts" not in warnings_of(repository.check("Keep pages"))
    result = repository.check("Keep pages\n\nButo-Accepts: leaker jvm.memory.heap.live +90% pages")
    assert "no Buto-Accepts counts: the oracle knows no commit" in warnings_of(result)
    with pytest.raises(UsageError, match="knows no commit"):
        accept_only(
            project_in(repository.directory), AcceptOnlyRequest("leaker", "jvm.memory.heap.live", "pages")
        )


def test_a_malformed_trailer_is_an_error_also_where_none_counts(repository: Repository) -> None:
    repository.train("+dirty")
    with pytest.raises(UsageError, match="the size must begin with"):
        repository.check("Keep pages\n\nButo-Accepts: leaker jvm.memory.heap.live 90% pages")
