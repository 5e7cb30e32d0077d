"""Recorded runs without an oracle: reports and pictures with curves, nothing judged."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from tests.support.processes.command import called
from tests.support.runs.stored import leaking_run, store


@pytest.fixture
def project(tmp_path: Path) -> Path:
    store(tmp_path, *(leaking_run(number) for number in range(3)))
    return tmp_path


def test_the_page_has_the_curves_of_all_runs_and_no_bands(project: Path) -> None:
    done = called(project, "report", "leaker", "--html", "page.html", "--json", "result.json", exits=0)
    assert done.stdout == "RECORDED  leaker: 3 runs, without an oracle\n"
    assert (
        "to learn an oracle from them: record 2 more runs, then buto train leaker --from-runs all"
        in done.stderr
    )
    page = (project / "page.html").read_text()
    data = json.loads(page.split('<script type="application/json" id="data">')[1].split("</script>")[0])
    assert len(data["checked"]) == 3
    assert data["panels"] and all(panel["band"] is None for panel in data["panels"])
    assert "3 recorded runs, without an oracle" in page
    result = json.loads((project / "result.json").read_text())
    jsonschema.validate(result, schemas.load("result"))
    (test,) = result["tests"]
    assert (test["status"], test["verdict"], len(test["runs"])) == ("recorded", None, 3)


def test_training_is_advised_at_once_where_the_runs_are_enough(project: Path) -> None:
    store(project, *(leaking_run(number) for number in (3, 4)))
    done = called(project, "report", "leaker", "-v")
    advice = done.stderr.partition("to learn an oracle from them: ")[2]
    assert advice.startswith("buto train leaker --from-runs all -- ")


def test_some_runs_are_named_by_their_ids(project: Path) -> None:
    [last] = store(project, leaking_run(5))
    done = called(project, "report", last, "--junitxml", "-", "-q", exits=0)
    assert 'failures="0" errors="0"' in done.stdout


def test_pictures_are_drawn_without_bands(project: Path) -> None:
    done = called(project, "plot", "leaker", "--out", "plots", "--format", "svg", exits=0)
    assert done.stdout == "plots/overview.svg\n"
    overview = (project / "plots" / "overview.svg").read_text()
    assert "3 recorded runs" in overview and "expected" not in overview
    picture = called(project, "plot", "leaker", "jvm.thread.count", "--out", "plots")
    assert picture.stdout == "plots/jvm.thread.count.png\n"


def test_an_oracle_that_was_named_must_be_there(project: Path) -> None:
    called(project, "report", "leaker", "--oracle", "missing.json", exits=4)
