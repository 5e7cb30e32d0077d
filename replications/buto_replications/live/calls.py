"""Calls of the installed command, in a directory, and what they leave there."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from buto.actions.monitor import AlarmStore
from buto.actions.stored import TURNS
from buto.actions.trying import COPY
from buto.actions.turns import OLD
from buto.errors import MeasureError
from buto.run.model import PURPOSE, Run
from buto.run.store import DEFAULT_ROOT, RunStore
from buto.version import __version__
from buto_replications.checkout import CHECKOUT
from buto_replications.live import ways
from buto_replications.live.counters import exact_counters
from buto_replications.live.journal import CommandEntry, Counters, JournalFinding

RESULT = "result.json"
_CALL_S = 1800.0
_END_S = 30.0


@dataclass(frozen=True, slots=True)
class ButoCommand:
    """A command of buto.

    Attributes:
        action: ``train``, ``check`` or ``compare``.
        options: behind the test's name.
        words: how the program is started, behind ``--``; may be empty.
        variables: of the environment, in addition.
        before: words before the command, as ``taskset -c 0``.
        forced: whether a check goes straight into turns.
    """

    action: str
    options: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    forced: bool = False

    @property
    def typed(self) -> tuple[str, ...]:
        shown = ("python", "-m", "buto_replications.live.forced") if self.forced else ("buto",)
        variables = ("env", *(f"{name}={value}" for name, value in self.variables.items()))
        return (*(variables if self.variables else ()), *self.before, *shown, *self.arguments)

    @property
    def arguments(self) -> tuple[str, ...]:
        return (self.action, ways.NAME, *self.options, "--json", RESULT, *self.words)


@dataclass(frozen=True, slots=True)
class EqualTrial:
    """One of equal trials: see :class:`CommandEntry`."""

    part: str
    subject: str
    condition: str
    number: int


def call(
    trial: EqualTrial, wanted: ButoCommand, directory: Path, changed: tuple[str, ...] | None = None
) -> CommandEntry:
    """Call the installed command in a directory and return what came of it.

    Args:
        changed: words of which the answer has one if it names what was changed; None where nothing was.

    Raises:
        MeasureError: the command is not installed beside this Python.
    """
    known = {test: set(_store(directory).ids(test)) for test in _store(directory).tests()}
    n_alarms = _count_alarms(directory)
    with suppress(FileNotFoundError):
        (directory / RESULT).unlink()
    environment, at = _environment(), datetime.now(UTC).isoformat(timespec="seconds")
    begun = time.monotonic()
    exit_code, out, error_text = _carry_out(wanted, directory)
    seconds = time.monotonic() - begun
    result = _result(directory / RESULT)
    verdict: dict[str, Any] = result.get("verdict") or {}
    failure: dict[str, Any] = result.get("error") or {}
    reasons = (
        *verdict.get("reasons", ()),
        *verdict.get("warnings", ()),
        *filter(None, [failure.get("message")]),
    )
    launches, sides = _add(wanted, directory, known)
    answer = f"{out}\n{' '.join(reasons)}"
    return CommandEntry(
        *(trial.part, trial.subject, trial.condition, trial.number),
        action=wanted.action,
        command=wanted.typed,
        words=wanted.words,
        exit_code=exit_code,
        seconds=round(seconds, 2),
        launches=launches,
        reached_turns=bool(sides.old),
        first_line=next(iter(out.splitlines()), "") or _last_line(error_text),
        status=result.get("status", ""),
        findings=in_reading_order(verdict),
        noted=tuple(map(_finding, verdict.get("noted", ()))),
        reasons=tuple(reasons),
        environment=environment,
        at=at,
        named=None if changed is None else any(word in answer for word in changed),
        plain=tuple(sides.plain),
        old=tuple(sides.old),
        new=tuple(sides.new),
        alarms=_count_alarms(directory) - n_alarms,
    )


def _carry_out(wanted: ButoCommand, directory: Path) -> tuple[int, str, str]:
    """Return exit code and outputs; a call that takes too long is ended with all that it started."""
    installed = Path(sysconfig.get_path("scripts"), "buto")
    if not installed.exists():
        raise MeasureError(
            f"{installed} does not exist", advice="pip install buto-jvm beside buto-replications"
        )
    first = [sys.executable, "-m", "buto_replications.live.forced"] if wanted.forced else [str(installed)]
    process = subprocess.Popen(
        [*wanted.before, *first, *wanted.arguments],
        cwd=directory,
        env={**os.environ, **wanted.variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, error_text = process.communicate(timeout=_CALL_S)
    except subprocess.TimeoutExpired:
        out, error_text = _end(process)
    except BaseException:
        _end(process)
        raise
    return process.returncode, out, error_text


def _end(process: subprocess.Popen[str]) -> tuple[str, str]:
    """End a call with what it has launched, and return its outputs."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        # buto ends what it has launched when it is asked to end.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=_END_S)
    return "", ""


