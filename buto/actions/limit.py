"""The limit of a test: how much memory a run may need, whatever its oracle says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

from msgspec import structs

from buto.judging.need import RESIDENT, limit_finding, peak_of
from buto.judging.verdict import LIMIT, Finding, Status, Verdict
from buto.oracle import CheckedRuns
from buto.run.model import Run
from buto.run.properties import COMMAND_PEAK
from buto.run.units import format_bytes


def apply_limit(checked: CheckedRuns, runs: Sequence[Run], limit: int | None) -> CheckedRuns:
    """Return a verdict that fails if one of these runs needs more memory than the limit of its test.

    A verdict that only the limit fails has no p-value, for it is certain. Where the memory of no run could be
    read, a pass is none: the limit could not be checked.

    Args:
        runs: of the program under check; those that are not usable do not count.
        limit: bytes; None for any.
    """
    if limit is None:
        return checked
    usable = [run for run in runs if run.quality.valid]
    finding = limit_finding(usable, limit)
    if finding is not None:
        return structs.replace(checked, verdict=_fail(checked.verdict, finding))
    if checked.verdict.status is not Status.PASS or not all(isnan(peak_of(run)) for run in usable):
        return checked
    reasons = [run.nan_reasons for run in usable]
    why = next((each.get(COMMAND_PEAK) or each.get(RESIDENT, "") for each in reasons), "")
    reason = f"the memory of the process is not known{f': {why}' if why else ''}: it has a limit of "
    verdict = replace(checked.verdict, status=Status.INCONCLUSIVE, reasons=(reason + format_bytes(limit),))
    return structs.replace(checked, verdict=verdict)


def is_over_limit(verdict: Verdict) -> bool:
    return any(finding.source == LIMIT for finding in verdict.findings)


def _fail(verdict: Verdict, finding: Finding) -> Verdict:
    if verdict.status is Status.REGRESSION:
        return replace(verdict, findings=(finding, *verdict.findings))
    is_pass = verdict.status is Status.PASS
    otherwise = "its oracle passes it" if is_pass else "its oracle could not judge it"
    return replace(
        verdict,
        status=Status.REGRESSION,
        findings=(finding,),
        reasons=(f"the limit decides; {otherwise}",),
        warnings=(*(() if is_pass else verdict.reasons), *verdict.warnings),
        p_value=None,
        guarantee="",
        needs_more="",
    )
