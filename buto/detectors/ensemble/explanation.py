"""How the ensemble explains its verdicts: environments of the prior tests, flagged counters and rules."""

from __future__ import annotations

from collections import defaultdict

from buto.detectors.calibrated.environments import environment_words
from buto.detectors.ensemble.data import Learned
from buto.detectors.ensemble.findings import SOURCE
from buto.detectors.ensemble.rules.model import Judging
from buto.detectors.explanation import Explanation, Section
from buto.units import format_list
from buto.verdicts import Verdict


def explain(verdict: Verdict, learned: Learned, how: Judging) -> Explanation:
    """Return what was learned of the prior tests, how they vote, and what they flag."""
    n_rules = sum(len(test.rules) for test in learned.ensemble.tests)
    return Explanation(
        f"{len(learned.ensemble.tests)} prior tests gave {n_rules} rules between "
        f"{len(learned.properties)} counters in intervals of {learned.interval_s:g} s, such as: when one "
        "counter is high, another is high.",
        "A prior test flags a counter if a rule about it holds clearly less often now: 1 - cosine similarity "
        f"of its confidences is above {how.change:g}. {_vote(how)}",
        (_environments(learned), *_flagged(verdict)),
    )


def _vote(how: Judging) -> str:
    if how.stacking:
        return (
            "A counter is a regression if prior tests with more than half of the votes flag it. A prior test "
            "has the more votes, the more components its environment shares with this one."
        )
    return "A counter is a regression if at least half of the prior tests flag it."


def _environments(learned: Learned) -> Section:
    tests = defaultdict(list)
    for test in learned.ensemble.tests:
        tests[environment_words(test.environment)].append(test)
    rows = tuple(
        (words, format_list([test.run_id for test in some]), str(sum(len(test.rules) for test in some)))
        for words, some in tests.items()
    )
    return Section(
        "Environments of the prior tests", columns=("environment", "prior tests", "rules"), rows=rows
    )


def _flagged(verdict: Verdict) -> tuple[Section, ...]:
    rows = tuple(
        (found.subject, f"{found.severity:.0%}", found.text)
        for found in verdict.findings
        if found.source == SOURCE
    )
    columns = ("counter", "severity", "who says so, and the violated rules")
    text = "Severity is the share of intervals in which a violated rule is broken."
    return (Section("Flagged counters", text, columns, rows),) if rows else ()
