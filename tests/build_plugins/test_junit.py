"""The JUnit module, by real JUnit below real Maven."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.support.builds.plugin_builds import (
    ASSERTING,
    ASSERTING_BRIEFLY,
    BETTER,
    BETTER_BRIEFLY,
    Sample,
    advised,
    asked_buto,
    telling_buto,
)
from tests.support.checkout import ROOT

RUNS = "-Dbuto.runs=5"
JUNIT_PAGE = ROOT / "docs" / "running" / "builds.md"

TEST = "src/test/java/com/acme/CatalogueTest.java"
SCENARIO = "com.acme.CatalogueTest.loadsTenPages"
ODD = """
package com.acme;

import buto.junit.ButoTest;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.*;

@ButoTest
class OddTest {
    private static String order = "";

    @BeforeAll static void first() { order += "first "; }
    @BeforeEach void before() { order += "before "; }
    @AfterEach void after() { order += "after "; }
    @AfterAll static void last() { System.out.println("lifecycle: " + order + "last"); }

    @Test void around() throws InterruptedException {
        order += "scenario ";
        new Thread(() -> { while (true) LockSupport.park(); }).start();
        Thread.sleep(100);
    }
    @ButoTest(jvmArguments = "-XX:+NoSuchOption") void refused() {}
    @Test void withParameter(TestInfo info) {}
    @RepeatedTest(1) void repeated() {}
}
"""

SESSIONS, STAND_IN = "com/acme/SessionsTest.java", "org/testcontainers/containers/GenericContainer.java"
CONTAINER = """
package org.testcontainers.containers;

import java.util.concurrent.locks.LockSupport;

/** Has the methods that the page uses, and can only be asked once it was started, as with Docker. */
public class GenericContainer<S extends GenericContainer<S>> {
    private boolean started;

    public GenericContainer(String image) {}
    @SuppressWarnings("unchecked") public S withExposedPorts(Integer... ports) { return (S) this; }

    public void start() {
        started = true;
        System.out.println("container started");
        LockSupport.parkNanos(500_000_000);
    }

    public String getHost() { return "localhost"; }

