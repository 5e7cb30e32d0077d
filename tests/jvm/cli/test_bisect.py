"""A planted regression found among commits on real JVMs, and named; the rest of bisect is scripted."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.run.labels import Label, LabelStore, current
from buto.run.store import RunStore
from tests.support.judging import BY_MULTIPLES, know_a_busy_machine, literal
from tests.support.processes.command import buto

SOURCE = """\
public final class Main extends Thread {
    static final int WAITING = 1;
    public static void main(String[] arguments) throws Exception {
        for (int number = 0; number < WAITING; number++) {
            Thread waiting = new Main();
            waiting.setDaemon(true);
            waiting.start();
        }
        Thread.sleep(300);
    }
    @Override public synchronized void run() {
        try { wait(); } catch (InterruptedException end) { }
    }
}
"""
CONFIG = f"""\
version: 1
tests:
  waiter:
    command: [java, -Xmx64m, -XX:+UseSerialGC, Main]
    working-directory: out
    interval: 100ms
    timeout: 1min
    inputs: [Main.java]
    judge: {literal(BY_MULTIPLES)}
"""
BUILD = "javac -d out Main.java"
DEADLINE_S = 300.0

pytestmark = [pytest.mark.all, pytest.mark.timeout(900)]


def git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=A U Thor", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *names, *words], cwd=directory, capture_output=True, text=True, timeout=120, check=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four commits: the second does not compile, the last starts more threads."""
    top = tmp_path_factory.mktemp("repository")
    git(top, "init", "--quiet")
    (top / ".gitignore").write_text("out/\n.buto/\n")
    (top / "buto.yaml").write_text(CONFIG)
    more = SOURCE.replace("WAITING = 1;", "WAITING = 400;")
    for subject, source in {
        "first": SOURCE,
        "half done": SOURCE + "no Java\n",
        "another remark": SOURCE + "// another remark\n",
        "a thread for each customer": more,
    }.items():
        (top / "Main.java").write_text(source)
        git(top, "add", "--all")
        git(top, "commit", "--quiet", "-m", subject)
    (top / "Main.java").write_text(SOURCE)
    subprocess.run(BUILD.split(), cwd=top, check=True, timeout=DEADLINE_S)
    trained = buto(top, "train", "--runs", "5", timeout_s=DEADLINE_S)
    assert trained.returncode == 0, trained.stderr
    know_a_busy_machine(top / "oracles" / "waiter.json")
    (top / "Main.java").write_text("not committed")
    return top


def bisect(top: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return buto(top, "bisect", "waiter", *words, timeout_s=DEADLINE_S)


def untouched(top: Path) -> None:
    """The files and the branch of the user's are as they were, and no other working tree is left."""
    assert (top / "Main.java").read_text() == "not committed"
    assert git(top, "status", "--short").split("\n") == ["M Main.java", "?? oracles/"]
    assert git(top, "symbolic-ref", "--short", "HEAD")
    assert len(git(top, "worktree", "list").splitlines()) == 1


def test_the_commit_is_found_and_convicted(repository: Path, tmp_path: Path) -> None:
    words = ("HEAD~3", "HEAD", "-v", "--build", BUILD, "--json", "result.json")
    done = bisect(repository, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    guilty = git(repository, "rev-parse", "HEAD")
    lines = done.stdout.splitlines()
    assert lines[:2] == [f"FIRST BAD  waiter: {guilty}", "  a thread for each customer"]
    assert lines[2].startswith("  A U Thor <a@example.org>, 20")
    assert lines[3].startswith("REGRESSION  waiter: ")
    # The commit against its parent names what starts the threads, whatever else rose on this machine.
    assert re.search(r"^ *cause +threads\.started +Main\.main ", done.stdout, re.MULTILINE), (
        done.stdout + done.stderr
    )
    result = json.loads((repository / "result.json").read_text())
    (repository / "result.json").unlink()
    jsonschema.validate(result, schemas.load("result"))
    assert (result["first_bad"]["name"], result["exit_code"]) == (guilty, 0)
    (test,) = result["tests"]
    assert test["status"] == "regression"
    subjects = {finding["subject"] for finding in test["verdict"]["findings"]}
    assert subjects & {"jvm.thread.count", "jvm.thread.started"}, (test["verdict"], done.stdout[:2500])
    assert {run["commit"].removesuffix("+dirty") for run in test["runs"]} == {guilty}
    untouched(repository)
    labels = current(LabelStore(repository / ".buto").all("waiter"))
    for label, commit in ((Label.BAD, guilty), (Label.GOOD, git(repository, "rev-parse", "HEAD~1"))):
        judged = [
            run
            for run, run_label in labels.items()
            if (run_label.label, run_label.command) == (label, "bisect")
        ]
        runs = RunStore(repository / ".buto").load_set("waiter", judged)
        assert {str(run.metadata["buto.commit"]).removesuffix("+dirty") for run in runs} == {commit}
    # What was judged is kept, but teaches nothing unless it is named.
    assert len(RunStore(repository / ".buto").ids("waiter")) > 3
    elsewhere = ("--oracle", os.fspath(tmp_path / "again.json"))
    again = buto(repository, "train", "waiter", "--from-runs", "all", *elsewhere)
    assert "TRAINED  waiter: 5 runs" in again.stdout
    shown = next(line for line in lines if "next: buto plot" in line)
    assert test["runs"][0]["id"] in shown
