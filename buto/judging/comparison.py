"""Compare two programs by runs of both, without a stored oracle: for machines that change from day to day.

The two are launched in turns, in random order. If they do not differ, the actual assignment of runs is one of
many equally likely ones, and the share of assignments that put two groups at least as far apart is a p-value
for any distribution of the values: the permutation test of the calibrated oracle's score
(:mod:`buto.judging.rank`), here by rank alone. Every order of launches is as likely as any other, so this
holds on a machine that changes meanwhile, too. Two programs that ran at the same time are compared in pairs.

Here is also what comes before: what can be compared in two programs' runs, what prevents it, and which runs
are pairs, because they ran at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np

from buto.errors import JudgeError
from buto.judging import rank
from buto.judging.calibrated.detector import explain_comparison
from buto.judging.calibrated.evidence import could_not_be_read, weigh
from buto.judging.calibrated.findings import findings, outlier_shares
from buto.judging.calibrated.profile import learn
from buto.judging.calibrated.settings import CALIBRATED, JudgeSettings
from buto.judging.calibrated.verdict import noted
from buto.judging.classifiers import MetadataSettings, compare_metadata, learn_metadata
from buto.judging.configuration import with_alpha
from buto.judging.protocol import DEFAULT_RUNS, Comparison, Explanation
from buto.judging.rank import FEWEST_RUNS, Significance
from buto.judging.readable import MOST_UNREAD, has, partly_unread, unread
from buto.judging.settings import Settings, judges
from buto.judging.verdict import Roles, Status, Verdict
from buto.run.model import PAIR, Run, RunSet
from buto.run.properties import LIVE_CLASSES, Property, is_judged
from buto.run.window import measured_set
from buto.steps import Action, Advice, Setting, Step


@dataclass(frozen=True, slots=True)
class Comparable:
    """What can be compared.

    Attributes:
        properties: read in every run, by name.
        one_sided: a sentence for each property that every method judges and only one program has.
        lacking: the same of the others, which a run may do without: there was no collection, or the kernel
            does not tell.
    """

    properties: tuple[Property, ...]
    one_sided: tuple[str, ...]
    lacking: tuple[str, ...]


def comparable(first: RunSet, second: RunSet, settings: Settings) -> Comparable:
    """Return the properties that the settings judge and that were read in every run.

    A property that is missing in some runs of a program gives no information about it and is left out.

    Raises:
        JudgeError: there are none.
    """
    ours, theirs = (set.intersection(*map(_read, runs)) for runs in (first, second))
    known = {prop.name: prop for prop in (*second.properties, *first.properties)}
    wanted = [known[name] for name in sorted(known) if judges(settings, known[name])]
    both = tuple(prop for prop in wanted if prop.name in ours & theirs)
    if not both:
        raise JudgeError(
            f"no property was read in every run of {_test(first)} and {_test(second)}",
            advice=Advice(
                Step(Action.SHOW_RUN, _test(second), run_id=second.runs[-1].id), " says why for one run"
            ),
        )
    one_sided: dict[bool, list[str]] = {True: [], False: []}
    for prop in wanted:
        for runs, names in ((first, ours - theirs), (second, theirs - ours)):
            if prop.name in names:
                one_sided[is_judged(prop)].append(
                    f"{prop.name} was read in all runs of {_test(runs)} only, and could not be compared"
                )
    return Comparable(both, tuple(one_sided[True]), tuple(one_sided[False]))


def unequally_read(first: RunSet, second: RunSet, properties: Sequence[Property]) -> tuple[str, ...]:
    """Return a sentence for each property of which a run of one program lacks far more samples than any of
    the other's; not for those that are read seldom, at times that differ from run to run.
    """
    properties = [prop for prop in properties if is_judged(prop)]
    if not properties:
        return ()
    lacking = [np.array([unread(run, properties) for run in runs]) for runs in (first, second)]
    most = [shares.max(axis=0) for shares in lacking]
    sentences = []
    for place, prop in enumerate(properties):
        side = int(most[1][place] > most[0][place])
        if most[side][place] - most[1 - side][place] > MOST_UNREAD:
            run = (first, second)[side].runs[int(lacking[side][:, place].argmax())]
            sentences.append(partly_unread(prop.name, most[side][place], run))
    return tuple(sentences)


def environment_differences(
    first: RunSet, second: RunSet, settings: MetadataSettings
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a sentence for each key of metadata that differs: those that decide, and those that do not.

    Raises:
        JudgeError: runs of the first differ among themselves in a key that decides.
    """
    model = learn_metadata([run.metadata for run in first], settings)
    found = {
        (one.deciding, one.key): (
            f"{one.key} differs: {one.expected!r} with {_test(first)}, {one.observed!r} with {_test(second)}"
        )
        for run in second
        for one in compare_metadata(model, run.metadata, settings)
    }
    decide, reported = (
        tuple(found[key] for key in sorted(found) if key[0] is deciding) for deciding in (True, False)
    )
    return decide, reported


def unequal_times(first: RunSet, second: RunSet) -> tuple[str, ...]:
    """Return a warning if all runs of one program were made before those of the other."""
    earlier, later = sorted((first, second), key=lambda runs: runs.runs[0].id)
    if earlier.runs[-1].id > later.runs[0].id:
        return ()
    sentence = (
        f"all runs of {_test(earlier)} were made before those of {_test(later)}: what changed on the machine "
        "in between looks like a difference of the two"
    )
    return (sentence,)


def _read(run: Run) -> set[str]:
    """Return the names of the properties that have a value from which statistics can be made."""
    return {prop.name for prop in run.properties if has(run, prop)}


def _test(runs: RunSet) -> str:
    return runs.runs[0].test


@dataclass(frozen=True, slots=True)
class Pairs:
    """The runs of both programs, pairs in the same order.

    Attributes:
        left_out: which usable runs have no partner, in a clause; empty if all have one.
    """

    first: RunSet
    second: RunSet
    left_out: str


def pairs_of(first: RunSet, second: RunSet) -> Pairs | None:
    """Return the pairs among the runs of two programs; None if there is no pair."""
    of_pair = {run.metadata[PAIR]: run for run in second if PAIR in run.metadata}
    partners = [(run, of_pair[run.metadata[PAIR]]) for run in first if run.metadata.get(PAIR) in of_pair]
    if not partners:
        return None
    ours, theirs = (RunSet(side) for side in zip(*partners, strict=True))
    known = {run.id for run in (*ours, *theirs)}
    alone = [run.id for run in (*first, *second) if run.id not in known]
    left_out = f"without a usable partner, and left out: {', '.join(alone)}" if alone else ""
    return Pairs(ours, theirs, left_out)


DETECTOR = "comparison"


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
    return rank.smallest_p_value(n_ways, mirrored=n_first == n_second and settings.fail_on == "any")


def runs_needed(settings: JudgeSettings, *, paired: bool = False) -> int:
    """Return the smallest number of runs of each program that can show a difference at their alpha."""
    return rank.runs_needed(lambda n: smallest_p_value(n, n, settings, paired=paired), settings.alpha)


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
