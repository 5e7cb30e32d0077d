"""What is said and drawn of runs of several machines: findings, environments side by side, and what training
cannot show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from buto.judging.calibrated.environments import Environment, environment_words
from buto.judging.calibrated.evidence import SHAPES, effect_of_feature
from buto.judging.calibrated.findings import LEVELS, MEASURES, NOT_ALONE, most_telling, named, shares_of
from buto.judging.calibrated.machine_groups import FEWEST_ENVIRONMENTS, Dependence
from buto.judging.calibrated.machine_model import WholeTests
from buto.judging.calibrated.machine_numbers import quantity_of, unknown_work
from buto.judging.calibrated.machine_ranking import Ranked
from buto.judging.calibrated.settings import NAME
from buto.judging.protocol import Explanation, Section
from buto.judging.rank import FEWEST_RUNS
from buto.judging.verdict import Direction, Finding, Numbers, Verdict
from buto.judging.views import RunsView
from buto.run.model import FloatArray, Run
from buto.run.properties import DURATION, Kind, Property, is_judged
from buto.run.units import format_count, format_list, format_quantity, format_range

OF_MACHINE = {
    Dependence.SAME: "the same in all environments",
    Dependence.SCALED: "the same in all environments after division by the machine's factor",
}


def findings(
    whole: WholeTests, runs: Sequence[Run], values: Sequence[FloatArray], found: Ranked, alpha: float
) -> tuple[Finding, ...]:
    """Return one finding for each quantity that is off, the clearest one first.

    A quantity is off if one of its numbers is beyond its limit, as any number at all is in at most a share
    alpha of tests of an unchanged program. If a check fails with none of them, the three that are nearest to
    their limits are named.
    """
    shares = shares_of(np.minimum(found.reach, 1e6))
    return tuple(
        _finding(whole, runs, values, found, place, float(shares[place]))
        for place in named(found.reach, 1.0, fails=found.p_value <= alpha)
    )


def _finding(
    whole: WholeTests,
    runs: Sequence[Run],
    values: Sequence[FloatArray],
    found: Ranked,
    place: int,
    share: float,
) -> Finding:
    column = int(found.quantity[place])
    prop = whole.numbers.quantities[column]
    best = most_telling(whole.features, column, np.abs(found.contrast) - found.limits)
    feature = whole.features[best]
    contrast = float(found.contrast[best])
    direction = Direction.MORE if contrast > 0 else Direction.LESS
    centre, half = found.expected.centre, found.limits * found.expected.deviation
    lower, expected, upper = (
        float(whole.in_units(side)[best]) for side in (centre - half, centre, centre + half)
    )
    observed = [float(one[whole.kept[best]]) for one in values]
    furthest = int(np.argmax(np.abs(np.array(observed) - expected)))
    assert whole.dependences is not None
    remark = "" if found.reach[place] > 1 else NOT_ALONE
    texts = (
        OF_MACHINE[whole.dependences.of(best)],
        remark,
        "" if len(runs) == 1 else f"median of {len(runs)} runs",
    )
    is_number = prop == DURATION
    floor = -np.inf if feature.name == "slope" else 0.0 if feature.name in SHAPES else prop.lower
    return Finding(
        source=NAME,
        subject=prop.name,
        run_id=runs[furthest].id,
        direction=direction,
        effect=effect_of_feature(feature, prop, direction),
        unit=prop.unit,
        observed=float(np.median(observed)),
        lower=max(lower, floor),
        upper=min(upper, prop.upper),
        expected=expected,
        severity=abs(contrast),
        evidence=share,
        measure="" if is_number else MEASURES[feature.name],
        text="; ".join(filter(None, texts)),
        is_level=feature.name in LEVELS,
        # Those of other machines are on other scales.
        numbers=Numbers((), tuple(observed)),
    )


MOST_COLUMNS = 6
"""Environments that stand side by side; of more the first are shown."""

LETTERS = "ABCDEF"


def explain(verdict: Verdict, whole: WholeTests) -> Explanation:
    """Return what was learned of the machines, how a run of another one is judged, and what was flagged."""
    different = len(whole.groups.environments)
    alpha = f"{verdict.alpha:g}" if verdict.alpha is not None else "alpha"
    return Explanation(
        f"{len(whole.values)} training runs of {different} environments showed which numbers of a run do not "
        "depend on the machine.",
        "Training does not know this machine. The score of the run is compared with those that training runs "
        "had when their whole environment was held out. The p-value is the share of runs of an unchanged "
        f"program with a score that is at least as high; at most {alpha} is a regression.",
        (_environments(whole), *_flagged(verdict, whole), *_dependences(whole)),
    )


def _environments(whole: WholeTests) -> Section:
    """Return the components of the environments side by side."""
    shown = whole.groups.environments[:MOST_COLUMNS]
    every = whole.groups.environments
    keys = sorted(
        key for key in {key for one in every for key in one} if len({one.get(key) for one in every}) > 1
    )
    counts = whole.groups.counts.tolist()
    rows = [("training runs", *(str(count) for count in counts[: len(shown)]))]
    rows += [(key, *(str(one.get(key, "")) for one in shown)) for key in keys]
    hidden = len(whole.groups.environments) - len(shown)
    text = f"{hidden} more are not shown." if hidden else ""
    return Section(
        "Environments of the training runs", text, ("component", *LETTERS[: len(shown)]), tuple(rows)
    )


def _flagged(verdict: Verdict, whole: WholeTests) -> tuple[Section, ...]:
    if not verdict.findings:
        return ()
    n = min(len(whole.groups.environments), MOST_COLUMNS)
    rows = tuple(
        (found.subject, found.measure, _observed(found), *_ranges(whole, found, n), found.text)
        for found in verdict.findings
    )
    columns = ("counter", "of it", "checked", *LETTERS[:n], "why")
    text = "Beside the checked value is the range of the training runs of each environment."
    return (Section("Flagged counters", text, columns, rows),)


def _observed(found: Finding) -> str:
    return "" if found.observed is None else format_quantity(found.observed, found.unit)


def _ranges(whole: WholeTests, found: Finding, n: int) -> list[str]:
    """Return the range of a finding's number in the training runs of each environment."""
    for place in whole.kept:
        feature = whole.numbers.catalogue[place]
        prop = whole.numbers.quantities[feature.column]
        if prop.name == found.subject and (found.measure in ("", MEASURES[feature.name])):
            column = whole.values[:, place]
            own = [column[whole.groups.place == one] for one in range(n)]
            return [format_range(float(one.min()), float(one.max()), prop.unit) for one in own]
    return [""] * n


