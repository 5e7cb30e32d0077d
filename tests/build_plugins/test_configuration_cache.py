"""What Gradle's configuration cache asks of a task: that plain values are all that it keeps and uses."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.builds.plugin_builds import PLUGINS

CLASSES = PLUGINS / "gradle" / "target" / "classes"
TASKS = ("ButoTask", "ButoTrain", "ButoCheck", "ButoAccept", "ButoReport")
PLAIN = {
    "boolean",
    "java.io.File",
    "java.lang.Integer",
    "java.lang.String",
    "java.util.List<java.lang.String>",
    # Gradle stores the files of a collection, and the tasks that build them.
    "org.gradle.api.file.FileCollection",
}
"""Types of fields whose values the cache stores, by Gradle's own list."""

FIELD = re.compile(r"^ +private (?:final )?(\S+) \w+;$", re.MULTILINE)


def disassembled(name: str, *options: str) -> str:
    done = subprocess.run(
        ["javap", "-p", *options, "-cp", str(CLASSES), name],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def fields(name: str) -> set[str]:
    """The types of a class's fields, and those of the fields of buto's own classes that they hold."""
    found: set[str] = set()
    for kind in FIELD.findall(disassembled(name)):
        element = re.sub(r"java\.util\.List<(buto\.\S+)>", r"\1", kind)
        found |= fields(element) if element.startswith("buto.") else {element}
    return found


@pytest.mark.parametrize("task", TASKS)
def test_a_task_keeps_plain_values_and_never_asks_for_the_project(plugins: Path, task: str) -> None:
    assert fields(f"buto.gradle.{task}") <= PLAIN
    assert ".getProject:" not in disassembled(f"buto.gradle.{task}", "-c")


def test_the_fields_that_are_looked_at_are_those_of_the_tasks(plugins: Path) -> None:
    """The one that a task inherits from, and of the one that adds to it."""
    assert {"java.io.File", "java.lang.Integer", "boolean"} <= fields("buto.gradle.ButoTask")
    assert fields("buto.gradle.ButoCheck") == {"boolean"}
    assert "getLogger" in disassembled("buto.gradle.ButoTask", "-c")
