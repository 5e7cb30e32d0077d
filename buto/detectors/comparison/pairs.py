"""Which runs of two programs are pairs, because they ran at the same time."""

from __future__ import annotations

from dataclasses import dataclass

from buto.runs import RunSet
from buto.runs.model import PAIR


@dataclass(frozen=True, slots=True)
class Pairs:
    """The runs of both programs, pairs in the same order.

    Attributes:
        left_out: which usable runs have no partner, in a clause; empty if all have one.
    """

    first: RunSet
    second: RunSet
    left_out: str


def pairs_of(first: RunSet, second: RunSet) -> Pairs | None:
    """Return the pairs among the runs of two programs; None if there is no pair."""
    of_pair = {run.metadata[PAIR]: run for run in second if PAIR in run.metadata}
    partners = [(run, of_pair[run.metadata[PAIR]]) for run in first if run.metadata.get(PAIR) in of_pair]
    if not partners:
        return None
    ours, theirs = (RunSet(side) for side in zip(*partners, strict=True))
    known = {run.id for run in (*ours, *theirs)}
    alone = [run.id for run in (*first, *second) if run.id not in known]
    left_out = f"without a usable partner, and left out: {', '.join(alone)}" if alone else ""
    return Pairs(ours, theirs, left_out)
