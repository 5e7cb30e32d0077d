"""Builds as their users run them: real Maven and Gradle, on copies of the examples."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from buto.report.formats.junit import junit_xml
from buto.report.result import Result
from tests.support.checkout import ROOT
from tests.support.judging import BY_HEAP, know_a_busy_machine, literal, without_turns
from tests.support.report import made

PLUGINS = ROOT / "build-plugins"
REPOSITORY = PLUGINS / "repository"
TIMEOUT_S = 300.0
NOT_MEASURED = made.every_result()[-1]
IN_PART = "regression; another test could not be measured or judged"
"""Said of the tests of a buto.yaml, which one command checks."""

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where Maven and Gradle are, and buto is not."""

Changes = Mapping[str, str]
"""Texts of a sample's POM, and what stands there instead."""

BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For the JVM of a build tool, which ends before much compiling of it has paid; not for what it starts."""


@dataclass(frozen=True)
class Done:
    """How a build ended, and all that it printed."""

    code: int
    output: str


@dataclass(frozen=True)
class Sample:
    """A copy of an example, and the command of its build tool."""

    directory: Path
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)

    def build(self, *words: str, buto: bool = True, **environment: str) -> Done:
        """Run the build tool; ``buto`` says whether the environment names this checkout's command buto.

        Without it, and without another that the build names, the plugins fetch and unpack the runtime.
        """
        done = subprocess.run(
            [*self.command, *words],
            cwd=self.directory,
            env={**os.environ, **self.variables(buto=buto), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        return Done(done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout))

    def variables(self, *, buto: bool = True) -> dict[str, str]:
        """Return the variables that the build tool is started with, see :meth:`build`."""
        named = {"BUTO_EXECUTABLE": os.fspath(Path(sys.executable).with_name("buto"))} if buto else {}
        opts = {"MAVEN_OPTS": BRIEF, "GRADLE_OPTS": BRIEF}
        return {**named, "PATH": _tools(), **opts, **self.environment}

    def typed(self, advice: str, *more: str, buto: bool = True) -> Done:
        """Run a command as it was advised, with the options that every build of the tests needs."""
        words = shlex.split(advice)
        variables = {}
        if words[0] == "env":
            name, _, value = words[1].partition("=")
            variables, words = {name: value}, words[2:]
        tool = Path(self.command[0]).name
        assert words[0] in (tool, f"./{tool}w")
        return self.build(*words[1:], *more, buto=buto, **variables)

    def judge_bluntly(self, test: str) -> None:
        """Have only many MiB more in the heap count, as between the example and its change."""
        tests = f"version: 1\ntests:\n  {test}: {{judge: {literal(BY_HEAP)}}}\n"
        (self.directory / "buto.yaml").write_text(tests)

    def without_turns(self, test: str) -> None:
        """Let the oracle alone decide, which is faster, also where others use the machine."""
        oracle = self.directory / "src/test/buto" / f"{test}.json"
        know_a_busy_machine(oracle)
        without_turns(oracle)

    def add_wrapper(self) -> str:
        """Give the project a wrapper of its build tool; return how it is started."""
        tool = Path(self.command[0]).name
        (self.directory / f"{tool}w").write_text(f'#!/bin/sh\nexec {self.command[0]} "$@"\n')
        return f"./{tool}w"

    def moved(self, directory: Path) -> Sample:
        """The same project as a fresh job gets it: from git, not built."""
        left_out = shutil.ignore_patterns("target", "build", ".gradle", ".buto")
        shutil.copytree(self.directory, directory, ignore=left_out)
        shutil.rmtree(self.directory)
        return replace(self, directory=directory)

    def change(self, file: str, old: str, new: str) -> None:
        """Replace a text that is there."""
        path = self.directory / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


def advised(output: str, action: str) -> str:
    """Return the one command of a build tool for an action that an output advises, however often it does."""
    tools = r"(?:mvn|gradle|\./mvnw|\./gradlew)"
    found = re.findall(rf"(?:env \S+ )?{tools} [^\n]*?(?i:buto[-:.\w]*?{action})[^\n]*", output)
    (command,) = {line.partition("  # ")[0] for line in found}
    return str(command)


def _tools() -> str:
    """The directories of PATH, but those of any buto."""
    directories = [*os.environ["PATH"].split(os.pathsep), *SYSTEM_PATH.split(os.pathsep)]
    return os.pathsep.join(directory for directory in directories if not (Path(directory) / "buto").exists())


def maven_sample(example: str, place: Path) -> Sample:
    """A copy of an example that Maven builds."""
    command = (os.environ.get("MVN", "mvn"), "--batch-mode", f"-Dmaven.repo.local={PLUGINS / '.m2'}")
    sample = Sample(_copy(example, place), command)
    sample.change("pom.xml", "${project.basedir}/../../build-plugins/repository", str(REPOSITORY))
    return sample


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


def gradle_sample(example: str, place: Path) -> Sample:
    """A copy of an example that Gradle builds."""
    command = ("gradle", "--no-daemon", "--offline", "--console=plain", f"-PbutoRepository={REPOSITORY}")
    return Sample(_copy(example, place), command, {"GRADLE_USER_HOME": str(PLUGINS / ".gradle")})


def _copy(example: str, place: Path) -> Path:
    built = shutil.ignore_patterns("target", "build", ".gradle", ".buto", "buto")
    return Path(shutil.copytree(ROOT / "examples" / example, place / example, ignore=built))


def old_buto(place: Path) -> Path:
    """A command that answers as a buto before the first that the plugins can use."""
    return _command(place / "buto-0.0.9", "echo buto 0.0.9")


def asked_buto(place: Path) -> Path:
    """A command that finds everything as it was, and prints what it was asked, word by word."""
    return _command(place / "asked-buto", f"{_VERSION}; printf 'asked'; printf ' <%s>' \"$@\"; echo")


def accusing_buto(place: Path, *others: Result) -> Path:
    """A command that finds a regression whatever it is asked, and results of other tests, and reports them.

    It prints which reports it finds, too.
    """
    name = f"accusing-buto-{len(others)}"
    report = place / f"{name}.xml"
    report.write_bytes(junit_xml([made.regression(), *others], made.FINISHED))
    found = 'echo "found: $(ls -m "${word%/*}")"'
    write = f'for word; do [ "$before" = --junitxml ] && {found} && cp {report} "$word"; before=$word; done'
    return _command(place / name, f"{_VERSION}; {write}; exit 1")


def telling_buto(place: Path, name: str, code: int, results: str = "", others: str = "") -> Path:
    """A command that ends with a code whatever it is asked, and reports.

    Args:
        results, others: what it prints to standard output and to standard error.
    """
    (place / f"{name}-buto.out").write_text(results)
    (place / f"{name}-buto.err").write_text(others)
    report = 'for word; do [ "$before" = --junitxml ] && touch "$word"; before=$word; done'
    tell = 'cat "$0.out"; cat "$0.err" >&2'
    return _command(place / f"{name}-buto", f"{_VERSION}; {report}; {tell}; exit {code}")


BETTER = """CHANGED  catalogue: keeps 30 MiB less: only for the better, so accept it
  because: p = 0.008 (alpha 0.01)
  live heap  -30 MiB (-73.6 %), better
  next: BUILD accept catalogue  # only for the better
  next: look at catalogue.html
