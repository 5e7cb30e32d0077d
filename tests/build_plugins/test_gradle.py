"""The Gradle plugin, by real Gradle."""

from __future__ import annotations

import re
import shlex
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
    Done,
    Sample,
    accusing_buto,
    advised,
    asked_buto,
    gradle_sample,
    leave_reports,
    old_buto,
    telling_buto,
)

RUNS = "-Pbuto.runs=5"

REPORTS = ["TEST-catalogue.xml", "catalogue.html", "catalogue.md"]
PROGRAM = "src/main/java/com/acme/Catalogue.java"
MAIN = "mainClass = 'com.acme.Catalogue'"
OPTIONS = "jvmArguments = ['-Xmx64m', '-XX:+UseSerialGC']"
BUTO = Path(sys.executable).with_name("buto")


@pytest.mark.all
def test_a_build_passes_fails_after_a_change_and_the_change_is_accepted(
    gradle: Sample, tmp_path: Path
) -> None:
    """A check is never up to date: the second finds everything as the first left it, and measures again."""
    gradle.judge_bluntly("catalogue")
    trained = gradle.build("butoTrain", RUNS)
    assert trained.code == 0, trained.output
    oracle = (gradle.directory / "src/test/buto/catalogue.json").read_text()
    assert str(gradle.directory) not in oracle
    assert '"build/classes/java/main:build/resources/main", "com.acme.Catalogue", "10"]' in oracle

    gradle = gradle.moved(tmp_path / "elsewhere")
    reports = gradle.directory / "build/reports/buto"
    for _ in range(2):
        passed = gradle.build("check")
        assert passed.code == 0, passed.output
        assert "PASS  catalogue" in passed.output
        assert "jvm.class.path" not in passed.output
        assert ":butoCheck UP-TO-DATE" not in passed.output
        assert sorted(path.name for path in reports.iterdir()) == REPORTS

    gradle.change(PROGRAM, "ENTRIES_PER_PAGE = 200", "ENTRIES_PER_PAGE = 3000")
    gradle.without_turns("catalogue")
    wrapper = gradle.add_wrapper()
    failed = gradle.build("--quiet", "check")
    assert failed.code == 1
    assert "Execution failed for task ':butoCheck'" in failed.output
    assert "REGRESSION  catalogue: " in failed.output
    accept = advised(failed.output, "accept")
    assert accept == f"{wrapper} butoAccept -Pbuto.test=catalogue"
    assert re.search("REGRESSION .*(allocates|keeps)", failed.output)
    assert list(ET.parse(reports / "TEST-catalogue.xml").iter("failure"))

    accepted = gradle.typed(accept, RUNS)
    assert accepted.code == 0, accepted.output
    assert re.search(r"(live heap|allocated bytes) +(at the exit|total) ", accepted.output)


TELLING = {"better": (1, BETTER), "open": (3, OPEN), "asserting": (3, "", ASSERTING)}
"""Projects by what buto says in them: its exit code and what it prints."""


