"""A fresh clone, without what buto keeps of the old program, in which the program regressed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from buto_replications.live.artefacts import SOURCES, run_tool
from buto_replications.live.calls import ButoCommand, EqualTrial, call
from buto_replications.live.journal import TRAIN, CommandEntry
from buto_replications.live.ways import write_configuration

_OPTIONS = ("-Xmx256m", "-XX:+UseSerialGC")
_SOURCE = "src/Clone.java"
_BUILD = f"mkdir -p classes && javac -d classes {_SOURCE}"
_WHO = ("-c", "user.name=live", "-c", "user.email=live@localhost")

PLAIN, BUILT = "no build is known", "the build is known"
CONDITIONS = (PLAIN, BUILT)


@dataclass(frozen=True, slots=True)
class Regression:
    """A constant of the program and its value with the regression; what may be accused of it.

    Attributes:
        counters: begin of the names of those that the change moves by itself.
    """

    constant: str
    good: int
    bad: int
    counters: tuple[str, ...]


_HEAP = (
    "jvm.memory.heap.live",
    "jvm.object.live",
    "jvm.memory.heap.used_after_last_gc",
    "jvm.memory.allocated",
)

REGRESSIONS = {
    "25,000 texts more are kept": Regression("TEXTS", 2000, 27_000, _HEAP),
    "ten threads more": Regression(
        "THREADS", 2, 12, ("jvm.thread.", "process.thread.count", "jvm.memory.native.committed")
    ),
    "40 MiB more are allocated": Regression(
        "ALLOCATED_MIB", 20, 60, ("jvm.memory.allocated", "jvm.gc.count")
    ),
}


def carry_out(trial: EqualTrial, directory: Path, cache: Path) -> Iterator[CommandEntry]:
    """Train in a repository, clone it, regress the clone, check there; yield both entries.

    Raises:
        MeasureError: git or the compiler failed.
    """
    regression = REGRESSIONS[trial.subject]
    shutil.rmtree(directory, ignore_errors=True)
    first, clone = directory / "first", directory / "clone"
    (first / "src").mkdir(parents=True)
    source = (SOURCES / "clone" / "Clone.java").read_text()
    (first / _SOURCE).write_text(source)
    (first / ".gitignore").write_text(".buto/\nclasses/\nresult.json\n")
    test: dict[str, object] = {"command": ["java", *_OPTIONS, "-cp", "classes", "live.clone.Clone"]}
    if trial.condition == BUILT:
        test["program"] = {"build": _BUILD}
    write_configuration(first, test)
    _build_and_commit(first, "the program", initial=True)
    trained = call(trial, ButoCommand(TRAIN), first)
    yield trained
    if trained.exit_code:
        return
    _build_and_commit(first, "the oracle")
    run_tool(["git", "clone", "-q", "first", "clone"], directory)
    constant = f"{regression.constant} = {regression.good};"
    (clone / _SOURCE).write_text(source.replace(constant, f"{regression.constant} = {regression.bad};"))
    _build_and_commit(clone, "a change")
    yield call(trial, ButoCommand("check"), clone, ())


def _build_and_commit(directory: Path, message: str, *, initial: bool = False) -> None:
    run_tool(["sh", "-c", _BUILD], directory)
    if initial:
        run_tool(["git", "init", "-q"], directory)
    run_tool(["git", "add", "-A"], directory)
    run_tool(["git", *_WHO, "commit", "-q", "-m", message], directory)
