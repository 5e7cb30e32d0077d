"""What the commands that launch programs have in common: the lock, progress, Ctrl-C, stored runs."""

from __future__ import annotations

import secrets
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack

from buto.cli.command import Interrupted
from buto.cli.printing.console import Console
from buto.cli.printing.progress import LaunchProgress
from buto.config import TestConfig
from buto.errors import JudgeError, UsageError
from buto.runs import Run, RunSet
from buto.runs.masking import Mask
from buto.runs.store import RunStore
from buto.workflow.launching import PURPOSE, Collected, Plan, collect, measuring
from buto.workload import workload_hooks

TRAIN = "train"
CHECK = "check"
BISECT = "bisect"
ALL = "all"
_JUDGED = (CHECK, BISECT)
"""Purposes of runs that may be those of a program that has changed."""


def launch(
    tests: Sequence[TestConfig],
    runs: Mapping[str, int],
    args: Namespace,
    console: Console,
    sessions: Mapping[str, str] | None = None,
    *,
    together: bool = False,
    enough: Mapping[str, Callable[[RunSet], bool]] | None = None,
) -> dict[str, Collected]:
    """Launch tests and store their runs, with progress.

    Args:
        runs: by test, how many valid runs are wanted.
        sessions: of those tests whose runs belong to earlier ones, the id of the first of these.
        together: whether a test that fails ends the others, too.
        enough: by test, what says of its runs so far that no more are needed.

    Raises:
        Interrupted: Ctrl-C; says what is complete and how to go on.
        StorageError: the store cannot be written.
    """
    enough = enough or {}
    progress = LaunchProgress(console, dict(runs), at_most=enough)
    seed = secrets.randbits(32)
    console.detail(f"order of launches: seed {seed}")
    for test in tests:
        console.detail(f"{test.name}: {test.target.new_mask().command(test.target.command)}")

    try:
        with ExitStack() as held:
            plans = [
                Plan(
                    test.name,
                    test.target,
                    runs[test.name],
                    held.enter_context(workload_hooks(test.workload)),
                    enough.get(test.name),
                )
                for test in tests
            ]
            held.enter_context(measuring_alone(args, console))
            return collect(
                plans,
                RunStore(args.store),
                progress,
                seed=seed,
                purpose=args.command_name,
                sessions=sessions,
                together=together,
            )
    except KeyboardInterrupt as stop:
        raise _interrupted(progress, args) from stop
    finally:
        progress.clear()


def measuring_alone(args: Namespace, console: Console) -> AbstractContextManager[None]:
    """The store's lock, with a line before waiting for it."""
    return measuring(
        args.store, lambda: console.info(f"waiting for another buto, which is measuring into {args.store}")
    )


def stored_runs(test: str, which: str, args: Namespace, *, required: bool = True) -> list[Run]:
    """Usable stored runs of a test, in the order of their start.

    Args:
        which: ``all`` for those that were not recorded for a check; ids with commas between them,
            whatever they were recorded for; or ``FIRST..LAST``, a part of what ``all`` means, where
            either end may be left out.
        required: whether it is an error if there are none.

    Raises:
        UsageError: there are none.
        JudgeError: a run that was named is not usable.
        BadFileError: one of them does not exist or is damaged.
    """
    store = RunStore(args.store)
    if which != ALL and ".." not in which:
        named = list(store.open_set(test, sorted({run_id.strip() for run_id in which.split(",")})))
        for run in named:
            if not run.quality.valid:
                raise JudgeError(f"the run {run.id} is not usable: {run.quality.describe()}")
        return named
    first, _, last = ("", "", "") if which == ALL else which.partition("..")
    ids = [run_id for run_id in store.ids(test) if first <= run_id and (not last or run_id <= last)]
    found = store.open_set(test, ids)
    runs = [run for run in found if _may_teach(run)]
    if required and not runs:
        where = "" if which == ALL else f" in {which}"
        raise UsageError(
            f"{args.store} holds no usable runs of {test!r}{where}{_left_out(found)}",
            advice=f"buto runs list; to record some: buto record {test} --runs 10 -- ...",
        )
    return runs


def _left_out(found: Iterable[Run]) -> str:
    """What may be named, but is not meant by ``all``."""
    checked = sum(run.quality.valid and run.metadata.get(PURPOSE) in _JUDGED for run in found)
    if not checked:
        return ""
    return f" but {checked} recorded for checks, which {ALL!r} and FIRST..LAST leave out; their ids take them"


def _may_teach(run: Run) -> bool:
    return run.quality.valid and run.metadata.get(PURPOSE) not in _JUDGED


def _interrupted(progress: LaunchProgress, args: Namespace) -> Interrupted:
    counts = ", ".join(
        f"{progress.complete[test]} of {planned} runs of {test!r}"
        for test, planned in progress.planned.items()
    )
    if progress.first_id is None:
        return Interrupted("stopped by Ctrl-C; no run was complete")
    message = f"stopped by Ctrl-C; complete and kept in {args.store}: {counts}"
    if args.command_name != TRAIN:
        return Interrupted(message)
    again = list(args.arguments)
    if args.resume is None:
        again += ["--resume", progress.first_id]
    if args.command is not None:
        again += ["--", *args.command]
    return Interrupted(message, advice=f"to go on: buto {Mask().command(again)}")
