"""A change runs the tests that it concerns: no import is missed; what imports do not show is in a table."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import impact
from tests.support.checkout import ROOT
from tests.support.impact import ABOUT, EVERYTHING, ROWS, UNPLACED, Change, Concern, Graph

pytest_plugins = ["pytester"]

FILES = {
    "buto/__init__.py": "from buto.judge import decide\nfrom buto.store import keep\n",
    "buto/judge.py": "import buto.rank\n",
    "buto/rank.py": "",
    "buto/store.py": "",
    "buto/commands/__init__.py": "",
    "buto/commands/check.py": "def run():\n    from buto.judge import decide\n",
    "buto/table.py": "ROOM = 'buto.commands'\n",
    "buto/words/__init__.py": "",
    "buto/words/english.py": "",
    "buto/words/list.csv": "",
    "data/runs/a.json": "",
    "tests/__init__.py": "",
    "tests/support/rooms.py": "from buto import (\n    judge as judge,\n    words,\n)\n",
    "tests/unit/conftest.py": "import buto.store\n",
    "tests/unit/test_rank.py": "from buto.rank import rank\n",
    "tests/unit/test_rooms.py": "from tests.support import rooms\n",
    "tests/unit/test_words.py": "from buto.words import english\n",
    "tests/unit/test_code.py": 'CODE = """\nfrom buto.rank import rank\n"""\n',
    "tests/unit/data/one.txt": "",
    "tests/jvm/test_table.py": "from buto import table\n",
    "tests/jvm/test_runs.py": """
RUNS = ROOT / "data" / "runs"
WORDS = Path(__file__).parents[2] / "buto" / "words"
""",
    "tests/jvm/why/test_why.py": "import buto.rank\n",
    "tests/jvm/cli/test_remarks.py": "",
    "tests/jvm/cli/test_pins.py": "",
}


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    write(tmp_path, FILES)
    return Graph(tmp_path, frozenset(FILES))


def write(place: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ("buto/rank.py", ["code", "rank", "rooms", "table", "why"]),
        ("buto/judge.py", ["rooms", "table"]),
        ("buto/commands/check.py", ["table"]),
        ("buto/store.py", ["code", "rank", "rooms", "words"]),
        ("buto/words/list.csv", ["rooms", "runs", "words"]),
        ("data/runs/a.json", ["runs"]),
        ("data/runs/new.json", []),
        ("tests/support/rooms.py", ["rooms"]),
        ("tests/unit/conftest.py", ["code", "rank", "rooms", "words"]),
        ("tests/unit/data/one.txt", ["code", "rank", "rooms", "words"]),
        ("tests/unit/test_words.py", ["words"]),
        ("java-probes/src/Agent.java", ["pins", "remarks", "runs", "table", "why"]),
        ("LICENSE", []),
    ],
)
def test_the_tests_that_reach_a_change_are_usual(graph: Graph, changed: str, names: list[str]) -> None:
    concern = graph.concerned(Change(frozenset([changed]), frozenset()))
    assert sorted(Path(path).stem.removeprefix("test_") for path in concern.usual) == names
    assert concern.rare == frozenset()


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ("buto/rank.py", []),
        ("buto/causes/model.py", ["why"]),
        # A folder's row is not for a file that has its own.
        ("buto/actions/advice.py", ["remarks"]),
        ("buto/actions/pins.py", ["pins", "remarks"]),
        ("testprograms/src/Pins.java", ["pins"]),
        ("tests/jvm/why/test_why.py", ["why"]),
        ("tests/support/rooms.py", ["rooms"]),
    ],
)
def test_the_rare_ones_are_those_whose_row_or_test_changes(
    graph: Graph, changed: str, names: list[str]
) -> None:
    concern = graph.concerned(Change(frozenset(), frozenset([changed])))
    assert sorted(Path(path).stem.removeprefix("test_") for path in concern.rare) == names
    assert concern.usual == frozenset()


def test_what_all_tests_stand_on_concerns_all(graph: Graph) -> None:
    for path in EVERYTHING:
        change = frozenset([path])
        assert graph.concerned(Change(change, change)) == Concern(graph.tests, graph.tests)
    public = frozenset(["buto/__init__.py"])
    assert graph.concerned(Change(public, public)) == Concern(graph.tests, frozenset())


@pytest.fixture(scope="module")
def checkout() -> Graph:
    return Graph.of_checkout()


def test_no_import_of_the_product_and_of_what_tests_share_is_missed(checkout: Graph) -> None:
    """The graph reads texts, which is faster; a parser reads the same."""
    missed = []
    modules = {
        path.removeprefix(root).removesuffix(".py").replace("/", "."): path
        for root in impact.IMPORTED_FROM
        for path in checkout.paths
        if path.startswith(root) and path.endswith(".py")
    }
    for path in sorted(checkout.paths):
        if path.endswith(".py") and path.startswith(("buto/", "tests/support/")):
            missed += [
                f"{path}: {module}"
                for module in imported(ROOT / path) & modules.keys()
                if path not in checkout.importers[modules[module]]
            ]
    assert missed == []


def imported(path: Path) -> set[str]:
    """Return what a file imports, also where it is a name in a module."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return modules


