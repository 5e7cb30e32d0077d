"""What a user is told beside results: remarks, warnings and next steps, which each front end words.

Remarks are what usable runs tell of the program itself that the user should know before trusting them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from buto import oracle
from buto.actions.events import Told
from buto.judging.class_changes import histogram_at_end
from buto.judging.rounds import judge_shares
from buto.judging.story import story_of
from buto.judging.verdict import Status, Verdict
from buto.measure.program_faults import GIVE_INPUT, find_fault
from buto.measure.target import NOT_IN_TRAINING, PROCESS
from buto.oracle import Oracle, Settings
from buto.report.growth import amount
from buto.run.model import BUSY_SHARE, COLLECTOR, INPUT_READ, PROGRAM, Run, RunSet
from buto.run.properties import LIVE_OBJECTS
from buto.run.units import format_count
from buto.steps import Action, Advice, Configuration, Setting, Step


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


def busy_training(runs: RunSet) -> Advice | None:
    """Return a warning if most training runs were made on a busy machine, which makes an oracle wide."""
    share = float(np.median([run.quality.foreign_load for run in runs]))
    if not share > BUSY_SHARE:
        return None
    return Advice(
        "train again when the machine is quiet: ",
        Step(Action.TRAIN, runs.runs[0].test),
        fact=f"other programs used {share:.0%} of the cores during these runs, so times scatter and small "
        "changes of them are not detected",
    )


def growth_warning(run: Run) -> Advice | None:
    """Return a warning of what grows over the work of a run; None if nothing does, or the run cannot tell."""
    judged = judge_shares(run)
    if judged is None or not judged.grown:
        return None
    return Advice(
        f"the first run grows in each of {judged.n_rounds - judged.n_warm_up} equal shares of its work, by "
        f"{amount(judged)}: it may leak, and every run like it will pass. What grows: ",
        Step(Action.GROW, run.test),
    )


FEWEST_INTERVALS = 3
"""Fewest samples, at the median of the runs, that show a curve."""

SHORT_INTERVAL = "10ms"


def changed_settings(known: Oracle, now: Settings, alpha: float | None) -> tuple[str, ...]:
    """Return the settings that differ from those with which an oracle was trained.

    Args:
        alpha: the alpha of this call, which is not a change of the configuration.
    """
    wanted, learned = now.flat(), known.settings.flat()
    changed = [key for key in wanted if wanted[key] != learned.get(key)]
    return tuple(key for key in changed if alpha is None or key != "alpha")


def settings_warning(test: str, changed: tuple[str, ...], trained: str) -> Advice:
    """Return a warning about settings that differ from the oracle's.

    Args:
        trained: how its training runs are named; empty if they are not stored here.
    """
    return Advice(
        "judged with the settings of the training, not the current ones of ",
        Configuration(),
        f" ({', '.join(changed)} changed); to use those: ",
        # Other stored runs may be of another program.
        Step(Action.TRAIN, test, from_runs=trained or None),
        "" if trained else ", with the program as it was",
    )


def is_of_process(run: Run) -> bool:
    """Return whether a run is of a command that was measured without a JVM."""
    return run.metadata.get(COLLECTOR) == PROCESS


def warnings(runs: RunSet) -> tuple[str, ...]:
    sentences = list(remarks(runs))
    if any("buto.jvm.exit" in run.metadata and run.metadata["buto.jvm.exit"] is None for run in runs):
        sentences.append(
            "the measured JVM is not the command itself, and this kernel does not tell its exit code: a "
            "program that fails behind a wrapper or a pipe counts as good; give the java command itself"
        )
    # What the kernel counts to the end of a process needs no samples.
    lengths = [_intervals(run) for run in runs if not is_of_process(run)]
    if lengths and np.median(lengths) < FEWEST_INTERVALS:
        n_samples = round(np.median([len(run.times_s) for run in runs]))
        sentences.append(
            Advice(
                f"the runs have only {n_samples} samples each, too few to show a curve: ",
                Setting("interval", SHORT_INTERVAL),
            )
        )
    return tuple(sentences)


def describe_jvms(test: str, runs: RunSet) -> list[Told]:
    """Return which JVMs these runs measured; everybody wants to know that if they saw others."""
    names, others = (
        ", ".join(dict.fromkeys(str(run.metadata[key]) for run in runs if run.metadata.get(key)))
        for key in ("buto.jvm", "buto.jvms.others")
    )
    if others and all(map(is_of_process, runs)):
        text = f"a JVM was seen ({others}), and is measured from outside like any process; to see inside it: "
        return [Told(test, Advice(text, Setting("measure", "jvm")))]
    if not names:
        return []
    if not others:
        return [Told(test, f"measured {names}", detail=True)]
    text = f"measured {names}; also seen: {others} ("
    return [Told(test, Advice(text, Setting("jvm", "PATTERN"), " measures another)"))]


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
        elsewhere = {
            finding.subject for finding in verdict.findings if finding.source == oracle.METADATA_SOURCE
        }
        if elsewhere == {oracle.AGENT_KEY}:
            # The program must be the one that the oracle remembers, not a changed one that was typed.
            return show, Step(
                Action.TRAIN, test, plain=True, why="the program as it was; replaces the oracle"
            )
        # Of a changed program it would make the regression the expected.
        again = Step(
            Action.TRAIN, test, why="only with the program as it was: what it uses now becomes the expected"
        )
        return (show, again) if elsewhere else (show,)
    meant = "only for the better" if story_of(verdict).is_welcome else "if the change is meant"
    is_enough = len(verdict.run_ids) >= oracle.fewest_runs(known.settings)
    accept = Step(
        Action.ACCEPT,
        test,
        from_runs=from_runs if is_enough else None,
        command=command,
        why=f"{meant}: later checks expect it",
    )
    return show, Step(Action.PLOT, test, from_runs=from_runs, why="draws what differs"), *more, accept


def _intervals(run: Run) -> float:
    interval_s = run.metadata.get("buto.interval")
    if not isinstance(interval_s, int | float) or interval_s <= 0:
        return float("inf")
    return run.outcome.duration_s / interval_s
