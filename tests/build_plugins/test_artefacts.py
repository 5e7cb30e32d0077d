"""What the one command builds: jars for Java 8, and tasks that Gradle's configuration cache can keep."""

from __future__ import annotations

import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.support.builds.plugin_builds import PLUGINS

JAVA_8 = 52
JARS = ["buto-gradle-plugin-0.1.0.jar", "buto-junit-0.1.0.jar", "buto-maven-plugin-0.1.0.jar"]
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

VALUE = re.compile(r"^public .*class \S+ extends (buto\.launcher\.\S+) ", re.MULTILINE)
FIELD = re.compile(r"^ +private (?:final )?(\S+) \w+;$", re.MULTILINE)


def test_each_plugin_is_one_jar_of_java_8_bytecode_that_brings_its_own_launcher(plugins: Path) -> None:
    jars = sorted(plugins.rglob("*.jar"), key=lambda jar: jar.name)
    assert [jar.name for jar in jars] == JARS
    for jar in jars:
        with zipfile.ZipFile(jar) as archive:
            classes = [name for name in archive.namelist() if name.endswith(".class")]
            versions = {int.from_bytes(archive.read(name)[6:8], "big") for name in classes}
        assert versions == {JAVA_8}
        assert all(name.startswith("buto/") for name in classes)
        assert "buto/launcher/Harness.class" in classes


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
    """The types of a class's fields, and those of the fields of buto's own classes that they hold.

    Those that it inherits are of a value, as a task inherits much from Gradle's own.
    """
    text = disassembled(name)
    found: set[str] = set().union(*map(fields, VALUE.findall(text)))
    for kind in FIELD.findall(text):
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
