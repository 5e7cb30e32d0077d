"""The Maven plugin, by real Maven."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from buto.runs.names import start_of
from tests.build_plugins.builds import Done, Sample, breaking_buto, maven_sample, old_buto

FAILURE = "MAVEN/MojoFailureException"
BROKEN = "MAVEN/MojoExecutionException"
RUNS = "-Dbuto.runs=8"
"""From seven on, three runs that confirm a change decide by rank."""

REPORTS = ["TEST-catalogue.xml", "catalogue.html", "catalogue.md"]
PROGRAM = "src/main/java/com/acme/Catalogue.java"
NAME = "<name>catalogue</name>"
MAIN = "<mainClass>com.acme.Catalogue</mainClass>"
PROPERTIES = "<properties>"
Changes = Mapping[str, str]
"""Texts of a sample's POM, and what stands there instead."""

WITHOUT_TESTS: Changes = {"tests>": "nothing>"}


def test_a_build_passes_fails_after_a_change_and_passes_when_the_change_is_learned(maven: Sample) -> None:
    trained = maven.build("package", "buto:train", RUNS)
    assert trained.code == 0, trained.output
    assert (maven.directory / "src/test/buto/catalogue.json").is_file()

    passed = maven.build("verify")
    assert passed.code == 0, passed.output
    assert "PASS  catalogue" in passed.output
    reports = maven.directory / "target/buto-reports"
    assert sorted(path.name for path in reports.iterdir()) == REPORTS
    assert failures(reports / "TEST-catalogue.xml") == 0

    maven.change(PROGRAM, "ENTRIES_PER_PAGE = 200", "ENTRIES_PER_PAGE = 3000")
    failed = maven.build("--quiet", "verify")
    assert failed.code == 1
    assert FAILURE in failed.output
    assert "buto, catalogue: regression" in failed.output
    assert "if the change is meant: mvn package buto:train" in failed.output
    assert "jvm.memory." in failed.output
    assert failures(reports / "TEST-catalogue.xml") == 1

    warned = maven.build("verify", "buto:report", "-Dbuto.failOnRegression=false")
    assert warned.code == 0, warned.output
    assert "[WARNING] buto, catalogue: regression" in warned.output
    assert warned.output.count("REGRESSION  catalogue") == 2
    assert warned.output.count("run 1 of 1") == 1

    accepted = maven.build("package", "buto:train", "verify", RUNS)
    assert accepted.code == 0, accepted.output
    assert "PASS  catalogue" in accepted.output


def failures(junit_xml: Path) -> int:
    return len(list(ET.parse(junit_xml).iter("failure")))


@pytest.fixture(scope="module")
def many(plugins: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """A build of many modules, each with a fault of its own or told to skip; buto is not in PATH."""
    place = tmp_path_factory.mktemp("many")
    here = Path(sys.executable).with_name("buto")
    switches = {"skip": "buto.skip", "skip-tests": "skipTests", "skip-its": "skipITs"}
    modules = {
        "no-program": {MAIN: ""},
        "two-programs": {MAIN: MAIN + "<jar>other.jar</jar>"},
        "no-file-name": {NAME: "<name>a/b</name>"},
        "no-tests": WITHOUT_TESTS,
        "no-buto": {},
        "old-buto": with_property("buto.executable", old_buto(place)),
        "no-oracle": with_property("buto.executable", here),
        **{module: with_property(switch, "true") for module, switch in switches.items()},
    }
    return reactor(place, modules).build("--fail-at-end", "buto:check", buto=False)


def with_property(name: str, value: object) -> Changes:
    """A property of Maven's in a POM."""
    return {PROPERTIES: f"{PROPERTIES}<{name}>{value}</{name}>"}


def reactor(place: Path, modules: Mapping[str, Changes]) -> Sample:
    """One build of several modules: copies of the sample with texts of its POM changed."""
    for module, changes in modules.items():
        copied = maven_sample("maven", place / "copies" / module).directory.rename(place / module)
        pom = (copied / "pom.xml").read_text()
        for old, new in {**changes, "<artifactId>catalogue<": f"<artifactId>{module}<"}.items():
            assert old in pom
            pom = pom.replace(old, new)
        (copied / "pom.xml").write_text(pom)
    named = "".join(f"<module>{module}</module>" for module in modules)
    root = maven_sample("maven", place)
    root.change("pom.xml", "tests>", "nothing>")
    root.change(
        "pom.xml", "<properties>", f"<packaging>pom</packaging><modules>{named}</modules><properties>"
    )
    (root.directory / "pom.xml").rename(place / "pom.xml")
    return Sample(place, root.command)


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("no-program", ("test 'catalogue' has no program", "exactly one of mainClass, jar and command")),
        ("two-programs", ("test 'catalogue' has more than one program",)),
        ("no-file-name", ("a test has the name 'a/b'", "like shop")),
        ("no-tests", ("no <tests> in the POM, and no buto.yaml in", "<tests><test><name>NAME</name>")),
        ("no-buto", ("'buto' is not in PATH", "python3 -m venv", "<executable> or -Dbuto.executable=")),
        ("old-buto", ("is buto 0.0.9; this plugin needs 0.1.0 or newer", "python3 -m venv")),
        ("no-oracle", ("buto, catalogue: has no oracle yet", "mvn package buto:train")),
    ],
)
def test_a_broken_harness_is_an_error_of_the_build_that_says_what_to_do(
    many: Done, module: str, said: tuple[str, ...]
) -> None:
    assert many.code == 1
    assert FAILURE not in many.output
    assert BROKEN in many.output
    (error,) = re.findall(rf"on project {module}: (.*?)\[Help", many.output, re.DOTALL)
    for text in said:
        assert text in error
    assert re.search(rf"^\[INFO\] {module} \.+ FAILURE", many.output, re.MULTILINE)


