"""What is advised in a build of several modules, typed as it is printed where the build was started."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.builds.plugin_builds import Changes, Sample, advised, asked_buto, maven_sample, reactor

LIBRARY = """
<dependency><groupId>com.acme</groupId><artifactId>library</artifactId><version>1.0</version></dependency>
"""
MODULES: dict[str, Changes] = {
    "library": {"<goals>": "<phase>test</phase><goals>"},
    "shop": {"<build>": f"<dependencies>{LIBRARY}</dependencies><build>"},
}
"""A library, whose own test of the same name fails each build that tests it, and a program that needs it."""

ASKED = re.compile(r"^\[INFO\] asked <(\w+)> <(\w+)> .*<-cp> <(\S+)> <com.acme.Catalogue>", re.MULTILINE)


def modules(place: Path, *, known: bool) -> Sample:
    """The modules below a root that knows the plug-in, or not."""
    root = reactor(place, MODULES)
    if not known:
        pom = place / "pom.xml"
        pom.write_text(re.sub(r"<build>.*</build>", "", pom.read_text(), flags=re.DOTALL))
    return root


@pytest.mark.parametrize("known", [True, False])
def test_the_command_for_a_module_launches_what_this_build_made_and_nothing_else(
    plugins: Path, tmp_path: Path, known: bool
) -> None:
    root = modules(tmp_path, known=known)
    asked = f"-Dbuto.executable={asked_buto(tmp_path)}"
    goal = "buto:check" if known else "io.github.buto-jvm:buto-maven-plugin:0.1.0:check"
    chosen = ("-pl", ":shop", "-am", "-P", "ci,!slow")
    failed = root.build("package", goal, *chosen, "-DskipTests", asked, buto=False)
    assert failed.code == 1
    assert re.search(r"on project shop: .*catalogue has no oracle yet", failed.output), failed.output
    train = advised(failed.output, "train")
    assert " -P 'ci,!slow' " in train
    done = root.typed(train, buto=False)
    assert done.code == 0, done.output
    made = f"target/classes:{tmp_path}/library/target/library-1.0.jar"
    assert ASKED.findall(done.output) == [("train", "catalogue", made)]


def test_the_last_reports_are_written_again_without_what_the_modules_need(
    plugins: Path, tmp_path: Path
) -> None:
    executable = f"-Dbuto.executable={asked_buto(tmp_path)}"
    done = modules(tmp_path, known=True).build("buto:report", executable, buto=False)
    assert done.code == 0, done.output
    assert done.output.count("asked <report> <catalogue>") == len(MODULES)


ROOT_POM = """
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.acme</groupId><artifactId>all</artifactId><version>1.0</version><packaging>pom</packaging>
  <modules><module>library</module><module>shop</module></modules>
</project>
"""
LIBRARY_TEST = """
package com.acme;

class LibraryTest {
    @org.junit.jupiter.api.Test void opens() {}
}
"""


def test_the_command_for_a_scenario_works_where_the_build_of_all_modules_was_typed(
    plugins: Path, tmp_path: Path
) -> None:
    """The library that it needs has tests, too, and none of its name."""
    (tmp_path / "pom.xml").write_text(ROOT_POM)
    for module in ("library", "shop"):
        sample = maven_sample("junit", tmp_path / "copies")
        sample.change("pom.xml", "catalogue-tests", module)
        sample.directory.rename(tmp_path / module)
    tests = tmp_path / "library/src/test/java/com/acme"
    (tests / "CatalogueTest.java").unlink()
    (tests / "LibraryTest.java").write_text(LIBRARY_TEST)
    Sample(tmp_path / "shop", ()).change("pom.xml", "<dependencies>", f"<dependencies>{LIBRARY}")
    root = Sample(tmp_path, sample.command, {"BUTO_EXECUTABLE": str(asked_buto(tmp_path))})
    failed = root.build("test", buto=False)
    assert failed.code == 1
    done = root.typed(advised(failed.output, "train"), buto=False)
    assert done.code == 0, done.output
    assert re.findall(r"asked <train> .* <--store> <(\S+)>", done.output) == [f"{tmp_path}/.buto"]
