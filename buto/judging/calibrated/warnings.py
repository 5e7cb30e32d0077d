"""What a reader of a calibrated oracle should know of its training runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.judging.alarms import N_CHECKED
from buto.judging.calibrated.anomalies import Anomaly, AnomalyKind, Symptom, find_anomalies
from buto.judging.calibrated.findings import words
from buto.judging.calibrated.load_observed import is_rate, other_rates, range_words
from buto.judging.calibrated.profile import Profile
from buto.judging.rank import training_needed
from buto.run.model import FloatArray, RunSet
from buto.run.units import format_quantity, format_range
from buto.steps import Action, Advice, Setting, Step

GOOD_RUNS = 10


def few_runs(n_runs: int, alpha: float) -> tuple[str, ...]:
    """Return one sentence if they are too few, with what they let pass; none if they are enough."""
    enough = training_needed(N_CHECKED, alpha)
    if n_runs >= enough:
        return ()
    good = max(GOOD_RUNS, enough)
    advice = Advice(
        f"{good} are a good number (",
        Setting("runs", str(good)),
        ")",
        fact=f"{n_runs} runs are few: small changes are not detected, and below {enough} even "
        f"{N_CHECKED} runs of a check need an assumption on distributions",
    )
    return (advice,)


def too_few(n_training: int, n_checked: int, alpha: float, needed: int) -> str:
    """Return that so many training runs decide nothing at this alpha, and how many would."""
    return (
        f"{n_training} training runs cannot tell a share of {alpha:g} from chance "
        f"with {n_checked} under test: {needed} could"
    )


def one_load(profile: Profile) -> tuple[str, ...]:
    """Return one sentence if the runs were under a load, which then was the same in all; else none."""
    columns = _rate_columns(profile)
    if not columns:
        return ()
    totals = profile.values[:, columns].sum(axis=1)
    advice = Advice(
        "if checks have other loads, let each run draw its own rate (rate: 20..60)",
        fact=f"all runs had the same load ({range_words(totals)}), so a check under another one is "
        "inconclusive",
    )
    return (advice,)


def another_load(profile: Profile, checked: Sequence[FloatArray]) -> str:
    """Return, in a sentence, that runs had another load than the training runs; empty if they had not.

    Args:
        checked: features of the checked runs, as the profile measures them.
    """
    columns = _rate_columns(profile)
    rates, known = np.mean(checked, axis=0)[columns], profile.values[:, columns]
    usual = known.mean(axis=0)
    other = other_rates(np.minimum(usual, rates), np.maximum(usual, rates), profile.end_s)
    if not other.any():
        return ""
    place = int(np.flatnonzero(other)[0])
    prop = profile.quantities[profile.catalogue[columns[place]].column]
    before = format_range(float(known[:, place].min()), float(known[:, place].max()), prop.unit)
    return (
        f"{prop.name} is {format_quantity(float(rates[place]), prop.unit)} and was {before} in training, "
        "where all runs had the same load: train with a range of rates (rate: 20..60), then the load is "
        "adjusted for"
    )


def _rate_columns(profile: Profile) -> list[int]:
    """Return the columns with the mean rates of requests."""
    return [
        place
        for place, one in enumerate(profile.catalogue)
        if one.name == "mean" and is_rate(profile.quantities[one.column])
    ]


def unlike_runs(runs: RunSet, profile: Profile) -> tuple[str, ...]:
    """Return a sentence for each way in which the training runs are not alike, with what shows it or helps.

    Args:
        runs: those that were learned from, in the order of their start.
    """
    return tuple(_sentence(one, runs) for one in find_anomalies(profile))


def _sentence(anomaly: Anomaly, runs: RunSet) -> str:
    test = runs.runs[0].test
    ids = [runs.runs[place].id for place in anomaly.runs]
    if anomaly.kind is AnomalyKind.DRIFT:
        what = _compared(anomaly.symptoms, "in the later half of the runs", "in the earlier")
        return Advice(
            "train again when the machine is quiet: ",
            Step(Action.TRAIN, test),
            fact=f"the runs drifted while they were made, so that the oracle is wide: {what}",
        )
    if anomaly.kind is AnomalyKind.OUTLIER:
        what = _compared(anomaly.symptoms, "in it", "in the others")
        return Advice(
            "see it: ",
            Step(Action.SHOW_RUN, test, run_id=ids[0]),
            "; leave it out: ",
            Step(Action.DELETE_RUN, test, run_id=ids[0]),
            "; then: ",
            Step(Action.TRAIN, test, from_runs=f"{runs.runs[0].id}..{runs.runs[-1].id}"),
            fact=f"run {ids[0]} is unlike the others and makes the oracle wide: {what}",
        )
    what = _compared(anomaly.symptoms, f"in {len(ids)} runs", f"in the other {len(runs) - len(ids)}")
    return Advice(
        "see what differs: ",
        Step(Action.SHOW_RUN, test, run_id=ids[0]),
        fact=f"the program behaves in two ways, and the oracle is wide enough for both: {what} "
        f"({', '.join(ids)})",
    )


def _compared(symptoms: Sequence[Symptom], there: str, elsewhere: str) -> str:
    return "; ".join(_symptom(one, there, elsewhere) for one in symptoms)


def _symptom(one: Symptom, there: str, elsewhere: str) -> str:
    ours, theirs = (format_quantity(value, one.quantity.unit) for value in (one.there, one.elsewhere))
    return f"{one.quantity.name} ({words(one.feature)}) {ours} {there}, {theirs} {elsewhere}"