    public Integer getMappedPort(int port) {
        if (!started) throw new IllegalStateException("not started");
        return 49152;
    }
}
"""


@pytest.mark.all
def test_a_scenario_passes_fails_after_a_change_and_the_change_is_accepted(junit: Sample) -> None:
    odd = junit.directory / "src/test/java/com/acme/OddTest.java"
    odd.write_text(ODD)
    _, sessions = shown_in_documentation()
    contained = [junit.directory / "src/test/java" / name for name in (STAND_IN, SESSIONS)]
    contained[0].parent.mkdir(parents=True)
    contained[0].write_text(CONTAINER)
    contained[1].write_text(sessions)
    junit.judge_bluntly(SCENARIO)
    trained = junit.build("test", "-Dbuto.train=true", RUNS)
    assert trained.code == 1
    assert f"TRAINED  {SCENARIO}" in trained.output
    assert_ended(junit, "CatalogueTest.loadsTenPages", "skipped: ")
    assert_ended(junit, "CatalogueTest.loadsOnePage", "passed")
    assert_ended(junit, "SessionsTest.keepsTenSessions", "skipped: ")
    assert_ended(junit, "OddTest.around", "skipped: ")
    assert "trained com.acme.OddTest.around; commit its oracle" in text(junit, "OddTest.around")
    assert_ended(junit, "OddTest.refused", "error: com.acme.OddTest.refused: the JVM could not be created: ")
    refused = text(junit, "OddTest.refused")
    assert "the JVM could not be created: Unrecognized VM option 'NoSuchOption'" in refused
    assert "try:  correct the JVM's options" in refused
    assert_ended(junit, "OddTest.withParameter", "error: void com.acme.OddTest.withParameter")
    assert "a scenario of buto has none" in text(junit, "OddTest.withParameter")
    assert "only @Test and @ButoTest methods can" in text(junit, "OddTest.repeated")
    runs = list((junit.directory / ".buto/runs/com.acme.OddTest.around").glob("2*/stdout.txt"))
    assert {run.read_text() for run in runs} == {"lifecycle: first before scenario after last\n"}
    assert "lifecycle: " not in trained.output
    runs = list((junit.directory / ".buto/runs/com.acme.SessionsTest.keepsTenSessions").glob("2*/stdout.txt"))
    assert {run.read_text() for run in runs} == {"container started\n"}
    assert "container started" not in trained.output

    for file in contained:
        file.unlink()
    assert str(junit.directory) not in (junit.directory / f"src/test/buto/{SCENARIO}.json").read_text()

    odd.write_text(ODD.replace("around()", "notLearned()"))
    passed = junit.build("test")
    assert passed.code == 1
    assert_ended(junit, "CatalogueTest.loadsTenPages", "passed")
    assert (junit.directory / f"target/buto-reports/TEST-{SCENARIO}.xml").is_file()
    assert_ended(junit, "OddTest.notLearned", "error: com.acme.OddTest.notLearned has no oracle yet: ")
    missing = text(junit, "OddTest.notLearned")
    assert missing.count("src/test/buto/com.acme.OddTest.notLearned.json does not exist") == 1
    assert "try:  mvn test -Dbuto.train=true '-Dtest=com.acme.OddTest#notLearned'" in missing
    odd.unlink()
    shutil.rmtree(junit.directory / "target")

    junit.change(TEST, "ENTRIES_PER_PAGE = 200", "ENTRIES_PER_PAGE = 3000")
    junit.without_turns(SCENARIO)
    wrapper = junit.add_wrapper()
    failed = junit.build("test")
    assert failed.code == 1
    assert "Tests run: 2, Failures: 1, Errors: 0, Skipped: 0" in failed.output
    assert_ended(junit, "CatalogueTest.loadsTenPages", f"failure: REGRESSION  {SCENARIO}: ")
    assert re.search("allocates|keeps", text(junit, "CatalogueTest.loadsTenPages"))

    message = result(junit, "CatalogueTest.loadsTenPages").get("message", "")
    first, *steps, reports = message.splitlines()
    assert reports.startswith("try:  look at the reports in ")
    assert steps
    assert all(line.startswith("  next: ") for line in steps)
    assert " without turns, " in first
    assert re.search(rf"^\[ERROR\] .*REGRESSION  {SCENARIO}: without turns, ", failed.output, re.MULTILINE)
    # In the failure, and in the summary of all failures.
    assert failed.output.count("REGRESSION  ") >= 2
    assert "run 1 of 1" not in failed.output
    accept = advised(failed.output, "accept")
    assert accept == f"{wrapper} test -Dbuto.accept=true '-Dtest=com.acme.CatalogueTest#loadsTenPages'"

    accepted = junit.typed(accept, RUNS)
    assert accepted.code == 0, accepted.output
    assert re.search(r"(live heap|allocated bytes) +(at the exit|total) ", accepted.output)
    assert_ended(junit, "CatalogueTest.loadsTenPages", "skipped: ")


def shown_in_documentation() -> tuple[str, str]:
    """Return the test classes that docs/running/builds.md shows: a plain one, and one with a container."""
    plain, contained = re.findall(r"^```java\n(.*?)^```$", JUNIT_PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return plain, contained


def result(sample: Sample, test: str) -> ET.Element:
    """What Surefire wrote of one test method, as ``Class.method``."""
    test_class, method = test.split(".", 1)
    report = ET.parse(sample.directory / f"target/surefire-reports/TEST-com.acme.{test_class}.xml")
    (case,) = (case for case in report.iter("testcase") if case.get("name", "").startswith(method))
    return next((child for child in case if child.tag in ("failure", "error", "skipped")), case)


def assert_ended(sample: Sample, test: str, expected: str) -> None:
    """A test method ended so: ``passed``, or the kind of its end and the beginning of the reason."""
    found = result(sample, test)
    message = found.get("message", "")
    actual = "passed" if found.tag == "testcase" else f"{found.tag}: {message}"
    assert actual.startswith(expected), f"{actual}\n{found.text}"


def text(sample: Sample, test: str) -> str:
    """All that a test method's failure says."""
    return result(sample, test).text or ""