def _dependences(whole: WholeTests) -> tuple[Section, ...]:
    found = whole.dependences
    if found is None:
        return ()
    names: dict[Dependence, list[str]] = {one: [] for one in Dependence}
    for column in np.unique(whole.quantity):
        own = np.flatnonzero(whole.quantity == column)
        best = min((found.of(int(one)) for one in own), key=list(Dependence).index)
        names[best].append(whole.numbers.quantities[column].name)
    words = {
        Dependence.SAME: "the same everywhere",
        Dependence.SCALED: "the same after division by the machine's factor",
        Dependence.OWN: "different: judged only where five training runs are of the same environment",
    }
    rows = tuple((words[one], str(len(some)), ", ".join(some)) for one, some in names.items() if some)
    factors = ", ".join(
        f"{letter} {float(np.exp(one)):.2f}"
        for letter, one in zip(LETTERS, found.factors.tolist(), strict=False)
        if found.scaled.any()
    )
    text = f"Factors of the machines: {factors}." if factors else "No machine factor explains the times."
    return (Section("What depends on the machine", text, ("it is", "quantities", "which"), rows),)


class WholeView(RunsView):
    """The judged properties of the runs.

    Args:
        wanted: which properties are judged.
        reach: gives, for runs of one environment, the share of the limit of each quantity by its name.
    """

    reach_of = "of the limit of findings"
    bands_decide = False

    def __init__(
        self,
        runs: Sequence[Run],
        wanted: Callable[[Property], bool],
        reach: Callable[[Sequence[Run]], Mapping[str, float]],
    ) -> None:
        super().__init__(runs, wanted)
        self._reach = reach

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return the share of the limit of each property's quantity; NaN if it was not judged."""
        shares = self._reach(runs) if runs else {}
        return np.array([shares.get(quantity_of(prop).name, np.nan) for prop in self.properties])


MIXED = "the runs are of different environments, and only runs of one can be judged together"


def told(environment: Environment, environments: Iterable[Environment]) -> str:
    """Return what of an environment differs from any of the others, in words."""
    others = list(environments)
    differs = {
        key: value for key, value in environment.items() if any(other.get(key) != value for other in others)
    }
    return environment_words(differs)


def too_few_environments(n_environments: int, n_more: int, alpha: float) -> str:
    """Return why runs that stand out on an unknown machine are no regression yet."""
    have = format_count(n_environments, "environment")
    return (
        "the runs are further from the training runs than each environment of these is from the others, "
        f"but {have} cannot tell a share of {alpha:g} from chance: {n_more} more could, "
        f"with {FEWEST_RUNS} runs or more of each"
    )


def not_judged(whole: WholeTests, environment: Environment, alpha: float) -> tuple[str, ...]:
    """Return why nothing at all can be judged."""
    have = sum(one == environment for one in whole.environments)
    name = told(environment, whole.groups.environments)
    runs = format_count(have, "training run") if have else "no training run"
    these = f"{runs} {'are' if have > 1 else 'is'} of this environment ({name})"
    train = f"train with {FEWEST_RUNS} or more"
    if whole.dependences is None:
        others = format_count(len(whole.groups.environments), "environment")
        more = f"{train} of it, or with {FEWEST_RUNS} of each of {FEWEST_ENVIRONMENTS} others"
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
        return (f"too few runs share an environment: {FEWEST_RUNS} or more of each would do",)
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
        if count < FEWEST_RUNS
    ]
    if lone:
        said.append(
            f"fewer than {FEWEST_RUNS} training runs are of {format_list(lone)}: only what the machine does "
            "not change is judged there"
        )
    if whole.dependences is None:
        said.append(
            f"{format_count(len(groups.environments), 'environment')} do not show what the machine changes, "
            f"so a run of another one is inconclusive: {FEWEST_RUNS} runs of each of {FEWEST_ENVIRONMENTS} "
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


def new_components(whole: WholeTests, environment: Environment) -> tuple[str, ...]:
    """Return the components whose value is new, although all prior tests have one value."""
    theirs = whole.environments
    return tuple(
        key
        for key, value in environment.items()
        if value not in (known := {one.get(key) for one in theirs}) and len(known) == 1
    )