def test_every_place_and_every_path_is_there() -> None:
    tables = (ROWS, ABOUT)
    named = {*EVERYTHING, *impact.BASE, *(place for table in tables for place in table)}
    named |= {path for table in tables for paths in table.values() for path in paths} - {""}
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
    assert [path for path in named if (ROOT / path).is_dir() != path.endswith("/")] == []


def test_every_rare_test_is_in_a_place() -> None:
    """Of the tests that were collected with this one: where no change is given, all."""
    assert UNPLACED == []


def git(place: Path, *words: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", *identity, *words], cwd=place, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()


def commit(place: Path, path: str, date: str) -> str:
    write(place, {path: date})
    git(place, "add", ".")
    git(place, "commit", "--quiet", "--allow-empty", "--message", path, "--date", date)
    git(place, "-c", f"user.name={path}", "commit", "--quiet", "--amend", "--no-edit", "--date", date)
    return git(place, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three commits of main: one of the day before, and two of today."""
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    for path, date in (("old", "2026-01-01"), ("a", "2026-01-03T08:00"), ("b", "2026-01-03T09:00")):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{date} +0000" if "T" in date else f"{date}T08:00 +0000")
        commit(tmp_path, path, f"{date[:10]}T08:00 +0000")
    git(tmp_path, "update-ref", "refs/remotes/origin/main", "HEAD")
    return tmp_path


def test_on_main_a_day_counts_for_the_usual_tests_and_the_last_commit_for_the_rare(repository: Path) -> None:
    assert impact.changes("auto", repository) == Change(frozenset("ab"), frozenset("b"))


def test_on_a_branch_its_commits_and_the_working_tree_count(repository: Path) -> None:
    git(repository, "switch", "--quiet", "--create", "branch")
    commit(repository, "c", "2026-01-05T08:00 +0000")
    write(repository, {"a": "changed", "new": ""})
    changed = frozenset(("a", "c", "new"))
    assert impact.changes("auto", repository) == Change(changed, changed)
    assert impact.changes("HEAD", repository) == Change(changed - {"c"}, changed - {"c"})


@pytest.mark.parametrize("revision", ["nowhere", "auto"])
def test_where_the_past_is_not_known_everything_changed(tmp_path: Path, revision: str) -> None:
    git(tmp_path, "init", "--quiet")
    commit(tmp_path, "a", "2026-01-01T08:00 +0000")
    assert impact.changes(revision, tmp_path) == Change(frozenset(EVERYTHING), frozenset(EVERYTHING))


TESTS = """\
import pytest

@pytest.mark.all
def test_rare():
    pass

def test_usual():
    pass
"""


@pytest.mark.parametrize(
    ("options", "n_passed"),
    [
        ((), 4),
        (("--changed-since=HEAD",), 1),
        (("--changed-since=HEAD~1",), 3),
        (("--changed-since=HEAD", "-n1"), 1),
    ],
    ids=["all", "usual", "rare", "in a worker"],
)
def test_only_tests_that_a_change_concerns_run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], n_passed: int
) -> None:
    """A module that one file imports is changed; in the commit before, the other file."""
    write(
        pytester.path,
        {
            "conftest.py": (ROOT / "conftest.py").read_text(encoding="utf-8"),
            "pytest.ini": "[pytest]\nmarkers = all\npythonpath = .\naddopts = --import-mode=importlib\n",
            "rank.py": "",
            "tests/a/test_a.py": f"import rank\n{TESTS}",
        },
    )
    git(pytester.path, "init", "--quiet")
    commit(pytester.path, "first", "2026-01-01T08:00 +0000")
    write(pytester.path, {"tests/b/test_b.py": TESTS})
    commit(pytester.path, "second", "2026-01-01T09:00 +0000")
    write(pytester.path, {"rank.py": "CHANGED = True"})
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.runpytest_subprocess(*options, "--no-header").assert_outcomes(passed=n_passed)
