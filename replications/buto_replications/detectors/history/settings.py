"""Settings of the method ``history``."""

from __future__ import annotations

from buto.judging.settings import Settings
from buto.judging.stored import ALPHA as ALPHA_KEY
from buto.judging.stored import COMMON, choice, truth, whole
from buto_replications.detectors.history.engine import NO_BALANCE, Balance, Scheme, within
from buto_replications.detectors.history.examples import ALONE, CONCATENATED, SUBTRACTED
from buto_replications.detectors.history.learners import LEARNERS, LOGISTIC, SIMILARITY

DETECTOR = "history"

ALPHA = ALPHA_KEY.name
LEARNER, PAIRING, DIMENSIONS, BALANCED = "learner", "pairing", "most-dimensions", "balanced"
DEVIATIONS = "deviations"

SHAPING = (LEARNER, PAIRING)
"""Settings without which the numbers of a classifier mean nothing; after training they cannot be changed."""

FEWEST_BAD = 4
"""A test with fewer runs labelled bad has the classifier of all tests; one with more if that is better."""

BALANCES = (Balance(), Balance(cost=5.0), Balance(ratio=5.0, cost=5.0), Balance(ratio=2.0))

HISTORY = Settings(
    method=DETECTOR,
    values={ALPHA: 0.05, LEARNER: LOGISTIC, PAIRING: DEVIATIONS, DIMENSIONS: 0, BALANCED: False},
)
"""The engine of Huang et al. (2015), with the baseline's own scatter as the unit."""

KEYS = (
    ALPHA_KEY,
    choice(LEARNER, "What learns from the labelled runs.", *LEARNERS),
    choice(
        PAIRING,
        "How a run is compared with its baseline before it is learned from.",
        DEVIATIONS,
        SUBTRACTED,
        CONCATENATED,
    ),
    whole(
        DIMENSIONS,
        "The most dimensions to which runs are projected; 0 for no projection.",
        0,
        1000,
        example=50,
    ),
    truth(BALANCED, "Whether good runs are left out, and bad ones count more, as far as this helps."),
    *COMMON,
)


def scheme_of(settings: Settings) -> Scheme:
    values = settings.values
    pairing = ALONE if values[PAIRING] == DEVIATIONS else values[PAIRING]
    dimensions = within(values[DIMENSIONS]) if values[DIMENSIONS] else ()
    balances = BALANCES if values[BALANCED] else NO_BALANCE
    return Scheme(values[LEARNER], pairing, dimensions, True, balances, FEWEST_BAD, tries_groups=True)


def is_deviations(settings: Settings) -> bool:
    """Return whether rows are in units of the baseline's scatter; those of similarity are pairs."""
    return bool(settings.values[PAIRING] == DEVIATIONS and settings.values[LEARNER] != SIMILARITY)
