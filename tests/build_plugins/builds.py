"""Builds as their users run them: real Maven and Gradle, on copies of the examples."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = ROOT / "build-plugins"
REPOSITORY = PLUGINS / "repository"
TIMEOUT_S = 300.0
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where Maven and Gradle are, and buto is not."""


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
        """Run the build tool; ``buto`` says whether the command buto is in PATH."""
        path = os.pathsep.join([os.fspath(Path(sys.executable).parent)] * buto + [_tools()])
        done = subprocess.run(
            [*self.command, *words],
            cwd=self.directory,
            env={**os.environ, "PATH": path, **self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        return Done(done.returncode, re.sub(r"\x1b\[[0-9;]*m", "", done.stdout))

    def change(self, file: str, old: str, new: str) -> None:
        """Replace a text that is there."""
        path = self.directory / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


def _tools() -> str:
    """The directories of PATH, but those of any buto."""
    directories = [*os.environ["PATH"].split(os.pathsep), *SYSTEM_PATH.split(os.pathsep)]
    return os.pathsep.join(one for one in directories if not (Path(one) / "buto").exists())


def maven_sample(example: str, place: Path) -> Sample:
    """A copy of an example that Maven builds."""
    command = (os.environ.get("MVN", "mvn"), "--batch-mode", f"-Dmaven.repo.local={PLUGINS / '.m2'}")
    sample = Sample(_copy(example, place), command)
    sample.change("pom.xml", "${project.basedir}/../../build-plugins/repository", str(REPOSITORY))
    return sample


def gradle_sample(example: str, place: Path) -> Sample:
    """A copy of an example that Gradle builds."""
    command = ("gradle", "--no-daemon", "--offline", "--console=plain", f"-Pbuto.repository={REPOSITORY}")
    return Sample(
        _copy(example, place),
        command,
        {"GRADLE_USER_HOME": str(PLUGINS / ".gradle")},
    )


def _copy(example: str, place: Path) -> Path:
    built = shutil.ignore_patterns("target", "build", ".gradle", ".buto", "buto")
    return Path(shutil.copytree(ROOT / "examples" / example, place / example, ignore=built))


def old_buto(place: Path) -> Path:
    """A command that answers as a buto before the first that the plugins can use."""
    program = place / "buto-0.0.9"
    program.write_text("#!/bin/sh\necho buto 0.0.9\n")
    program.chmod(0o755)
    return program


def breaking_buto(place: Path) -> Path:
    """A command that breaks off whatever it is asked, as Python does at an error that nobody expected."""
    program = place / "breaking"
    program.write_text('#!/bin/sh\n[ "$1" = --version ] && echo buto 0.1.0 && exit\necho Traceback\nexit 1\n')
    program.chmod(0o755)
    return program
