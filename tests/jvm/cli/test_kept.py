"""A kept program on real JVMs: it starts again after the original has changed, and decides in turns."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from buto.programs.java import text_of, words_of
from buto.run.store import RunStore
from tests.support.checkout import compile_java
from tests.support.judging import BY_HEAP, literal
from tests.support.processes.command import buto

MAIN = """
package acme;
public final class Main {
    public static void main(String[] words) throws Exception {
        System.out.write(java.nio.file.Files.readAllBytes(java.nio.file.Paths.get("data.txt")));
        System.out.println(": " + acme.lib.Size.KIB);
        java.util.List<byte[]> kept = new java.util.ArrayList<>();
        for (int step = 0; step < 20; step++) {
            kept.add(new byte[acme.lib.Size.KIB * 1024]);
            Thread.sleep(10);
        }
    }
}
"""
PROGRAMS = Path(".buto/programs")
"""What the pages on continuous integration say to cache: the programs that a check launches in turns."""

SIZE = "package acme.lib;\npublic final class Size { public static final int KIB = Integer.valueOf(%d); }\n"
PRINT = """
public final class Print {
    public static void main(String[] words) {
        for (String word : words) {
            word.chars().forEach(one -> System.out.printf("%02x", one));
            System.out.println();
        }
    }
}
"""


def build(project: Path, kib: int) -> None:
    """Build a jar whose manifest names another one, in which the program keeps so many KiB every 10 ms."""
    shutil.rmtree(project / "build", ignore_errors=True)
    sources = {"acme/Main.java": MAIN, "acme/lib/Size.java": SIZE % kib}
    for name, text in sources.items():
        path = project / "build/src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    classes = compile_java(project / "build/classes", (project / "build/src").rglob("*.java"))
    (project / "build/manifest").write_text("Main-Class: acme.Main\nClass-Path: lib/size%20of.jar\n")
    (project / "app/lib").mkdir(parents=True, exist_ok=True)
    for words in (
        ("cfm", "app/main.jar", "build/manifest", "-C", str(classes), "acme/Main.class"),
        ("cf", "app/lib/size of.jar", "-C", str(classes), "acme/lib"),
    ):
        subprocess.run(["jar", *words], cwd=project, check=True, timeout=60)


@pytest.mark.all
def test_before_a_check_fails_it_launches_the_kept_program(tmp_path: Path) -> None:
    """In a fresh job elsewhere, which has what is in git, and of ``.buto`` what is to be cached."""
    before, job = tmp_path / "before", tmp_path / "job"
    before.mkdir()
    (before / "buto.yaml").write_text(
        "version: 1\ntests:\n  shop: {command: java -Xmx256m -jar app/main.jar, runs: 5, interval: 50ms, "
        f"judge: {literal(BY_HEAP)}}}\n"
    )
    (before / "data.txt").write_text("read from the working directory")
    build(before, 1)
    done = buto(before, "train", "shop", "-v")
    assert done.returncode == 0, done.stderr
    assert "shop: kept the program: 2 files, " in done.stderr
    shutil.copytree(before, job, ignore=shutil.ignore_patterns("app", "build", ".buto"))
    shutil.copytree(before / PROGRAMS, job / PROGRAMS)
    shutil.rmtree(before)
    build(job, 1500)
    done = buto(job, "check", "shop")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"launched \d+ and \d+ times in random order, differ", done.stdout)
    assert "next: buto why shop  # which code did it" in done.stdout
    old = RunStore(job / ".buto").load_set("shop@trained")
    assert {run.stdout for run in old} == {b"read from the working directory: 1\n"}

    explained = buto(job, "why", "shop", "--kinds", "allocation")
    assert explained.returncode == 0, explained.stderr
    assert "acme.Main.main" in explained.stdout
    assert "is stored and" not in explained.stdout


@pytest.fixture(scope="module")
def printing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class path of a program that prints its words."""
    top = tmp_path_factory.mktemp("print")
    (top / "Print.java").write_text(PRINT)
    return compile_java(top / "classes", [top / "Print.java"])


def launched(classes: Path, text: str, directory: Path) -> list[str]:
    """Return the program's words as the launcher itself reads them from an argument file."""
    (directory / "arguments").write_text(text, newline="")
    done = subprocess.run(
        ["java", "-cp", str(classes), f"@{directory / 'arguments'}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [bytes.fromhex(line).decode() for line in done.stdout.splitlines()]


def test_argument_files_are_read_and_written_as_the_launcher_reads_them(
    printing: Path, tmp_path: Path
) -> None:
    source = random.Random(7)
    for _ in range(15):
        text = "Print " + "".join(source.choices("abn'\"\\# \t\n\r\f@", k=1500))
        assert words_of(text)[1:] == launched(printing, text, tmp_path)
    words = ["".join(source.choices("abn'\"\\# \t\n\r\f@", k=number % 9)) for number in range(200)]
    assert launched(printing, text_of(["Print", *words]), tmp_path) == words
