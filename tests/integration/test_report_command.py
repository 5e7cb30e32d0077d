"""buto report, the report options of check, and buto history, on stored runs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from buto import schemas
from tests.support.processes.command import called
from tests.support.runs.qualities import starved
from tests.support.runs.stored import leaking_run, store

COMMAND = ("--", "java", "-cp", "app.jar", "Main")
COMMIT = "0123456789012345678901234567890123456789"
GOOD, BROKEN = leaking_run(20).id, leaking_run(24).id
BAD = tuple(leaking_run(number).id for number in (21, 22, 23))
"""Three runs, because one never fails alone."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An oracle of ten runs, a check that passed (20), one that failed (21 to 23); a starved run."""
    directory = tmp_path_factory.mktemp("project")
    store(directory, *(leaking_run(number) for number in range(10)))
    called(directory, "train", "leaker", "--from-runs", "all", *COMMAND, exits=0)
    commit = {"buto.commit": COMMIT}
    store(
        directory,
        leaking_run(20, purpose="check", **commit),
        *(
            leaking_run(number, leak=3.0, purpose="check", **commit, **{"buto.session": BAD[0]})
            for number in (21, 22, 23)
        ),
    )
    store(directory, leaking_run(24, quality=starved("it was starved", missed_share=0.5)))
    for run_ids, code in ((GOOD, 0), (",".join(BAD), 1)):
        called(directory, "check", "leaker", "--from-runs", run_ids, exits=code)
    return directory


def test_every_report_is_written_from_stored_runs(project: Path) -> None:
    options = {
        "html": "r.html",
        "junitxml": "r.xml",
        "markdown": "r.md",
        "bencher": "b.json",
        "json": "r.json",
    }
    typed = [word for name, file in options.items() for word in (f"--{name}", file)]
    done = called(project, "report", "leaker", *typed, "--github")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("REGRESSION  leaker: without turns, keeps ")
    assert done.stdout.splitlines()[-1].startswith("::error file=oracles/leaker.json,title=buto leaker")
    assert (project / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert ElementTree.parse(project / "r.xml").findtext(".//failure") in done.stdout
    assert (project / "r.md").read_text().startswith("<!-- buto: leaker -->\n")
    assert "leaker jvm.memory.heap.used" in json.loads((project / "b.json").read_text())
    result = json.loads((project / "r.json").read_text())
    jsonschema.validate(result, schemas.load("result"))
    assert (result["command"], result["exit_code"], result["tests"][0]["status"]) == (
        "report",
        0,
        "regression",
    )


def test_runs_of_one_test_are_judged_together_and_unusable_ones_are_named(project: Path) -> None:
    done = called(project, "report", GOOD, *BAD, BROKEN, GOOD, "-v", "--markdown", "v.md")
    assert "wrote v.md" in done.stderr
    done = called(project, "report", GOOD, *BAD, BROKEN, GOOD, "--json", "-")
    [test] = json.loads(done.stdout)["tests"]
    assert [run["id"] for run in test["runs"]] == [GOOD, *BAD, BROKEN]
    assert test["verdict"]["run_ids"] == [GOOD, *BAD]
    alone = called(project, "report", BROKEN)
    assert alone.stdout.startswith("INCONCLUSIVE  leaker: could not be judged\n  because: run ")


def test_several_tests_have_a_page_each_and_one_file_of_all_else(project: Path) -> None:
    store(
        project,
        *(leaking_run(number, test="other/one") for number in range(5)),
        leaking_run(30, test="other/one"),
    )
    called(project, "train", "other/one", "--from-runs", "all", *COMMAND, exits=0)
    done = called(
        project,
        "report",
        *BAD,
        leaking_run(30, test="other/one").id,
        "--html",
        "all.html",
        "--junitxml",
        "all.xml",
        exits=0,
    )
    assert {path.name for path in project.glob("all-*")} == {"all-leaker.html", "all-other%2Fone.html"}
    assert len(ElementTree.parse(project / "all.xml").findall(".//testcase")) == 2
    done = called(project, "report", *BAD, leaking_run(30, test="other/one").id, "--html", "-", exits=2)
    assert "buto: --html -: standard output can take one page, got 2" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "fault"),
    [
        (("report",), 2, "the following arguments are required: RUN"),
        (("report", "nonsense"), 4, "there is neither a run nor a test 'nonsense' in .buto"),
        (("report", "nonsense", "--store", "my runs"), 4, "buto runs list --store 'my runs'\n"),
        (("report", *BAD, "--oracle", "none.json"), 4, "none.json does not exist"),
        (("report", *BAD, "--html", "no/x.html"), 3, "--html: the directory no does not exist"),
        (("report", *BAD, "--markdown", "oracles"), 3, "--markdown: oracles cannot be written"),
        (
            ("report", *BAD, "--json", "-", "--html", "-"),
            2,
            "only one of --json and --html can go to standard output",
        ),
        (("history", "nobody"), 4, ".buto holds no results of 'nobody'"),
        (("history", "leaker", "x"), 2, "the history of 'leaker' has no property 'x'"),
        (("history", "leaker", "--plot", "x.gif"), 2, "must end with .png or .svg, got x.gif"),
        (("history", "leaker", "--last", "0"), 2, "must be from 1 to"),
        (("history", "leaker", "--otava", "oracles"), 3, "oracles cannot be written"),
    ],
)
def test_wrong_input_ends_in_one_message(
    project: Path, words: tuple[str, ...], code: int, fault: str
) -> None:
    done = called(project, *words, exits=code)
    assert fault in done.stderr


