"""A library's releases as commits, one after the other, as its maintainer would have checked them with buto.

The first release trains. Each later one is a commit with the tag of its version; it is checked, and if that
does not pass, accepted: with the words of its release notes where these speak of time or memory, else as a
change that they do not explain. At the first release of each line, a minor version or a month, the sum since
the last such one is judged.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan, nan
from pathlib import Path
from typing import Any

from buto.errors import MeasureError
from buto_replications.live.artefacts import CentralJar, compile_java, download

UNEXPLAINED = "its notes do not say"
CONFIGURATION = """\
version: 1
tests:
  {test}:
    command: [java, -Xmx256m, -XX:+UseSerialGC, -cp, "classes:lib/*", {main}]
    interval: 50ms
"""
_TIMEOUT_S = 1800.0
_DATED = re.compile(r"v?(\d{4})(\d{2})\d{2}")

CLASSES, LIVE = "jvm.class.loaded", "jvm.memory.heap.live"


@dataclass(frozen=True, slots=True)
class ProgramRelease:
    """A release.

    Attributes:
        date: YYYY-MM-DD.
        jars: its own, and those that it needs.
        words: what its notes say of time and memory; empty for nothing.
    """

    version: str
    date: str
    jars: tuple[CentralJar, ...]
    words: str

    @property
    def line(self) -> tuple[int, ...]:
        """Major and minor version; of a version that is a date, year and month."""
        dated = _DATED.fullmatch(self.version)
        parts = dated.groups() if dated else self.version.split(".")[:2]
        return tuple(map(int, parts))


@dataclass(frozen=True, slots=True)
class ReplayedLibrary:
    """Consecutive releases of a library, and the program that uses them.

    Attributes:
        driver: the folder of its source; the test has the same name.
        main: its main class.
        releases: oldest first.
    """

    driver: str
    main: str
    releases: tuple[ProgramRelease, ...]

    @property
    def first_of_lines(self) -> set[str]:
        """The versions that begin a line, since whose predecessors sums are judged."""
        lines = [release.line for release in self.releases]
        begins = [True, *(before != line for before, line in pairwise(lines))]
        return {release.version for release, first in zip(self.releases, begins, strict=True) if first}


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
        classes, live_bytes: of the first run of its check; NaN where that has none.
    """

    release: ProgramRelease
    status: str
    findings: str
    reason: str = ""
    sum_status: str = ""
    sum_findings: str = ""
    launches: int = 0
    classes: float = nan
    live_bytes: float = nan


def series_of(data: Mapping[str, Any]) -> ReplayedLibrary:
    """Return the series that a document has."""
    sums = data.get("sums", {})
    releases = [
        ProgramRelease(
            version,
            str(release["date"]),
            (
                CentralJar(f"{data['library']}:{version}", release["sha256"]),
                *(CentralJar(needed, sums[needed]) for needed in release.get("needs", "").split()),
            ),
            release["words"],
        )
        for version, release in data["releases"].items()
    ]
    return ReplayedLibrary(data["driver"], data["main"], tuple(releases))


def replay(series: ReplayedLibrary, project: Path, cache: Path, n_done: int = 0) -> Iterator[Replayed]:
    """Check releases in a project, and yield what became of each.

    Args:
        project: a new one; where some are done, that of the call that was stopped.
        n_done: how many releases an earlier call has replayed.

    Raises:
        MeasureError: a jar cannot be had, or buto ended in another way than with a verdict.
    """
    if n_done:
        go_back(project, series.releases[n_done:])
    else:
        yield _begin(series, project, cache)
    first_of_lines = series.first_of_lines
    for release in series.releases[max(1, n_done) :]:
        _commit_release(project, release, cache)
        yield _judge(project, series.driver, release, judges_sum=release.version in first_of_lines)


def go_back(project: Path, left: Sequence[ProgramRelease]) -> None:
    """Undo what a call that was stopped had begun with the first release that is left."""
    _git(project, "reset", "--quiet", "--hard")
    if left and _has_tag(project, left[0].version):
        _git(project, "reset", "--quiet", "--hard", f"{left[0].version}~1")
        _git(project, "tag", "--delete", left[0].version)