@pytest.fixture(scope="module")
def many(for_gradle: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """A build of many projects, each with a fault of its own; buto is not in PATH."""
    place = tmp_path_factory.mktemp("many")
    asked = f"executable = file('{asked_buto(place)}')\n    tests {{"
    projects = {
        "no-program": {MAIN: ""},
        "two-programs": {MAIN: f"{MAIN}; jar = file('other.jar')"},
        "no-classpath": {"apply plugin: 'java'": ""},
        "no-tests": {"tests {": "def unused = {"},
        "no-buto": {"tests {": "executable = new File('buto')\n    tests {"},
        "old-buto": {"tests {": f"executable = file('{old_buto(place)}')\n    tests {{"},
        "no-oracle": {"tests {": f"executable = file('{BUTO}')\n    tests {{"},
        "no-such-class": {
            "tests {": f"executable = file('{BUTO}')\n    tests {{",
            MAIN: MAIN.replace("Catalogue", "Nowhere"),
        },
        "no-such-buto": {"tests {": "executable = file('/no/such/buto')\n    tests {"},
        "warned": {
            "tests {": f"executable = file('{accusing_buto(place)}')\n    ignoreFailures = true\n    tests {{"
        },
        "warned-in-part": {
            "tests {": f"executable = file('{accusing_buto(place, NOT_MEASURED)}')\n"
            "    ignoreFailures = true\n    def unused = {"
        },
        "not-asked": {"runWithCheck = true": ""},
        "asked": {
            "tests {": "alpha = '0.02'\n    checkRuns = 3\n    pairs = 4\n    profile = true\n    runs = 7\n"
            f"    {asked}"
        },
        "asked-jar": {"tests {": asked, MAIN: "jar = file('app.jar')"},
        "asked-texts": {
            "tests {": f"executable = '{asked_buto(place)}'; java = \"${{'/my'}}/java\"\n"
            "    oracles = 'src/test/buto'; store = 'kept'; reports = 'told'\n    tests {",
            MAIN: "jar = 'app.jar'",
        },
        "asked-command": {"tests {": asked, MAIN: "command = ['./start.sh']", OPTIONS: ""},
        "asked-tests": {"tests {": asked, MAIN: f"{MAIN}; testClasspath = true"},
    }
    for project, told in TELLING.items():
        projects[project] = {"tests {": f"executable = '{telling_buto(place, project, *told)}'\n    tests {{"}
    for project, changes in projects.items():
        sample = gradle_sample("gradle", place / "copies" / project)
        for old, new in changes.items():
            sample.change("build.gradle", old, new)
        project_directory = sample.directory.rename(place / project)
        if "asked" in project or project in ("warned", *TELLING):
            (project_directory / "src/test/buto").mkdir(parents=True)
            (project_directory / "src/test/buto/catalogue.json").touch()
    (place / "warned-in-part/buto.yaml").touch()
    leave_reports(place / "warned-in-part/build/reports/buto")
    (place / "settings.gradle").write_text("include " + ", ".join(f"'{project}'" for project in projects))
    root = Sample(place, sample.command, sample.environment)
    others = (
        ":no-classpath:butoCheck",
        ":no-such-class:butoTrain",
        ":asked:butoTrain",
        ":asked:butoAccept",
        ":asked:butoReport",
        ":asked:butoWhy",
    )
    return root.build("--continue", "check", *others, buto=False)


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        ("no-program", ("test 'catalogue' has no program", "exactly one of mainClass, jar and command")),
        ("two-programs", ("test 'catalogue' has more than one program",)),
        ("no-classpath", ("has a main class, but this project has no class path", "apply plugin: 'java'")),
        ("no-tests", ("no test in buto { tests { ... } }, and no buto.yaml in", "buto { tests { NAME {")),
        ("no-buto", ("'buto' is not in PATH", "python3 -m venv", "buto { executable = '...' }")),
        ("old-buto", ("is buto 0.0.9; this plugin needs 0.1.0 or newer", "python3 -m venv")),
        ("no-oracle", ("catalogue has no oracle yet: ", "gradle butoTrain")),
        ("no-such-buto", ("/no/such/buto does not exist or is not executable", "python3 -m venv")),
    ],
)
def test_a_broken_harness_fails_the_build_and_says_what_to_do(
    many: Done, project: str, expected: tuple[str, ...]
) -> None:
    assert many.code == 1
    failed = rf"Execution failed for task ':{project}:butoCheck'\.\n(.*?)\n\* Try"
    (error,) = re.findall(failed, many.output, re.DOTALL)
    assert "regression" not in error
    for text in expected:
        assert text in error


@pytest.mark.parametrize(
    ("project", "said"),
    [
        ("better", [*BETTER_BRIEFLY, "try:  look at the reports in "]),
        ("open", OPEN_BRIEFLY),
        ("asserting", ASSERTING_BRIEFLY),
    ],
)
def test_the_error_is_what_buto_found_with_its_own_advice(many: Done, project: str, said: list[str]) -> None:
    """Gradle indents the lines behind the first by two."""
    failed = rf"Execution failed for task ':{project}:butoCheck'\.\n> (.*?)\n\n\* Try"
    (error,) = re.findall(failed, many.output, re.DOTALL)
    lines = [line.removeprefix("  ") for line in error.splitlines()]
    assert len(lines) == len(said)
    for line, expected in zip(lines, said, strict=True):
        assert line.startswith(expected)


