"""What the detector says: reasons, warnings, and how it came to a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import ceil

from buto.detectors.explanation import Explanation
from buto.detectors.history.judging import Judged
from buto.detectors.history.learning import Judge
from buto.detectors.history.settings import ALPHA, FEWEST_BAD, LEARNER
from buto.detectors.settings import Settings
from buto.runs.labels import Label
from buto.units import format_percent
from buto.verdicts import Verdict

GUARANTEE = "new good runs differ from their baseline as the labelled good ones did"

INVALID = (
    "these runs look like those that were labelled invalid: the measurement was disturbed; check again, or "
    "label them good or bad if it was not"
)


def unlike(judge: Judge, found: Judged) -> str:
    """Return why a check that is like nothing labelled is inconclusive, and what would decide it."""
    known = "and no run is labelled bad yet" if judge.engine is None else "good or bad"
    return (
        "these runs are further from every labelled run than training runs are from each other "
        f"({found.distance:.1f} units, usual are {judge.usual:.1f}), {known}; one label decides: label them "
        "good or bad, and train again"
    )


def not_decided(judge: Judge, found: Judged) -> str:
    """Return why a check that is like bad runs is inconclusive, and what would decide it."""
    return (
        "these runs are more like bad runs than like good ones, but among "
        f"{_checks(len(judge.held_out))} known to be good that is not rare enough "
        f"(p = {found.p_value:.3g}); {_checks(found.good_needed, 'more ')} labelled good, none of them like "
        "these, could make this a regression; if these are good, label them so"
    )


def training_warnings(judge: Judge, n_alone: int, settings: Settings) -> Iterator[str]:
    """Yield what is missing from the labels."""
    n_bad = Counter(judge.labels)[Label.BAD]
    if judge.engine is None:
        yield (
            "no run is labelled bad, so no check can fail: a run unlike the training runs is inconclusive "
            "until it is labelled"
        )
    else:
        n_needed = ceil(1 / settings.values[ALPHA] - 1e-9) - 1 - len(judge.held_out)
        if n_needed > 0:
            yield (
                f"no check can fail yet: for alpha {settings.values[ALPHA]:g}, "
                f"{_checks(n_needed, 'more ')} must be labelled good"
            )
        if n_bad < FEWEST_BAD:
            yield (
                f"{_runs(n_bad)} of this test labelled bad; from {FEWEST_BAD} on it can have a classifier of "
                "its own, until then that of all tests judges it"
            )
    if judge.missed:
        yield (
            f"{len(judge.missed)} of {judge.n_regressions} labelled regressions would not be found by what "
            f"the others teach: {', '.join(judge.missed)}"
        )
    if n_alone:
        yield (
            f"{_runs(n_alone)} with a label cannot be learned from: no earlier training of the same "
            "environment is stored to compare with"
        )


def explain(verdict: Verdict, judge: Judge, settings: Settings) -> Explanation:
    """Return what was learned and how it decides."""
    counts = Counter(judge.labels)
    learned = (
        f"{verdict.n_training} {verdict.roles.known_runs} are the baseline. Labels say of "
        f"{_runs(len(judge.labels))} of this test whether their difference from a baseline is good "
        f"({counts[Label.GOOD]}) or bad ({counts[Label.BAD]})."
    )
    unlike_all = "A run that is unlike all labelled ones is inconclusive."
    if judge.engine is None:
        return Explanation(learned, f"No run is labelled bad, so no check can fail. {unlike_all}")
    return Explanation(
        learned,
        f"A check fails if at most {format_percent(settings.values[ALPHA])} of good checks have so high a "
        f"score. It is compared with the scores of {_checks(len(judge.held_out))} by classifiers "
        f"({settings.values[LEARNER]}) that had not seen them. A training run counts as a check. "
        f"{unlike_all}",
    )


def _runs(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"


def _checks(number: int, more: str = "") -> str:
    return f"1 {more}check" if number == 1 else f"{number} {more}checks"
