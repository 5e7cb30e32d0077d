"""The core alone: all that a check needs works, and what needs an extra says which."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from buto.errors import EXIT_PASS, EXIT_REGRESSION, EXIT_USAGE
from buto.extensions import DISTRIBUTION, EXTRAS
from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.judging import BY_HEAP, know_a_busy_machine, literal, without_turns
from tests.support.processes.command import buto

BESIDE = ("attr", "jsonschema", "referencing", "rich")
"""What other packages of the development bring, and the core does without."""

BLOCKED = f"import sys\nfor name in {(*EXTRAS, *BESIDE)}:\n    sys.modules[name] = None\n"
"""Run by every Python that has it on its path: none of these can be imported."""

RUNS = 5


class Core:
    """A directory in which buto is called without any of the optional packages."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory / "project"
        self._site = directory / "site"
        self.directory.mkdir()
        self._site.mkdir()
        (self._site / "sitecustomize.py").write_text(BLOCKED)

    def __call__(self, *words: str, exits: int = EXIT_PASS) -> subprocess.CompletedProcess[str]:
        done = buto(self.directory, *words, PYTHONPATH=f"{self._site}:{ROOT}")
        assert done.returncode == exits, done.stdout + done.stderr
        return done

    def refuses(self, extra: str, *words: str) -> None:
        done = self(*words, exits=EXIT_USAGE)
        assert f"pip install '{DISTRIBUTION}[{extra}]'" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory, classes: Path) -> Core:
    """A project with an oracle and a check."""
    core = Core(tmp_path_factory.mktemp("core"))
    core("init", "--", "java", "-Xmx128m", "-cp", str(classes), "Does", "keep", "40", "5")
    written = core.directory / "buto.yaml"
    written.write_text(f"{written.read_text()}    judge: {literal(BY_HEAP)}\n")
    core("train", "does", "--runs", str(RUNS))
    return core


def test_a_check_passes_fails_and_writes_every_report(core: Core, classes: Path) -> None:
    reports = {"--json": "r.json", "--html": "r.html", "--junitxml": "r.xml", "--markdown": "r.md"}
    core("check", "does", *[word for pair in reports.items() for word in pair])
    for name in reports.values():
        assert (core.directory / name).stat().st_size > 100
    assert json.loads((core.directory / "r.json").read_text())["tests"][0]["status"] == "pass"
    busy = core.directory / "busy" / "does.json"
    shutil.copytree(core.directory / "oracles", busy.parent)
    know_a_busy_machine(busy)
    without_turns(busy)
    more = ("--", "java", "-Xmx128m", "-cp", str(classes), "Does", "keep", "400", "5")
    core("check", "does", "--oracle", str(busy), *more, exits=EXIT_REGRESSION)
    core("history", "does", "--html", "history.html")
    assert "regression" in core("history", "does").stdout
    assert len(core("runs", "list").stdout.splitlines()) > RUNS
    core("runs", "export", "does", "--layout", "long", "-o", "runs.csv")
    core("report", "does", "--html", "again.html")


def test_a_change_is_explained_and_accepted(core: Core, classes: Path) -> None:
    change = ("--", "java", "-Xmx128m", "-cp", str(classes), "Does", "keep", "80", "5")
    core("why", "does", "--pairs", "1", "--kinds", "allocation", "--html", "why.html", *change)
    core("accept", "does", "--runs", str(RUNS), *change)


def test_what_needs_an_extra_names_the_command_that_adds_it(core: Core, classes: Path) -> None:
    core.refuses("frames", "runs", "export", "does", "--format", "parquet", "-o", "runs.parquet")
    core.refuses("plots", "plot", "does")
    core.refuses("plots", "history", "does", "--plot", "history.png")
    core.refuses("s3", "runs", "list", "--store", "s3://bucket/prefix")
    core.refuses("jmx", "record", "does", "--collector", "jmx")
    judge = core.directory / "kalman.yaml"
    judge.write_text(
        f"version: 1\ntests:\n  kalman:\n    command: [java, -cp, '{classes}', Does, keep, '40', '5']\n"
        "    judge: {method: thesis, thesis: {bounds: kalman}}\n"
    )
    core.refuses("thesis", "train", "kalman", "--config", str(judge))
    assert RunStore(core.directory / ".buto").ids("kalman") == []
    shutil.copytree(ROOT / "tests" / "golden" / "runs" / "v3" / "runs", core.directory / "old" / "runs")
    core.refuses("frames", "runs", "export", "golden/leaker", "--store", "old")


def test_every_extra_that_a_message_names_can_be_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert set(EXTRAS.values()) <= extras.keys()
    (all_of,) = extras["all"]
    of_all = set(all_of.removeprefix(f"{DISTRIBUTION}[").removesuffix("]").split(","))
    # Of another package of the repository, which is installed by itself.
    assert of_all == set(EXTRAS.values()) - {"cluster"}
    needed = {re.split(r"[<>=]", dependency)[0] for dependency in project["dependencies"]}
    assert needed == {"jinja2", "msgspec", "numpy", "psutil", "pyyaml"}
