"""What lets no prediction pass, and what one should know of it, whatever is predicted of the endpoints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from buto.run.units import format_count, format_percent
from buto_predict.calls import inclusive
from buto_predict.deviations import fewest
from buto_predict.listing import listed
from buto_predict.model import Measures
from buto_predict.prediction.evidence import ComponentEvidence, ComponentTest, Evidence
from buto_predict.prediction.model import Settings
from buto_predict.prediction.versions import Versions
from buto_predict.results.model import ComponentResult, Conditions


def warnings_of(evidence: Evidence, versions: Versions) -> tuple[str, ...]:
    """Return warnings of tests that one side lacks, that failed before the change or ran on another JVM, and
    of components without a counterpart.
    """
    warnings = []
    for side, lacking in (
        ("old", [test.name for test in evidence.tests if not test.deviation.n_old]),
        ("new", [test.name for test in evidence.tests if not test.deviation.n_new]),
    ):
        if lacking:
            warnings.append(f"no {side} result of {listed(lacking)}")
    for failures, tests in failures_of("old", ((pair.name, pair.old) for pair in evidence.pairs)).items():
        warnings.append(f"{listed(tests)} {failures}")
    warnings += _other_jvms(evidence)
    if versions.mapping is not None and versions.mapping.only_old:
        warnings.append(f"only in the old model: {', '.join(versions.mapping.only_old)}")
    if versions.mapping is not None and versions.mapping.only_new:
        warnings.append(f"only in the new model: {', '.join(versions.mapping.only_new)}")
    return tuple(warnings)


def failures_of(side: str, results: Iterable[tuple[str, ComponentResult | None]]) -> dict[str, list[str]]:
    """Return the names of tests that failed, by how often, as ``failed in 2 of 6 new runs``."""
    names = defaultdict(list)
    for name, one in results:
        if one is not None and one.failed:
            count = format_count(one.failed + len(one.times_s), f"{side} {one.replicate}")
            names[f"failed in {one.failed} of {count}"].append(name)
    return names


def _other_jvms(evidence: Evidence) -> Iterator[str]:
    names = defaultdict(list)
    for pair in evidence.pairs:
        if pair.old is not None and pair.new is not None and pair.old.jvms and pair.new.jvms:
            old, new = (" and ".join(sorted(one.jvms)) for one in (pair.old, pair.new))
            if old != new:
                names[old, new].append(pair.name)
    for (old, new), tests in names.items():
        yield f"old ran on {old}, new on {new}: {listed(tests)}"


def undecided_tests(versions: Versions, evidence: Evidence, settings: Settings) -> tuple[str, ...]:
    """Return why component tests allow no pass: nothing was compared, results that cannot be compared or are
    lost, too few replicates, or slower tests whose change has no place in the model.
    """
    compared = [test for test in evidence.tests if test.deviation.n_old and test.deviation.n_new]
    reasons = [*_unlike(evidence), *_failed(evidence)]
    if compared:
        reasons += _lost(evidence, versions)
    elif evidence.tests or versions.mapping is None:
        reasons.insert(0, "no component test has results on both sides, so nothing was compared")
    reasons += _too_few([test for test in compared if not test.deviation.enough], fewest(settings.alpha))
    reasons += _without_component(compared)
    reasons += [
        f"{listed(one.tests)} became slower ({format_percent(one.deviation.change)}), but the tested "
        "component takes 0 s in the model"
        for one in _timeless(versions)
        if one.deviation.delta > 0
    ]
    return tuple(reasons)


def _unlike(evidence: Evidence) -> Iterator[str]:
    names = defaultdict(list)
    for pair in evidence.pairs:
        if pair.old is not None and pair.other is not None:
            old, new = pair.old.conditions, pair.other.conditions
            names[f"old was measured {_way(old, new)}, new {_way(new, old)}"].append(pair.old.name)
    for difference, tests in names.items():
        yield f"{listed(tests)}: {difference}; measure both in the same way"


def _way(one: Conditions, other: Conditions) -> str:
    """Return in words which conditions are not the other's."""
    if one.mode is None:
        return "by another tool"
    parts = [f"in mode {one.mode}"] if one.mode != other.mode else []
    if one.threads is not None and one.threads != other.threads:
        parts.append(f"with {format_count(one.threads, 'thread')}")
    return " ".join(parts)


def _failed(evidence: Evidence) -> Iterator[str]:
    for failures, tests in failures_of("new", ((pair.name, pair.new) for pair in evidence.pairs)).items():
        yield f"{listed(tests)} {failures}"


def _lost(evidence: Evidence, versions: Versions) -> Iterator[str]:
    """Yield the tests of components that were not measured any more, unless the new version lacks these."""
    kept = None if versions.mapping is None else versions.mapping.new_of
    lost = [
        test.name
        for test, pair in zip(evidence.tests, evidence.pairs, strict=True)
        if test.deviation.n_old and not test.deviation.n_new
        if pair.other is None and (pair.new is None or not pair.new.failed)
        if test.component is not None and (kept is None or test.component in kept)
    ]
    if lost:
        verb = "has" if len(lost) == 1 else "have"
        yield f"{listed(lost)} {verb} old results but no new ones; run the tests of the new version again"


def _too_few(tests: Sequence[ComponentTest], needed: int) -> Iterator[str]:
    for replicate in dict.fromkeys(test.replicate for test in tests):
        few = [test for test in tests if test.replicate == replicate]
        known = [(test.deviation.n_old, test.deviation.n_new) for test in few]
        old, new = map(min, zip(*known, strict=True))
        counts = f"{'' if len(set(known)) == 1 else 'at least '}{old} old, {new} new"
        who = f"{few[0].name} has" if len(few) == 1 else f"{len(few)} tests have"
        example = "" if len(few) == 1 else f", such as {few[0].name}"
        step = f"run JMH with -f {needed + 1}" if replicate == "fork" else "give the results of more runs"
        yield f"{who} too few {replicate}s ({counts}; {needed} are needed on each side){example}: {step}"


def _without_component(tests: Sequence[ComponentTest]) -> Iterator[str]:
    slower = [
        f"{test.name} ({format_percent(test.deviation.change)})"
        for test in tests
        if test.component is None and test.deviation.significant and test.deviation.delta > 0
    ]
    if slower:
        it, its, plural = ("it", "its", "") if len(slower) == 1 else ("them", "their", "s")
        yield (
            f"{listed(slower)} became slower, but the model has no component for {it}; "
            f"name {its} component{plural} under benchmarks in architecture.yaml"
        )


def _timeless(versions: Versions) -> list[ComponentEvidence]:
    """Return the changed components that requests call and that take no time in the model: no relative
    change of them changes anything.
    """
    whole_s = inclusive(versions.old.calls, versions.old_s)
    called = versions.old.weights.sum(axis=(0, 1)) > 0
    return [
        one
        for one in versions.changed
        if called[one.component]
        and (versions.old_s if one.measures is Measures.SELF else whole_s)[one.component] == 0
    ]
