"""The rule of a check on stored runs: what a check would have launched, and what it would have said.

It takes the same steps as a check that launches, by the same functions; only the runs come from elsewhere.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct, structs

from buto.judging.evidence import weigh
from buto.judging.judge_settings import JudgeSettings
from buto.judging.orders import balanced_orders
from buto.judging.procedure import Do, Looked, Next, Procedure, TurnsLook, Why
from buto.judging.profile import TrainingProfile
from buto.judging.turns import Launched, Prior, look_at_turns, prepare_turns
from buto.judging.weighing import weigh_rows
from buto.run.model import FloatArray


class Stored(Struct, frozen=True, eq=False):
    """Runs from which a check takes what it would launch, as rows of a profile's features.

    Attributes:
        profile: what the columns are.
        training: shape (n_training, n_features).
        checked: shape (n, n_features), runs of the new program in the order in which they are launched; as
            many as a check may ask for.
        old, new: shape (n, n_features), runs for the turns; None if there are none, and then a trace ends
            where they begin.
        is_new: the order of the turns; None to draw one by the seed.
        seed: of the order.
        waits_s: shape (n,), how long the checked runs waited for a core; None if that is not known.
        mood: later runs of the program of the training, see
            :func:`buto.judging.evidence.distances`; None for none.
        is_alarmed: whether the monitor over builds has raised an alarm, see :mod:`buto.judging.monitor`.
    """

    profile: TrainingProfile
    training: FloatArray
    checked: FloatArray
    old: FloatArray | None = None
    new: FloatArray | None = None
    is_new: tuple[bool, ...] | None = None
    seed: int = 0
    waits_s: FloatArray | None = None
    mood: FloatArray | None = None
    is_alarmed: bool = False


class Trace(Struct, frozen=True):
    """What a check did.

    Attributes:
        steps: all of them; the last one is the decision, or turns for which there are no runs.
        looks: what training said after some runs, in the order of the steps.
        turns: what the last launch in turns said; None without any.
    """

    steps: tuple[Next, ...]
    looks: tuple[Looked, ...]
    turns: TurnsLook | None = None

    @property
    def fails(self) -> bool:
        return self.steps[-1].do is Do.FAIL

    @property
    def reaches_turns(self) -> bool:
        return any(step.do is Do.TURNS for step in self.steps)

    @property
    def n_checked(self) -> int:
        """Runs of the new program before any turns."""
        return self.looks[-1].n_runs

    @property
    def n_launches(self) -> int:
        return self.n_checked + (0 if self.turns is None else self.turns.n_launches)


def simulate(procedure: Procedure, settings: JudgeSettings, stored: Stored) -> Trace:
    """Return what a check by this rule does with these runs."""
    steps, looks = [procedure.begin()], list[Looked]()
    while True:
        n = sum(step.n for step in steps)
        rows = np.vstack([stored.training, stored.checked[:n]])
        evidence = weigh(stored.profile, rows, n, settings, waits_s=_waits(stored, n))
        looked = weigh_rows(evidence, n, settings.alpha, stored.mood).take_look(n, settings.alpha)
        looks.append(structs.replace(looked, is_alarmed=stored.is_alarmed))
        steps.append(procedure.after_runs(looks[-1]))
        if steps[-1].do is not Do.LAUNCH:
            break
    trace = Trace(tuple(steps), tuple(looks))
    if steps[-1].do is not Do.TURNS or stored.old is None or stored.new is None:
        return trace
    step, look = in_turns(procedure, settings, stored, trace.n_checked)
    return structs.replace(trace, steps=(*trace.steps, step), turns=look)


def _waits(stored: Stored, n: int) -> FloatArray | None:
    """Return the waits of the training runs and of the first checked ones; None if they are not known."""
    known = stored.profile.waits_s
    if stored.waits_s is None or len(known) != len(stored.training):
        return None
    return np.concatenate([known, stored.waits_s[:n]])


def in_turns(
    procedure: Procedure, settings: JudgeSettings, stored: Stored, n_checked: int
) -> tuple[Next, TurnsLook]:
    """Return what turns decide, and what their last launch said.

    Args:
        n_checked: runs of the new program before the turns.
    """
    assert stored.old is not None
    assert stored.new is not None
    orders = balanced_orders(procedure.n_turns)
    labels = np.array(stored.is_new or orders.draw(stored.seed), np.bool_)
    rows = np.empty((len(labels), stored.training.shape[1]))
    rows[labels], rows[~labels] = stored.new[: labels.sum()], stored.old[: (~labels).sum()]
    every = Launched(rows, labels)
    prior = Prior(stored.training, stored.checked[:n_checked])
    turns = prepare_turns(stored.profile, settings, orders, stored.training, prior)
    wealth = turns.wealth(every)
    for n in range(1, len(labels) + 1):
        # The permutation test takes long, and what the bets decide does not need it.
        look = look_at_turns(procedure, every.first(n), wealth, None)
        step = procedure.after_launch(look)
        if step.do.ends and step.why is Why.BETS:
            break
        if n in procedure.looks:
            look = look_at_turns(procedure, every.first(n), wealth, turns)
            step = procedure.after_launch(look)
            if step.do.ends:
                break
    return step, look
