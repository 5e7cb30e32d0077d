"""What is said and drawn of runs of several machines: findings, environments side by side, and what training
cannot show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from buto.judging.environments import Environment
from buto.judging.evidence import SHAPES, effect_of_feature
from buto.judging.findings import LEVELS, MEASURES, NOT_ALONE, choose_named, most_telling, shares_of
from buto.judging.judge_settings import NAME
from buto.judging.machines import describe_difference, new_components
from buto.judging.protocol import Reasoning, Section
from buto.judging.rank import FEWEST_RUNS
from buto.judging.verdict import Difference, Direction, Finding, Numbers, Verdict
from buto.judging.views import RunsView
from buto.run.model import FloatArray, Run
from buto.run.properties import DURATION, Kind, Property, is_judged
from buto.run.units import format_count, format_list, format_quantity, format_range
from buto_replications.detectors.machines.groups import FEWEST_ENVIRONMENTS, Dependence
from buto_replications.detectors.machines.model import WholeTests
from buto_replications.detectors.machines.numbers import quantity_of, unknown_work
from buto_replications.detectors.machines.ranking import RankedRun

OF_MACHINE = {
    Dependence.SAME: "the same in all environments",
    Dependence.SCALED: "the same in all environments after division by the machine's factor",
}


def findings(
    whole: WholeTests, runs: Sequence[Run], values: Sequence[FloatArray], ranked: RankedRun, alpha: float
) -> tuple[Finding, ...]:
    """Return one finding for each quantity that is off, the clearest one first.

    A quantity is off if one of its numbers is beyond its limit, as any number at all is in at most a share
    alpha of tests of an unchanged program. If a check fails with none of them, the three that are nearest to
    their limits are named.
    """
    shares = shares_of(np.minimum(ranked.reach, 1e6))
    return tuple(
        _finding(whole, runs, values, ranked, place, float(shares[place]))
        for place in choose_named(ranked.reach, 1.0, fails=ranked.p_value <= alpha)
    )


def _finding(
    whole: WholeTests,
    runs: Sequence[Run],
    values: Sequence[FloatArray],
    ranked: RankedRun,
    place: int,
    share: float,
) -> Difference:
    column = int(ranked.quantity[place])
    prop = whole.numbers.quantities[column]
    best = most_telling(whole.features, column, np.abs(ranked.contrast) - ranked.limits)
    feature = whole.features[best]
    contrast = float(ranked.contrast[best])
    direction = Direction.MORE if contrast > 0 else Direction.LESS
    centre, half = ranked.expected.centre, ranked.limits * ranked.expected.deviation
    lower, expected, upper = (
        float(whole.in_units(side)[best]) for side in (centre - half, centre, centre + half)
    )
    observed = [float(run_values[whole.kept[best]]) for run_values in values]
    furthest = int(np.argmax(np.abs(np.array(observed) - expected)))
    assert whole.dependences is not None
    remark = "" if ranked.reach[place] > 1 else NOT_ALONE
    texts = (
        OF_MACHINE[whole.dependences.of(best)],
        remark,
        "" if len(runs) == 1 else f"median of {len(runs)} runs",
    )
    is_number = prop == DURATION
    floor = -np.inf if feature.name == "slope" else 0.0 if feature.name in SHAPES else prop.lower
    return Difference(
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


def explain(verdict: Verdict, whole: WholeTests) -> Reasoning:
    """Return what was learned of the machines, how a run of another one is judged, and what was flagged."""
    different = len(whole.groups.environments)
    alpha = f"{verdict.alpha:g}" if verdict.alpha is not None else "alpha"
    return Reasoning(
        f"{len(whole.values)} training runs of {different} environments showed which numbers of a run do not "
        "depend on the machine.",
        "Training does not know this machine. The score of the run is compared with those that training runs "
        "had when their whole environment was held out. The p-value is the share of runs of an unchanged "
        f"program with a score that is at least as high; at most {alpha} is a regression.",
        (_environments(whole), *_flag(verdict, whole), *_dependences(whole)),
    )


def _environments(whole: WholeTests) -> Section:
    """Return the components of the environments side by side."""
    shown = whole.groups.environments[:MOST_COLUMNS]
    every = whole.groups.environments
    keys = sorted(
        key
        for key in {key for environment in every for key in environment}
        if len({environment.get(key) for environment in every}) > 1
    )
    counts = whole.groups.counts.tolist()
    rows = [("training runs", *(str(count) for count in counts[: len(shown)]))]
    rows += [(key, *(str(environment.get(key, "")) for environment in shown)) for key in keys]
    hidden = len(whole.groups.environments) - len(shown)
    text = f"{hidden} more are not shown." if hidden else ""
    return Section(
        "Environments of the training runs", text, ("component", *LETTERS[: len(shown)]), tuple(rows)
    )


def _flag(verdict: Verdict, whole: WholeTests) -> tuple[Section, ...]:
    if not verdict.findings:
        return ()
    n = min(len(whole.groups.environments), MOST_COLUMNS)
    rows = tuple(
        (finding.subject, finding.measure, _observe(finding), *_ranges(whole, finding, n), finding.text)
        for finding in verdict.findings
        if isinstance(finding, Difference)
    )
    columns = ("counter", "of it", "checked", *LETTERS[:n], "why")
    text = "Beside the checked value is the range of the training runs of each environment."
    return (Section("Flagged counters", text, columns, rows),)


def _observe(finding: Difference) -> str:
    return format_quantity(finding.observed, finding.unit)


def _ranges(whole: WholeTests, finding: Difference, n: int) -> list[str]:
    """Return the range of a finding's number in the training runs of each environment."""
    for place in whole.kept:
        feature = whole.numbers.catalogue[place]
        prop = whole.numbers.quantities[feature.column]
        if prop.name == finding.subject and (finding.measure in ("", MEASURES[feature.name])):
            column = whole.values[:, place]
            own = [column[whole.groups.place == number] for number in range(n)]
            return [format_range(float(values.min()), float(values.max()), prop.unit) for values in own]
    return [""] * n


