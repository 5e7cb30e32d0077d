"""The Gradle plugin, by real Gradle."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.build_plugins.builds import Done, Sample, gradle_sample, old_buto

RUNS = "-Pbuto.runs=8"
"""From seven on, three runs that confirm a change decide by rank."""

REPORTS = ["TEST-catalogue.xml", "catalogue.html", "catalogue.md"]
PROGRAM = "src/main/java/com/acme/Catalogue.java"
MAIN = "mainClass = 'com.acme.Catalogue'"
BUTO = Path(sys.executable).with_name("buto")


def test_a_build_passes_fails_after_a_change_and_passes_when_the_change_is_learned(gradle: Sample) -> None:
    """A check is never up to date: the second finds everything as the first left it, and measures again."""
    trained = gradle.build("butoTrain", "check", RUNS)
    assert trained.code == 0, trained.output
    assert (gradle.directory / "src/test/buto/catalogue.json").is_file()
    assert "PASS  catalogue" in trained.output
    reports = gradle.directory / "build/reports/buto"
    assert sorted(path.name for path in reports.iterdir()) == REPORTS

    passed = gradle.build("check")
    assert passed.code == 0, passed.output
    assert "PASS  catalogue" in passed.output
    assert ":butoCheck UP-TO-DATE" not in passed.output

    gradle.change(PROGRAM, "ENTRIES_PER_PAGE = 200", "ENTRIES_PER_PAGE = 3000")
    failed = gradle.build("--quiet", "check")
    assert failed.code == 1
    assert "Execution failed for task ':butoCheck'" in failed.output
    assert "buto, catalogue: regression" in failed.output
    assert "if the change is meant: gradle butoTrain" in failed.output
    assert "jvm.memory." in failed.output
    assert list(ET.parse(reports / "TEST-catalogue.xml").iter("failure"))

    gradle.change("build.gradle", "runWithCheck = true", "ignoreFailures = true")
    warned = gradle.build("butoCheck", "butoReport")
    assert warned.code == 0, warned.output
    assert warned.output.count("REGRESSION  catalogue") == 2
    assert warned.output.count("run 1 of 1") == 1

    accepted = gradle.build("butoTrain", "butoCheck", RUNS)
    assert accepted.code == 0, accepted.output
    assert "PASS  catalogue" in accepted.output


@pytest.fixture(scope="module")
def many(for_gradle: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """A build of many projects, each with a fault of its own; buto is not in PATH."""
    place = tmp_path_factory.mktemp("many")
    projects = {
        "no-program": {MAIN: ""},
        "two-programs": {MAIN: f"{MAIN}; jar = file('other.jar')"},
        "no-classpath": {"apply plugin: 'java'": ""},
        "no-tests": {"tests {": "def unused = {"},
        "no-buto": {},
        "old-buto": {"tests {": f"executable = file('{old_buto(place)}')\n    tests {{"},
        "no-oracle": {"tests {": f"executable = file('{BUTO}')\n    tests {{"},
        "not-asked": {"runWithCheck = true": ""},
    }
    for project, changes in projects.items():
        sample = gradle_sample("gradle", place / "copies" / project)
        for old, new in changes.items():
            sample.change("build.gradle", old, new)
        sample.directory.rename(place / project)
    (place / "settings.gradle").write_text("include " + ", ".join(f"'{project}'" for project in projects))
    root = Sample(place, sample.command, sample.environment)
    return root.build("--continue", "check", ":no-classpath:butoCheck", buto=False)


@pytest.mark.parametrize(
    ("project", "said"),
    [
        ("no-program", ("test 'catalogue' has no program", "exactly one of mainClass, jar and command")),
        ("two-programs", ("test 'catalogue' has more than one program",)),
        ("no-classpath", ("has a main class, and this project no class path", "apply plugin: 'java'")),
        ("no-tests", ("no tests in the build script, and no buto.yaml in", "buto { tests { NAME {")),
        ("no-buto", ("'buto' is not in PATH", "python3 -m venv", "buto { executable = file('...') }")),
        ("old-buto", ("is buto 0.0.9; this plugin needs 0.1.0 or newer", "python3 -m venv")),
        ("no-oracle", ("buto, catalogue: has no oracle yet", "gradle butoTrain")),
    ],
)
def test_a_broken_harness_fails_the_build_and_says_what_to_do(
    many: Done, project: str, said: tuple[str, ...]
) -> None:
    assert many.code == 1
    assert "regression" not in many.output
    failed = rf"Execution failed for task ':{project}:butoCheck'\.\n(.*?)\n\* Try"
    (error,) = re.findall(failed, many.output, re.DOTALL)
    for text in said:
        assert text in error


def test_a_missing_oracle_is_named(many: Done) -> None:
    assert "no-oracle/src/test/buto/catalogue.json does not exist" in many.output


def test_check_measures_only_where_it_was_asked_to(many: Done) -> None:
    assert ":not-asked:check" in many.output
    assert ":not-asked:butoCheck" not in many.output