def test_a_setting_that_nobody_reads_is_refused(junit: Sample) -> None:
    assert junit.build("test", "-Dbuto.chekRuns=3", "-Dtest=CatalogueTest").code == 1
    said = "error: -Dbuto.chekRuns is no setting of buto"
    assert_ended(junit, "CatalogueTest.loadsTenPages", said)


FAILING = """
package com.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import buto.junit.ButoTest;
import org.junit.jupiter.api.Test;

@ButoTest
class FailingTest {
    @Test void counting() {
        assertEquals(10, "catalogue".length(), "pages");
    }
    @Test void throwing() { throw new IllegalStateException("no catalogue"); }
}
"""


def test_what_a_scenario_throws_is_shown_as_junit_shows_it(junit: Sample) -> None:
    (junit.directory / "src/test/java/com/acme/FailingTest.java").write_text(FAILING)
    done = junit.build("test", "-Dbuto.train=true", "-Dtest=FailingTest")
    assert done.code == 1
    assert_ended(junit, "FailingTest.counting", "failure: pages ==> expected: <10> but was: <9>")
    assert_ended(junit, "FailingTest.throwing", "error: java.lang.IllegalStateException: no catalogue")
    assert "com.acme.FailingTest.counting(FailingTest.java:12)" in text(junit, "FailingTest.counting")
    assert re.search(r"^\[ERROR\] +FailingTest.counting:12 pages ==> ", done.output, re.MULTILINE)
    assert "expect-exit" not in done.output


ENDING = """
package com.acme;

import buto.junit.ButoTest;
import org.junit.jupiter.api.*;

class EndingTest {
    @ButoTest void exitsAtOnce() { System.exit(0); }
    @ButoTest void exitsInThread() throws InterruptedException {
        Thread other = new Thread(() -> System.exit(3));
        other.start();
        other.join();
    }
    @ButoTest void assumes() { Assumptions.assumeTrue(false, "no docker"); }
    @ButoTest void returns() {}
}
"""


def test_a_scenario_that_exits_is_an_error_and_one_that_assumes_is_skipped(junit: Sample) -> None:
    test = "src/test/java/com/acme/EndingTest.java"
    (junit.directory / test).write_text(ENDING)
    junit.build("test", "-Dbuto.train=true", RUNS, "-Dtest=EndingTest")
    too_early = "ended its JVM by System.exit before the method had returned"
    for method in ("exitsAtOnce", "exitsInThread"):
        exception = f"java.lang.IllegalStateException: com.acme.EndingTest.{method} {too_early}"
        assert_ended(junit, f"EndingTest.{method}", f"error: {exception}")
        assert not (junit.directory / f"src/test/buto/com.acme.EndingTest.{method}.json").exists()
    assert "com.acme.EndingTest.exitsAtOnce(EndingTest.java:8)" in text(junit, "EndingTest.exitsAtOnce")
    assert_ended(junit, "EndingTest.assumes", "skipped: ")
    assert "TestAbortedException: Assumption failed: no docker" in text(junit, "EndingTest.assumes")
    assert_ended(junit, "EndingTest.returns", "skipped: ")

    junit.change(test, "returns() {}", "returns() { System.exit(0); }")
    checked = junit.build("test", "-Dtest=EndingTest#returns")
    assert checked.code == 1
    assert_ended(junit, "EndingTest.returns", "error: java.lang.IllegalStateException: ")


