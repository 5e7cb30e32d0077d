"""The ways to launch a program: how its files lie in a directory, and what a user types there."""

from __future__ import annotations

import os
import shlex
import shutil
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from buto_replications.live.artefacts import JUNIT, compile_java, fetch, pack_jar, run_tool
from buto_replications.live.programs import BEDS, DRIVER, LIB, PROGRAMS, SERVICE, TOOLS, LiveProgram

NAME = "program"
"""The test's name in each directory."""

OLD, NEW = "HEAD~1", "HEAD"
"""Two revisions that differ in a page of text."""

BUILD = "sh build.sh"

CLASS_PATH = "class-path"


@dataclass(frozen=True, slots=True)
class TypedLaunch:
    """What a user types.

    Attributes:
        command: how the program is started.
        test: more keys of its test in ``buto.yaml``; the command is typed after ``--`` if there are none.
        revisions: whether two revisions are compared, in place of a check.
    """

    command: tuple[str, ...]
    test: Mapping[str, Any] = field(default_factory=dict)
    revisions: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Return what follows the options of a call."""
        return () if self.test else ("--", *self.command)


Layout = Callable[[LiveProgram, Path, Path], TypedLaunch]
"""From a program, an empty directory and the cache to what is typed in that directory."""


@dataclass(frozen=True, slots=True)
class LaunchWay:
    """A way to launch programs.

    Attributes:
        lay: writes the files.
        programs: those that can be launched in this way.
    """

    lay: Layout
    programs: tuple[LiveProgram, ...]


@dataclass(frozen=True, slots=True)
class LaunchedProgram:
    """A program, launched in one way."""

    program: LiveProgram
    way: str

    @property
    def name(self) -> str:
        return f"{self.program.name}/{self.way}"

    def prepare(self, directory: Path, cache: Path) -> TypedLaunch:
        """Write all files into a new directory, and return what is typed there.

        Raises:
            MeasureError: a jar cannot be fetched, or a tool failed.
        """
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        launch = WAYS[self.way].lay(self.program, directory, cache)
        if self.program.workload:
            launch = TypedLaunch(
                launch.command, {**launch.test, "workload": self.program.workload}, launch.revisions
            )
        if launch.test:
            write_configuration(directory, {"command": list(launch.command), **launch.test})
        if (directory / ".git").exists():
            _commit_twice(directory)
        return launch


def write_configuration(directory: Path, test: Mapping[str, Any]) -> None:
    """Write a ``buto.yaml`` with one test."""
    document = {"version": 1, "tests": {NAME: dict(test)}}
    (directory / "buto.yaml").write_text(yaml.safe_dump(document, sort_keys=False))


def _java(program: LiveProgram, *how: str) -> tuple[str, ...]:
    return ("java", *program.options, *how, *program.arguments)


def _jar_relative(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    own, *_ = program.put(directory, cache)
    return TypedLaunch(_java(program, "-jar", own))


def _jar_absolute(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    own, *_ = program.put(directory, cache)
    return TypedLaunch(_java(program, "-jar", str(directory.absolute() / own)))


def _class_path(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    path = os.pathsep.join(program.put(directory, cache))
    return TypedLaunch(_java(program, "-cp", path, program.main))


def _wildcard(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    program.put(directory, cache)
    return TypedLaunch(_java(program, "-cp", f"{LIB}/*", program.main))


def _directories(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    for place in program.put(directory, cache):
        with zipfile.ZipFile(directory / place) as jar:
            jar.extractall(directory / "classes" / Path(place).stem)
    shutil.rmtree(directory / LIB)
    path = os.pathsep.join(f"classes/{each.name}" for each in sorted((directory / "classes").iterdir()))
    return TypedLaunch(_java(program, "-cp", path, program.main))


def _manifest(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    path = " ".join(program.put(directory, cache))
    pack_jar(None, directory / "start.jar", f"Main-Class: {program.main}\nClass-Path: {path}\n")
    return TypedLaunch(_java(program, "-jar", "start.jar"))


def _module_path(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    program.put(directory, cache)
    return TypedLaunch(_java(program, "-p", LIB, "-m", f"{program.module}/{program.main}"))


def _argument_file(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    path = os.pathsep.join(program.put(directory, cache))
    _, *words = _java(program, "-cp", path, program.main)
    (directory / "arguments").write_text("".join(f'"{word}"\n' for word in words))
    return TypedLaunch(("java", "@arguments"))


def _agent_beside(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    path = os.pathsep.join(program.put(directory, cache))
    pack_jar(compile_java("agent", cache), directory / "tiny.jar", "Premain-Class: live.agent.TinyAgent\n")
    return TypedLaunch(_java(program, "-javaagent:tiny.jar", "-cp", path, program.main))


def _script(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    command = _java(program, "-cp", os.pathsep.join(program.put(directory, cache)), program.main)
    script = directory / "run.sh"
    script.write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n")
    script.chmod(0o755)
    return TypedLaunch(("./run.sh",), {"inputs": ["run.sh", f"{LIB}/**", "in/**"]})


def _junit(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    own, *others = program.put(directory, cache)
    runner = fetch(JUNIT, cache)
    shutil.copyfile(runner, directory / LIB / runner.name)
    shutil.copytree(compile_java("junit", cache, (runner, directory / own)), directory / "tests")
    path = os.pathsep.join(("tests", own, *others))
    words = ("-jar", f"{LIB}/{runner.name}", "execute", "-cp", path, "--scan-classpath", "tests")
    return TypedLaunch(("java", *program.options, *words, "--details", "none", "--disable-banner"))


def _build(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    path = os.pathsep.join(_put_repository(program, directory, cache))
    return TypedLaunch(_java(program, "-cp", path, program.main), {"program": {"build": BUILD}})


def _revisions(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    launch = _build(program, directory, cache)
    return TypedLaunch(launch.command, launch.test, revisions=True)


def _maven(program: LiveProgram, directory: Path, cache: Path) -> TypedLaunch:
    path = os.pathsep.join(_put_repository(program, directory, cache))
    _, *words = _java(program, "-cp", path, program.main)
    (directory / "pom.xml").write_text(_POM)
    maven = ("mvn", "-q", "-B", f"-Dmaven.repo.local={cache.absolute() / 'm2'}", "exec:exec")
    command = (*maven, "-Dexec.executable=java", f"-Dexec.args={shlex.join(words)}")
    # What Maven needs comes into the cache, so that no launch fetches it.
    run_tool(command, directory)
    return TypedLaunch((command[0], "-o", *command[1:]), {"program": {"build": BUILD}})


_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>live</groupId>
  <artifactId>program</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <build><plugins><plugin>
    <groupId>org.codehaus.mojo</groupId>
    <artifactId>exec-maven-plugin</artifactId>
    <version>3.1.1</version>
  </plugin></plugins></build>
</project>
"""


