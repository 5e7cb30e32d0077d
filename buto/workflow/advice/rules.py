"""Rules of checking that hold for every door."""

from __future__ import annotations

import numpy as np

from buto import oracle
from buto.oracle import Oracle, Settings
from buto.runs import Run, RunSet
from buto.steps import Action, Step
from buto.verdicts import Status, Verdict
from buto.workflow.advice.door import Door
from buto.workflow.advice.remarks import remarks
from buto.workflow.events import JvmMeasured

FEWEST_INTERVALS = 3
"""Fewest samples, at the median of the runs, that show a curve."""

SHORT_INTERVAL = "10ms"


def changed_settings(known: Oracle, now: Settings) -> list[str]:
    """Return the keys of ``judge`` that differ from the settings stored in the oracle."""
    wanted, learned = now.flat(), known.settings.flat()
    return [key for key in wanted if wanted[key] != learned.get(key)]


def settings_warning(known: Oracle, now: Settings, alpha: float | None, door: Door) -> str | None:
    """Return a warning about settings that differ from the oracle's; None if none do.

    Args:
        alpha: the alpha of this call, which is not a change of the configuration.
    """
    keys = [key for key in changed_settings(known, now) if alpha is None or key != "alpha"]
    if not keys:
        return None
    again = door.step(Step(Action.TRAIN, known.test, from_runs="all"))
    return (
        f"judged with the settings of the training, not the current ones of {door.configuration} "
        f"({', '.join(keys)} changed); to use those: {again}"
    )


def warnings(runs: RunSet, door: Door) -> tuple[str, ...]:
    """Return warnings about usable runs."""
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


def jvm_measured(test: str, runs: RunSet) -> JvmMeasured:
    """Return which JVMs these runs measured."""
    return JvmMeasured(test, _texts(runs, "buto.jvm"), _texts(runs, "buto.jvms.others"))


def next_steps(
    known: Oracle,
    verdict: Verdict,
    from_runs: str | None = None,
    *,
    has_profile: bool = False,
    command: tuple[str, ...] = (),
) -> tuple[Step, ...]:
    """Return the next steps after a verdict; none after a pass.

    Args:
        known: the oracle that judged.
        from_runs: which stored runs were judged; None for those of the newest check.
        has_profile: whether a profile of the trained program is stored, to compare with.
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
    plot = Step(Action.PLOT, test, from_runs=from_runs)
    if verdict.is_welcome or not has_profile:
        return show, plot, accept
    return show, plot, Step(Action.WHY, test, why="which code did it"), accept


def _intervals(run: Run) -> float:
    interval_s = run.metadata.get("buto.interval")
    if not isinstance(interval_s, int | float) or interval_s <= 0:
        return float("inf")
    return run.outcome.duration_s / interval_s


def _texts(runs: RunSet, key: str) -> tuple[str, ...]:
    """Return the different texts that runs have for a metadata key."""
    return tuple(dict.fromkeys(str(run.metadata[key]) for run in runs if run.metadata.get(key)))
