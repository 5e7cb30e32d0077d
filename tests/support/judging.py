"""Settings by which tests judge real programs.

At the defaults, buto promises that about one check in a hundred of an unchanged program fails; where the
machine becomes faster or slower between training and check, it can be more. A test must not depend on that.
With these settings, only changes count that no machine makes. How sharp verdicts are is tested elsewhere.

And a regression is inconclusive where others use clearly more of the machine than in training. A test must
not depend on who else runs, so it calls :func:`know_a_busy_machine` between training and a check that fails.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from buto.judging.procedure import Do, Next, Why
from buto.judging.verdict import Status, Verdict
from buto.oracle.file import load, save
from buto.programs.named import UNKNOWN

Judge = Mapping[str, Any]
"""The value of ``judge`` in a configuration."""

BY_HEAP: Judge = {
    "alpha": 0.05,
    "minimum-effect": {"*": "never", "jvm.memory.heap.used": "6MiB", "jvm.memory.allocated": "6MiB"},
}
"""Only used heap and allocated bytes, and only 6 MiB: the programs that tests judge so keep about 2 MiB, and
20 or more after a change. No machine moves allocated bytes, so they accuse without turns. Of five training
runs, three that confirm a change can reach this alpha by rank alone."""

BY_MULTIPLES: Judge = {"alpha": 0.05, "minimum-effect": "150%"}
"""Only what becomes more than 2.5 times as much: a change that must be found is fiftyfold. Of five training
runs, three that confirm a change can reach this alpha by rank alone."""


def needs_turns(verdict: Verdict) -> bool:
    """Return whether runs surely differ, in what only old and new in turns may accuse."""
    is_certain = (
        verdict.p_value is not None and verdict.alpha is not None and verdict.p_value <= verdict.alpha
    )
    is_open = verdict.status is Status.INCONCLUSIVE and verdict.steps[-1] == Next(
        Do.UNDECIDED, Why.NEEDS_TURNS
    )
    return is_certain and is_open


def literal(judge: Judge) -> str:
    """Return settings as text that YAML and Python read alike."""
    return json.dumps(judge)


def without_turns(oracle: Path) -> None:
    """Change an oracle as if its program had not been kept: three runs decide."""
    save(oracle, replace(load(oracle), program=UNKNOWN))


def know_a_busy_machine(oracle: Path) -> None:
    """Change an oracle as if others had used the whole machine in training: no check has more beside it."""
    save(oracle, replace(load(oracle), foreign_load=1.0))
