"""Which tests a change concerns: those that changed, and those that import or name what changed.

``python -m tests.support.impact [REVISION]`` prints the files of tests that the changes since a revision
concern, the working tree's among them. ``pytest --changed-since REVISION``, which ``make test`` calls, runs
only these.

An edge leads from a file to each module that it imports, wherever in the file, and to each module that a
string names whole, as tables of commands and detectors do. From a file of tests an edge leads also to the
packages that it starts, and to the paths that it builds from ``ROOT`` or its own place. A file that is no
Python belongs to the modules of its folder. What no edge shows, such as Java sources, stands in ``ROWS``.

Tests with the mark ``all`` run more rarely: for what they stand on among the tests, and for ``ABOUT``, but
not for what they import of the product.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]

IMPORTED_FROM = ("", "cluster/", "predict/", "replications/")
"""Folders in which Python looks for modules, as in pyproject.toml."""

EVERYTHING = (".ci/", "Makefile", "conftest.py", "pyproject.toml", "tests/support/impact.py")
"""What all tests stand on, also those with the mark ``all``."""

BASE = ("buto/__init__.py", "buto/errors.py", "buto/version.py", *EVERYTHING)
"""What all tests without the mark ``all`` stand on."""

_JAVA = ("java-probes/", "testprograms/", "hatch_build.py")
_EXAMPLES = ("examples/gradle/", "examples/junit/", "examples/maven/", "examples/spring-boot/")

ROWS: Mapping[str, tuple[str, ...]] = {
    "cluster/tests/jvm/": (*_JAVA, "cluster/README.md"),
    "predict/tests/test_real_runs.py": _JAVA,
    "replications/tests/jvm/": _JAVA,
    "tests/build_plugins/": (
        *_JAVA,
        "build-plugins/",
        "buto/actions/",
        "buto/cli/",
        "buto/engine/",
        "buto/measure/",
        "buto/project/",
        "buto/report/",
        *_EXAMPLES,
    ),
    "tests/integration/ci/": ("ci/",),
    "tests/integration/pages/": (*_JAVA, "README.md", "configs/", "demo/", "docs/", "examples/"),
    "tests/integration/pages/test_typed.py": (*_JAVA, "README.md"),
    "tests/jvm/": (*_JAVA, "configs/"),
    "tests/jvm/pytest_plugin/": (*_JAVA, "buto/pytest_plugin/", "configs/"),
    "tests/unit/pytest_plugin/": ("buto/pytest_plugin/",),
    "tests/unit/suite/": ("",),
    "tests/unit/test_references.py": ("",),
}
"""By place, the start of the names of files of tests: paths that they depend on and that no edge shows.

