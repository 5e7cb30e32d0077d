"""The Maven plugin, by real Maven."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.support.builds.plugin_builds import (
    ASSERTING,
    ASSERTING_BRIEFLY,
    BETTER,
    BETTER_BRIEFLY,
    IN_PART,
    NOT_MEASURED,
    OPEN,
    OPEN_BRIEFLY,
    Changes,
    Done,
    Sample,
    accusing_buto,
    advised,
    asked_buto,
    breaking_buto,
    leave_reports,
    old_buto,
    reactor,
    telling_buto,
)
from tests.support.jvm.harness import Harness

FAILURE = "MAVEN/MojoFailureException"
BROKEN = "MAVEN/MojoExecutionException"
RUNS = "-Dbuto.runs=5"

REPORTS = ["TEST-catalogue.xml", "catalogue.html", "catalogue.md"]
PROGRAM = "src/main/java/com/acme/Catalogue.java"
NAME = "<name>catalogue</name>"
MAIN = "<mainClass>com.acme.Catalogue</mainClass>"
OPTIONS = [f"<jvmArgument>{option}</jvmArgument>" for option in ("-Xmx64m", "-XX:+UseSerialGC")]
PROPERTIES = "<properties>"
WITHOUT_TESTS: Changes = {"tests>": "nothing>"}
MANAGED = {"<plugins>": "<pluginManagement><plugins>", "</plugins>": "</plugins></pluginManagement>"}
"""The plugin is known to a module that does not use it."""


@pytest.mark.all
def test_a_build_passes_fails_after_a_change_which_is_explained_and_accepted(maven: Sample) -> None:
    maven.judge_bluntly("catalogue")
    missing = maven.build("package", "buto:why")
    assert missing.code == 1
    assert BROKEN in missing.output
    absent = r"\[ERROR\] Failed to execute .* has neither the old program of 'catalogue' nor a profile"
    assert re.search(absent, missing.output)
    train = advised(missing.output, "train")
    assert train == "mvn package buto:train -Dbuto.test=catalogue -Dbuto.profile=true -DskipTests"

    trained = maven.typed(train, RUNS)
    assert trained.code == 0, trained.output
    oracle = (maven.directory / "src/test/buto/catalogue.json").read_text()
    assert str(maven.directory) not in oracle
    assert '"-cp", "target/classes", "com.acme.Catalogue", "10"]' in oracle

    passed = maven.build("verify", "buto:report")
    assert passed.code == 0, passed.output
    assert passed.output.count("PASS  catalogue") == 2
    # A run that was disturbed is repeated.
    assert len(re.findall(r"run 1 of 1: \d+ samples", passed.output)) == 1
    assert "jvm.class.path" not in passed.output
    reports = maven.directory / "target/buto-reports"
    assert sorted(path.name for path in reports.iterdir()) == REPORTS
    assert failures(reports / "TEST-catalogue.xml") == 0

    maven.change(PROGRAM, "ENTRIES_PER_PAGE = 200", "ENTRIES_PER_PAGE = 3000")
    maven.without_turns("catalogue")
    wrapper = maven.add_wrapper()
    failed = maven.build("--quiet", "verify")
    assert failed.code == 1
    assert FAILURE in failed.output
    first_line = r"^\[ERROR\] Failed to execute .*: REGRESSION  catalogue: without turns, "
    assert re.search(first_line, failed.output, re.MULTILINE)
    # What buto advises is in the error, too, which is all that some readers see.
    error = failed.output[failed.output.index("Failed to execute") :]
    assert error.count("next: ") == failed.output.count("next: ") / 2
    accept = advised(failed.output, "accept")
    assert accept == f"{wrapper} package buto:accept -Dbuto.test=catalogue -DskipTests"
    assert re.search("REGRESSION .*(allocates|keeps)", failed.output)
    assert failures(reports / "TEST-catalogue.xml") == 1

    explained = maven.build("package", "buto:why")
    assert explained.code == 0, explained.output
    assert "Catalogue." in (reports / "catalogue-why.md").read_text()
    assert (reports / "catalogue-why.html").is_file()

    accepted = maven.typed(accept, RUNS)
    assert accepted.code == 0, accepted.output
    assert re.search(r"(live heap|allocated bytes) +(at the exit|total) ", accepted.output)


def test_a_build_that_is_killed_trains_no_further(maven: Sample) -> None:
    """By SIGKILL, of which the build can tell nobody."""
    begin = "public static void main(String[] arguments) throws InterruptedException {"
    started = f'{begin} new java.io.File("started").mkdir(); Thread.sleep(600_000);'
    maven.change(PROGRAM, begin, started)
    command = [*maven.command, "package", "buto:train"]
    build = Harness(maven.directory, command, maven.variables())
    try:
        build.reached("started")
        build.kill()
        build.assert_alone()
    finally:
        build.close()
    assert not (maven.directory / "src/test/buto").exists()


def failures(junit_xml: Path) -> int:
    return len(list(ET.parse(junit_xml).iter("failure")))


@pytest.fixture(scope="module")
def many(plugins: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """A build of many modules, each with its own fault or a request to skip; buto is not in PATH."""
    place = tmp_path_factory.mktemp("many")
    here = Path(sys.executable).with_name("buto")
    switches = {
        "skip": "buto.skip",
        "skip-tests": "skipTests",
        "skip-its": "skipITs",
        "skip-all": "maven.test.skip",
    }
    modules = {
        "no-program": {MAIN: ""},
        "two-programs": {MAIN: MAIN + "<jar>other.jar</jar>"},
        "no-file-name": {NAME: "<name>a/b</name>"},
        "no-tests": WITHOUT_TESTS,
        "no-buto": with_property("buto.executable", "buto"),
        "old-buto": with_property("buto.executable", old_buto(place)),
        "no-oracle": with_property("buto.executable", here),
        "no-such-buto": with_property("buto.executable", "/no/such/buto"),
        "not-buto": with_property("buto.executable", "/bin/true"),
        "warned": {
            PROPERTIES: f"{PROPERTIES}<buto.executable>{accusing_buto(place)}</buto.executable>"
            "<buto.failOnRegression>false</buto.failOnRegression>"
        },
        "warned-in-part": {
            **WITHOUT_TESTS,
            PROPERTIES: f"{PROPERTIES}<buto.executable>{accusing_buto(place, NOT_MEASURED)}</buto.executable>"
            "<buto.failOnRegression>false</buto.failOnRegression>",
        },
        **{module: with_property(switch, "true") for module, switch in switches.items()},
        "open": with_property("buto.executable", telling_buto(place, "open", 3, OPEN)),
        "asserting": with_property("buto.executable", telling_buto(place, "asserting", 3, "", ASSERTING)),
    }
    build = reactor(place, {module: {**bound("check"), **changes} for module, changes in modules.items()})
    for module in ("warned", "open", "asserting"):
        (place / module / "src/test/buto").mkdir(parents=True)
        (place / module / "src/test/buto/catalogue.json").touch()
    (place / "warned-in-part/buto.yaml").touch()
    leave_reports(place / "warned-in-part/target/buto-reports")
    return build.build("--fail-at-end", "validate", buto=False)


def with_property(name: str, value: object) -> Changes:
    """A property of Maven's in a POM."""
    return {PROPERTIES: f"{PROPERTIES}<{name}>{value}</{name}>"}


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("no-program", ("test 'catalogue' has no program", "exactly one of mainClass, jar and command")),
        ("two-programs", ("test 'catalogue' has more than one program",)),
        ("no-file-name", ("a test has the name 'a/b'", "like shop")),
        ("no-tests", ("no test in <tests>, and no buto.yaml in", "<tests><test><name>NAME</name>")),
        ("no-buto", ("'buto' is not in PATH", "python3 -m venv", "<executable> or -Dbuto.executable=")),
        ("old-buto", ("is buto 0.0.9; this plugin needs 0.1.0 or newer", "python3 -m venv")),
        ("no-oracle", ("catalogue has no oracle yet: ", "mvn package buto:train")),
        ("no-such-buto", ("/no/such/buto does not exist or is not executable", "python3 -m venv")),
        ("warned-in-part", (f"buto, buto.yaml: {IN_PART}", "look at the output of buto")),
        ("not-buto", ("/bin/true --version says '", "and that is not buto", "python3 -m venv")),
    ],
)
def test_a_broken_harness_is_an_error_of_the_build_that_says_what_to_do(
    many: Done, module: str, expected: tuple[str, ...]
) -> None:
    assert many.code == 1
    assert FAILURE not in many.output
    assert BROKEN in many.output
    (error,) = re.findall(rf"on project {module}: (.*?)\[Help", many.output, re.DOTALL)
    for text in expected:
        assert text in error
    assert re.search(rf"^\[INFO\] {module} \.+ FAILURE", many.output, re.MULTILINE)