def _begin(series: ReplayedLibrary, project: Path, cache: Path) -> Replayed:
    """Train on the first release, in a new project."""
    project.mkdir(parents=True)
    _git(project, "init", "--quiet", "--initial-branch=main")
    (project / "buto.yaml").write_text(CONFIGURATION.format(test=series.driver, main=series.main))
    (project / ".gitignore").write_text(".buto/\nresult.json\nhistory.html\n")
    first = series.releases[0]
    classes = compile_java(series.driver, cache, [download(jar, cache) for jar in first.jars])
    shutil.copytree(classes, project / "classes")
    _commit_release(project, first, cache)
    _buto(project, "train", series.driver)
    _git(project, "add", "--all")
    _git(project, "commit", "--quiet", "-m", "Train")
    _buto(project, "release", series.driver, first.version)
    return Replayed(first, "trained", "")


def _judge(project: Path, test: str, release: ProgramRelease, *, judges_sum: bool) -> Replayed:
    checked = _check(project, test)
    total = _check(project, test, "--release") if judges_sum else None
    reason = ""
    if checked.status == "regression":
        reason = release.words or UNEXPLAINED
        _buto(project, "accept", test, "--reason", reason)
        _git(project, "add", "--all")
        _git(project, "commit", "--quiet", "-m", f"Accept {release.version}: {reason}")
    if judges_sum:
        _buto(project, "release", test, release.version)
    return Replayed(
        release,
        checked.status,
        checked.findings,
        reason,
        *(("", "") if total is None else (total.status, total.findings)),
        checked.launches + (0 if total is None else total.launches),
        *(checked.levels.get(name, nan) for name in (CLASSES, LIVE)),
    )


def count_typed_anew(values: Sequence[float], width: float) -> int:
    """Return how often bounds around a value must be typed anew, because a later value is outside.

    Args:
        values: in the order of releases; NaN is left out.
        width: of both sides together, as a share of the value that the bounds were typed for.
    """
    n, typed = 0, nan
    for value in values:
        if isnan(value):
            continue
        if isnan(typed):
            typed = value
        elif abs(value - typed) > width / 2 * abs(typed):
            n, typed = n + 1, value
    return n


def _commit_release(project: Path, release: ProgramRelease, cache: Path) -> None:
    library = project / "lib"
    shutil.rmtree(library, ignore_errors=True)
    library.mkdir()
    for jar in release.jars:
        shutil.copy(download(jar, cache), library / without_version(jar))
    _git(project, "add", "--all")
    author = ("--author", "notes <notes@example.org>", "--date", f"{release.date}T12:00:00Z")
    subject = f"{release.version}: {release.words or 'nothing on time or memory'}"
    _git(project, "commit", "--quiet", *author, "-m", subject)
    _git(project, "tag", release.version)


def without_version(jar: CentralJar) -> str:
    """Return a name of a jar that stays from release to release, so that the class path keeps its order."""
    return f"{jar.coordinates.split(':')[1]}.jar"


@dataclass(frozen=True, slots=True)
class _Checked:
    status: str
    findings: str
    launches: int
    levels: Mapping[str, float]


def _check(project: Path, test: str, *words: str) -> _Checked:
    result = project / "result.json"
    result.unlink(missing_ok=True)
    _buto(project, "check", test, "--json", result.name, *words)
    (checked,) = json.loads(result.read_text(encoding="utf-8"))["tests"]
    verdict = checked["verdict"]
    if verdict is None:
        raise MeasureError(f"a check has no verdict: {checked['error']['message']}")
    findings = "; ".join(headline["text"] for headline in verdict["headlines"])
    runs = checked["runs"]
    return _Checked(checked["status"], findings, len(runs), runs[0]["levels"])


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


def _has_tag(project: Path, name: str) -> bool:
    listed = subprocess.run(
        ["git", "tag", "--list", name], cwd=project, capture_output=True, text=True, check=True
    )
    return bool(listed.stdout.strip())


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
