"""What train says of the runs themselves."""

from __future__ import annotations

from pathlib import Path

from tests.support.processes.command import buto


def test_of_several_jvms_train_and_runs_show_name_the_measured_one(tmp_path: Path, classes: Path) -> None:
    java = f"java -cp {classes} Does"
    command = ("sh", "-c", f"java -version; {java} sleep 400; {java} sleep 0")
    done = buto(tmp_path, "train", "two", "--runs", "5", "--", *command)
    assert done.returncode == 0, done.stderr
    assert "two: measured Does; also seen: (no main class), Does (--jvm PATTERN" in done.stderr
    assert "samples each" not in done.stderr
    (show,) = [
        line for line in buto(tmp_path, "runs", "show", "two").stdout.splitlines() if line.startswith("jvm:")
    ]
    assert "Does; also seen: (no main class), Does" in show


def test_a_program_that_is_too_short_for_its_interval_is_told(tmp_path: Path, classes: Path) -> None:
    command = ("java", "-cp", str(classes), "Does", "sleep", "0")
    done = buto(tmp_path, "train", "short", "--runs", "5", "-v", "--", *command)
    assert done.returncode == 0, done.stderr
    assert "short: measured Does\n" in done.stderr
    assert "the runs have only 2 samples each, too few to show a curve: --interval 10ms" in done.stderr


def test_a_program_that_fails_behind_a_wrapper_ends_the_training(tmp_path: Path, classes: Path) -> None:
    command = ("sh", "-c", f"java -cp {classes} Does exit 3 | cat; exit 0")
    done = buto(tmp_path, "train", "piped", "--runs", "5", "--", *command)
    assert done.returncode == 3
    assert "the measured JVM " in done.stderr
    assert done.stderr.count("not usable") == 1


def test_a_time_limit_is_one_number(tmp_path: Path, classes: Path) -> None:
    command = ("java", "-cp", str(classes), "Does", "hang")
    done = buto(tmp_path, "record", "hanging", "--timeout", "1500ms", "--", *command)
    assert done.stderr.count("was stopped at its time limit of 1.5 s") == 2
