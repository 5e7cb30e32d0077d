"""Runs from several machines judge one from a machine that is known or not, up to the HTML report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from buto.run.model import Run
from perf.fuzz.examples import whole
from tests.support.processes.command import called
from tests.support.runs.signals import Program, program_run
from tests.support.runs.stored import store

CONFIGURATION = """\
version: 1
tests:
  synthetic:
    command: [java, -jar, app.jar]
    judge: {method: machines, machines: {alpha: 0.05}}
"""


UNCHANGED = Program()


def run_in(host: str, number: int, program: Program = UNCHANGED, purpose: str = "train") -> Run:
    run = program_run(1, number, program)
    labels = {"environment.name": host, "environment.label.host": host, "environment.label.database": "17"}
    return replace(run, metadata={**run.metadata, **labels, "buto.purpose": purpose})


def test_a_run_on_a_machine_that_training_does_not_know_has_a_p_value(tmp_path: Path) -> None:
    (tmp_path / "buto.yaml").write_text(CONFIGURATION)
    machines = ("large", "small", "old")
    store(tmp_path, *(run_in(machines[number % 3], number) for number in range(21)))
    done = called(tmp_path, "train", "synthetic", "--from-runs", "all", exits=0)
    model = whole(tmp_path / "oracles" / "synthetic.json")["model"]
    assert "the mean over the run is 0 buffers on every machine" in json.dumps(model)
    *more, usual = store(
        tmp_path,
        *(run_in("cloud", number, Program(threads=30), purpose="check") for number in (51, 52, 53)),
        run_in("small", 54, purpose="check"),
    )
    files = ("--json", "result.json", "--html", "report.html")
    done = called(tmp_path, "check", "synthetic", "--from-runs", ",".join(more), *files, exits=1)
    assert "judged: adjusted for a machine that training does not know (3 environments)" in done.stdout
    (test,) = json.loads((tmp_path / "result.json").read_text())["tests"]
    assert [finding["subject"] for finding in test["verdict"]["findings"]] == ["jvm.thread.count"]
    assert test["verdict"]["p_value"] < test["verdict"]["alpha"] == 0.05
    page = (tmp_path / "report.html").read_text()
    assert "Adjusted for a machine that training does not know" in page
    for heading in ("Environments of the training runs", "Flagged counters", "What depends on the machine"):
        assert f"<h3>{heading}</h3>" in page
    done = called(tmp_path, "check", "synthetic", "--from-runs", usual, exits=0)
    assert "judged: among the 7 training runs of this machine (host=small)" in done.stdout


def test_a_selftest_says_what_it_did_on_environments_left_out(tmp_path: Path) -> None:
    (tmp_path / "buto.yaml").write_text(CONFIGURATION)
    machines = ("large", "small", "old")
    store(tmp_path, *(run_in(machines[number % 3], number) for number in range(27)))
    called(tmp_path, "train", "synthetic", "--from-runs", "all", exits=0)
    done = called(tmp_path, "selftest", "synthetic", "--training", "6")
    assert "no environment is left out: that takes 4 or more" in done.stdout
    store(tmp_path, *(run_in("cloud", 30 + number, Program(classes=900)) for number in range(5)))
    done = called(tmp_path, "selftest", "synthetic", "--training", "6")
    assert "on environments left out   fail in 25 % (± 25 %, clustered by environment)" in done.stdout
