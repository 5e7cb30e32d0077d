"""Trying a kept program: whether its copy does what the program does where its user has it.

A program may read a file beside its jar that no command names, or its own path. Its copy then does less, or
more, and turns would take that for a difference of the programs.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

from msgspec import structs

from buto.actions.arms import stage_kept
from buto.actions.ending import bad_ending
from buto.actions.events import Event, GivenUp, Told
from buto.actions.launcher import Launcher
from buto.actions.plan import Plan, PlanProgress
from buto.actions.record import launch
from buto.actions.stored import STAGED
from buto.errors import ButoError, StorageError
from buto.judging.beyond import Beyond, beyond, find_counted_properties, totals
from buto.judging.effects import MINIMUM_EFFECT, effects_from
from buto.judging.procedure import N_CONFIRMING
from buto.programs.named import INPUTS, Kept, OldProgram, Unlike
from buto.run.model import Run
from buto.run.properties import title_of
from buto.run.units import format_count, format_quantity

COPY = "@kept"
"""Ends the name under which the runs of the copy are stored."""

_MOST_NAMED = 2


def try_copy(launcher: Launcher, case: PlanProgress, program: OldProgram) -> OldProgram:
    """Launch the copy of a kept program once, and return the program, or that its copy is not like it.

    The copy is compared by its counters that follow no machine. What lies beyond those of training by a size
    that matters is confirmed by two more launches, as is a copy that fails. A copy that cannot be judged, as
    on a disturbed machine, counts as the program.

    Args:
        case: a test with its training runs. If none of them was launched by this call, neither is the copy;
            nor on the hosts of a cluster, where each program is launched from a copy.

    Raises:
        StorageError: the copy or its run cannot be written.
        Interrupted: Ctrl-C.
    """
    if not isinstance(program, Kept) or launcher.scheduler or not _has_launched(case):
        return program
    launcher.report(
        Told(case.name, "launching the kept copy once, to see that it is the program", detail=True)
    )
    try:
        difference = _difference(launcher, case, program)
    except StorageError:
        raise
    except ButoError as error:
        return Unlike(f"its copy cannot be launched: {error.message.splitlines()[0]}", INPUTS)
    return program if difference is None else difference


def _difference(launcher: Launcher, case: PlanProgress, program: Kept) -> Unlike | None:
    def quietly(event: Event) -> None:
        # A copy that fails ends no test.
        if not isinstance(event, GivenUp):
            launcher.report(event)

    with ExitStack() as stack:
        arm = stage_kept(launcher.workspace, program, case.test, stack)
        plan = Plan(replace(arm.test, name=case.name + COPY), STAGED, place=arm.place)
        copy = PlanProgress(plan, 0)
        for n_more in (1, N_CONFIRMING):
            copy = structs.replace(copy, wanted=len(copy.valid()) + n_more, failure=None)
            copy = launch(structs.replace(launcher, reporter=quietly), [copy])[copy.name]
            difference = _unlike(case, copy)
            if difference is None:
                return None
    return difference


def _unlike(case: PlanProgress, copy: PlanProgress) -> Unlike | None:
    if copy.failure is not None:
        last = copy.runs[-1:]
        # A run that was disturbed says nothing of the copy.
        if last and bad_ending(last[0].quality.problems) is None:
            return None
        return Unlike(f"its copy does not run: {copy.failure.message.splitlines()[0]}", INPUTS)
    before, after = list(case.valid()), list(copy.valid())
    if not (before and after):
        return None
    properties = find_counted_properties([*before, *after])
    sizes = effects_from(case.test.settings.flat().get(MINIMUM_EFFECT, {}))
    excesses = beyond(properties, totals(before, properties), totals(after, properties), sizes)
    return _unlike_by(excesses) if excesses else None


def _unlike_by(excesses: tuple[Beyond, ...]) -> Unlike:
    parts = []
    for excess in excesses[:_MOST_NAMED]:
        value, lowest, highest = (
            format_quantity(amount, excess.unit) for amount in (excess.value, excess.lowest, excess.highest)
        )
        usual = lowest if lowest == highest else f"{lowest} to {highest}"
        parts.append(f"{title_of(excess.quantity.name)}: {value}, and {usual} where it was")
    left = len(excesses) - len(parts)
    more = f"; and {format_count(left, 'more difference')}" if left else ""
    names = tuple(excess.quantity.name for excess in excesses)
    return Unlike(f"its copy is not the program: {'; '.join(parts)}{more}", INPUTS, names)


def _has_launched(case: PlanProgress) -> bool:
    watched = None if case.training is None else case.training.watched

    def is_new(run: Run) -> bool:
        return watched is not None and run.id not in watched.earlier

    return any(map(is_new, case.valid()))