def error_of(output: str, module: str) -> list[str]:
    """The lines of the error that ended a module's build."""
    (error,) = re.findall(rf"on project {module}: (.*?)(?:\n\[ERROR\])? -> \[Help", output, re.DOTALL)
    return [line.removeprefix("[ERROR] ") for line in error.splitlines()]


@pytest.mark.parametrize(("module", "said"), [("open", OPEN_BRIEFLY), ("asserting", ASSERTING_BRIEFLY)])
def test_the_error_is_what_buto_found_with_its_own_advice(many: Done, module: str, said: list[str]) -> None:
    assert error_of(many.output, module) == said


@pytest.mark.all
def test_what_is_only_for_the_better_fails_the_build_in_its_own_words(maven: Sample, tmp_path: Path) -> None:
    (maven.directory / "src/test/buto").mkdir(parents=True)
    (maven.directory / "src/test/buto/catalogue.json").touch()
    executable = f"-Dbuto.executable={telling_buto(tmp_path, 'better', 1, BETTER)}"
    failed = maven.build("buto:check", executable, buto=False)
    assert failed.code == 1
    assert FAILURE in failed.output
    *said, reports = error_of(failed.output, "catalogue")
    assert said == BETTER_BRIEFLY
    assert reports.startswith("try:  look at the reports in ")
    warned = maven.build("buto:check", executable, "-Dbuto.failOnRegression=false", buto=False)
    assert warned.code == 0, warned.output
    assert f"[WARNING] {BETTER_BRIEFLY[0]}" in warned.output


