"""Where virtual threads were pinned, beside the finding that they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from buto.judging.verdict import Direction, Verdict
from buto.measure.virtual_threads import PINNED, PINNED_AT
from buto.run.model import Run


def with_places(verdict: Verdict, runs: Sequence[Run]) -> Verdict:
    """Return a verdict that also says where, if it fails for more pins.

    Args:
        runs: those that were judged, the newest last.
    """
    if not any(
        finding.subject == PINNED and finding.direction is Direction.MORE for finding in verdict.findings
    ):
        return verdict
    places = [str(run.metadata[PINNED_AT]) for run in runs if run.metadata.get(PINNED_AT)]
    more = [f"virtual threads were pinned in {places[-1]}"] if places else []
    return replace(verdict, warnings=(*verdict.warnings, *more))
