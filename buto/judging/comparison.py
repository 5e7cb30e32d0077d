"""Compare two programs by runs of both, without a stored oracle: for machines that change from day to day.

The two are launched in turns, in random order. If they do not differ, the actual assignment of runs is one of
many equally likely ones, and the share of assignments that put two groups at least as far apart is a p-value
for any distribution of the values: the permutation test of the calibrated oracle's score
(:mod:`buto.judging.rank`), here by rank alone. Every order of launches is as likely as any other, so this
holds on a machine that changes meanwhile, too.

*Looks.* Launches end as soon as the outcome is clear. The order of all launches is drawn before the first, so
that after any fixed number of them each way of dealing them out to the two programs is equally likely, given
how many each has had. So the p-value is exact at each look. It is multiplied by the number of looks that may
find a difference (Bonferroni); a look that finds none needs no such price, since it can only lose a finding.

Here is also what comes before: what can be compared in two programs' runs, and what prevents it.
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
from buto.judging.protocol import Comparison, Explanation
from buto.judging.rank import FEWEST_RUNS, Significance
from buto.judging.readable import MOST_UNREAD, has, partly_unread, unread
from buto.judging.settings import Settings, judges
from buto.judging.verdict import Roles, Status, Verdict
from buto.run.model import LOOKS, SESSION, Run, RunSet
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


def smallest_p_value(n_first: int, n_second: int, settings: JudgeSettings) -> float:
    """Return the p-value of the largest possible difference.

    With equally many runs of each program, every assignment has a mirror image with the same distance,
    unless only the worse direction counts.
    """
    mirrored = n_first == n_second and settings.fail_on == "any"
    return rank.smallest_p_value(comb(n_first + n_second, n_second), mirrored=mirrored)


def runs_needed(settings: JudgeSettings, looks: int = 1) -> int:
    """Return the smallest number of runs of each program that can show a difference at their alpha.

    Args:
        looks: how often a difference may be found.
    """
    return rank.runs_needed(lambda n: looks * smallest_p_value(n, n, settings), settings.alpha)


@dataclass(frozen=True, slots=True)
class Look:
    """A number of launches after which the runs so far are compared.

    Attributes:
        n_runs: usable runs of both programs together.
        fewest: so many of each are needed; with fewer, this look is left out.
        passes: the p-value by rank above which no difference is expected any more.
        fails: whether a difference ends the launches here.
    """

    n_runs: int
    fewest: int
    passes: float
    fails: bool = True


FAILING_LOOKS = 2
"""How many of the looks may find a difference."""


def looks_of(settings: JudgeSettings) -> tuple[Look, ...]:
    """Return when two programs in turns are compared; the last look always decides."""
    if settings.alpha < FAILING_LOOKS / rank.MOST_CHOICES:
        return (Look(2 * runs_needed(settings), FEWEST_RUNS, passes=0.0),)
    n_runs = runs_needed(settings, FAILING_LOOKS)
    return (
        Look(n_runs + 2, 3, passes=0.5, fails=False),
        Look(2 * n_runs + 1, FEWEST_RUNS, passes=0.25),
        Look(2 * n_runs + 8, FEWEST_RUNS, passes=0.0),
    )


def compare(first: RunSet, second: RunSet, settings: JudgeSettings) -> Verdict:
    """Judge whether two programs differ; findings name what the second has more or less of.

    Both count equally: properties, scales and features come from the runs of both. Runs that
    are not valid are left out with a warning. Inconclusive if there are too few for alpha, or the machines
    differ; or if the programs do not, but a property is there in one of them only, or in far fewer samples.
    Runs that were launched until the outcome was clear are judged by the newest look.

    Args:
        settings: as :func:`comparing` gives them.

    Raises:
        JudgeError: too few runs of one of them, no property that was read in all runs, or a machine
            that changed between runs of the first.
    """
    ours, theirs = measured_set(first.valid()), measured_set(second.valid())
    n_looks = _looks_at(ours, theirs)
    look = _newest_look(len(ours) + len(theirs), settings) if n_looks > 1 else None
    if min(len(ours), len(theirs)) < (look.fewest if look else FEWEST_RUNS):
        raise JudgeError(
            f"{len(ours)} and {len(theirs)} usable runs of the two programs are too few to compare them",
            advice=Advice(Setting("runs", str(FEWEST_RUNS)), " or more"),
        )
    verdict = Verdict(
        Status.INCONCLUSIVE,
        DETECTOR,
        warnings=_unusable(first, second),
        run_ids=tuple(run.id for run in theirs),
        n_training=len(ours),
        alpha=settings.alpha,
        settings=settings.to_data(),
        roles=_roles(first, second),
    )
    too_few = _too_few(ours, theirs, settings)
    if look is None and smallest_p_value(len(ours), len(theirs), settings) > settings.alpha:
        return replace(verdict, reasons=(too_few,))
    elsewhere, reported = environment_differences(ours, theirs, settings.metadata)
    if elsewhere:
        return replace(verdict, reasons=elsewhere)
    shared = comparable(ours, theirs, settings)
    by_class = judges(settings, LIVE_CLASSES)
    profile = learn((*ours, *theirs), shared.properties, by_class=by_class)
    weighed = weigh(profile, profile.values, len(theirs), settings)
    one_sided = (
        *shared.one_sided,
        *unequally_read(ours, theirs, shared.properties),
        *could_not_be_read(weighed),
    )
    lacking = (*shared.lacking, *could_not_be_read(weighed, usual=False))
    found = weighed.mattering.significance
    p_value = min(1.0, n_looks * found.p_value)
    differs = p_value <= settings.alpha and (look is None or look.fails)
    is_open = look is not None and not differs and found.p_value <= look.passes
    reasons = () if differs else (too_few,) if is_open else one_sided
    # Of each look, the share of false alarms is alpha divided by their number.
    strict = replace(settings, alpha=settings.alpha / n_looks)
    named = findings(weighed, weighed.mattering, theirs, strict, detector=DETECTOR)
    certain = weighed.any.p_value <= strict.alpha
    others = findings(weighed, weighed.any, theirs, strict, detector=DETECTOR) if certain else ()
    return replace(
        verdict,
        status=Status.REGRESSION if differs else Status.INCONCLUSIVE if reasons else Status.PASS,
        findings=named,
        noted=noted(named, others),
        reasons=reasons,
        warnings=(*verdict.warnings, *unequal_times(ours, theirs), *one_sided, *lacking, *reported),
        p_value=p_value,
        reach=outlier_shares(weighed, strict),
        guarantee=_guarantee(found, n_looks),
        needs_more=too_few if is_open else "",
    )


def _newest_look(n_runs: int, settings: JudgeSettings) -> Look:
    """Return the last look that so many runs of both programs have reached, or the first one."""
    looks = looks_of(settings)
    return next((one for one in reversed(looks) if one.n_runs <= n_runs), looks[0])


class Programs(Comparison):
    """Compares two programs as :func:`compare` does."""

    def __init__(self, settings: Settings, alpha: float | None = None, runs: int | None = None) -> None:
        taken = comparing(settings)
        self.settings: JudgeSettings = taken if alpha is None else with_alpha(taken, alpha)
        self.alpha, self.fewest = self.settings.alpha, runs_needed(self.settings)
        looks = looks_of(self.settings) if runs is None else ()
        self._looks = {one.n_runs: one for one in looks}
        self.most = runs or looks[-1].n_runs // 2
        self.looks = max(1, sum(one.fails for one in looks))

    def is_decided(self, first: RunSet, second: RunSet) -> bool:
        look = self._looks.get(len(first) + len(second))
        if look is None or min(len(first), len(second)) < look.fewest:
            return False
        return not compare(first, second, self.settings).needs_more

    def compare(
        self, first: RunSet, second: RunSet, roles: Roles | None = None
    ) -> tuple[Verdict, Explanation]:
        verdict = compare(first, second, self.settings)
        verdict = verdict if roles is None else replace(verdict, roles=roles)
        return verdict, explain_comparison(verdict)


def _roles(first: RunSet, second: RunSet) -> Roles:
    known, judged = first.runs[0].test, second.runs[0].test
    return Roles(judged, f"runs of {judged}", known, f"runs of {known}")


def _too_few(first: RunSet, second: RunSet, settings: JudgeSettings) -> str:
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


def _looks_at(*sides: RunSet) -> int:
    """Return after how many numbers of launches a difference might have ended them.

    Several sessions that were each launched until the outcome was clear could have ended in as many ways as
    the looks of each allow together.
    """
    each = max((int(run.metadata.get(LOOKS) or 1) for side in sides for run in side), default=1)
    # Runs that begin before the first one of their session has ended do not name it.
    n_sessions = max(len({run.metadata.get(SESSION) for run in side} - {None}) for side in sides)
    looks: int = each ** max(1, n_sessions)
    return looks


def _guarantee(found: Significance, n_looks: int) -> str:
    n_ways = found.n_choices
    as_far = round(found.p_value * n_ways)
    times = f", times {n_looks} because {n_looks} numbers of launches could end it" if n_looks > 1 else ""
    return (
        f"{as_far} of {n_ways} ways of dealing the runs out to the two set them as far apart{times}; "
        "holds whatever the values are distributed like"
    )
