"""Two programs, and two revisions of one, launched in turns on real JVMs."""

from __future__ import annotations

import html
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from buto.run.store import RunStore
from tests.support.processes.command import buto

pytestmark = pytest.mark.all

SOURCE = """\
import java.util.ArrayList;
import java.util.List;

public final class Main {
    public static void main(String[] arguments) throws Exception {
        List<byte[]> kept = new ArrayList<>();
        for (int step = 0; step < 20; step++, Thread.sleep(15)) {
            kept.add(new byte[PAGES * 1024]);
        }
        System.out.println(kept.size());
    }
}
"""


def git(directory: Path, *words: str) -> str:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", *names, *words]
    return subprocess.run(
        command, cwd=directory, capture_output=True, text=True, timeout=120, check=True
    ).stdout


def test_two_revisions_are_built_launched_in_turns_and_distinguished(tmp_path: Path) -> None:
    """Nothing but runs stays behind: the working trees are gone, and what was not committed is untouched."""
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "--quiet")
    for pages in ("100", "1000"):
        (repository / "Main.java").write_text(SOURCE.replace("PAGES", pages))
        git(repository, "add", "Main.java")
        git(repository, "commit", "--quiet", "-m", pages)
    (repository / "Main.java").write_text("not committed")
    words = ("compare", "main", "--revisions", "HEAD~1", "HEAD", "--build", "javac -d out Main.java")
    few = ("--runs", "5", "--alpha", "0.05", "--interval", "50ms", "--timeout", "1min")
    command = ("--", "java", "-Xmx64m", "-cp", "out", "Main")
    done = buto(repository, *words, *few, "--markdown", "comment.md", *command)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.startswith("REGRESSION  main@HEAD against main@HEAD~1: ")
    again = shlex.join(["buto", *words, *few, *command])
    assert f"{again}  # repeats it here" in html.unescape((repository / "comment.md").read_text())
    # Ten times the live memory: no pool comes before the heap, whatever has the strongest evidence.
    first = done.stdout.splitlines()[0]
    assert re.search(r"keeps .* more|allocates .* more", first)
    assert "jvm.memory.used[" not in first
    store = RunStore(repository / ".buto")
    runs = [run for test in store.tests() for run in store.load_set(test, store.ids(test))]
    assert {(run.test, run.metadata["buto.commit"], run.metadata["buto.purpose"]) for run in runs} == {
        ("main@HEAD~1", git(repository, "rev-parse", "HEAD~1").strip(), "compare"),
        ("main@HEAD", git(repository, "rev-parse", "HEAD").strip(), "compare"),
    }
    assert sum(run.quality.valid for run in runs) == 10
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert git(repository, "status", "--short").split() == ["M", "Main.java", "??", "comment.md"]


def test_a_second_program_that_fails_ends_the_comparison(tmp_path: Path, classes: Path) -> None:
    java = ("java", "-cp", str(classes), "Does")
    done = buto(
        tmp_path, "compare", "good", "--", *java, "sleep", "100", "--against", "bad", "--", *java, "exit", "7"
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert "buto: bad: the program exited with code 7" in done.stderr
    # How often the other was launched before is up to the random order.
    store = RunStore(tmp_path / ".buto")
    (failed,) = store.ids("bad")
    assert max([*store.ids("good"), failed]) == failed
