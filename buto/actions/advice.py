"""What a user is told beside results, in the words of the door through which the user came.

Each door (command line, pytest, a build, Python) has words of its own. Remarks are what usable runs tell of
the program itself that the user should know before trusting them. Warnings and next steps hold for every
door.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import numpy as np

from buto import oracle
from buto.actions.events import Told
from buto.errors import ButoError
from buto.judging.class_changes import histogram_at_end
from buto.judging.verdict import Status, Verdict
from buto.measure.program_faults import GIVE_INPUT, find_fault
from buto.measure.target import NOT_IN_TRAINING
from buto.oracle import Oracle, Settings
from buto.project import config
from buto.run.model import INPUT_READ, PROGRAM, Run, RunSet
from buto.run.properties import LIVE_OBJECTS
from buto.run.units import format_count
from buto.steps import Action, Advice, Setting, Step


class Door(ABC):
    """The interface that a user called; it writes next steps as the user has to type them.

    Attributes:
        configuration: the name of the place where tests are configured.
    """

    __slots__ = ()
    configuration: ClassVar[str] = config.FILE_NAME

    def step(self, step: Step) -> str:
        """Return a step as the user writes it, complete and quoted, with what it is for."""
        written = self.written(step)
        return f"{written}  # {step.why}" if step.why else written

    @abstractmethod
    def written(self, step: Step) -> str:
        """Return a step as the user writes it, complete and quoted."""

    @abstractmethod
    def setting(self, key: str, value: str) -> str:
        """Return a key of a test's configuration with a value, as ``--runs 10`` or ``runs=10``."""

    @abstractmethod
    def name(self, key: str) -> str:
        """Return the name of a key of a test's configuration, as ``--oracle``."""

    def usage(self, action: Action) -> str:
        """Return where the user finds the usage of an action."""
        return f"buto {action.value} --help"

    def path(self, path: Path) -> str:
        """Return a path as the user would write it."""
        return str(path)


def in_words(text: str, door: Door) -> str:
    """Return a text in the words of a door; one that is no :class:`Advice` as it is."""

    def setting(one: Setting) -> str:
        return door.setting(one.key, one.value) if one.value else door.name(one.key)

    return text.in_words(door.step, setting) if isinstance(text, Advice) else text


def reword(error: ButoError, door: Door) -> None:
    """Put the advice of an error into the words of a door."""
    if error.advice is not None:
        error.advise(in_words(error.advice, door))


ActionT = TypeVar("ActionT", bound=Callable[..., Any])


def worded(action: ActionT) -> ActionT:
    """Return an action whose errors give their advice in the words of its first argument's door."""

    @wraps(action)
    def carry_out(project: Any, /, *args: object, **kwargs: object) -> object:
        try:
            return action(project, *args, **kwargs)
        except ButoError as error:
            reword(error, project.door)
            raise

    return cast(ActionT, carry_out)


def remarks(runs: RunSet) -> Iterator[str]:
    """Yield a sentence each on a hidden fault, left processes, other files, and objects not counted."""
    n_runs = format_count(len(runs), "run")
    faults = [(run, fault) for run in runs if (fault := find_fault(run.stderr)) is not None]
    for run, fault in faults[:1]:
        yield (
            f"in {len(faults)} of {n_runs} the program printed a fault and still {run.outcome.describe()}: "
            f"{fault.text}; {fault.advice}"
        )
    counts = [run.metadata.get("buto.left_over.processes") for run in runs]
    most = max((count for count in counts if isinstance(count, int)), default=0)
    if most:
        yield (
            f"the command left {format_count(most, 'process')} running at its end, which buto ended: "
            "what they do is not part of the measurement; let the command wait for its children"
        )
    known = {run.metadata.get(PROGRAM) for run in runs} - {None}
    if len(known) > 1:
        versions = f"which are of {len(known)} versions"
        yield f"the program's files changed between these {len(runs)} runs, {versions}"
    # Their absence is told only where counting them was wanted.
    missing = [
        run
        for run in runs
        if LIVE_OBJECTS in run.column_of
        and histogram_at_end(run) is None
        and run.nan_reasons.get(LIVE_OBJECTS) != NOT_IN_TRAINING
    ]
    if missing:
        where = "" if len(missing) == len(runs) else f" in {len(missing)} of {n_runs}"
        reason = missing[0].nan_reasons.get(LIVE_OBJECTS, "")
        yield f"live objects were not counted at the end{where}: {reason}"


