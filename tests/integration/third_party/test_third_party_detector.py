"""A detector of another package works from ``buto.yaml`` to every report, with nothing of buto touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from buto.judging.registry import DETECTORS
from buto.judging.verdict import Status
from tests.support.checkout import ROOT
from tests.support.processes.command import buto, called
from tests.support.runs.stored import leaking_run, store

PAGE = (ROOT / "docs" / "methods" / "detectors.md").read_text()
LISTING = PAGE.split("```python\n")[1].split("```")[0]
ENTRY = PAGE.split("```toml\n")[1].split("```")[0].splitlines()[1].replace('"', "")
CONFIGURATION = PAGE.split("```yaml\n")[1].split("```")[0]


Install = Callable[[str, str, str], Path]


@pytest.fixture
def toy(install: Install) -> Path:
    """The package of the page."""
    return install(LISTING, "buto.detectors", ENTRY)


@pytest.fixture
def project(tmp_path: Path, toy: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    (directory / "buto.yaml").write_text(CONFIGURATION)
    store(directory, *(leaking_run(number) for number in range(5)))
    return directory


def test_the_listing_of_the_page_trains_checks_and_reports(project: Path) -> None:
    done = called(project, "train", "leaker", "--from-runs", "all", exits=0)
    oracle = json.loads((project / "oracles" / "leaker.json").read_text())
    assert oracle["judge"]["method"] == "toy"
    assert oracle["judge"]["toy"]["tolerance"] == 0.05
    usual, more = store(project, leaking_run(50, purpose="check"), leaking_run(51, leak=9.0, purpose="check"))
    called(project, "check", "leaker", "--from-runs", usual, exits=0)
    files = ("--json", "result.json", "--html", "report.html", "--junitxml", "junit.xml")
    done = called(project, "check", "leaker", "--from-runs", more, *files, exits=1)
    assert "\n  live heap  more: the mean left its range" in done.stdout
    (test,) = json.loads((project / "result.json").read_text())["tests"]
    assert (test["status"], test["verdict"]["detector"]) == (Status.REGRESSION.value, "toy")
    assert [finding["subject"] for finding in test["verdict"]["findings"]] == [
        "jvm.memory.heap.used",
        "jvm.memory.heap.live",
    ]
    page = (project / "report.html").read_text()
    assert "The training runs gave a range of means." in page
    assert "<h3>Ranges</h3>" in page
    cases = ElementTree.parse(project / "junit.xml").getroot().iter("testcase")
    assert [case.find("failure") is not None for case in cases] == [True]


def test_the_listing_is_about_fifty_lines_of_code() -> None:
    assert len([line for line in LISTING.splitlines() if line.strip()]) <= 60


def test_its_settings_are_validated_with_their_place_and_are_part_of_the_schema(project: Path) -> None:
    (project / "buto.yaml").write_text(CONFIGURATION.replace("0.05", "-1"))
    done = called(project, "train", "leaker", "--from-runs", "all", exits=2)
    assert (
        "buto.yaml:5:43: tests.leaker.judge.toy.tolerance: found -1, expected a positive number"
        in done.stderr
    )
    schema = json.loads(called(project, "schema", "config").stdout)
    judge = schema["definitions"]["judge"]["properties"]
    assert judge["method"]["enum"][: len(DETECTORS)] == [*DETECTORS]
    assert "toy" in judge["method"]["enum"]
    assert schema["definitions"]["judge-toy"]["properties"]["tolerance"]["exclusiveMinimum"] == 0


def test_a_setting_that_the_toy_lacks_is_refused_by_name(project: Path) -> None:
    (project / "buto.yaml").write_text(CONFIGURATION.replace("tolerance: 0.05", "deviations: 3"))
    done = called(project, "train", "leaker", "--from-runs", "all", exits=2)
    assert "unknown key 'deviations' in tests.leaker.judge.toy; known are tolerance" in done.stderr


def test_a_broken_package_fails_only_the_tests_that_use_it(project: Path, install: Install) -> None:
    install("import no_such_module\n", "buto.detectors", "broken = buto_broken:Broken")
    called(project, "train", "leaker", "--from-runs", "all", exits=0)
    (project / "buto.yaml").write_text(CONFIGURATION.replace("toy, toy: {tolerance: 0.05}", "broken"))
    done = called(project, "train", "leaker", "--from-runs", "all", exits=2)
    assert "the detector 'broken' of the package 'buto_broken' cannot be used" in done.stderr
    assert "no_such_module" in done.stderr


def test_an_oracle_whose_package_is_gone_says_so(project: Path) -> None:
    called(project, "train", "leaker", "--from-runs", "all", exits=0)
    (project / "buto.yaml").unlink()
    done = buto(project, "check", "leaker", "--from-runs", "all")
    assert done.returncode == 4
    assert "cannot be used: judge: method: 'toy' is not calibrated or thesis or" in done.stderr
    assert "install the package of its method" in done.stderr


def test_an_oracle_whose_package_is_broken_names_the_package(project: Path, toy: Path) -> None:
    called(project, "train", "leaker", "--from-runs", "all", exits=0)
    (project / "buto.yaml").unlink()
    (toy / "__init__.py").write_text("import no_such_module\n")
    done = buto(
        project, "check", "leaker", "--from-runs", "all", PYTHONPATH=f"{ROOT}{os.pathsep}{toy.parent}"
    )
    assert done.returncode == 4
    assert "the detector 'toy' of the package 'buto_toy' cannot be used" in done.stderr


def test_looking_at_the_registry_imports_no_numpy() -> None:
    code = "import sys; from buto.judging import registry; registry.names(); print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.strip() == "False"