def _store(directory: Path) -> RunStore:
    return RunStore(directory / DEFAULT_ROOT)


def _count_alarms(directory: Path) -> int:
    return len(AlarmStore(directory / DEFAULT_ROOT).all(ways.NAME))


@dataclass(frozen=True, slots=True)
class _Sides:
    """The counters of runs as typed outside turns, and of the old and the new program in turns.

    Training's launch of its own copy is none of them.
    """

    plain: list[Counters] = field(default_factory=list)
    old: list[Counters] = field(default_factory=list)
    new: list[Counters] = field(default_factory=list)

    def of(self, test: str, *, is_in_turns: bool) -> list[Counters]:
        """Return the counters of the side to which a run of a test belongs."""
        if test.endswith((OLD, f"@{ways.OLD}")):
            return self.old
        return self.new if is_in_turns else self.plain


def _add(wanted: ButoCommand, directory: Path, known: Mapping[str, set[str]]) -> tuple[int, _Sides]:
    """Return how many runs a call has stored, and the counters of those that are valid."""
    launches, sides, store = 0, _Sides(), _store(directory)
    for test in store.tests():
        for run_id in store.ids(test):
            if run_id not in known.get(test, ()):
                launches, run = launches + 1, store.load(test, run_id)
                if run.quality.valid and not test.endswith(COPY):
                    sides.of(test, is_in_turns=_is_in_turns(wanted, run)).append(exact_counters(run))
    return launches, sides


def _is_in_turns(wanted: ButoCommand, run: Run) -> bool:
    return wanted.action == "compare" or run.metadata.get(PURPOSE) == TURNS


def _result(path: Path) -> dict[str, Any]:
    """Return what the document says of the test; empty if the command wrote none."""
    if not path.exists():
        return {}
    tests = json.loads(path.read_text())["tests"]
    return dict(tests[0]) if tests else {}


def in_reading_order(verdict: Mapping[str, Any]) -> tuple[JournalFinding, ...]:
    """Return the findings of a verdict as its story tells them: a headline, and then what follows from it."""
    findings = verdict.get("findings", ())
    return tuple(
        _finding(findings[place])
        for headline in verdict.get("headlines", ())
        for place in (headline["finding"], *headline["followers"])
    )


def _finding(data: Mapping[str, Any]) -> JournalFinding:
    return JournalFinding(
        *(data["subject"], data.get("measure", ""), data["direction"], data["effect"]),
        data.get("observed"),
        data.get("expected"),
    )


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


@cache
def _commit() -> str:
    """Return the commit of the checkout that is installed, with a mark if files differ; empty without one."""
    words = ["git", "-C", str(CHECKOUT), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def _environment() -> dict[str, str | float]:
    """Return what the machine and the versions are, with the load of the last minute."""
    return {
        "buto": f"{__version__} {_commit()}".strip(),
        "java": os.path.realpath(shutil.which("java") or ""),
        "kernel": platform.release(),
        "cores": float(len(os.sched_getaffinity(0))),
        "load": round(os.getloadavg()[0], 2),
    }
