"""Record, train, check, accept, release, compare, self-test and explain one test from Python.

Each is the command of the same name: the same defaults, rules, files, history, events and errors. Where a
command would end with exit code 2, 3 or 4, these raise the :class:`buto.errors.ButoError` of that code. A
regression and an inconclusive verdict are answers, not errors. For several tests at once, as a command
without a name takes them, call :mod:`buto.actions`.

Ctrl-C while programs are launched ends them and raises
:class:`buto.actions.ending.Interrupted`, a KeyboardInterrupt that says which runs are complete; those stay
in the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Unpack

from buto.actions import accept as accepting
from buto.actions import check as checking
from buto.actions import compare as comparing
from buto.actions import record as recording
from buto.actions import release as releasing
from buto.actions import selftest as testing
from buto.actions import train as training
from buto.actions.compare import ComparedProgram, two_programs, two_revisions
from buto.actions.events import Reporter, ignore
from buto.actions.outcome import CallOutcome
from buto.api.options import call_of, check_count, exclude, kinds_named, locate
from buto.causes import action as explaining
from buto.causes.action import PAIRS
from buto.causes.model import Explanation
from buto.errors import UsageError
from buto.project.options import Location, Options
from buto.report.result import Result
from buto.run.model import RunSet, run_set


def record(
    test: str,
    *,
    command: Sequence[str] | None = None,
    runs: int = 1,
    on_event: Reporter = ignore,
    **options: Unpack[Options],
) -> RunSet:
    """Launch a program and store its runs, without learning or judging.

    Args:
        test: the name of the test that the runs belong to.
        command: how to start the program, one argument each; None for the configuration's or the oracle's.
        runs: how many usable runs.
        on_event: is called with every event, see :mod:`buto.actions.events`.
        options: see :class:`Options`.

    Returns:
        All runs that were recorded, unusable ones too.

    Raises:
        UsageError, ConfigError: no command is known for the program, or a value is not valid.
        MeasureError: it could not be measured.
        StorageError: the store cannot be written.
    """
    call = call_of(options, command)
    check_count("runs", runs)
    request = recording.RecordRequest((test,), call.overrides, runs)
    collected = call.carry_out(recording.record, request, call.reporter(on_event))[test]
    if collected.failure is not None:
        raise collected.failure
    return run_set(collected.runs)


def train(
    test: str,
    *,
    command: Sequence[str] | None = None,
    runs: int | Literal["auto"] | None = None,
    from_runs: str | None = None,
    resume: str | None = None,
    profile: bool = False,
    alpha: float | None = None,
    on_event: Reporter = ignore,
    **options: Unpack[Options],
) -> Result:
    """Launch a program, or take stored runs, and write what is usual into its oracle.

    Args:
        test: its name.
        command: how to start the program; the oracle remembers it.
        runs: how many usable runs to learn from, ``"auto"`` for as many as sharpen the oracle; None for
            what is configured, or 10.
        from_runs: stored runs to learn from instead of launching: ``"all"``, ids with commas between them,
            or ``"FIRST..LAST"``.
        resume: the id of a stored run; it and later runs count, and only missing runs are launched.
        profile: whether the program is then launched three more times to store its profile for :func:`why`.
        alpha: the share of checks of an unchanged program that may fail.
        on_event, options: as for :func:`record`.

    Returns:
        The result: its ``oracle`` is the file, its ``runs`` trained it, its ``strengths`` say what a check
        detects.

    Raises:
        UsageError, ConfigError: no command is known for the program, or a value is not valid.
        MeasureError, JudgeError: it could not be measured, or cannot be learned from.
        StorageError: the store or the oracle cannot be written.
        BadFileError: a stored run is missing or damaged.
    """
    call = call_of(options, command, alpha)
    check_count("runs", runs, auto=True)
    exclude(from_runs=from_runs, resume=resume)
    request = training.TrainRequest((test,), call.overrides, runs, from_runs, resume)
    if profile:
        call.carry_out(explaining.require_profiles, request.names, call.overrides)
    outcome = call.carry_out(training.train, request, call.reporter(on_event))
    if profile:
        call.carry_out(explaining.store_profiles, outcome, call.overrides, call.reporter(on_event))
    return _only(outcome)


def check(
    test: str,
    *,
    command: Sequence[str] | None = None,
    runs: int | None = None,
    from_runs: str | None = None,
    release: bool = False,
    alpha: float | None = None,
    on_event: Reporter = ignore,
    **options: Unpack[Options],
) -> Result:
    """Launch a program, or take stored runs, and judge them by its oracle.

    Args:
        test, command: as for :func:`record`.
        runs: how many runs to judge together; None for one, and two more if it does not pass.
        from_runs: stored runs to judge instead of launching, as for :func:`train`.
        release: whether the sum since the last release is judged, in turns with its program, see
            :func:`release`.
        alpha: to judge by, instead of the oracle's own.
        on_event, options: as for :func:`record`.

    Returns:
        The result: its ``verdict`` is the answer, its ``report`` all that can be shown of it, with those of
        the training runs that are still stored.

    Raises:
        BadFileError: there is no oracle, or a file is damaged.
        ButoError: as for :func:`train`.
    """
    call = call_of(options, command, alpha)
    check_count("runs", runs)
    exclude(release=release, from_runs=from_runs)
    request = checking.CheckRequest(
        (test,), call.overrides, runs, from_runs, with_training=True, release=release
    )
    return _only(call.carry_out(checking.check, request, call.reporter(on_event)))


def accept(
    test: str,
    *,
    command: Sequence[str] | None = None,
    runs: int | Literal["auto"] | None = None,
    from_runs: str | None = None,
    launch: bool = False,
    dry_run: bool = False,
    reason: str = "",
    on_event: Reporter = ignore,
    **options: Unpack[Options],
) -> Result:
    """Learn a test again after a change that is meant, and write the new oracle.

    Args:
        test, command, from_runs: as for :func:`train`; the test has an oracle.
        runs: how many usable runs to learn from, ``"auto"`` for as many as sharpen the oracle; None for the
            runs of the newest check, if it did not pass and they are enough, else as for :func:`train`.
        launch: whether all runs are launched now, also if the newest check did not pass.
        dry_run: whether the oracle is left as it is; the event ``OracleChanged`` has both oracles.
        reason: why the change is meant, for the labels of its runs.
        on_event, options: as for :func:`record`.

    Raises:
        BadFileError: there is no oracle, or a file is damaged.
        ButoError: as for :func:`train`.
    """
    call = call_of(options, command)
    check_count("runs", runs, auto=True)
    exclude(from_runs=from_runs, launch=launch)
    request = accepting.AcceptRequest((test,), call.overrides, runs, from_runs, launch, dry_run, reason)
    return _only(call.carry_out(accepting.accept, request, call.reporter(on_event)))


def release(
    test: str,
    release: str,
    *,
    command: Sequence[str] | None = None,
    on_event: Reporter = ignore,
    **options: Unpack[Options],
) -> releasing.Released:
    """Keep the program of a release, with which ``check(test, release=True)`` compares; launches nothing.

    Args:
        test, command: as for :func:`record`; the test has an oracle.
        release: what the release is called. If git has such a tag, its commit was released, else HEAD.
        on_event, options: as for :func:`record`.

    Returns:
        The release: its ``commit``, which is empty without git, and the ``program`` that is kept.

    Raises:
        UsageError, ConfigError: the release has no name, or its program is not at hand.
        BadFileError: there is no oracle, or a file is damaged.
        StorageError: the store cannot be written.
    """
    call = call_of(options, command)
    request = releasing.ReleaseRequest((test,), release, call.overrides)
    (released,) = call.carry_out(releasing.release, request, call.reporter(on_event))
    return released


def compare(
    first: str,
    second: str,
    *,
    commands: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None),
    runs: int | None = None,
    from_runs: str | None = None,
    alpha: float | None = None,
    on_event: Reporter = ignore,
    **options: Unpack[Options],
) -> Result:
    """Launch two programs in random order and report what the second uses more or less of.

    Args:
        first, second: their names, under which their runs are stored.
        commands: how to start each; None for a test of the configuration or with an oracle.
        runs: how many usable runs of each; None for enough to decide.
        from_runs: stored runs to compare instead of launching: ``"all"`` or ``"FIRST..LAST"``.
        alpha: the share of comparisons of equal programs that may fail.
        on_event, options: as for :func:`record`.

    Returns:
        The result, whose ``verdict`` is the answer. It is not in a history: it is of no single test.

    Raises:
        ButoError: as for :func:`train`.
    """
    first_command, second_command = (None if command is None else tuple(command) for command in commands)
    call = call_of(options, None, alpha)
    programs = two_programs(first, second, (first_command, second_command))
    check_count("runs", runs)
    request = comparing.CompareRequest(programs, call.overrides, runs, from_runs)
    return _only(call.carry_out(comparing.compare, request, call.reporter(on_event)))


def selftest(
    test: str,
    *,
    from_runs: str = "all",
    training: int | None = None,
    on_event: Reporter = ignore,
    **options: Unpack[Location],
) -> testing.SelftestOutcome:
    """Measure how often an oracle fails the unchanged program, on stored runs of it; launches nothing.

    Args:
        test: its name; it has an oracle.
        from_runs: runs of the unchanged program, as for :func:`train`.
        training: number of training runs; None for as many as trained the oracle, or all but a few.
        on_event: is called with every event, see :mod:`buto.actions.events`.
        options: see :class:`Location`.

    Raises:
        JudgeError: the oracle promises no rate of false alarms, or there are too few runs.
        BadFileError: there is no oracle, or a file is damaged.
    """
    check_count("training", training)
    call = locate(options)
    return call.carry_out(
        testing.selftest, testing.SelftestRequest(test, from_runs, training), call.reporter(on_event)
    )


def why(
    test: str,
    *,
    command: Sequence[str] | None = None,
    against: str | None = None,
    against_command: Sequence[str] | None = None,
    revisions: tuple[str, str] | None = None,
    build: str | None = None,
    pairs: int = PAIRS,
    kinds: Sequence[str] = (),
    profiler: str | Path | None = None,
    on_event: Reporter = ignore,
    **options: Unpack[Options],
) -> Explanation:
    """Profile an old and a new program and name the methods of which the new one uses more.

    Without ``against`` and ``revisions``, the program as it is now is compared with its stored profile, see
    ``profile`` of :func:`train`, or else with the kept program. No run is stored, and no verdict is changed.

    Args:
        test: the name of the test; with ``against``, of the old program.
        command: how to start it; None for the configuration's or the oracle's.
        against: the name of the new program.
        against_command: how to start the new program; None as for ``command``.
        revisions: the old and the new git revision of the program, instead of ``against``.
        build: the command that builds a revision.
        pairs: how often each program is launched, from 1 to 20; with fewer than 3 no cause is named.
        kinds: what to record, as ``["allocation", "cpu"]``; empty for what the findings of the newest check
            need.
        profiler: where async-profiler is; None to do without.
        on_event, options: as for :func:`record`.

    Returns:
        The explanation: its ``causes`` are the methods, named causes first.

    Raises:
        UsageError, ConfigError: no command is known for a program, or an argument is not valid.
        MeasureError: a program cannot be launched or leaves no recording.
        BadFileError: no profile is stored and no program is kept, or a file is damaged.
        StorageError: the lock of the store cannot be taken.
    """
    exclude(against=against, revisions=revisions)
    if against is None and against_command is not None:
        raise UsageError("against_command needs against")
    if revisions is None and build is not None:
        raise UsageError("build needs revisions")
    check_count("pairs", pairs, most=explaining.MOST_PAIRS)
    call = call_of(options, command)
    programs: tuple[ComparedProgram, ComparedProgram] | None = None
    if against is not None:
        new = None if against_command is None else tuple(against_command)
        programs = two_programs(test, against, (call.overrides.command, new))
    elif revisions is not None:
        programs = two_revisions(test, revisions, call.overrides.command)
    request = explaining.WhyRequest(
        test,
        programs,
        call.overrides,
        pairs,
        build,
        kinds_named(kinds),
        None if profiler is None else Path(profiler),
    )
    return call.carry_out(explaining.why, request, call.reporter(on_event))


def _only(outcome: CallOutcome) -> Result:
    (result,) = outcome.results
    if result.error is not None:
        raise result.error
    return result
