"""What prior tests cannot show, in sentences: too few of them, or an environment unlike theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.detectors.ensemble.rules.voting import Environment, components_shared
from buto.detectors.ensemble.sentences import environment_words, some_of, unknown_work
from buto.detectors.ensemble.whole.deciding import new_components
from buto.detectors.ensemble.whole.deviations import FEWEST_LIKE
from buto.detectors.ensemble.whole.groups import FEWEST_ENVIRONMENTS, grouped
from buto.detectors.ensemble.whole.model import WholeTests
from buto.detectors.ensemble.whole.ranking import Ranked, fewest_for
from buto.properties import Kind, is_judged
from buto.runs import FloatArray, Run
from buto.units import format_count

MIXED = "the runs are of different environments, and only runs of one can be judged together"


def too_few(whole: WholeTests, found: Ranked, alpha: float) -> str:
    """Return why a test that stands out is no regression yet."""
    more = more_needed(whole, found)
    if found.here is None:
        have = format_count(len(whole.groups.environments), "environment")
        return (
            "the runs are further from the prior tests than each environment of these is from the others, "
            f"but {have} cannot tell a share of {alpha:g} from chance: {more} more could, with {FEWEST_LIKE} "
            "prior tests or more of each"
        )
    return (
        "the runs are further from the prior tests than each of them is from the others, but "
        f"{compared(whole)} prior tests cannot tell a share of {alpha:g} from chance: {more} more could"
    )


def more_needed(whole: WholeTests, found: Ranked) -> int:
    """Return how many prior tests are missing to show that a test differs; environments if its own is new."""
    have = len(whole.groups.environments) if found.here is None else compared(whole)
    return (found.needed or have) - have


def compared(whole: WholeTests) -> int:
    """Return how many prior tests a test of a known environment is ranked among, if its own are too few."""
    counts = whole.groups.counts
    return int(counts[counts >= FEWEST_LIKE].sum())


def not_judged(whole: WholeTests, environment: Environment, alpha: float) -> tuple[str, ...]:
    """Return why nothing at all can be judged."""
    _, different = grouped(whole.environments)
    have = sum(one == environment for one in whole.environments)
    name = environment_words(environment)
    these = (
        f"{format_count(have, 'prior test')} {'is' if have == 1 else 'are'} too few of this environment "
        f"({name})"
        if have
        else f"no prior test is of this environment ({name})"
    )
    if len(different) == 1:
        rest = "and those of one other environment do not show what the machine changes"
        return (f"{these}{'' if have else f', {rest}'}: train with {FEWEST_LIKE - have} or more of it",)
    if whole.dependences is None:
        few = f"{these}, and too few share an environment to show what it changes"
        return (f"{few}: train with {FEWEST_LIKE} or more of each of {FEWEST_ENVIRONMENTS} environments",)
    if not whole.judges_elsewhere(alpha):
        return (f"{these}, and {_beyond_reach(whole, alpha)}",)
    return (f"{these}, and nothing that could be read is the same in the environments of the prior tests",)


def not_shown(whole: WholeTests, environment: Environment) -> tuple[str, ...]:
    """Return what of the environment is new where all prior tests are alike."""
    first = whole.environments[0]
    return tuple(
        f"{key} is {environment[key]!r} and was {first.get(key)!r} in all prior tests, which do not show "
        "what it changes: train with runs of both"
        for key in new_components(whole, environment)
    )


def cannot_fail(whole: WholeTests, environment: Environment, alpha: float) -> tuple[str, ...]:
    """Return why no test of an environment that was not seen can fail."""
    if whole.dependences is None:
        return (f"too few runs share an environment: {FEWEST_LIKE} or more of each would do",)
    if not whole.judges_elsewhere(alpha):
        return (_beyond_reach(whole, alpha),)
    return tuple(
        f"{key} differs in one environment only, so the others do not show what it changes"
        for key in new_components(whole, environment)
    )


def likeness(whole: WholeTests, environment: Environment, found: Ranked) -> tuple[str, ...]:
    """Return how like the environment is to which prior tests, and what is judged in it."""
    groups = whole.groups
    if found.here is not None and not groups.pooled:
        n = int(groups.counts[found.here])
        return () if len(groups.environments) == 1 else (f"{n} prior tests are of this environment",)
    total = len(environment)
    shared = [components_shared(one, environment) for one in groups.environments]
    if groups.pooled:
        if len(set(map(environment_words, whole.environments))) == 1:
            return ()
        return ("few prior tests share an environment, so they count as draws of all machines",)
    if not any(shared):
        like = "no component of the environment is that of a prior test"
    else:
        best = [one for one, n in zip(groups.environments, shared, strict=True) if n == max(shared)]
        names = "; ".join(f"{_differs(one, environment)}" for one in best)
        like = (
            f"no {FEWEST_LIKE} prior tests are of this environment; it shares {max(shared)} of {total} "
            f"components with the most like ({names})"
        )
    names_judged = _judged_quantities(whole, found)
    factor = (
        f"; the machine's factor is {float(np.exp(found.expected.factor)):.2f}"
        if found.expected.factor
        else ""
    )
    share = f"{len(names_judged)} of {len(np.unique(whole.quantity))} quantities"
    return (f"{like}; judged are {share}, which the machine does not change{factor}",)


def of_training(whole: WholeTests, alpha: float) -> tuple[str, ...]:
    """Return what to know of the prior tests: too few, or too few of an environment."""
    groups, n, needed = whole.groups, len(whole.values), fewest_for(alpha)
    said = []
    if n < needed:
        said.append(
            f"{n} prior tests cannot tell a share of {alpha:g} from chance: {needed - n} more could; until "
            "then, what stands out is inconclusive"
        )
    if groups.pooled:
        different = len({environment_words(one) for one in whole.environments})
        if different > 1:
            said.append(
                f"{n} prior tests are of {different} environments: too few of each to show what a machine "
                "changes, so they count as draws of all machines"
            )
        return tuple(said)
    lone = [
        environment_words(one)
        for one, count in zip(groups.environments, groups.counts.tolist(), strict=True)
        if count < FEWEST_LIKE and len(groups.environments) > 1
    ]
    if lone:
        said.append(
            f"fewer than {FEWEST_LIKE} prior tests are of {some_of(lone)}: only what the machine does not "
            "change is judged there"
        )
    if len(groups.environments) > 1 and whole.dependences is None:
        said.append(
            "nothing can be judged on other machines, because too few prior tests show what is the same on "
            f"all: {FEWEST_LIKE} of each of {FEWEST_ENVIRONMENTS} environments would"
        )
    if whole.dependences is not None and not whole.judges_elsewhere(alpha):
        said.append(f"nothing can be judged on other machines: {_beyond_reach(whole, alpha)}")
    return tuple(said)


def unread(
    whole: WholeTests, runs: Sequence[Run], values: Sequence[FloatArray], found: Ranked | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return sentences for quantities that count and could not be read in all runs.

    Returns:
        Those that every method judges, and the others, which a machine may not have.
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
        f"no p-value is below {whole.smallest_elsewhere:g} on a machine that was not seen, so an alpha of "
        f"{alpha:g} cannot be reached there"
    )


def _judged_quantities(whole: WholeTests, found: Ranked) -> tuple[str, ...]:
    return tuple(whole.numbers.quantities[place].name for place in np.unique(whole.quantity[found.judged]))


def _differs(one: Environment, environment: Environment) -> str:
    """Return the components of an environment that another one does not have."""
    other = {key: value for key, value in one.items() if environment.get(key) != value}
    return f"with {environment_words(other)}"
