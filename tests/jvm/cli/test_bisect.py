"""A planted regression found among commits on real JVMs, and only what a change concerns checked there."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.run.labels import Label, LabelStore, current
from buto.run.store import RunStore
from tests.support.judging import BY_MULTIPLES, know_a_busy_machine, literal
from tests.support.jvm.harness import harness, until
from tests.support.processes.command import buto, called

SOURCE = """\
public final class Main extends Thread {
    static final int WAITING = 1;
    public static void main(String[] arguments) throws Exception {
        for (int number = 0; number < WAITING; number++) {
            Thread waiting = new Main();
            waiting.setDaemon(true);
            waiting.start();
        }
        Thread.sleep(600);
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
    interval: 200ms
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
    """Six commits: the third does not compile, the fifth starts more threads; the oracle is not committed."""
    top = tmp_path_factory.mktemp("repository")
    git(top, "init", "--quiet")
    (top / ".gitignore").write_text("out/\n.buto/\n")
    (top / "buto.yaml").write_text(CONFIG)
    more = SOURCE.replace("WAITING = 1;", "WAITING = 400;")
    for subject, source in {
        "first": SOURCE,
        "a remark": SOURCE + "// a remark\n",
        "half done": SOURCE + "no Java\n",
        "another remark": SOURCE + "// another remark\n",
        "a thread for each customer": more,
        "a last remark": more + "// a last remark\n",
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
    words = ("HEAD~5", "HEAD", "-v", "--build", BUILD, "--json", "result.json")
    done = bisect(repository, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    guilty = git(repository, "rev-parse", "HEAD~1")
    lines = done.stdout.splitlines()
    assert lines[:2] == [f"FIRST BAD  waiter: {guilty}", "  a thread for each customer"]
    assert lines[2].startswith("  A U Thor <a@example.org>, 20")
    assert lines[3].startswith("REGRESSION  waiter: ")
    assert "  jvm.thread.count  " in done.stdout
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
    assert {run["commit"].removesuffix("+dirty") for run in test["runs"]} == {guilty}
    untouched(repository)
    labels = current(LabelStore(repository / ".buto").all("waiter"))
    for label, commit in ((Label.BAD, guilty), (Label.GOOD, git(repository, "rev-parse", "HEAD~2"))):
        judged = [run for run, one in labels.items() if (one.label, one.command) == (label, "bisect")]
        runs = RunStore(repository / ".buto").load_set("waiter", judged)
        assert {str(run.metadata["buto.commit"]).removesuffix("+dirty") for run in runs} == {commit}
    # What was judged is kept, but teaches nothing unless it is named.
    assert len(RunStore(repository / ".buto").ids("waiter")) > 3
    elsewhere = ("--oracle", os.fspath(tmp_path / "again.json"))
    again = buto(repository, "train", "waiter", "--from-runs", "all", *elsewhere)
    assert "TRAINED  waiter: 5 runs" in again.stdout
    shown = next(line for line in lines if "next: buto plot" in line)
    assert test["runs"][0]["id"] in shown


def test_what_is_not_good_or_not_bad_is_reported_before_anything_is_looked_for(repository: Path) -> None:
    once = ("--build", BUILD, "--runs", "3")
    good = bisect(repository, "HEAD~1", "HEAD", *once)
    assert (good.returncode, good.stdout) == (3, "")
    assert "buto: GOOD (HEAD~1, " in good.stderr
    assert "does not pass: " in good.stderr
    bad = bisect(repository, "HEAD~5", "HEAD~4", *once)
    assert (bad.returncode, bad.stdout) == (3, "")
    assert "buto: BAD (HEAD~4, " in bad.stderr
    assert "does not fail: " in bad.stderr
    broken = bisect(repository, "HEAD~3", "HEAD", *once)
    assert (broken.returncode, broken.stdout) == (3, "")
    assert "cannot be judged: --build: javac -d out Main.java exited with code 1" in broken.stderr
    untouched(repository)


def test_what_hides_behind_commits_that_do_not_build_is_narrowed_down(repository: Path) -> None:
    build = "sh -c 'grep -q another Main.java && exit 7; javac -d out Main.java'"
    done = bisect(repository, "HEAD~4", "HEAD~1", "--build", build, "--runs", "3")
    assert (done.returncode, done.stdout) == (3, "")
    printed = done.stderr.partition(
        "buto: the first bad commit is one of these; all but one of them were skipped:\n"
    )[2]
    assert {line.split("  ")[2] for line in printed.splitlines()[:3]} == {
        "half done",
        "another remark",
        "a thread for each customer",
    }
    assert "skipped: --build: sh -c" in printed
    assert "exited with code 7" in printed
    untouched(repository)


def test_what_cannot_be_bisected_is_wrong_usage(repository: Path, tmp_path: Path) -> None:
    for words, printed in {
        ("HEAD", "HEAD"): "GOOD and BAD are the same commit",
        ("HEAD", "HEAD~2"): "is before GOOD",
        ("v0", "HEAD"): "has no revision 'v0'",
        ("HEAD~1", "HEAD", "--build", "no-such-program"): "cannot be judged: --build: no-such-program",
    }.items():
        done = called(repository, "bisect", "waiter", *words)
        assert done.returncode == (3 if "--build" in words else 2), done.stderr
        assert printed in done.stderr
    oracle = os.fspath(repository / "oracles" / "waiter.json")
    nowhere = called(tmp_path, "bisect", "waiter", "a", "b", "--oracle", oracle)
    assert nowhere.returncode == 2
    assert "is in no git repository" in nowhere.stderr


def test_ctrl_c_leaves_nothing_behind(repository: Path, tmp_path: Path) -> None:
    """While a commit is built, in a process group of its own as from a shell."""
    build = f"sh -c 'touch {tmp_path}/begun; exec sleep 600'"
    words = ("-m", "buto", "bisect", "waiter", "HEAD~5", "HEAD", "--build", build)
    with harness(repository, *words, TMPDIR=str(tmp_path)) as bisecting:
        until((tmp_path / "begun").exists, "no commit is built")
        assert len(git(repository, "worktree", "list").splitlines()) == 2
        os.killpg(bisecting.process.pid, signal.SIGINT)
        assert bisecting.ended() == 130
        bisecting.assert_alone()
        printed = bisecting.printed()
    (repository / "tmp").rmdir()
    assert "stopped by Ctrl-C" in printed
    assert "Traceback" not in printed
    assert [path.name for path in tmp_path.iterdir()] == ["begun"]
    untouched(repository)
