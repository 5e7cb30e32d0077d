"""Runs and verdicts made by hand for the renderers' tests."""

from __future__ import annotations

import numpy as np

from buto.properties import property_for
from buto.runs import Outcome, Quality, Run
from buto.verdicts import Direction, Effect, Finding, Status, Verdict

RUN_ID = "20260102T030405.678Z-00ff"
OLD_GENERATION = "jvm.memory.used[G1 Old Gen]"
THREADS = "jvm.thread.count"
QUIET = Quality(foreign_load=0.125)


def run(run_id: str = RUN_ID, quality: Quality = QUIET) -> Run:
    """Two properties over four seconds: a straight leak of 1 MiB a second, and ten threads."""
    times = np.arange(0.0, 4.05, 0.1)
    values = np.column_stack([times * 2**20, np.full(len(times), 10.0)])
    properties = (property_for(OLD_GENERATION), property_for(THREADS))
    outcome = Outcome(exit_code=0, duration_s=4.0)
    return Run(run_id, "leaker", properties, times, values, outcome, quality=quality)


def leak(run_id: str = RUN_ID, subject: str = OLD_GENERATION) -> Finding:
    """Four times the memory that is expected."""
    return Finding(
        source="bounds",
        subject=subject,
        run_id=run_id,
        direction=Direction.MORE,
        effect=Effect.WORSE,
        unit="By",
        observed=4.0 * 2**20,
        lower=0.5 * 2**20,
        upper=1.5 * 2**20,
        expected=1.0 * 2**20,
        at_s=4.0,
        window_s=(1.5, 4.0),
        outside_share=0.625,
        severity=2.5,
    )


def silence(run_id: str = RUN_ID) -> Finding:
    """A notification that did not come."""
    return Finding(
        source="notification",
        subject="com.acme.full",
        run_id=run_id,
        direction=Direction.LESS,
        text="not seen, though every training run had it",
    )


def verdict(
    status: Status = Status.REGRESSION,
    findings: tuple[Finding, ...] = (),
    run_ids: tuple[str, ...] = (RUN_ID,),
    reasons: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Verdict:
    return Verdict(status, "bounds", findings, reasons, warnings, run_ids, 10, settings={"deviations": 20.0})