def _dependences(whole: WholeTests) -> tuple[Section, ...]:
    dependences = whole.dependences
    if dependences is None:
        return ()
    names: dict[Dependence, list[str]] = {dependence: [] for dependence in Dependence}
    for column in np.unique(whole.quantity):
        own = np.flatnonzero(whole.quantity == column)
        best = min((dependences.of(int(place)) for place in own), key=list(Dependence).index)
        names[best].append(whole.numbers.quantities[column].name)
    words = {
        Dependence.SAME: "the same everywhere",
        Dependence.SCALED: "the same after division by the machine's factor",
        Dependence.OWN: "different: judged only where five training runs are of the same environment",
    }
    rows = tuple(
        (words[dependence], str(len(some)), ", ".join(some)) for dependence, some in names.items() if some
    )
    factors = ", ".join(
        f"{letter} {float(np.exp(factor)):.2f}"
        for letter, factor in zip(LETTERS, dependences.factors.tolist(), strict=False)
        if dependences.scaled.any()
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
    have = sum(known_environment == environment for known_environment in whole.environments)
    name = describe_difference(environment, whole.groups.environments)
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


def cannot_fail(whole: WholeTests, environment: Environment, alpha: float) -> tuple[str, ...]:
    """Return why no run of an environment that training does not know can fail."""
    if whole.dependences is None:
        return (f"too few runs share an environment: {FEWEST_RUNS} or more of each would do",)
    if not whole.judges_elsewhere(alpha):
        return (_beyond_reach(whole, alpha),)
    return tuple(
        f"{key} differs in one environment only, so the others do not show what it changes"
        for key in new_components(whole.environments, environment)
    )


def what_is_judged(whole: WholeTests, ranked: RankedRun) -> str:
    """Return how much of a run is judged on an unknown machine, and the machine's factor."""
    n_judged = len(np.unique(whole.quantity[ranked.judged]))
    factor = float(np.exp(ranked.expected.factor))
    by = f"; times are divided by {factor:.2f}, the machine's factor" if ranked.expected.factor else ""
    n_all = len(np.unique(whole.quantity))
    return f"{n_judged} of {n_all} quantities are judged, which the machine does not change{by}"


def of_training(whole: WholeTests, alpha: float) -> tuple[str, ...]:
    """Return what to know of training runs of several environments."""
    groups, said = whole.groups, []
    lone = [
        describe_difference(environment, groups.environments)
        for environment, count in zip(groups.environments, groups.counts.tolist(), strict=True)
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


def unread(
    whole: WholeTests, runs: Sequence[Run], values: Sequence[FloatArray], ranked: RankedRun | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return sentences for quantities that count and could not be read in all runs.

    Returns:
        Those that are always judged, and the others, which a machine may not have.
    """
    lost = np.isnan([run_values[whole.kept] for run_values in values]).any(axis=0)
    if ranked is not None:
        lost &= ranked.judged
    quantities = [whole.numbers.quantities[place] for place in np.unique(whole.quantity[lost])]
    unknown = unknown_work(whole.numbers.work, runs)
    usual, other = (
        dict.fromkeys(
            unknown
            if unknown and quantity.kind is Kind.COUNTER
            else f"{quantity.name} could not be read in enough samples"
            for quantity in quantities
            if is_judged(quantity) is wanted
        )
        for wanted in (True, False)
    )
    return tuple(usual), tuple(sentence for sentence in other if sentence not in usual)


def _beyond_reach(whole: WholeTests, alpha: float) -> str:
    return (
        f"no p-value is below {whole.smallest_elsewhere:g} on a machine that training does not know, so an "
        f"alpha of {alpha:g} cannot be reached there"
    )