@pytest.mark.all
def test_what_is_typed_replaces_what_the_build_script_says_and_is_typed_again(
    gradle: Sample, tmp_path: Path
) -> None:
    (gradle.directory / "src/test/buto").mkdir(parents=True)
    gradle.change(
        "build.gradle", "tests {", "runs = 7; java = '/its/java'; ignoreFailures = true\n    tests {"
    )
    lasting = "-Pbuto.alpha=0.02 -Pbuto.java=/my/java -Pbuto.oracles=oracles -Pbuto.reports=told"
    typed = (*lasting.split(), "-Pbuto.store=kept", "-Pbuto.checkRuns=3", "-Pbuto.runs=8", "-Pbuto.profile")
    asked = f"-Pbuto.executable={asked_buto(tmp_path)}"
    trained = gradle.build("butoTrain", *typed, asked, buto=False)
    here = re.escape(str(gradle.directory))
    of_all = rf"<catalogue> <--oracle> <{here}/oracles/catalogue.json> <--store> <{here}/kept>"
    words = rf"asked <train> {of_all} <--runs> <8> <--alpha> <0.02> <--profile> <--> </my/java> "
    assert re.search(words, trained.output), trained.output

    untrained = gradle.build("butoCheck", *typed, asked, "-Pbuto.ignoreFailures=false", buto=False)
    again = f"gradle butoTrain -Pbuto.test=catalogue {lasting} -Pbuto.store=kept"
    assert advised(untrained.output, "train").startswith(again.split(" -Pbuto.java")[0])
    for word in again.split():
        assert word in shlex.split(advised(untrained.output, "train"))
    assert "-Pbuto.runs" not in advised(untrained.output, "train")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("-Pbuto.jva=/my/java", ("-Pbuto.jva is no setting of buto", "-Pbuto.java")),
        pytest.param(
            "-Pbuto.runs=many",
            ("buto.runs must be a whole number, got 'many'",),
            marks=pytest.mark.all,
        ),
        pytest.param(
            "-Pbuto.ignoreFailures=1",
            ("buto.ignoreFailures must be true or false, got '1'",),
            marks=pytest.mark.all,
        ),
    ],
)
def test_a_setting_that_buto_cannot_obey_is_refused(
    gradle: Sample, typed: str, said: tuple[str, ...]
) -> None:
    refused = gradle.build("butoCheck", typed)
    assert refused.code == 1
    for text in said:
        assert text in refused.output


def test_a_main_class_that_does_not_exist_is_reported_by_buto(many: Done) -> None:
    (error,) = re.findall(r"task ':no-such-class:butoTrain'\.\n> (.*)", many.output)
    assert error.startswith("catalogue: the program did not start")
    assert "did not start: Error: Could not find or load main class com.acme.Nowhere" in many.output


def test_a_regression_only_warns_if_it_was_asked_to(many: Done) -> None:
    assert "buto, catalogue: regression\ntry:  look at the reports in" in many.output
    assert "Execution failed for task ':warned:butoCheck'" not in many.output


def test_a_regression_that_only_warns_hides_no_test_that_could_not_be_judged(many: Done) -> None:
    assert f"buto, buto.yaml: {IN_PART}\ntry:  look at the reports in" in many.output
    failed = "Execution failed for task ':warned-in-part:butoCheck'."
    assert f"{failed}\n> buto, buto.yaml: {IN_PART}\n  try:  look at the output of buto" in many.output


def test_pages_of_an_earlier_build_are_gone_and_other_files_are_not(many: Done) -> None:
    assert "found: others.html\n" in many.output


def test_a_missing_oracle_is_named(many: Done) -> None:
    assert "no-oracle/src/test/buto/catalogue.json does not exist" in many.output


def test_buto_is_asked_for_what_the_build_script_says(many: Done) -> None:
    asked = r"^asked <(\w+)> <catalogue> <--oracle> <\S*/([\w-]+)/src/test/buto/catalogue.json> (.*)>$"
    expected = {
        (command, project): rest for command, project, rest in re.findall(asked, many.output, re.MULTILINE)
    }
    java = "java> <-Xmx64m> <-XX:+UseSerialGC>"
    main = f"{java} <-cp> <build/classes/java/main:build/resources/main> <com.acme.Catalogue> <10"
    of_tests = (
        "-cp> <build/classes/java/test:build/resources/test:build/classes/java/main:build/resources/main>"
    )
    for (command, project), pattern in {
        ("train", "asked"): f"/.buto> <--runs> <7> <--alpha> <0.02> <--profile> <--> <*/{main}",
        ("accept", "asked"): f"/.buto> <--runs> <7> <--> <*/{main}",
        ("check", "asked"): f"/.buto> <--runs> <3> <--alpha> <0.02> <--junitxml> <*.md> <--> <*/{main}",
        ("why", "asked"): f"/.buto> <--pairs> <4> <--html> <*/catalogue-why.md> <--> <*/{main}",
        ("report", "asked"): "/.buto> <--junitxml> <*/catalogue.md",
        ("check", "asked-jar"): f"<--> <*/{java} <-jar> <app.jar> <10",
        ("check", "asked-texts"): (
            "/asked-texts/kept> <--junitxml> <*/asked-texts/told/TEST-*"
            "<--> </my/java> <-Xmx64m> <-XX:+UseSerialGC> <-jar> <app.jar> <10"
        ),
        ("check", "asked-command"): "<--> <./start.sh> <10",
        ("check", "asked-tests"): f"<{of_tests} <com.acme.Catalogue> <10",
    }.items():
        words = ".*".join(map(re.escape, pattern.split("*")))
        assert re.search(words + "$", expected.pop((command, project))), pattern
    assert not expected


def test_check_measures_only_where_it_was_asked_to(many: Done) -> None:
    assert ":not-asked:check" in many.output
    assert ":not-asked:butoCheck" not in many.output
