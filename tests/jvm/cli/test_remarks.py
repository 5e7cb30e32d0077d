"""What train says of the runs themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes.command import called


@pytest.fixture(autouse=True)
def judged_by_few(tmp_path: Path) -> None:
    """Three runs are enough to say what there is to be said of them."""
    judge = "{judge: {method: thesis, thesis: {window: 1}}}"
    (tmp_path / "buto.yaml").write_text(f"version: 1\ntests: {{two: {judge}, odd: {judge}}}\n")


@pytest.mark.all
def test_of_several_jvms_train_and_runs_show_name_the_measured_one(tmp_path: Path, classes: Path) -> None:
    java = f"java -cp {classes} Does"
    command = ("sh", "-c", f"java -version; {java} sleep 400; {java} sleep 0")
    done = called(tmp_path, "train", "two", "--runs", "3", "--", *command)
    assert done.returncode == 0, done.stderr
    assert "two: measured Does; also seen: Does (--jvm PATTERN" in done.stderr
    assert "samples each" not in done.stderr
    (show,) = [
        line
        for line in called(tmp_path, "runs", "show", "two").stdout.splitlines()
        if line.startswith("jvm:")
    ]
    assert "Does; also seen: Does" in show


@pytest.mark.all
def test_a_program_that_is_too_short_for_its_interval_is_reported(tmp_path: Path, classes: Path) -> None:
    command = ("java", "-cp", str(classes), "Does", "sleep", "0")
    done = called(tmp_path, "train", "short", "--runs", "5", "--interval", "2s", "-v", "--", *command)
    assert done.returncode == 0, done.stderr
    assert "short: measured Does\n" in done.stderr
    assert "the runs have only 2 samples each, too few to show a curve: --interval 10ms" in done.stderr


def test_a_program_that_fails_behind_a_wrapper_ends_the_training(tmp_path: Path, classes: Path) -> None:
    command = ("sh", "-c", f"java -cp {classes} Does exit 3 | cat; exit 0")
    done = called(tmp_path, "train", "piped", "--runs", "5", "--interval", "1s", "--", *command)
    assert done.returncode == 3
    assert "the measured JVM " in done.stderr
    assert done.stderr.count("not usable") == 1


@pytest.mark.parametrize(
    ("does", "fault", "advice"),
    [
        ("memory", "it ran out of memory (java.lang.OutOfMemoryError: Java heap space)", "a larger heap"),
        (
            "throw",
            "an exception ended its main method (java.lang.IllegalStateException: no catalogue)",
            "correct what the exception says",
        ),
        (
            "input",
            "it read its standard input, which is empty under buto; an exception ended its main method (",
            "sh -c 'exec java ... < input.txt'",
        ),
        (
            "lines 1",
            "it read its standard input, which is empty under buto\n",
            "sh -c 'exec java ... < input.txt'",
        ),
    ],
)
def test_the_fault_that_ended_a_program_is_reported(
    tmp_path: Path, classes: Path, does: str, fault: str, advice: str
) -> None:
    command = ("java", "-Xmx16m", "-cp", str(classes), "Does", *does.split())
    done = called(tmp_path, "train", "faulty", "--runs", "5", "--interval", "1s", "--", *command)
    assert done.returncode == 3
    assert f"exited with code 1: {fault}" in done.stderr
    (tried,) = [line for line in done.stderr.splitlines() if line.startswith("try:")]
    assert advice in tried


def test_the_input_that_was_advised_is_read(tmp_path: Path, classes: Path) -> None:
    (tmp_path / "input.txt").write_text("a line\n")
    command = ("sh", "-c", f"exec java -cp {classes} Does input < input.txt")
    done = called(tmp_path, "record", "reader", "--runs", "1", "--", *command)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "remark"),
    [
        (
            ("Does", "worker"),
            "in 3 of 3 runs the program printed a fault and still exited with code 0: it ran",
        ),
        pytest.param(
            ("Does", "lines"),
            "in 3 of 3 runs the program read its standard input, which is empty under buto",
            marks=pytest.mark.all,
        ),
        pytest.param(
            ("Does", "child", "300"),
            "the command left 1 process running at its end, which buto ended",
            marks=pytest.mark.all,
        ),
    ],
)
def test_remarks_on_the_program_in_usable_runs_are_warnings(
    tmp_path: Path, classes: Path, words: tuple[str, ...], remark: str
) -> None:
    command = ("java", "-Xmx16m", "-cp", str(classes), *words)
    done = called(tmp_path, "train", "odd", "--runs", "3", "--interval", "1s", "--", *command)
    assert done.returncode == 0, done.stderr
    assert f"warning: odd: {remark}" in done.stderr
    assert ("standard input" in done.stderr) is ("standard input" in remark)
