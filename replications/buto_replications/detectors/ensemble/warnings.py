"""How like the environments are: what a reader of an oracle or a verdict should know."""

from __future__ import annotations

from collections import Counter

from buto.judging.calibrated.environments import Environment, environment_words
from buto.run.units import format_list
from buto_replications.detectors.ensemble.rules import Ensemble, Judgement, lone

GOOD_TESTS = 5

SMALL = 0.05
"""A factor of the machine that is nearer to 1 needs no word."""

_MAY_DIFFER = "differences may come from the environment alone, so train with runs of more environments"


def of_training(ensemble: Ensemble) -> tuple[str, ...]:
    """Return what to know of the prior tests: too few, or alone in their environment."""
    said = []
    if len(ensemble.tests) < GOOD_TESTS:
        said.append(
            f"{len(ensemble.tests)} prior tests are few: each has much weight, so what was special in one "
            f"flags counters; {GOOD_TESTS} or more are better"
        )
    named = Counter(environment_words(test.environment) for test in ensemble.tests)
    if len(named) > 1:
        said += [
            f"only one prior test is of this environment, so the others may outvote it: {name}"
            for name, number in named.items()
            if number == 1
        ]
    return tuple(said)


def not_comparable(ensemble: Ensemble, environment: Environment, judgement: Judgement) -> str:
    """Return why a difference in a new test may come from its environment alone; empty if it cannot.

    That is so if it is unlike all prior tests, or if these are of one other environment, so that they do not
    show what differs between environments.
    """
    name = environment_words(environment)
    if environment and max(judgement.shared) == 0:
        return f"the environment ({name}) is unlike that of every prior test: {_MAY_DIFFER}"
    first = ensemble.tests[0].environment
    if first != environment and all(test.environment == first for test in ensemble.tests):
        theirs = environment_words(first)
        return f"all prior tests are of one environment ({theirs}), not of {name}: {_MAY_DIFFER}"
    return ""


def of_judgement(ensemble: Ensemble, environment: Environment, judgement: Judgement) -> tuple[str, ...]:
    """Return the machine's factor, and how like the environment of a new test is to which prior tests.

    If the environment equals that of all prior tests, say only the factor.
    """
    said = _factor(judgement.factor)
    shared, ids = judgement.shared, [test.run_id for test in ensemble.tests]
    total = len(environment)
    most = max(shared)
    if total == 0:
        return (*said, "the run has no metadata of its environment, so all prior tests have the same weight")
    if most == 0:
        return (*said, "no component of the environment is that of a prior test, so all have the same weight")
    if min(shared) == total and all(len(test.environment) == total for test in ensemble.tests):
        return tuple(said)
    alike = [run_id for run_id, number in zip(ids, shared, strict=True) if number == most]
    weight = sum(judgement.weight[place] for place, number in enumerate(shared) if number == most)
    votes = f"{'has' if len(alike) == 1 else 'have'} {weight:.0%} of the votes"
    like = f"the environment shares {most} of {total} components with {format_list(alike)}, which {votes}"
    said.append(f"{like}; the least like prior test shares {min(shared)}")
    alone = lone(shared)
    if alone is not None:
        said.append(
            f"only {ids[alone]} has the environment most like this one, and with {weight:.0%} of the votes "
            "it cannot flag a counter alone: train with more runs of this environment"
        )
    return tuple(said)


def _factor(factor: float) -> list[str]:
    if abs(factor - 1) < SMALL:
        return []
    return [f"times that depend on the machine are divided by {factor:.2f}, its factor"]