def input_remark(runs: RunSet) -> str | None:
    """Return a sentence on runs that read their standard input, which is empty, and yet ended well."""
    count = sum(run.metadata.get(INPUT_READ) is True for run in runs)
    if not count:
        return None
    return (
        f"in {count} of {format_count(len(runs), 'run')} the program read its standard input, which is empty "
        f"under buto; if it needs input, {GIVE_INPUT}"
    )


FEWEST_INTERVALS = 3
"""Fewest samples, at the median of the runs, that show a curve."""

SHORT_INTERVAL = "10ms"


def settings_warning(known: Oracle, now: Settings, alpha: float | None, door: Door) -> str | None:
    """Return a warning about settings that differ from the oracle's; None if none do.

    Args:
        alpha: the alpha of this call, which is not a change of the configuration.
    """
    wanted, learned = now.flat(), known.settings.flat()
    changed = [key for key in wanted if wanted[key] != learned.get(key)]
    keys = [key for key in changed if alpha is None or key != "alpha"]
    if not keys:
        return None
    again = door.step(Step(Action.TRAIN, known.test, from_runs="all"))
    return (
        f"judged with the settings of the training, not the current ones of {door.configuration} "
        f"({', '.join(keys)} changed); to use those: {again}"
    )


def warnings(runs: RunSet, door: Door) -> tuple[str, ...]:
    found = list(remarks(runs))
    if any("buto.jvm.exit" in run.metadata and run.metadata["buto.jvm.exit"] is None for run in runs):
        found.append(
            "the measured JVM is not the command itself, and this kernel does not tell its exit code: a "
            "program that fails behind a wrapper or a pipe counts as good; give the java command itself"
        )
    lengths = [_intervals(run) for run in runs]
    if lengths and np.median(lengths) < FEWEST_INTERVALS:
        n_samples = round(np.median([len(run.times_s) for run in runs]))
        found.append(
            f"the runs have only {n_samples} samples each, too few to show a curve: "
            f"{door.setting('interval', SHORT_INTERVAL)}"
        )
    return tuple(found)


def told_of_jvm(door: Door, test: str, runs: RunSet) -> list[Told]:
    """Return which JVMs these runs measured; everybody wants to know that if they saw others."""
    names, others = (
        ", ".join(dict.fromkeys(str(run.metadata[key]) for run in runs if run.metadata.get(key)))
        for key in ("buto.jvm", "buto.jvms.others")
    )
    if not names:
        return []
    if not others:
        return [Told(test, f"measured {names}", detail=True)]
    another = f"{door.setting('jvm', 'PATTERN')} measures another"
    return [Told(test, f"measured {names}; also seen: {others} ({another})")]


def next_steps(
    known: Oracle,
    verdict: Verdict,
    from_runs: str | None = None,
    *,
    more: tuple[Step, ...] = (),
    command: tuple[str, ...] = (),
) -> tuple[Step, ...]:
    """Return the next steps after a verdict; none after a pass.

    Args:
        known: the oracle that judged.
        from_runs: which stored runs were judged; None for those of the newest check.
        more: steps that help to understand a regression.
        command: that was judged; empty if it is the one of the configuration or oracle.
    """
    test = known.test
    if verdict.status is Status.PASS:
        return ()
    show = Step(Action.SHOW_RUN, test, run_id=next(iter(verdict.run_ids), None))
    if verdict.status is Status.INCONCLUSIVE:
        elsewhere = {one.subject for one in verdict.findings if one.source == oracle.METADATA_SOURCE}
        if elsewhere == {oracle.AGENT_KEY}:
            # The program must be the one that the oracle remembers, not a changed one that was typed.
            return show, Step(
                Action.TRAIN, test, plain=True, why="the program as it was; replaces the oracle"
            )
        again = Step(Action.TRAIN, test, why="replaces the oracle by one of this environment")
        return (show, again) if elsewhere else (show,)
    why = (
        "every change is an improvement: this accepts it" if verdict.is_welcome else "if the change is meant"
    )
    is_enough = len(verdict.run_ids) >= oracle.fewest_runs(known.settings)
    accept = Step(Action.ACCEPT, test, from_runs=from_runs if is_enough else None, command=command, why=why)
    return show, Step(Action.PLOT, test, from_runs=from_runs), *more, accept


def _intervals(run: Run) -> float:
    interval_s = run.metadata.get("buto.interval")
    if not isinstance(interval_s, int | float) or interval_s <= 0:
        return float("inf")
    return run.outcome.duration_s / interval_s