def _put_repository(program: LiveProgram, directory: Path, cache: Path) -> list[str]:
    """Write a git repository whose build copies the jars from beside it; return the class path."""
    path = program.put(directory, cache)
    (directory / LIB).rename(directory / "jars")
    jars = shlex.quote(str(directory.absolute() / "jars"))
    (directory / "build.sh").write_text(f"mkdir -p {LIB} && cp {jars}/*.jar {LIB}/\n")
    (directory / ".gitignore").write_text(f".buto/\noracles/\njars/\n{LIB}/\nout/\n*.json\n")
    run_tool(["sh", "build.sh"], directory)
    run_tool(["git", "init", "-q"], directory)
    return path


def _commit_twice(directory: Path) -> None:
    for text in ("first", "second"):
        (directory / "NOTES.md").write_text(f"the {text} revision\n")
        run_tool(["git", "add", "-A"], directory)
        who = ("-c", "user.name=live", "-c", "user.email=live@localhost")
        run_tool(["git", *who, "commit", "-q", "-m", text], directory)


WAYS: dict[str, LaunchWay] = {
    "jar-relative": LaunchWay(_jar_relative, PROGRAMS),
    "jar-absolute": LaunchWay(_jar_absolute, PROGRAMS),
    CLASS_PATH: LaunchWay(_class_path, (*PROGRAMS, *BEDS)),
    "wildcard": LaunchWay(_wildcard, (*PROGRAMS, *BEDS)),
    "directories": LaunchWay(_directories, (TOOLS[-1], DRIVER, SERVICE, *BEDS)),
    "manifest": LaunchWay(_manifest, (*PROGRAMS, *BEDS)),
    "module-path": LaunchWay(_module_path, tuple(program for program in PROGRAMS if program.module)),
    "argument-file": LaunchWay(_argument_file, (*PROGRAMS, *BEDS)),
    "agent-beside": LaunchWay(_agent_beside, (*PROGRAMS, *BEDS)),
    "script": LaunchWay(_script, (*PROGRAMS, *BEDS)),
    "junit": LaunchWay(_junit, (DRIVER,)),
    "build": LaunchWay(_build, PROGRAMS),
    "maven": LaunchWay(_maven, (TOOLS[-1], DRIVER)),
    "revisions": LaunchWay(_revisions, PROGRAMS),
}
"""By name."""


def subjects(programs: tuple[LiveProgram, ...]) -> tuple[LaunchedProgram, ...]:
    """Return these programs in all ways in which each can be launched."""
    return tuple(
        LaunchedProgram(program, name)
        for program in programs
        for name, way in WAYS.items()
        if program in way.programs
    )
