"""Qualities of runs that cannot be used."""

from __future__ import annotations

from typing import Any

from buto.run.model import Problem, ProblemKind, Quality

STARVED_TEXT = "it was starved: 40% of the planned samples are missing"


def invalid(kind: ProblemKind, text: str, **changes: Any) -> Quality:
    """Return the quality of a run with one problem."""
    return Quality((Problem(kind, text),), **changes)


def starved(text: str = STARVED_TEXT, *, missed_share: float = 0.4, **changes: Any) -> Quality:
    """Return the quality of a run that lacks samples."""
    return invalid(ProblemKind.STARVED, text, missed_share=missed_share, **changes)