NESTED = """
package com.acme;

import buto.junit.ButoTest;
import java.nio.file.Path;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.*;
import org.junit.jupiter.api.io.TempDir;

class NestedTest {
    static String order = "";

    @BeforeAll static void first() { order += "first "; }
    NestedTest() { order += "outer "; }
    @BeforeEach void before() { order += "before-outer "; }
    @AfterEach void after() { order += "after-outer "; }
    @AfterAll static void last() { System.out.println("lifecycle: " + order + "last"); }

    @Nested class Inner {
        Inner() { order += "inner "; }
        @BeforeEach void before() { order += "before-inner "; }
        @AfterEach void after() { order += "after-inner "; }
        @ButoTest void nested() { order += "scenario "; }
    }
    @Nested class Prepared {
        @TempDir Path directory;
        @ButoTest void inDirectory() {}
    }
    static class Around implements BeforeEachCallback {
        public void beforeEach(ExtensionContext context) {}
    }
    static class Watching implements TestWatcher {}
    @ButoTest @ExtendWith(Around.class) void extended() {}
    @ButoTest @ExtendWith(Watching.class) void watched() { throw new IllegalStateException("launched"); }
}
"""


def test_nested_classes_are_measured_and_what_extensions_would_do_is_refused(junit: Sample) -> None:
    (junit.directory / "src/test/java/com/acme/NestedTest.java").write_text(NESTED)
    junit.build("test", "-Dbuto.train=true", RUNS, "-Dtest=NestedTest*")
    assert_ended(junit, "NestedTest$Inner.nested", "skipped: ")
    runs = list((junit.directory / ".buto/runs/com.acme.NestedTest.Inner.nested").glob("2*/stdout.txt"))
    assert {run.read_text() for run in runs} == {
        "lifecycle: first outer inner before-outer before-inner scenario after-inner after-outer last\n"
    }
    unprepared = "error: com.acme.NestedTest$Prepared.directory has @TempDir"
    assert_ended(junit, "NestedTest$Prepared.inDirectory", unprepared)
    assert_ended(junit, "NestedTest.extended", "error: com.acme.NestedTest.extended is extended by Around")
    assert_ended(junit, "NestedTest.watched", "error: java.lang.IllegalStateException: launched")


def test_an_error_is_told_once_with_what_the_program_printed(junit: Sample, tmp_path: Path) -> None:
    (junit.directory / "src/test/buto").mkdir(parents=True, exist_ok=True)
    (junit.directory / f"src/test/buto/{SCENARIO}.json").touch()
    buto = telling_buto(tmp_path, "broken", 3, others=ASSERTING)
    failed = junit.build(
        "test", "-Dtest=CatalogueTest#loadsTenPages", f"-Dbuto.executable={buto}", buto=False
    )
    headline, advice = ASSERTING_BRIEFLY
    assert_ended(junit, "CatalogueTest.loadsTenPages", f"error: {headline}\n{advice}")
    # With its test, and in the summary of all.
    assert failed.output.count(headline) == 2
    assert failed.output.count("stderr, last lines:") == 1


@pytest.mark.all
def test_what_is_only_for_the_better_is_a_failure_that_begins_with_the_verdict(
    junit: Sample, tmp_path: Path
) -> None:
    (junit.directory / "src/test/buto").mkdir(parents=True, exist_ok=True)
    (junit.directory / f"src/test/buto/{SCENARIO}.json").touch()
    executable = f"-Dbuto.executable={telling_buto(tmp_path, 'better', 1, BETTER)}"
    failed = junit.build("test", "-Dtest=CatalogueTest#loadsTenPages", executable, buto=False)
    assert failed.code == 1
    found = result(junit, "CatalogueTest.loadsTenPages")
    assert (found.tag, found.get("type")) == ("failure", "org.opentest4j.AssertionFailedError")
    *said, reports = found.get("message", "").splitlines()
    assert said == BETTER_BRIEFLY
    assert reports.startswith("try:  look at the reports in ")
    assert text(junit, "CatalogueTest.loadsTenPages").startswith(
        f"org.opentest4j.AssertionFailedError: {BETTER_BRIEFLY[0]}\n"
    )
    assert f"Caused by: buto.junit.Findings: {BETTER_BRIEFLY[0]}\n" in failed.output


