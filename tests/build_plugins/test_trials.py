"""Two trials of new users, with Maven and with JUnit: from nothing to a pass and a regression."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.support.builds.plugin_builds import BRIEF, Sample
from tests.support.trial import Trial

pytestmark = pytest.mark.all

PROGRAM = "src/main/java/com/acme/Catalogue.java"
TEST = "src/test/java/com/acme/CatalogueTest.java"
SCENARIO = "com.acme.CatalogueTest.loadsTenPages"


def user_of(sample: Sample, place: Path) -> Trial:
    """Return a user of a sample, who types ``mvn``, in runs of five."""
    words = " ".join(map(shlex.quote, sample.command))
    tools = place / "tools"
    tools.mkdir()
    (tools / "mvn").write_text(f'#!/bin/sh\nPATH="${{PATH#{tools}:}}" exec {words} -Dbuto.runs=5 "$@"\n')
    (tools / "mvn").chmod(0o755)
    buto = Path(sys.executable).with_name("buto")
    environment = {"MAVEN_OPTS": BRIEF, "BUTO_EXECUTABLE": str(buto)}
    return Trial(sample.directory, (tools, buto.parent), environment)


def test_maven(maven: Sample, tmp_path: Path) -> None:
    user = user_of(maven, tmp_path)
    maven.judge_bluntly("catalogue")
    user.types("mvn verify", code=1)
    assert "has no oracle yet" in user.first(r"^\[ERROR\] Failed to execute goal")
    user.types(user.advice("buto:train"), code=0)
    user.types("mvn verify", code=0)
    user.first(r"^\[INFO\] PASS  catalogue: ")

    maven.change(PROGRAM, "ENTRIES_PER_PAGE = 200", "ENTRIES_PER_PAGE = 3000")
    maven.without_turns("catalogue")
    user.types("rm -r .buto; mvn verify", code=1)
    first = user.first(r"^\[ERROR\] Failed to execute goal")
    assert re.search(r"REGRESSION  catalogue: without turns, (allocates|keeps) ", first)
    # The old program is gone: nothing can explain it, and training would bless it.
    assert not any("buto:why" in sentence or "buto:train" in sentence for sentence in user.advised)
    assert "(-v)" not in user.output
    user.types(user.advice("buto:accept"), code=0)
    assert "failed for " in user.first("expected now$")
    user.types("mvn verify", code=0)


def test_junit(junit: Sample, tmp_path: Path) -> None:
    user = user_of(junit, tmp_path)
    junit.judge_bluntly(SCENARIO)
    user.types("mvn test", code=1)
    assert "has no oracle yet" in user.first(r"^\[ERROR\] +CatalogueTest.loadsTenPages")
    user.types(user.advice("-Dbuto.train=true"), code=0)
    user.types("mvn test", code=0)

    junit.change(TEST, "ENTRIES_PER_PAGE = 200", "ENTRIES_PER_PAGE = 3000")
    junit.without_turns(SCENARIO)
    user.types("mvn test", code=1)
    first = user.first(r"^\[ERROR\] +CatalogueTest.loadsTenPages")
    assert re.search(r"REGRESSION  \S+: without turns, (allocates|keeps) ", first)
    user.types(user.advice("-Dbuto.accept=true"), code=0)
    user.types("mvn test", code=0)

    junit.change(TEST, "assertEquals(10 * ENTRIES_PER_PAGE, entries.size());", 'assertEquals(1, 2, "pages");')
    user.types("mvn test", code=1)
    assert "pages ==> expected: <1> but was: <2>" in user.first(r"^\[ERROR\] +CatalogueTest.loadsTenPages:")
    assert "expect-exit" not in user.output
