"""Which tests with the mark ``all`` a change is about; ``.ci/run`` runs those beside what runs at each push.

``git diff --name-only OLD NEW | python3 -m tests.support.rare`` prints their places for ``make test RARE=``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

_LAUNCHES = ("buto/engine/", "buto/measure/", "java-probes/")

ABOUT: Mapping[str, tuple[str, ...]] = {
    "predict/tests/test_real_runs.py": ("predict/buto_predict/results/", "predict/tests/programs/"),
    "replications/tests/ensemble/": ("replications/buto_replications/ensembles/",),
    "replications/tests/jvm/": ("replications/", "testprograms/"),
    "replications/tests/test_rivals.py": (
        "replications/buto_replications/rivals.py",
        "replications/buto_replications/store/",
        "replications/buto_replications/thesis/",
    ),
    "tests/build_plugins/": ("build-plugins/", "buto/report/formats/", "examples/"),
    "tests/integration/ci/": ("buto/cli/", "ci/"),
    "tests/integration/pages/": ("README.md", "buto/cli/", "docs/", "examples/"),
    "tests/integration/stores/": ("buto/run/",),
    "tests/integration/test_shared_computing.py": ("buto/features/cluster/", "buto/judging/"),
    "tests/jvm/agent/": _LAUNCHES,
    "tests/jvm/cli/": ("buto/actions/", "buto/programs/", "configs/", *_LAUNCHES),
    "tests/jvm/cluster/": ("buto/features/cluster/", "docs/running/scale.md", *_LAUNCHES),
    "tests/jvm/collect/": _LAUNCHES,
    "tests/jvm/faults/": ("buto/actions/", "buto/run/", *_LAUNCHES),
    "tests/jvm/jmx/": _LAUNCHES,
    "tests/jvm/packaging/": ("hatch_build.py", "scripts/dist.py"),
    "tests/jvm/pytest_plugin/": ("buto/pytest_plugin/", "examples/pytest/"),
    "tests/jvm/releases/": _LAUNCHES,
    "tests/jvm/sources/": _LAUNCHES,
    "tests/jvm/strangers/": ("buto/run/", *_LAUNCHES),
    "tests/jvm/testprograms/": ("testprograms/",),
    "tests/jvm/why/": ("buto/features/why/", *_LAUNCHES),
    "tests/jvm/workload/": _LAUNCHES,
}
"""By place, the start of the names of its tests: the paths that they are about, besides the place itself."""

EVERYTHING = (".ci/", "Makefile", "conftest.py", "pyproject.toml", "tests/support/")
"""What all of them are about."""

UNPLACED: list[str] = []
"""The tests of this session that no change would run."""


def places(changed: Iterable[str]) -> list[str]:
    """Return the places of the tests that are about changed paths."""
    changed = tuple(changed)
    if any(path.startswith(EVERYTHING) for path in changed):
        return list(ABOUT)
    return [
        place for place, paths in ABOUT.items() if any(path.startswith((place, *paths)) for path in changed)
    ]


if __name__ == "__main__":
    print(" ".join(places(sys.stdin.read().split())))