"""
"""What buto says of a program that uses less."""

BETTER_BRIEFLY = [line for line in BETTER.splitlines() if line.startswith(("CHANGED", "  next: "))]
"""What of it the error of a build says."""

OPEN = """INCONCLUSIVE  catalogue: could not be judged
  because: jvm.spec.version is '25'; it was '17' in training
  next: BUILD train catalogue  # replaces the oracle by one of this environment
"""
"""What buto says where a program cannot be judged."""

OPEN_BRIEFLY = [
    "INCONCLUSIVE  catalogue: could not be judged: jvm.spec.version is '25'; it was '17' in training",
    "  next: BUILD train catalogue  # replaces the oracle by one of this environment",
]

ASSERTING = """catalogue: run 1 of 1: not usable: it exited with code 1, expected 0
buto: catalogue: java.lang.AssertionError: expected 20 but kept 19
stderr, last lines:
try:  again, says the program
try:  correct what the assertion says
"""
"""What buto says where an assertion of the program fails."""

ASSERTING_BRIEFLY = [
    "catalogue: java.lang.AssertionError: expected 20 but kept 19",
    "try:  correct what the assertion says",
]


EARLIER = ("TEST-buto.xml", "buto-catalogue.html", "buto.html", "buto.md", "others.html")
"""What an earlier build, and others, left in the directory of the reports."""


def leave_reports(directory: Path) -> None:
    """What :data:`EARLIER` says."""
    directory.mkdir(parents=True)
    for name in EARLIER:
        (directory / name).touch()


def breaking_buto(place: Path) -> Path:
    """A command that breaks off whatever it is asked, as Python does at an error that nobody expected."""
    return _command(place / "breaking-buto", f"{_VERSION}; echo Traceback; exit 1")


_VERSION = '[ "$1" = --version ] && echo buto 0.1.0 && exit'


def _command(program: Path, script: str) -> Path:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program
