"""Compare two programs by runs of both, without a stored oracle: for machines that change from day to day.

The two are launched in turns, in random order. If they do not differ, the actual assignment of runs is one of
many equally likely ones, and the share of assignments that put two groups at least as
far apart is a p-value for any distribution of the values: the permutation test of the calibrated
oracle's score (:mod:`buto.analysis.evidence`), here by rank alone. Every order of launches is as likely as
any other, so this holds on a machine that changes meanwhile, too.

Two programs that ran at the same time are compared in pairs (:mod:`buto.analysis.pairs`).
"""

from __future__ import annotations

from dataclasses import replace
from math import comb

from buto.analysis import evidence
from buto.analysis.evidence import FEWEST_RUNS, Significance
from buto.detectors.calibrated.evidence import could_not_be_read, weigh
from buto.detectors.calibrated.explanation import explain_comparison
from buto.detectors.calibrated.findings import findings, outlier_shares
from buto.detectors.calibrated.profile import learn
from buto.detectors.calibrated.settings import CALIBRATED, JudgeSettings
from buto.detectors.calibrated.verdict import noted
from buto.detectors.comparison.comparable import (
    comparable,
    environment_differences,
    unequal_times,
    unequally_read,
)
from buto.detectors.comparison.pairs import pairs_of
from buto.detectors.explanation import Explanation
from buto.detectors.judge import with_alpha
from buto.detectors.protocol import Comparison
from buto.detectors.settings import Settings, judges
from buto.errors import JudgeError
from buto.properties import LIVE_CLASSES
from buto.runs import RunSet
from buto.runs.window import measured_set
from buto.steps import Advice, Setting
from buto.verdicts import Roles, Status, Verdict

DETECTOR = "comparison"

DEFAULT_RUNS = 8
"""Of each program: two means of eight runs are known apart to half a deviation of one run. With five, only
the largest possible difference is distinguished from chance at an alpha of 0.01. Of two small changes of a
made-up program (one thread more, a tenth more processor time) six runs of each found one in five, eight
three in five."""

OF_THE_COMMAND = ("jvm.", "system.processors")
"""How metadata begin that a command decides: which JVM, its arguments, its heap. Where two programs differ
in them, that is what is compared."""


PROGRAM = "buto.jvm"
"""The metadata key of the main class or jar, which differs between two programs on purpose."""


def comparing(settings: Settings) -> JudgeSettings:
    """Return the settings of a comparison, from those of a test.

    All of them if it is judged by the calibrated oracle, else the default's; but metadata that a command
    decides do not keep runs from being compared.
    """
    taken = CALIBRATED
    if isinstance(settings, JudgeSettings):
        taken = settings
    deciding = tuple(one for one in taken.metadata.deciding if not one.startswith(OF_THE_COMMAND))
    ignored = (*taken.metadata.ignored, PROGRAM)
    return replace(taken, metadata=replace(taken.metadata, deciding=deciding, ignored=ignored))


def smallest_p_value(n_first: int, n_second: int, settings: JudgeSettings, *, paired: bool = False) -> float:
    """Return the p-value of the largest possible difference.

    With equally many runs of each program, every assignment has a mirror image with the same distance,
    unless only the worse direction counts.

    Args:
        paired: whether runs are exchanged only within pairs.
    """
    n_ways = 2**n_second if paired else comb(n_first + n_second, n_second)
    return evidence.smallest_p_value(n_ways, mirrored=n_first == n_second and settings.fail_on == "any")


def runs_needed(settings: JudgeSettings, *, paired: bool = False) -> int:
    """Return the smallest number of runs of each program that can show a difference at their alpha."""
    return evidence.runs_needed(lambda n: smallest_p_value(n, n, settings, paired=paired), settings.alpha)


def turns_needed(settings: JudgeSettings) -> int:
    """Return how many runs of each program, launched in turns, settle a check: one more than the fewest that
    can show a difference if these could show only the largest possible one."""
    n_runs = runs_needed(settings)
    return n_runs + (smallest_p_value(n_runs, n_runs, settings) > settings.alpha / 4)


