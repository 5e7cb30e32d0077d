"""What a reader of an oracle should know of its training runs."""

from __future__ import annotations

from collections.abc import Sequence

from buto.judging.anomalies import Anomaly, AnomalyKind, Symptom, find_anomalies
from buto.judging.findings import words
from buto.judging.modes import follows_heap_size
from buto.judging.procedure import N_CHECKED
from buto.judging.profile import TrainingProfile
from buto.judging.rank import training_needed
from buto.run.model import Run, RunSet
from buto.run.properties import title_of
from buto.run.units import format_count, format_quantity
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
        f"{format_count(n_training, 'training run')} are too few to judge {format_count(n_checked, 'run')} "
        f"at alpha {alpha:g}: {needed} are needed"
    )


def unlike_runs(runs: RunSet, profile: TrainingProfile) -> tuple[str, ...]:
    """Return a sentence for each way in which the training runs are not alike, with what shows it or helps.

    Args:
        runs: those that were learned from, in the order of their start.
    """
    return tuple(_sentence(anomaly, runs) for anomaly in find_anomalies(profile))


def _sentence(anomaly: Anomaly, runs: RunSet) -> str:
    test = runs.runs[0].test
    ids = [runs.runs[place].id for place in anomaly.runs]
    if anomaly.kind is AnomalyKind.DRIFT:
        what = _compare(anomaly.symptoms, "in the later half of the runs", "in the earlier")
        return Advice(
            "train again when the machine is quiet: ",
            Step(Action.TRAIN, test),
            fact=f"the runs drifted while they were made, so that the oracle is wide: {what}",
        )
    if anomaly.kind is AnomalyKind.OUTLIER:
        what = _compare(anomaly.symptoms, "in it", "in the others")
        return Advice(
            "see it: ",
            Step(Action.SHOW_RUN, test, run_id=ids[0]),
            "; leave it out: ",
            Step(Action.DELETE_RUN, test, run_id=ids[0]),
            "; then: ",
            Step(Action.TRAIN, test, from_runs=f"{runs.runs[0].id}..{runs.runs[-1].id}"),
            fact=f"run {ids[0]} is unlike the others and makes the oracle wide: {what}",
        )
    what = _compare(anomaly.symptoms, f"in {len(ids)} runs", f"in the other {len(runs) - len(ids)}")
    if _is_of_the_heap(anomaly) and any(map(_sizes_its_heap, runs)):
        return Advice(
            "give it one size, -Xms and -Xmx alike, then train again: ",
            Step(Action.TRAIN, test),
            fact=f"the collector sizes the heap in two ways, and the oracle is wide enough for both: {what}",
        )
    return Advice(
        "see what differs: ",
        Step(Action.SHOW_RUN, test, run_id=ids[0]),
        fact=f"the program behaves in two ways, and the oracle is wide enough for both: {what} "
        f"({', '.join(ids)})",
    )


def _is_of_the_heap(anomaly: Anomaly) -> bool:
    return all(follows_heap_size(symptom.quantity) for symptom in anomaly.symptoms)


def _sizes_its_heap(run: Run) -> bool:
    """Return whether the collector may give the heap more than it begins with."""
    first, most = (run.metadata.get(f"jvm.memory.heap.{size}") for size in ("initial", "max"))
    return isinstance(first, int | float) and isinstance(most, int | float) and 0 < first < most


def _compare(symptoms: Sequence[Symptom], there: str, elsewhere: str) -> str:
    return "; ".join(_symptom(symptom, there, elsewhere) for symptom in symptoms)


def _symptom(symptom: Symptom, there: str, elsewhere: str) -> str:
    ours, theirs = (
        format_quantity(value, symptom.quantity.unit) for value in (symptom.there, symptom.elsewhere)
    )
    return (
        f"{title_of(symptom.quantity.name)} ({words(symptom.feature)}) {ours} {there}, {theirs} {elsewhere}"
    )