@pytest.mark.parametrize("module", ["skip", "skip-tests", "skip-its"])
def test_a_check_is_skipped_when_tests_are(many: Done, module: str) -> None:
    assert re.search(rf"^\[INFO\] {module} \.+ SUCCESS", many.output, re.MULTILINE)


def test_a_missing_oracle_is_named(many: Done) -> None:
    assert "no-oracle/src/test/buto/catalogue.json does not exist" in many.output


def test_a_main_class_that_does_not_exist_is_told_by_buto(maven: Sample) -> None:
    maven.change("pom.xml", MAIN, MAIN.replace("Catalogue", "Nowhere"))
    done = maven.build("buto:train", RUNS)
    assert done.code == 1
    assert BROKEN in done.output
    assert "Could not find or load main class com.acme.Nowhere" in done.output
    assert "buto, catalogue: could not be measured or judged" in done.output


@pytest.mark.parametrize("goal", ["train", "check", "report"])
def test_a_buto_that_breaks_off_neither_passes_nor_accuses(maven: Sample, tmp_path: Path, goal: str) -> None:
    oracle = maven.directory / "src/test/buto/catalogue.json"
    oracle.parent.mkdir(parents=True)
    oracle.write_text("{}")
    done = maven.build(f"buto:{goal}", f"-Dbuto.executable={breaking_buto(tmp_path)}", buto=False)
    assert done.code == 1
    assert BROKEN in done.output
    assert "buto, catalogue: buto itself failed" in done.output


def test_modules_that_are_built_at_the_same_time_are_measured_one_after_the_other(
    plugins: Path, tmp_path: Path
) -> None:
    """The tests of one module are in its POM, those of the other in its buto.yaml."""
    build = reactor(tmp_path, {"one": {NAME: "<name>one</name>"}, "two": WITHOUT_TESTS})
    (tmp_path / "two/buto.yaml").write_text(
        "version: 1\ntests:\n  two:\n    command: java -Xmx64m -cp target/classes com.acme.Catalogue 10\n"
    )
    done = build.build("-T", "2", "package", "buto:train", "-Dbuto.runs=5")
    assert done.code == 0, done.output
    assert "not marked @threadSafe" not in done.output
    assert (tmp_path / "one/src/test/buto/one.json").is_file()
    assert (tmp_path / "two/oracles/two.json").is_file()

    stored = sorted((tmp_path / ".buto/runs").glob("*/2*"), key=lambda run: run.name)
    assert [run.parent.name for run in stored].count("one") == 5
    assert [run.parent.name for run in stored].count("two") == 5
    for first, second in pairwise(stored):
        begun, following = start_of(first.name), start_of(second.name)
        assert begun is not None
        assert following is not None
        duration_s = json.loads((first / "run.json").read_text())["outcome"]["duration_s"]
        assert begun + timedelta(seconds=duration_s) <= following