def test_what_is_typed_replaces_what_the_pom_says(maven: Sample, tmp_path: Path) -> None:
    said = "<runs>7</runs><java>/its/java</java><skip>true</skip>"
    maven.change("pom.xml", "<tests>", f"{said}<tests>")
    executable = f"-Dbuto.executable={asked_buto(tmp_path)}"
    typed = ("-Dbuto.runs=8", "-Dbuto.java=/my/java", "-Dbuto.skip=false", executable)
    trained = maven.build("buto:train", *typed, buto=False)
    assert trained.code == 0, trained.output
    assert re.search("asked <train> .* <--runs> <8> <--> </my/java> ", trained.output)


def test_a_setting_that_nobody_reads_is_refused(maven: Sample) -> None:
    refused = maven.build("buto:train", "-Dbuto.jva=/my/java")
    assert refused.code == 1
    assert error_of(refused.output, "catalogue")[0] == "-Dbuto.jva is no setting of buto"


@pytest.mark.parametrize("module", ["skip", "skip-tests", "skip-its", "skip-all"])
def test_a_check_is_skipped_when_tests_are(many: Done, module: str) -> None:
    assert re.search(rf"^\[INFO\] {module} \.+ SUCCESS", many.output, re.MULTILINE)


def test_a_regression_only_warns_if_it_was_asked_to(many: Done) -> None:
    assert "[WARNING] buto, catalogue: regression" in many.output
    assert re.search(r"^\[INFO\] warned \.+ SUCCESS", many.output, re.MULTILINE)


def test_a_regression_that_only_warns_hides_no_test_that_could_not_be_judged(many: Done) -> None:
    assert f"[WARNING] buto, buto.yaml: {IN_PART}" in many.output
    assert re.search(r"^\[INFO\] warned-in-part \.+ FAILURE", many.output, re.MULTILINE)


def test_pages_of_an_earlier_build_are_gone_and_other_files_are_not(many: Done) -> None:
    assert "[INFO] found: others.html\n" in many.output


def test_a_missing_oracle_is_named(many: Done) -> None:
    assert "no-oracle/src/test/buto/catalogue.json does not exist" in many.output


