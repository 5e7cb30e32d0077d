"""Claims: decided from made-up counts whose answer is known, and all of the thesis's own at once."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from buto.run.properties import property_for
from buto_replications.design import EXPERIMENTS
from buto_replications.scores import PRECISION
from buto_replications.thesis import published
from buto_replications.thesis.chapter5 import CLAIMS, claims_of
from buto_replications.thesis.claims import ClaimOutcome, HostEvidence
from buto_replications.thesis.criteria import (
    above,
    alike,
    all_of,
    at_least,
    best,
    best_rule,
    combined,
    level,
    notified,
    rising,
    shown,
    steepest,
    worst,
    worst_rule,
)
from buto_replications.thesis.evaluation import Evaluation, JudgedRuns
from buto_replications.thesis.grids import GRIDS, configuration
from buto_replications.thesis.notifications import FlaggedNotifications, NotifiedRuns

N_RUNS = 40
PAIR = next(experiment for experiment in EXPERIMENTS if experiment.training == "references-strong")
NOTHING = Evaluation(1, N_RUNS, {}, {}, (), {}, {})


def evidence(table, accepted):
    """By configuration, the shares of positive and of negative runs that are accepted, each judged once."""
    names = ("references-strong", PAIR.negative)
    judged = {
        (configuration(table, label).method, PAIR): JudgedRuns(*(runs_of(share) for share in shares))
        for label, shares in accepted.items()
    }
    properties = {"references": (property_for("jvm.memory.heap.used"),)}
    runs = {name: tuple(f"{name} {number}" for number in range(N_RUNS)) for name in sorted(names)}
    return HostEvidence(Evaluation(1, N_RUNS, runs, properties, (PAIR,), judged, {}), {})


def runs_of(share):
    """Counts of 40 runs, of which the first ones are accepted."""
    accepted = np.arange(N_RUNS) < round(share * N_RUNS)
    return np.stack([~accepted, accepted], axis=1)[:, np.newaxis].repeat(2, axis=1).astype(np.int32)


REPLICATES, DIFFERS, UNDECIDED = ClaimOutcome.REPLICATES, ClaimOutcome.DIFFERS, ClaimOutcome.UNDECIDED


@pytest.mark.parametrize(
    ("claim", "table", "accepted", "expected"),
    [
        (above("nearest", "interpolated"), "5.4", {"nearest": (1, 0), "interpolated": (0.3, 0)}, REPLICATES),
        (above("nearest", "interpolated"), "5.4", {"nearest": (0.3, 0), "interpolated": (1, 0)}, DIFFERS),
        (
            above("nearest", "interpolated"),
            "5.4",
            {"nearest": (0.5, 0), "interpolated": (0.45, 0)},
            UNDECIDED,
        ),
        # Printed is +.05: what is surely less than half of it is no such difference.
        (above("nearest", "interpolated"), "5.4", {"nearest": (0.5, 0), "interpolated": (0.5, 0)}, DIFFERS),
        # One accepts nothing: its MCC counts as 0.
        (above("nearest", "interpolated"), "5.4", {"nearest": (0.8, 0), "interpolated": (0, 0)}, REPLICATES),
        # Neither accepts anything: nothing can be said.
        (above("nearest", "interpolated"), "5.4", {"nearest": (0, 0), "interpolated": (0, 0)}, UNDECIDED),
        (
            alike("nearest", "interpolated", 0.05),
            "5.4",
            {"nearest": (0, 0), "interpolated": (0, 0)},
            UNDECIDED,
        ),
        (alike("mean", "median", 0.05), "5.5", {"mean": (0.5, 0), "median": (0.5, 0)}, REPLICATES),
        (alike("mean", "median", 0.05), "5.5", {"mean": (1, 0), "median": (0.2, 0)}, DIFFERS),
        (level("nearest"), "5.4", {"nearest": (0.1, 0)}, DIFFERS),
        (best("nearest"), "5.4", {"nearest": (0.9, 0), "interpolated": (0.5, 0)}, REPLICATES),
        (best("nearest"), "5.4", {"nearest": (0.5, 0), "interpolated": (0.45, 0)}, REPLICATES),
        (best("nearest"), "5.4", {"nearest": (0.5, 0), "interpolated": (0.5, 0)}, UNDECIDED),
        (worst("nearest"), "5.4", {"nearest": (0.5, 0), "interpolated": (0.5, 0)}, UNDECIDED),
        (best("nearest"), "5.4", {"nearest": (0.5, 0), "interpolated": (0.55, 0)}, UNDECIDED),
        (best("nearest"), "5.4", {"nearest": (0.2, 0), "interpolated": (1, 0)}, DIFFERS),
        (worst("interpolated"), "5.4", {"nearest": (0.9, 0), "interpolated": (0.5, 0)}, REPLICATES),
        (worst("interpolated"), "5.4", {"nearest": (0.9, 0), "interpolated": (0, 0)}, REPLICATES),
        (worst("interpolated"), "5.4", {"nearest": (0, 0), "interpolated": (0, 0)}, UNDECIDED),
        (best("nearest"), "5.4", {"nearest": (0, 0), "interpolated": (0, 0)}, UNDECIDED),
        (worst("interpolated"), "5.4", {"nearest": (0.2, 0), "interpolated": (1, 0)}, DIFFERS),
        (best_rule("S"), "5.14", {"S-4": (0.9, 0), "S-6": (0.1, 0), "K-20": (0.2, 0)}, REPLICATES),
        (best_rule("S"), "5.14", {"S-4": (0.2, 0), "P-6": (0.9, 0)}, DIFFERS),
        (best_rule("S"), "5.14", {"S-4": (0.2, 0), "S-6": (0.9, 0)}, UNDECIDED),
        (worst_rule("K"), "5.14", {"S-4": (0.9, 0), "P-6": (0.9, 0), "K-20": (0.2, 0)}, REPLICATES),
        (worst_rule("K"), "5.14", {"S-4": (0.9, 0), "P-6": (0.1, 0), "K-20": (0.5, 0)}, DIFFERS),
        (
            all_of(above("nearest", "interpolated"), level("nearest", 0.2)),
            "5.4",
            {"nearest": (1, 0), "interpolated": (0.3, 0)},
            REPLICATES,
        ),
        (rising("1", "2", "4"), "5.9", {"1": (0.2, 0), "2": (0.5, 0), "4": (0.9, 0)}, REPLICATES),
        (rising("1", "2", "4"), "5.9", {"1": (0.2, 0), "2": (1, 0), "4": (0.6, 0)}, DIFFERS),
        (steepest("1", "2", "4"), "5.9", {"1": (0.1, 0.1), "2": (0.95, 0), "4": (1, 0)}, REPLICATES),
        (steepest("1", "2", "4"), "5.9", {"1": (0.2, 0), "2": (0.25, 0), "4": (1, 0)}, DIFFERS),
        (at_least(0.95, "nearest", score=PRECISION), "5.4", {"nearest": (0.5, 0)}, REPLICATES),
        (at_least(0.95, "nearest", score=PRECISION), "5.4", {"nearest": (0.5, 0.5)}, DIFFERS),
        (at_least(0.95, "nearest", score=PRECISION), "5.4", {"nearest": (0, 0)}, UNDECIDED),
    ],
)
def test_claims_are_decided_by_what_was_counted(claim, table, accepted, expected):
    assert claim(evidence(table, accepted).of(table)).outcome is expected


def test_a_shown_experiment_is_compared_by_its_shares():
    example = replace(published.EXAMPLES[0], properties=("jvm.memory.heap.used",), negative=PAIR.negative)
    assert shown(example)(evidence("5.14", {"S-4": (0.925, 0)}).of("5.18")).outcome is UNDECIDED
    assert shown(example)(evidence("5.14", {"S-4": (0.3, 0)}).of("5.18")).outcome is DIFFERS
    sure = replace(example, counts=(50, 0, 50, 0))
    assert shown(sure)(evidence("5.14", {"S-4": (1, 0)}).of("5.18")).outcome is REPLICATES


def test_a_difference_is_stated_with_its_error_and_the_thesiss_own():
    found = evidence("5.3", {"linear": (1, 0), "rounding": (0.5, 0)})
    decision = above("linear", "rounding")(found.of("5.3"))
    # From the counts: .85 - .69; what is printed, .33, does not follow from them.
    assert decision.thesis == "+0.17"
    assert decision.apart == pytest.approx(1 - 0.5 / np.sqrt(0.5 * 1.5))
    assert decision.ours == f"{decision.apart:+.2f} ± {decision.error:.2f}"


def test_notifications():
    flagged = {
        share: FlaggedNotifications(np.zeros(5, int), np.full(20, share) + np.arange(20) % 2)
        for share in (1.0, 1.5, 30.0)
    }
    thesis = published.NOTIFIED[0]
    for negative, far, near in ((30.0, REPLICATES, DIFFERS), (1.5, DIFFERS, REPLICATES)):
        found = HostEvidence(NOTHING, {"5.11": NotifiedRuns(thesis, flagged[1.0], flagged[negative])}).of(
            "5.38"
        )
        assert notified("5.11", far=True)(found).outcome is far
        assert notified("5.11", far=False)(found).outcome is near


def test_outcomes_together():
    assert combined([REPLICATES, REPLICATES]) is REPLICATES
    assert combined([REPLICATES, UNDECIDED]) is UNDECIDED
    assert combined([UNDECIDED, DIFFERS]) is DIFFERS


def test_printed_numbers_follow_from_counts():
    table = HostEvidence(NOTHING, {}).of("5.14")
    assert round(table.printed("S-20"), 2) == 0.94
    assert np.isnan(table.printed("S-2"))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.table}: {claim.text}")
def test_without_measurements_no_claim_is_decided(claim):
    decision = claim.decide(HostEvidence(NOTHING, {}))  # type: ignore[attr-defined]
    assert decision.outcome is UNDECIDED
    assert isnan(decision.apart)


def test_every_table_and_section_of_the_thesis_has_a_claim():
    claimed = {claim.table for claim in CLAIMS}
    assert {*published.tables(), "5.38", "5.41"} - claimed == set()
    assert {example.table for example in published.EXAMPLES} <= claimed


def test_only_claims_about_what_was_run_are_made():
    assert {claim.table for claim in claims_of({"5.2", "5.4"})} == {"5.2", "5.4"}
    assert {claim.table for claim in claims_of({"5.1"})} == {"5.1"}
    assert len(list(claims_of({grid.table for grid in GRIDS.values()}))) == len(CLAIMS)
    sections = [tuple(map(int, claim.section.split("."))) for claim in claims_of({"5.14"})]
    assert sections == sorted(sections)


def test_the_thesiss_slips_are_those_of_its_tables():
    tables = [table for table, _ in published.slips()]
    assert set(tables) <= published.SECTIONS.keys()
    within_rows = {table for table in published.tables() for row in published.rows(table) if row.slips()}
    assert within_rows <= set(tables)
