"""Every test with the mark ``all`` runs where something changes that it is about, and none of the others."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.checkout import ROOT
from tests.support.rare import ABOUT, EVERYTHING, UNPLACED, places


def test_every_place_and_every_path_is_there() -> None:
    named = {*ABOUT, *EVERYTHING, *(path for paths in ABOUT.values() for path in paths)}
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
    kinds = {path: (ROOT / path).is_dir() for path in named}
    assert [path for path, is_folder in kinds.items() if is_folder != path.endswith("/")] == []


def test_every_rare_test_is_in_a_place() -> None:
    """Of the tests that were collected with this one: at each push, all."""
    assert UNPLACED == []


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ([], []),
        (["docs/index.md"], ["tests/integration/pages/"]),
        (["testprograms/src/A.java", "LICENSE"], ["replications/tests/jvm/", "tests/jvm/testprograms/"]),
        (["tests/jvm/why/test_why.py"], ["tests/jvm/why/"]),
        (["tests/support/rare.py"], [*ABOUT]),
    ],
    ids=["nothing", "a page", "programs", "a test", "what all tests stand on"],
)
def test_places_are_those_of_what_changed(changed: list[str], found: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.rare"],
        cwd=ROOT,
        input="\n".join(changed),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.split() == places(changed) == found


pytest_plugins = ["pytester"]
TESTS = """\
import pytest

@pytest.mark.all
def test_rare():
    pass

def test_usual():
    pass
"""


@pytest.mark.parametrize(
    ("options", "n_passed"), [((), 4), (("--rare=",), 2), (("--rare=b/ c/",), 3)], ids=["all", "none", "some"]
)
def test_of_the_rare_tests_those_in_the_places_run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], n_passed: int
) -> None:
    pytester.makeconftest((ROOT / "conftest.py").read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers = all\npythonpath = .\naddopts = --import-mode=importlib\n")
    for folder in ("a", "b"):
        pytester.mkdir(folder).joinpath("test_it.py").write_text(TESTS, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.inline_run(*options).assertoutcome(passed=n_passed)
