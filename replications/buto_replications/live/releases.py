"""A library's releases as commits, one after the other, as its maintainer would have checked them with buto.

The first release trains. Each later one is a commit with the tag of its version; it is checked, and if that
does not pass, accepted: with the words of its release notes where these speak of time or memory, else as a
change that they do not explain. At the first release of each minor version the sum since the last such one
is judged.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from buto.errors import MeasureError
from buto_replications.live.artefacts import CentralJar, compile_java, fetch

TEST = "pages"
UNEXPLAINED = "its notes do not say"
CONFIGURATION = f"""\
version: 1
tests:
  {TEST}:
    command: [java, -Xmx256m, -XX:+UseSerialGC, -cp, "classes:library.jar", Pages]
    interval: 50ms
"""
_TIMEOUT_S = 1800.0


@dataclass(frozen=True, slots=True)
class ProgramRelease:
    """A release.

    Attributes:
        date: YYYY-MM-DD.
        words: what its notes say of time and memory; empty for nothing.
    """

    version: str
    date: str
    jar: CentralJar
    words: str

    @property
    def begins_minor(self) -> bool:
        """Whether it is the first of a minor version, since whose predecessor the sum is judged."""
        return self.version.endswith(".1")


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of a release.

    Attributes:
        status: of its check; ``trained`` for the first one.
        findings: of that check, in words.
        reason: with which it was accepted; empty if it passed.
        sum_status: of the check of the sum; empty for none.
        sum_findings: what that says.
        launches: how many programs were launched for it.
    """

    release: ProgramRelease
    status: str
    findings: str
    reason: str = ""
    sum_status: str = ""
    sum_findings: str = ""
    launches: int = 0


def releases_of(data: Mapping[str, Any]) -> list[ProgramRelease]:
    """Return the releases that a document has, oldest first."""
    return [
        ProgramRelease(
            version,
            str(release["date"]),
            CentralJar(f"{data['library']}:{version}", release["sha256"]),
            release["words"],
        )
        for version, release in data["releases"].items()
    ]


def replay(driver: str, releases: list[ProgramRelease], project: Path, cache: Path) -> Iterator[Replayed]:
    """Check releases in a new project, and yield what became of each.

    Raises:
        MeasureError: a jar cannot be had, or buto ended in another way than with a verdict.
    """
    project.mkdir(parents=True)
    _git(project, "init", "--quiet", "--initial-branch=main")
    (project / "buto.yaml").write_text(CONFIGURATION)
    (project / ".gitignore").write_text(".buto/\nresult.json\nhistory.html\n")
    first, *later = releases
    classes = compile_java(driver, cache, [fetch(first.jar, cache)])
    shutil.copytree(classes, project / "classes")
    _commit_release(project, first, cache)
    _buto(project, "train", TEST)
    _git(project, "add", "--all")
    _git(project, "commit", "--quiet", "-m", "Train")
    _buto(project, "release", TEST, first.version)
    yield Replayed(first, "trained", "")
    for release in later:
        yield _replay_one(project, release, cache)


def _replay_one(project: Path, release: ProgramRelease, cache: Path) -> Replayed:
    _commit_release(project, release, cache)
    status, findings, launches = _check(project)
    sum_status = sum_findings = reason = ""
    if release.begins_minor:
        sum_status, sum_findings, more = _check(project, "--release")
        launches += more
    if status == "regression":
        reason = release.words or UNEXPLAINED
        _buto(project, "accept", TEST, "--reason", reason)
        _git(project, "add", "--all")
        _git(project, "commit", "--quiet", "-m", f"Accept {release.version}: {reason}")
    if release.begins_minor:
        _buto(project, "release", TEST, release.version)
    return Replayed(release, status, findings, reason, sum_status, sum_findings, launches)


def _commit_release(project: Path, release: ProgramRelease, cache: Path) -> None:
    shutil.copy(fetch(release.jar, cache), project / "library.jar")
    _git(project, "add", "--all")
    author = ("--author", "notes <notes@example.org>", "--date", f"{release.date}T12:00:00Z")
    subject = f"{release.version}: {release.words or 'nothing on time or memory'}"
    _git(project, "commit", "--quiet", *author, "-m", subject)
    _git(project, "tag", release.version)


def _check(project: Path, *words: str) -> tuple[str, str, int]:
    """Check, and return the status, what was found in words, and how many programs were launched."""
    result = project / "result.json"
    result.unlink(missing_ok=True)
    _buto(project, "check", TEST, "--json", result.name, *words)
    (test,) = json.loads(result.read_text(encoding="utf-8"))["tests"]
    verdict = test["verdict"]
    if verdict is None:
        raise MeasureError(f"a check has no verdict: {test['error']['message']}")
    return test["status"], "; ".join(headline["text"] for headline in verdict["headlines"]), len(test["runs"])


def _buto(project: Path, *words: str) -> None:
    """Call buto; MeasureError if it did not end with a verdict."""
    done = subprocess.run(
        [sys.executable, "-m", "buto", *words, "-q"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    if done.returncode not in (0, 1, 3):
        raise MeasureError(f"buto {' '.join(words)}: {done.stdout[-500:]}{done.stderr[-1000:]}")


def _git(project: Path, *words: str) -> None:
    names = ("-c", "user.name=replay", "-c", "user.email=replay@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *names, *words],
        cwd=project,
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise MeasureError(f"git {' '.join(words)}: {done.stderr[-1000:]}")