def test_check_writes_the_same_reports_and_exits_by_the_verdict(project: Path) -> None:
    done = called(
        project,
        "check",
        "leaker",
        "--from-runs",
        ",".join(BAD),
        "--junitxml",
        "c.xml",
        "--markdown",
        "-",
        exits=1,
    )
    assert done.stdout.startswith("<!-- buto: leaker -->\n")
    assert done.stderr.startswith("REGRESSION  leaker")
    suite = ElementTree.parse(project / "c.xml").find("testsuite")
    assert suite is not None
    assert suite.get("failures") == "1"


def test_history_has_the_checks_with_their_commits_and_where_the_oracle_was_trained(project: Path) -> None:
    done = called(project, "history", "leaker", "jvm.memory.heap.used", "--plot", "h.svg", "--otava", "h.csv")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("leaker: 2 checks, 1 training")
    rows = [line.split() for line in lines if line.startswith("20")]
    assert [row[2:4] for row in rows] == [
        ["012345678", "pass"],
        ["012345678", "regression"],
        ["ORACLE", "TRAINED"],
    ]
    assert (project / "h.svg").read_text().rstrip().endswith("</svg>")
    table = list(csv.reader(io.StringIO((project / "h.csv").read_text())))
    assert table[0] == ["time", "commit", "jvm.memory.heap.used"]
    assert [row[1] for row in table[1:]] == [COMMIT] * 2


def test_the_page_of_a_history_has_one_test_or_all(project: Path) -> None:
    called(project, "history", "leaker", "--html", "public/one.html", exits=0)
    called(project, "history", "--html", "public/all.html", exits=0)
    pages = [(project / "public" / name).read_text() for name in ("one.html", "all.html")]
    page_of_one, every = (
        {
            test["name"]: test
            for test in json.loads(page.split('id="data">')[1].split("</script>")[0])["tests"]
        }
        for page in pages
    )
    assert page_of_one == {"leaker": every["leaker"]}
    assert sorted(page_of_one["leaker"]["results"]) == ["p", "r", "t"]
    assert "other/one" in every


def test_a_history_without_a_name_is_that_of_the_only_test(tmp_path: Path) -> None:
    assert "none was checked yet" in called(tmp_path, "history", exits=2).stderr
    for test, shown in (("leaker", 0), ("other", 2)):
        store(tmp_path, *(leaking_run(number, test=test) for number in range(5)))
        called(tmp_path, "train", test, "--from-runs", "all", *COMMAND, exits=0)
        done = called(tmp_path, "history", exits=shown)
        assert ("leaker: 0 checks, 1 training" in done.stdout) is not bool(shown)
    assert "leaker, other have a history" in done.stderr


def test_a_page_of_the_history_of_no_test_is_not_written(tmp_path: Path) -> None:
    called(tmp_path, "history", "--html", "all.html", exits=4)
    assert not (tmp_path / "all.html").exists()


def test_a_history_that_cannot_be_kept_is_only_warned_of(tmp_path: Path) -> None:
    store(tmp_path, *(leaking_run(number) for number in range(5)))
    (tmp_path / ".buto" / "results").write_text("a file in the way")
    done = called(tmp_path, "train", "leaker", "--from-runs", "all", *COMMAND, exits=0)
    assert "cannot keep the result" in done.stderr
    assert "buto history will not show it" in done.stderr