def compare(first: RunSet, second: RunSet, settings: JudgeSettings) -> Verdict:
    """Judge whether two programs differ; findings name what the second has more or less of.

    Both count equally: properties, scales and features come from the runs of both. Runs that
    are not valid are left out with a warning. If there are pairs, only these are compared, each run with its
    partner. Inconclusive if there are too few for alpha, or the machines
    differ; or if the programs do not, but a property is there in one of them only, or in far fewer samples.

    Args:
        settings: as :func:`comparing` gives them.

    Raises:
        JudgeError: fewer than five runs of one of them, no property that was read in all runs, or a machine
            that changed between runs of the first.
    """
    ours, theirs = measured_set(first.valid()), measured_set(second.valid())
    pairs = pairs_of(ours, theirs)
    paired = pairs is not None
    if pairs is not None:
        ours, theirs = pairs.first, pairs.second
    if min(len(ours), len(theirs)) < FEWEST_RUNS:
        raise JudgeError(
            f"{len(ours)} and {len(theirs)} usable runs of the two programs are too few to compare them",
            advice=Advice(
                Setting("runs", str(DEFAULT_RUNS)), f"; {FEWEST_RUNS} of each are the fewest to be compared"
            ),
        )
    verdict = Verdict(
        Status.INCONCLUSIVE,
        DETECTOR,
        warnings=(*_unusable(first, second), *([pairs.left_out] if pairs and pairs.left_out else [])),
        run_ids=tuple(run.id for run in theirs),
        n_training=len(ours),
        alpha=settings.alpha,
        settings=settings.to_data(),
        roles=_roles(first, second),
    )
    if smallest_p_value(len(ours), len(theirs), settings, paired=paired) > settings.alpha:
        return replace(verdict, reasons=(_too_few(ours, theirs, settings, paired=paired),))
    elsewhere, reported = environment_differences(ours, theirs, settings.metadata)
    if elsewhere:
        return replace(verdict, reasons=elsewhere)
    shared = comparable(ours, theirs, settings)
    by_class = judges(settings, LIVE_CLASSES)
    profile = learn((*ours, *theirs), shared.properties, by_class=by_class)
    weighed = weigh(profile, profile.values, len(theirs), settings, paired=paired)
    one_sided = (
        *shared.one_sided,
        *unequally_read(ours, theirs, shared.properties),
        *could_not_be_read(weighed),
    )
    lacking = (*shared.lacking, *could_not_be_read(weighed, usual=False))
    found = weighed.mattering.significance
    differs = found.p_value <= settings.alpha
    inconclusive = bool(one_sided) and not differs
    named = findings(weighed, weighed.mattering, theirs, settings, detector=DETECTOR)
    certain = weighed.any.p_value <= settings.alpha
    others = findings(weighed, weighed.any, theirs, settings, detector=DETECTOR) if certain else ()
    return replace(
        verdict,
        status=Status.REGRESSION if differs else Status.INCONCLUSIVE if inconclusive else Status.PASS,
        findings=named,
        noted=noted(named, others),
        reasons=one_sided if inconclusive else (),
        warnings=(*verdict.warnings, *unequal_times(ours, theirs), *one_sided, *lacking, *reported),
        p_value=found.p_value,
        reach=outlier_shares(weighed, settings),
        guarantee=_guarantee(found, paired=paired),
    )


class Programs(Comparison):
    """Compares two programs as :func:`compare` does."""

    def __init__(self, settings: Settings, alpha: float | None = None, *, paired: bool = False) -> None:
        taken = comparing(settings)
        self.settings: JudgeSettings = taken if alpha is None else with_alpha(taken, alpha)
        self.alpha, self.paired = self.settings.alpha, paired
        self.fewest = runs_needed(self.settings, paired=paired)
        self.usual = max(DEFAULT_RUNS, self.fewest)
        self.turns = turns_needed(self.settings)

    def compare(
        self, first: RunSet, second: RunSet, roles: Roles | None = None
    ) -> tuple[Verdict, Explanation]:
        verdict = compare(first, second, self.settings)
        verdict = verdict if roles is None else replace(verdict, roles=roles)
        paired = pairs_of(first.valid(), second.valid()) is not None
        return verdict, explain_comparison(verdict, paired=paired)


def _roles(first: RunSet, second: RunSet) -> Roles:
    known, judged = first.runs[0].test, second.runs[0].test
    return Roles(judged, f"runs of {judged}", known, f"runs of {known}")


def _too_few(first: RunSet, second: RunSet, settings: JudgeSettings, *, paired: bool) -> str:
    if paired:
        needed = runs_needed(settings, paired=True)
        return f"{len(first)} pairs cannot tell a share of {settings.alpha:g} from chance: {needed} could"
    return (
        f"{len(first)} runs of {first.runs[0].test} and {len(second)} of {second.runs[0].test} cannot tell a "
        f"share of {settings.alpha:g} from chance: {runs_needed(settings)} of each could"
    )


def _unusable(first: RunSet, second: RunSet) -> tuple[str, ...]:
    return tuple(
        f"run {run.id} cannot be judged: {run.quality.describe()}"
        for run in (*first, *second)
        if not run.quality.valid
    )


def _guarantee(found: Significance, *, paired: bool) -> str:
    n_ways = found.n_choices
    as_far = round(found.p_value * n_ways)
    ways = "exchanging the two runs of each pair" if paired else "dealing the runs out to the two"
    return (
        f"{as_far} of {n_ways} ways of {ways} set them as far apart; holds whatever "
        "the values are distributed like"
    )