@pytest.mark.all
def test_buto_is_asked_for_what_the_pom_says(plugins: Path, tmp_path: Path) -> None:
    """A module for each way to say what is started, and one that does not use the plugin.

    They are built at the same time; that all measure into one store makes them wait for each other.
    """
    settings = (
        "<alpha>0.02</alpha><checkRuns>3</checkRuns><pairs>4</pairs><profile>true</profile><runs>7</runs>"
        "<tests>"
    )
    command = "<command><word>./start.sh</word></command>"
    modules: dict[str, Changes] = {
        "main": {"<tests>": settings},
        "of-tests": {MAIN: MAIN + "<testClasspath>true</testClasspath>"},
        "jar": {MAIN: "<jar>${project.build.directory}/app.jar</jar>"},
        "command": {MAIN: command, **dict.fromkeys(OPTIONS, "")},
        "yaml": WITHOUT_TESTS,
        "none": {**WITHOUT_TESTS, **MANAGED},
    }
    build = reactor(tmp_path, modules)
    for module in modules:
        (tmp_path / module / "src/test/buto").mkdir(parents=True)
        (tmp_path / module / "src/test/buto/catalogue.json").touch()
    (tmp_path / "yaml/buto.yaml").touch()
    goals = [f"buto:{goal}" for goal in ("train", "check", "accept", "report", "why")]
    options = ("-Dbuto.test=catalogue", f"-Dbuto.executable={asked_buto(tmp_path)}")
    done = build.build("-T", "2", *goals, *options, buto=False)
    assert done.code == 0, done.output
    assert "not marked @threadSafe" not in done.output

    java = r"<\S+/bin/java> <-Xmx64m> <-XX:\+UseSerialGC>"
    for module, program in {
        "main": rf" <--> {java} <-cp> <target/classes> <com.acme.Catalogue> <10>",
        "of-tests": rf" <--> {java} <-cp> <target/test-classes:target/classes> <com.acme.Catalogue> <10>",
        "jar": rf" <--> {java} <-jar> <target/app.jar> <10>",
        "command": " <--> <./start.sh> <10>",
        "yaml": "",
    }.items():
        oracle = f"<--oracle> <{tmp_path}/{module}/src/test/buto/catalogue.json> " if program else ""
        files = f"<catalogue> {oracle}<--store> <{tmp_path}/.buto>"
        here = f"{tmp_path}/{module}/target/buto-reports"
        reports = (
            f" <--junitxml> <{here}/TEST-catalogue.xml>"
            f" <--html> <{here}/catalogue.html> <--markdown> <{here}/catalogue.md>"
        )
        pages = f" <--html> <{here}/catalogue-why.html> <--markdown> <{here}/catalogue-why.md>"
        set_ = ("<--runs> <7>", "<--runs> <3>", "<--alpha> <0.02>", "<--profile>", "<--pairs> <4>")
        runs, check_runs, alpha, profile, pairs = (
            f" {plugin_property}" if module == "main" else "" for plugin_property in set_
        )
        for line in (
            f"<train> {files}{runs}{alpha}{profile}{program}",
            f"<check> {files}{check_runs}{alpha}{reports}{program}",
            f"<accept> {files}{runs}{program}",
            f"<report> {files}{reports}",
            f"<why> {files}{pairs}{pages}{program}",
        ):
            assert re.search(rf"^\[INFO\] asked {line}$", done.output, re.MULTILINE), (line, done.output)
    assert done.output.count("no tests for buto in this module") == 2 * len(goals)


@pytest.mark.all
def test_a_buto_that_breaks_off_neither_passes_nor_accuses(plugins: Path, tmp_path: Path) -> None:
    """A module a goal; and one of which nobody says which test of its buto.yaml is meant."""
    goals = ("train", "check", "accept", "report", "why")
    modules: dict[str, Changes] = {goal: bound(goal) for goal in goals}
    build = reactor(tmp_path, {**modules, "which": {**bound("accept"), **WITHOUT_TESTS}})
    for goal in modules:
        (tmp_path / goal / "src/test/buto").mkdir(parents=True)
        (tmp_path / goal / "src/test/buto/catalogue.json").write_text("{}")
    (tmp_path / "which/buto.yaml").touch()
    executable = f"-Dbuto.executable={breaking_buto(tmp_path)}"
    done = build.build("--fail-at-end", "validate", executable, buto=False)
    assert done.code == 1
    assert FAILURE not in done.output
    for goal in modules:
        assert f"on project {goal}: buto, catalogue: buto itself failed" in done.output
    assert "on project which: buto accept needs the name of one test" in done.output


def bound(goal: str) -> Changes:
    """The goal, and no other, at the first phase of a build."""
    return {"<execution>": "<execution><phase>validate</phase>", "<goal>check</goal>": f"<goal>{goal}</goal>"}
