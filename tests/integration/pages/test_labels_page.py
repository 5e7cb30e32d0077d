"""``buto label`` and its page: what the page shows is what is printed, and its Python works."""

from __future__ import annotations

import csv
import json
import re
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from buto.actions import decide, labels, outcome
from buto.errors import EXIT_BAD_FILE, EXIT_PASS, EXIT_REGRESSION, EXIT_USAGE
from tests.support.checkout import ROOT
from tests.support.pages import remade
from tests.support.processes.command import called
from tests.support.runs.stored import BEGINNING, leaking_run, store

PAGE = ROOT / "docs" / "methods" / "labels.md"
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


class Clock:
    """What labels take for the time: a minute later at each question."""

    time = BEGINNING

    @classmethod
    def now(cls, zone: object) -> datetime:
        cls.time += timedelta(minutes=1)
        return cls.time.astimezone(UTC)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trained test with a check that failed in three runs."""
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = Ada Byron\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setattr(Clock, "time", BEGINNING + timedelta(minutes=10))
    for module in (decide, outcome, labels):
        monkeypatch.setattr(module, "datetime", Clock)
    store(tmp_path, *map(leaking_run, range(10)))
    called(tmp_path, "train", "leaker", "--from-runs", "all", "--", "java", "Leaker", exits=EXIT_PASS)
    together = {"buto.session": leaking_run(23).id}
    failed = [leaking_run(number, leak=9.0, purpose="check", **together) for number in (23, 24, 25)]
    Clock.time = BEGINNING + timedelta(minutes=26)
    ids = ",".join(store(tmp_path, *failed))
    called(tmp_path, "check", "leaker", "--from-runs", ids, exits=EXIT_REGRESSION)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_the_page_shows_is_what_is_printed(project: Path) -> None:
    def printed(typed: str) -> str:
        command, _, head = typed.partition(" && head -n ")
        done = called(project, *shlex.split(command), exits=0)
        n_lines, _, name = head.partition(" ")
        lines = (project / name).read_text().splitlines(keepends=True) if head else [done.stdout]
        return "".join(lines[: int(n_lines)] if head else lines)

    assert remade(PAGE, "(?:label|history) [^\n]*", printed) == 3


def test_the_python_of_the_page_works(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [code] = PYTHON.findall(PAGE.read_text(encoding="utf-8"))
    exec(compile(f"import buto\n{code}", str(PAGE), "exec"), {})
    shown = capsys.readouterr().out
    assert shown.startswith("Ada Byron 2026-01-01")
    assert re.search(r"good +13\n", shown)


def test_a_table_has_every_label(project: Path) -> None:
    [newest] = [leaking_run(25).id]
    called(project, "label", "leaker", newest, "invalid", "--export", "labels.csv", exits=0)
    with (project / "labels.csv").open() as file:
        rows = list(csv.DictReader(file))
    of_newest = [(row["label"], row["command"], row["replaced"]) for row in rows if row["run"] == newest]
    assert of_newest == [("bad", "check", "true"), ("invalid", "label", "false")]
    assert len(rows) == 14
    called(project, "label", "leaker", "--export", "labels.json", exits=0)
    document = json.loads((project / "labels.json").read_text())
    assert (document["format"], document["version"], len(document["labels"])) == ("buto-labels", 2, 14)
    assert [document["labels"][-1][key] for key in ("meant", "replaced")] == [False, False]


def test_a_list_says_who_gave_the_labels_that_count_and_why(project: Path) -> None:
    called(project, "label", "leaker", "last", "good", "--reason", "a cold cache", exits=0)
    first, _, header, *rows = called(project, "label", "leaker").stdout.splitlines()
    assert first == "leaker: 13 labelled runs; 3 labels replaced"
    assert header.split() == ["RUN", "LABEL", "BY", "PERSON", "WHEN", "(UTC)", "REASON"]
    assert [row.split()[1:5] for row in rows] == [
        *[["good", "train", "Ada", "Byron"]] * 10,
        *[["good", "label", "Ada", "Byron"]] * 3,
    ]
    assert rows[-1].endswith("  a cold cache")
    called(project, "label", "leaker", "last", "good", "--meant", exits=0)
    assert "  good, meant  label  " in called(project, "label", "leaker").stdout


def test_lists_and_runs_show_labels(project: Path) -> None:
    newest = leaking_run(25).id
    called(project, "label", "leaker", newest, "good", "--reason", "a new\x1b[2Jcache", exits=0)
    header, *lines = called(project, "runs", "list", "leaker").stdout.splitlines()
    assert header.split()[2:5] == ["FOR", "LABEL", "AGE"]
    assert [line.split()[4 if "oracle" in line else 3] for line in lines] == [
        *["good"] * 10,
        "bad",
        "bad",
        "good",
    ]
    listed = json.loads(called(project, "runs", "list", "--json", "-").stdout)["runs"]
    assert [run["label"] for run in listed[-2:]] == ["bad", "good"]
    shown = called(project, "runs", "show", "leaker", newest).stdout
    rows = shown.partition("\nlabels\n")[2].splitlines()[:2]
    assert rows[0].split()[:3] == ["bad", "(replaced)", "check"]
    assert rows[1].split()[:4] == ["good", "label", "Ada", "Byron"]
    assert rows[1].endswith("a new\\x1b[2Jcache")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("leaker", "last"), EXIT_USAGE, "RUNS must be followed by good, bad or invalid"),
        (("leaker", "last", "fine"), EXIT_USAGE, "invalid choice: 'fine'"),
        (("leaker", "--reason", "why"), EXIT_USAGE, "--reason needs runs and a label"),
        (("leaker", "--export", "labels.txt"), EXIT_USAGE, "the file name must end with .csv or .json"),
        (("leaker", "--meant"), EXIT_USAGE, "--meant needs runs and a label"),
        (("leaker", "last", "bad", "--meant"), EXIT_USAGE, "only good runs can be those of a change"),
        (("other",), EXIT_BAD_FILE, "holds no runs of 'other'"),
        (("leaker", "2026", "good"), EXIT_BAD_FILE, "there is no run '2026' of 'leaker'"),
    ],
)
def test_what_cannot_be_labelled_is_refused(
    project: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    done = called(project, "label", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert len(list((project / ".buto" / "labels" / "leaker").iterdir())) == 2


def test_a_test_without_labels_says_so(tmp_path: Path) -> None:
    store(tmp_path, leaking_run(1))
    assert called(tmp_path, "label", "leaker").stdout == "leaker: no run has a label\n"
