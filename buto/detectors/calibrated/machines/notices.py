"""What training runs of several machines cannot show, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from buto.detectors.calibrated.machines.deciding import new_components
from buto.detectors.calibrated.machines.environments import Environment, environment_words, some_of
from buto.detectors.calibrated.machines.groups import FEWEST_ENVIRONMENTS
from buto.detectors.calibrated.machines.model import WholeTests
from buto.detectors.calibrated.machines.ranking import Ranked
from buto.detectors.calibrated.machines.work import unknown_work
from buto.properties import Kind, is_judged
from buto.runs import FloatArray, Run
from buto.units import format_count

FEWEST_LIKE = 5
"""Fewer runs of an environment cannot judge it alone."""

MIXED = "the runs are of different environments, and only runs of one can be judged together"


def told(environment: Environment, environments: Iterable[Environment]) -> str:
    """Return what of an environment differs from any of the others, in words."""
    others = list(environments)
    differs = {
        key: value for key, value in environment.items() if any(other.get(key) != value for other in others)
    }
    return environment_words(differs)


def too_few(whole: WholeTests, found: Ranked, alpha: float) -> str:
    """Return why a run that stands out on an unknown machine is no regression yet."""
    have = format_count(len(whole.groups.environments), "environment")
    return (
        "the runs are further from the training runs than each environment of these is from the others, "
        f"but {have} cannot tell a share of {alpha:g} from chance: {more_needed(whole, found)} more could, "
        f"with {FEWEST_LIKE} runs or more of each"
    )


def more_needed(whole: WholeTests, found: Ranked) -> int:
    """Return how many environments are missing to show that a run differs."""
    have = len(whole.groups.environments)
    return (found.needed or have) - have


def not_judged(whole: WholeTests, environment: Environment, alpha: float) -> tuple[str, ...]:
    """Return why nothing at all can be judged."""
    have = sum(one == environment for one in whole.environments)
    name = told(environment, whole.groups.environments)
    runs = format_count(have, "training run") if have else "no training run"
    these = f"{runs} {'are' if have > 1 else 'is'} of this environment ({name})"
    train = f"train with {FEWEST_LIKE} or more"
    if whole.dependences is None:
        others = format_count(len(whole.groups.environments), "environment")
        more = f"{train} of it, or with {FEWEST_LIKE} of each of {FEWEST_ENVIRONMENTS} others"
        return (f"{these}, and {others} do not show what the machine changes: {more}",)
    if not whole.judges_elsewhere(alpha):
        return (f"{these}, and {_beyond_reach(whole, alpha)}: {train} of it",)
    return (f"{these}, and nothing that could be read is the same in the others: {train} of it",)


def not_shown(whole: WholeTests, environment: Environment) -> tuple[str, ...]:
    """Return what of the environment is new where all training runs are alike."""
    first = whole.environments[0]
    return tuple(
        f"{key} is {environment[key]!r} and was {first.get(key)!r} in all training runs, which do not show "
        "what it changes: train with runs of both"
        for key in new_components(whole, environment)
    )


def cannot_fail(whole: WholeTests, environment: Environment, alpha: float) -> tuple[str, ...]:
    """Return why no run of an environment that training does not know can fail."""
    if whole.dependences is None:
        return (f"too few runs share an environment: {FEWEST_LIKE} or more of each would do",)
    if not whole.judges_elsewhere(alpha):
        return (_beyond_reach(whole, alpha),)
    return tuple(
        f"{key} differs in one environment only, so the others do not show what it changes"
        for key in new_components(whole, environment)
    )


def what_is_judged(whole: WholeTests, found: Ranked) -> str:
    """Return how much of a run is judged on an unknown machine, and the machine's factor."""
    n_judged = len(np.unique(whole.quantity[found.judged]))
    factor = float(np.exp(found.expected.factor))
    by = f"; times are divided by {factor:.2f}, the machine's factor" if found.expected.factor else ""
    n_all = len(np.unique(whole.quantity))
    return f"{n_judged} of {n_all} quantities are judged, which the machine does not change{by}"


def of_training(whole: WholeTests, alpha: float) -> tuple[str, ...]:
    """Return what to know of training runs of several environments."""
    groups, said = whole.groups, []
    lone = [
        told(one, groups.environments)
        for one, count in zip(groups.environments, groups.counts.tolist(), strict=True)
        if count < FEWEST_LIKE
    ]
    if lone:
        said.append(
            f"fewer than {FEWEST_LIKE} training runs are of {some_of(lone)}: only what the machine does not "
            "change is judged there"
        )
    if whole.dependences is None:
        said.append(
            f"{format_count(len(groups.environments), 'environment')} do not show what the machine changes, "
            f"so a run of another one is inconclusive: {FEWEST_LIKE} runs of each of {FEWEST_ENVIRONMENTS} "
            "would"
        )
    elif not whole.judges_elsewhere(alpha):
        said.append(f"a run of another environment is inconclusive: {_beyond_reach(whole, alpha)}")
    return tuple(said)


def draws(whole: WholeTests) -> str:
    """Return that hardly two training runs share an environment, and what follows."""
    return (
        f"{len(whole.values)} training runs are of {len(whole.groups.environments)} environments: too few of "
        "each to show what a machine changes, so a checked run counts as one more draw of all machines"
    )


def unread(
    whole: WholeTests, runs: Sequence[Run], values: Sequence[FloatArray], found: Ranked | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return sentences for quantities that count and could not be read in all runs.

    Returns:
        Those that are always judged, and the others, which a machine may not have.
    """
    lost = np.isnan([one[whole.kept] for one in values]).any(axis=0)
    if found is not None:
        lost &= found.judged
    quantities = [whole.numbers.quantities[place] for place in np.unique(whole.quantity[lost])]
    unknown = unknown_work(whole.numbers.work, runs)
    usual, other = (
        dict.fromkeys(
            unknown
            if unknown and one.kind is Kind.COUNTER
            else f"{one.name} could not be read in enough samples"
            for one in quantities
            if is_judged(one) is wanted
        )
        for wanted in (True, False)
    )
    return tuple(usual), tuple(sentence for sentence in other if sentence not in usual)


def _beyond_reach(whole: WholeTests, alpha: float) -> str:
    return (
        f"no p-value is below {whole.smallest_elsewhere:g} on a machine that training does not know, so an "
        f"alpha of {alpha:g} cannot be reached there"
    )