Of several places the longest decides, here and in ``ABOUT``.
"""

_LAUNCHES = ("buto/engine/", "buto/measure/", "java-probes/")
_NUMBERS = ("buto/run/metrics.csv", "buto/run/properties.py", *_LAUNCHES)
_TURNS = (
    "buto/actions/arms.py",
    "buto/actions/aside.py",
    "buto/actions/collecting.py",
    "buto/actions/kept.py",
    "buto/actions/launcher.py",
    "buto/actions/old_program.py",
    "buto/actions/old_target.py",
    "buto/actions/turns.py",
    "buto/programs/",
    *_LAUNCHES,
)

_RECORDS = ("buto/actions/collecting.py", "buto/actions/ending.py", "buto/actions/record.py")

ABOUT: Mapping[str, tuple[str, ...]] = {
    "cluster/tests/jvm/": ("cluster/buto_cluster/", "cluster/README.md", *_LAUNCHES),
    "cluster/tests/test_shared_computing.py": ("cluster/buto_cluster/", "buto/judging/"),
    "predict/tests/": ("predict/buto_predict/",),
    "predict/tests/test_real_runs.py": ("predict/buto_predict/results/", "predict/tests/programs/"),
    "replications/tests/beds/test_hand.py": (
        "replications/beds/artefacts.py",
        "replications/beds/hand/",
        "replications/beds/jdk.py",
    ),
    "replications/tests/ensemble/": (
        "replications/buto_replications/commands/run_ensembles.py",
        "replications/buto_replications/detectors/ensemble/",
        "replications/buto_replications/ensembles/",
    ),
    "replications/tests/jvm/": ("replications/buto_replications/", "testprograms/"),
    "replications/tests/jvm/beds/test_programs.py": (
        "replications/beds/artefacts.py",
        "replications/beds/faults.py",
        "replications/beds/jdk.py",
        "replications/beds/unseen/",
        "replications/benchmark/commits.py",
        "replications/benchmark/launch.py",
        "replications/benchmark/pairs.py",
        "replications/benchmark/pairs/",
        "replications/benchmark/programs/",
        "testprograms/faults/",
    ),
    "replications/tests/jvm/beds/test_store.py": (
        "buto/measure/sources/",
        "buto/measure/workload/",
        "java-probes/",
        "predict/buto_predict/",
        "replications/beds/artefacts.py",
        "replications/beds/jdk.py",
        "replications/beds/postgresql.py",
        "replications/beds/store/",
        "replications/buto_replications/store/",
    ),
    "replications/tests/jvm/test_live.py": (
        "replications/buto_replications/live/",
        "testprograms/",
    ),
    "replications/tests/jvm/test_variants.py": (
        "configs/",
        "replications/buto_replications/commands/recording.py",
        "replications/buto_replications/dataset/",
        "testprograms/",
        *_LAUNCHES,
    ),
    "replications/tests/store/": (
        "data/store/",
        "data/store-near/",
        "predict/buto_predict/",
        "predict/docs/figures.md",
        "replications/beds/store/",
        "replications/buto_replications/store/",
    ),
    "replications/tests/test_experiments_command.py": ("replications/buto_replications/",),
    "replications/tests/test_rivals.py": (
        "replications/buto_replications/rivals.py",
        "replications/buto_replications/store/",
        "replications/buto_replications/thesis/",
    ),
    "tests/browser/": ("buto/report/",),
    "tests/build_plugins/": (
        "build-plugins/",
        "buto/causes/",
        "buto/report/formats/",
        "scripts/version.py",
        *_EXAMPLES,
    ),
    "tests/build_plugins/test_runtime.py": (
        "build-plugins/",
        "scripts/build_runtime.py",
        "scripts/version.py",
        *_EXAMPLES,
    ),
    "tests/build_plugins/test_services.py": (
        "buto/actions/init.py",
        "buto/project/",
        "examples/spring-boot/",
        *_LAUNCHES,
    ),
    "tests/integration/ci/": ("buto/cli/", "ci/"),
    "tests/integration/pages/": (
        "README.md",
        "buto/actions/",
        "buto/api/",
        "buto/cli/",
        "buto/frames.py",
        "buto/report/",
        "docs/",
        "examples/",
    ),
    "tests/integration/stores/": ("buto/run/",),
    "tests/integration/test_standard_streams.py": ("buto/cli/",),
    "tests/jvm/agent/": ("java-probes/",),
    "tests/jvm/cli/": ("buto/actions/", "buto/programs/", "configs/", *_LAUNCHES),
    "tests/jvm/cli/test_arms.py": (
        "buto/actions/accept.py",
        "buto/actions/train.py",
        "buto/actions/trying.py",
        "buto/actions/waivers.py",
        *_TURNS,
    ),
    "tests/jvm/cli/test_bisect.py": (
        "buto/actions/base.py",
        "buto/actions/commit_programs.py",
        "buto/actions/bisect.py",
        "buto/actions/check.py",
        "buto/actions/git.py",
        "buto/actions/labels.py",
        "buto/actions/worktrees.py",
        *_TURNS,
    ),
    "tests/jvm/cli/test_compare.py": (
        "buto/actions/compare.py",
        "buto/actions/worktrees.py",
        "buto/judging/comparison.py",
        *_TURNS,
    ),
    "tests/jvm/cli/test_flow.py": _LAUNCHES,
    "tests/jvm/cli/test_init.py": ("buto/actions/init.py", "buto/project/", *_LAUNCHES),
    "tests/jvm/cli/test_isolation.py": (
        "buto/actions/compare.py",
        "buto/actions/outside.py",
        "buto/judging/carryover.py",
        *_TURNS,
    ),
    "tests/jvm/cli/test_kept.py": (
        "buto/actions/check.py",
        "buto/actions/train.py",
        "buto/actions/trying.py",
        "buto/causes/",
        *_TURNS,
    ),
    "tests/jvm/cli/test_outside.py": (
        "buto/actions/builds.py",
        "buto/actions/outside.py",
        "buto/actions/seals.py",
        "buto/actions/without_turns.py",
        "buto/actions/worktrees.py",
        *_TURNS,
    ),
    "tests/jvm/cli/test_pins.py": ("buto/actions/pins.py", "testprograms/", *_LAUNCHES),
    "tests/jvm/cli/test_releases.py": (
        "buto/actions/base.py",
        "buto/actions/commit_programs.py",
        "buto/actions/branches.py",
        "buto/actions/builds.py",
        "buto/actions/check.py",
        "buto/actions/release.py",
        "buto/actions/sums.py",
        "buto/judging/shares.py",
        *_TURNS,
    ),
    "tests/jvm/cli/test_selftest_live.py": (
        "buto/actions/live.py",
        "buto/actions/selftest.py",
        "buto/judging/alarms.py",
        "buto/judging/selfknowledge/",
        *_TURNS,
    ),
    "tests/jvm/collect/": _NUMBERS,
    "tests/jvm/faults/": ("buto/actions/", "buto/run/", *_LAUNCHES),
    "tests/jvm/faults/test_harness_killed.py": ("buto/run/", *_RECORDS, *_LAUNCHES),
    "tests/jvm/faults/test_harness_lost.py": ("buto/run/", *_RECORDS, *_LAUNCHES),
    "tests/jvm/faults/test_store_killed.py": ("buto/measure/", "buto/run/"),
    "tests/jvm/faults/test_target_beans.py": _NUMBERS,
    "tests/jvm/faults/test_target_ends.py": _LAUNCHES,
    "tests/jvm/faults/test_target_meddles.py": _LAUNCHES,
    "tests/jvm/growth/": (
        "buto/actions/accept.py",
        "buto/actions/check.py",
        "buto/actions/grow.py",
        "buto/actions/no_growth.py",
        "buto/actions/release.py",
        "buto/actions/train.py",
        "buto/judging/growth.py",
        "buto/judging/rounds.py",
        "testprograms/",
        *_LAUNCHES,
    ),
    "tests/jvm/jmx/": _NUMBERS,
    "tests/jvm/packaging/test_release.py": (
        "build-plugins/",
        "hatch_build.py",
        "scripts/build_runtime.py",
        "scripts/dist.py",
        "scripts/release.py",
        "scripts/try_runtime.sh",
        "scripts/version.py",
    ),
    "tests/jvm/packaging/test_wheel.py": (
        "hatch_build.py",
        "java-probes/build.py",
        "scripts/dist.py",
        "scripts/version.py",
    ),
    "tests/jvm/pytest_plugin/": ("buto/pytest_plugin/", "examples/pytest/"),
    "tests/jvm/releases/": _LAUNCHES,
    "tests/jvm/size/": ("buto/actions/size.py", "buto/judging/need.py", *_LAUNCHES),
    "tests/jvm/sources/": _LAUNCHES,
    "tests/jvm/strangers/": ("buto/run/", *_LAUNCHES),
    "tests/jvm/testprograms/": ("testprograms/",),
    "tests/jvm/trials/": (
        "buto/actions/check.py",
        "buto/actions/init.py",
        "buto/actions/train.py",
        "buto/cli/",
        "buto/pytest_plugin/",
        *_LAUNCHES,
    ),
    "tests/jvm/why/": ("buto/causes/", *_LAUNCHES),
    "tests/jvm/witness/": ("buto/programs/", *_LAUNCHES),
    "tests/jvm/workload/": _LAUNCHES,
    "tests/unit/fuzz/": (
        "buto/actions/",
        "buto/causes/",
        "buto/measure/journal.py",
        "buto/oracle/",
        "buto/programs/",
        "buto/run/",
    ),
    "tests/unit/judging/": ("buto/judging/", "buto/oracle/"),
    "tests/unit/measure/": ("buto/measure/",),
    "tests/unit/pytest_plugin/": ("buto/pytest_plugin/",),
}
"""By place, what its tests with the mark ``all`` are about."""

UNPLACED: list[str] = []
"""The tests of this session with the mark ``all`` that no change of the product would run."""


@dataclass(frozen=True, slots=True)
class Concern:
    """Files of tests that a change concerns: for tests without the mark ``all``, and for those with it."""

    usual: frozenset[str]
    rare: frozenset[str]

    @property
    def files(self) -> frozenset[str]:
        """All files of which a test runs."""
        return self.usual | self.rare


@dataclass(frozen=True, slots=True)
class Change:
    """What changed: paths that count for the usual tests, and those that count for the rare ones."""

    usual: frozenset[str]
    rare: frozenset[str]


Importers = Mapping[str, set[str]]


@dataclass(frozen=True)
class Graph:
    """What the files of a checkout import and name.

    Attributes:
        root: The checkout.
        paths: Its files, from ``root``.
    """

    root: Path
    paths: frozenset[str]

    @classmethod
    def of_checkout(cls, root: Path = ROOT) -> Graph:
        """Read the files that git knows or would add."""
        listed = _git(root, "ls-files", "--cached", "--others", "--exclude-standard")
        return cls(root, frozenset(path for path in listed if (root / path).is_file()))

    @cached_property
    def tests(self) -> frozenset[str]:
        """The files of tests."""
        return frozenset(path for path in self.paths if is_test(path))

    @cached_property
    def importers(self) -> Importers:
        """Of each file those that import or name it."""
        importers: dict[str, set[str]] = defaultdict(set)
        for path in self.paths:
            if path.endswith(".py"):
                for imported in self._read(path):
                    importers[imported].add(path)
        return importers

    def concerned(self, change: Change) -> Concern:
        """Return the files of tests that a change concerns."""
        below = {
            path: set(filter(is_below_tests, importers))
            for path, importers in self.importers.items()
            if is_below_tests(path)
        }
        usual = (
            self.tests if _is_below(change.usual, BASE) else self._reach(change.usual, ROWS, self.importers)
        )
        rare = self.tests if _is_below(change.rare, EVERYTHING) else self._reach(change.rare, ABOUT, below)
        return Concern(usual, rare)

    def _reach(
        self, changed: frozenset[str], rows: Mapping[str, tuple[str, ...]], importers: Importers
    ) -> frozenset[str]:
        """Return the tests that stand on what changed, and those in whose row it is."""
        touched = changed.union(*map(self._owners, changed))
        left = list(touched)
        while left:
            new = importers.get(left.pop(), set()) - touched
            touched |= new
            left.extend(new)
        places = {place for place, starts in rows.items() if _is_below(changed, starts)}
        return frozenset(test for test in self.tests if test in touched or place_of(test, rows) in places)

    def _owners(self, path: str) -> Sequence[str]:
        """Return the modules beside what nobody imports; below ``tests`` those of the nearest tests."""
        if path.endswith(".py") and (self.importers.get(path) or is_test(path)):
            return ()
        for folder in map(str, PurePosixPath(path).parents):
            beside = self._modules_in.get(folder, ())
            if folder.endswith("tests"):
                return ()
            if beside and (not is_below_tests(path) or "support" in path or any(map(is_test, beside))):
                return beside
        return ()

    @cached_property
    def _modules_in(self) -> Mapping[str, Sequence[str]]:
        folders: dict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            if path.endswith(".py"):
                folders[str(PurePosixPath(path).parent)].append(path)
        return folders

    @cached_property
    def _modules(self) -> Mapping[str, str]:
        """The file of each module by its name, from the root and from the folders of the other packages."""
        return {
            path.removeprefix(root).removesuffix(".py").replace("/", ".").removesuffix(".__init__"): path
            for root in IMPORTED_FROM
            for path in self.paths
            if path.startswith(root) and path.endswith(".py")
        }

    def _read(self, path: str) -> Iterator[str]:
        """Yield the files that a file imports or names: by its text, for programs in strings count, too."""
        text = (self.root / path).read_text(encoding="utf-8")
        for module, names in FROM.findall(text):
            for name in WORD.findall(names):
                yield from self._import(f"{module}.{name}")
        for module in IMPORT.findall(text):
            yield from self._import(module)
        for name in STRING.findall(text):
            yield from self._named(name)
        if is_below_tests(path):
            for name in DOTTED.findall(text):
                yield from self._import(name)
            for package in STARTED.findall(text):
                yield self._modules.get(f"{package}.__main__", path)
            for start, up, words in BUILT.findall(text):
                yield from self._below(_folder(path, start, up), "/".join(LITERAL.findall(words)))
            yield from self._conftests(path)

    def _import(self, name: str) -> Iterator[str]:
        """Yield the file of a module, or of the one that has this name in it, with the packages around it.

        The package at the top does not count, for its public names lead to all rooms: see ``BASE``.
        """
        parts = name.split(".")
        names = [".".join(parts[: end + 1]) for end in range(len(parts))]
        known = [self._modules[name] for name in names if name in self._modules]
        yield from known[1:] or known

    def _named(self, name: str) -> Iterator[str]:
        """Yield the file of a module, and what is directly in a package: a table may hold its name only."""
        if file := self._modules.get(name):
            yield file
            if file.endswith("/__init__.py"):
                yield from self._modules_in[file.removesuffix("/__init__.py")]

    def _below(self, folder: str, built: str) -> Iterator[str]:
        place = f"{folder}/{built}".strip("/").removeprefix("./")
        if place not in ("", "tests"):
            yield place
            yield from (path for path in self.paths if path.startswith(f"{place}/"))

    def _conftests(self, path: str) -> Iterator[str]:
        for folder in PurePosixPath(path).parents:
            # That of the root is in EVERYTHING; what it imports need not count for all.
            if (conftest := f"{folder}/conftest.py") in self.paths and conftest != path:
                yield conftest


FROM = re.compile(r"^\s*from +([\w.]+) +import +(\([^)]*\)|[^\n(]*)", re.MULTILINE)
IMPORT = re.compile(r"^\s*import +([\w.]+)", re.MULTILINE)
WORD = re.compile(r"\w+")
STRING = re.compile(r"""["'](\w+(?:\.\w+)+)(?::\w+)?["']""")
"""A string that may be a module, with or without something in it."""

DOTTED = re.compile(r"\b(?:buto\w*|demo|perf|scripts|tests)(?:\.\w+)+")
STARTED = re.compile(r"-m[\"', ]+(buto\w*)")
"""A package that may be started as a command."""

BUILT = re.compile(r'(\bROOT|__file__\)(?:\.resolve\(\))?)((?:\.parents?(?:\[\d\])?)?)((?: / "[^"]+")+)')
"""A path from the checkout, or from the file itself."""

LITERAL = re.compile(r'"([^"]+)"')


def _folder(path: str, start: str, up: str) -> str:
    """Return the folder at which a path begins: the checkout, or a parent of the file that names it."""
    if start == "ROOT":
        return ""
    parents = PurePosixPath(path).parents
    index = int(up[-2]) if up.endswith("]") else 0
    return str(parents[min(index, len(parents) - 1)])


def place_of(test: str, rows: Collection[str]) -> str:
    """Return the place of a file of tests: the longest of several; empty where there is none."""
    return max((place for place in rows if test.startswith(place)), key=len, default="")


def is_below_tests(path: str) -> bool:
    """Tell whether a file is among the tests of a package."""
    return "tests" in path.split("/")[:-1]


def is_test(path: str) -> bool:
    """Tell whether pytest collects a file."""
    return is_below_tests(path) and path.endswith(".py") and PurePosixPath(path).name.startswith("test_")


def changes(revision: str, root: Path = ROOT) -> Change:
    """Return what changed since a revision, and in the working tree.

    ``auto`` takes where this branch left ``origin/main``. On ``origin/main`` itself nobody knows what the
    last push brought: for the usual tests it takes the commits of a day, and for the rare ones the last.
    """
    if revision != "auto":
        changed = _changed(root, revision)
        return Change(changed, changed)
    head = _git(root, "rev-parse", "HEAD")
    left = _git(root, "merge-base", "origin/main", "HEAD")
    if left and left != head:
        return changes(left[0], root)
    date = int(_git(root, "log", "-1", "--format=%ct")[0])
    day_before = _git(root, "rev-list", "-1", "--first-parent", f"--before={date - DAY_S}", "HEAD")
    return Change(
        _changed(root, day_before[0]) if day_before else frozenset(EVERYTHING), _changed(root, "HEAD~1")
    )


DAY_S = 24 * 60 * 60
GIT_S = 60.0


def _changed(root: Path, revision: str) -> frozenset[str]:
    if not _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"):
        return frozenset(EVERYTHING)
    changed = _git(root, "diff", "--name-only", "--no-renames", revision)
    new = _git(root, "ls-files", "--others", "--exclude-standard")
    return frozenset((*changed, *new))


def _git(root: Path, *words: str) -> list[str]:
    """Return the lines that git prints; none where it knows nothing of the names."""
    command = ["git", "-c", "core.quotePath=false", *words]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=GIT_S, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def _is_below(changed: Iterable[str], starts: Iterable[str]) -> bool:
    return any(path.startswith(start) for start in starts for path in changed)


def main(words: Sequence[str]) -> None:
    graph = Graph.of_checkout()
    concern = graph.concerned(changes(words[0] if words else "auto"))
    for test in sorted(concern.files):
        print(test, *[] if test in concern.usual else ["(only tests with the mark all)"])
    print(
        f"usual tests of {len(concern.usual)} files of {len(graph.tests)}, rare ones of {len(concern.rare)}"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
