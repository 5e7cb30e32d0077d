"""Prior tests from two environments judge a run from a third one, from stored runs to the HTML report."""

import json
from dataclasses import replace

from tests.support.processes.command import called
from tests.support.runs.signals import Program, program_run
from tests.support.runs.stored import store

CONFIGURATION = """\
version: 1
tests:
  synthetic:
    command: [java, -jar, app.jar]
    judge: {method: foo}
"""


def run_in(host, number, threads=0, purpose="train"):
    run = program_run(1, number, Program(threads=threads))
    labels = {"environment.name": host, "environment.label.host": host, "environment.label.database": "17"}
    return replace(run, metadata={**run.metadata, **labels, "buto.purpose": purpose})


def test_a_run_of_an_environment_never_seen_is_judged(tmp_path):
    (tmp_path / "buto.yaml").write_text(CONFIGURATION)
    store(tmp_path, *(run_in("large" if number < 6 else "small", number) for number in range(9)))
    done = called(tmp_path, "train", "synthetic", "--from-runs", "all")
    assert done.returncode == 0, done.stderr
    stored = json.loads((tmp_path / "oracles" / "synthetic.json").read_text())
    assert stored["judge"]["method"] == "foo"
    usual, more = store(
        tmp_path, run_in("cloud", 50, purpose="check"), run_in("cloud", 51, threads=30, purpose="check")
    )
    done = called(tmp_path, "check", "synthetic", "--from-runs", usual)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the environment shares 3 of 4 components" in done.stdout
    done = called(
        tmp_path, "check", "synthetic", "--from-runs", more, "--json", "result.json", "--html", "report.html"
    )
    assert done.returncode == 1, done.stdout + done.stderr
    (test,) = json.loads((tmp_path / "result.json").read_text())["tests"]
    (finding,) = test["verdict"]["findings"]
    assert (finding["subject"], finding["direction"]) == ("jvm.thread.count", "more")
    assert "9 of 9 prior tests say so" in finding["text"]
    page = (tmp_path / "report.html").read_text()
    for heading in ("Environments of the prior tests", "Flagged counters"):
        assert f"<h3>{heading}</h3>" in page