@pytest.mark.all
def test_without_buto_the_scenario_is_an_error_unless_it_is_skipped_and_the_other_tests_run(
    junit: Sample,
) -> None:
    done = junit.build("test", buto=False, BUTO_EXECUTABLE="buto")
    assert done.code == 1
    assert "Tests run: 2, Failures: 0, Errors: 1, Skipped: 0" in done.output
    printed = text(junit, "CatalogueTest.loadsTenPages")
    assert "the command 'buto' is not in PATH" in printed
    assert "python3 -m venv" in printed
    assert "BUTO_EXECUTABLE" in printed
    skipped = junit.build("test", buto=False, BUTO_SKIP="true")
    assert skipped.code == 0
    assert "Tests run: 2, Failures: 0, Errors: 0, Skipped: 1" in skipped.output


@pytest.mark.all
def test_a_scenario_is_trained_with_a_profile_and_explained_by_it(junit: Sample, tmp_path: Path) -> None:
    """The one of the example, and the one that the documentation shows."""
    shown = junit.directory / "src/test/java/com/acme/ShownTest.java"
    shown.write_text(shown_in_documentation()[0].replace("CatalogueTest", "ShownTest"))
    executable = f"-Dbuto.executable={asked_buto(tmp_path)}"
    trained = junit.build(
        "test", "-Dbuto.train=true", "-Dbuto.profile=true", executable, "-Dbuto.java=/my/java", buto=False
    )
    assert trained.code == 0, trained.output
    assert re.search(rf"asked <train> <{SCENARIO}> .*<--profile> <--> </my/java> ", trained.output)
    assert_ended(junit, "ShownTest.loadsTenPages", "skipped: ")
    explained = junit.build("test", "-Dbuto.why=true", "-Dbuto.pairs=4", executable, buto=False)
    assert explained.code == 0, explained.output
    asked = rf"asked <why> <{SCENARIO}> .*<--pairs> <4> <--html> <\S+/{SCENARIO}-why.html> "
    assert re.search(asked, explained.output)
    assert_ended(junit, "CatalogueTest.loadsTenPages", "skipped: ")
    assert f"explained {SCENARIO}: see " in text(junit, "CatalogueTest.loadsTenPages")


GROWING = """
package com.acme;

import buto.junit.ButoTest;
import buto.junit.NeverGrows;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

class GrowingTest {
    private static final List<byte[]> KEPT = new ArrayList<>();
    private static volatile byte[] garbage;

    @ButoTest(jvmArguments = {"-Xmx64m", "-XX:+UseSerialGC"})
    @NeverGrows(rounds = 8)
    void keepsEachPage() {
        for (int page = 0; page < 500; page++) {
            KEPT.add(new byte[10_000]);
            for (int part = 0; part < 50; part++) {
                garbage = new byte[20_000];
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
"""


@pytest.mark.all
def test_a_scenario_that_never_grows_fails_for_what_each_training_run_kept(junit: Sample) -> None:
    (junit.directory / "src/test/java/com/acme/GrowingTest.java").write_text(GROWING)
    (junit.directory / TEST).unlink()
    junit.judge_bluntly("com.acme.GrowingTest.keepsEachPage")
    junit.build("test", "-Dbuto.train=true", RUNS)
    assert_ended(junit, "GrowingTest.keepsEachPage", "skipped: ")
    assert junit.build("test").code == 1
    assert_ended(
        junit, "GrowingTest.keepsEachPage", "failure: REGRESSION  com.acme.GrowingTest.keepsEachPage: "
    )
    assert "grows in every round" in text(junit, "GrowingTest.keepsEachPage")
