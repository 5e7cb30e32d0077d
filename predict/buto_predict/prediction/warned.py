"""What one should know of a prediction, though it decides nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from buto.units import format_count
from buto_predict.listing import listed
from buto_predict.prediction.evidence import Evidence
from buto_predict.prediction.versions import Versions
from buto_predict.results.model import ComponentResult


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
