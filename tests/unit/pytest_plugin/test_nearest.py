"""Of several marks on a test the nearest counts, argument by argument, in every pytest that buto supports."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from buto.pytest_plugin.plugin import _OLDEST_PYTEST
from tests.support.checkout import ROOT

LEVELS = ("module", "base", "class", "function", "inner", "parameter", "fixture parameter", "fixture")
"""Where a mark may stand, the farthest first; ``inner`` is the decorator nearest to the function."""

HOOK = """
import json

def pytest_runtest_teardown(item):
    from buto.pytest_plugin.mark import arguments_of

    with open("found.jsonl", "a") as file:
        print(json.dumps([item.path.stem, item.name, arguments_of(item)]), file=file)
"""

MODULE = """
import pytest

MARK = pytest.mark.buto
{module}

@pytest.fixture(params=[pytest.param(1, marks={of_fixture})])
def several(request):
    return request.param

@pytest.fixture
def adding(request):
    for mark in {fixture}:
        request.applymarker(mark)

{base}
class Base:
    pass

{of_class}
class TestIt(Base):
    {first}
    {second}
    {inner}
    def test_it(self, several, adding, size):
        pass
"""


def own_key(level: str) -> str:
    return f"of_{level.replace(' ', '_')}"


def module_of(levels: tuple[str, ...], parameter_first: bool) -> str:
    def mark(level: str) -> str:
        return f"MARK(args=[{level!r}], {own_key(level)}=1)" if level in levels else "pytest.mark.other"

    size = f'@pytest.mark.parametrize("size", [pytest.param(7, marks={mark("parameter")})])'
    both = (size, f"@{mark('function')}")
    first, second = both if parameter_first else both[::-1]
    return MODULE.format(
        module=f"pytestmark = [{mark('module')}]",
        of_fixture=mark("fixture parameter"),
        fixture=f"[{mark('fixture')}]",
        base=f"@{mark('base')}",
        of_class=f"@{mark('class')}",
        first=first,
        second=second,
        inner=f"@{mark('inner')}",
    )


PAIRS = [*itertools.combinations(LEVELS, 1), *itertools.combinations(LEVELS, 2), LEVELS]


def installed(version: str, directory: Path) -> Path:
    """Install a pytest into a directory of its own."""
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(directory), f"pytest=={version}"],
        check=True,
        timeout=300,
    )
    return directory


@pytest.mark.slow
@pytest.mark.parametrize(
    "version", ["", pytest.param(".".join(map(str, _OLDEST_PYTEST)), marks=pytest.mark.all)], ids=str
)
def test_the_nearest_mark_counts_argument_by_argument(tmp_path: Path, version: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "conftest.py").write_text(HOOK)
    (project / "pytest.ini").write_text("[pytest]\nmarkers = other\n")
    expected = {}
    for number, (levels, parameter_first) in enumerate(itertools.product(PAIRS, (False, True))):
        (project / f"test_{number}.py").write_text(module_of(levels, parameter_first))
        expected[f"test_{number}"] = {"args": [levels[-1]], **dict.fromkeys(map(own_key, levels), 1)}
    places = [str(ROOT), *([str(installed(version, tmp_path / "other"))] if version else [])]
    done = subprocess.run(
        [sys.executable, "-c", "import pytest; print(pytest.__version__); raise SystemExit(pytest.main())"],
        cwd=project,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(reversed(places)),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": "-q -p buto.pytest_plugin.plugin -p no:cacheprovider",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.startswith(version or pytest.__version__)
    lines = (project / "found.jsonl").read_text().splitlines()
    assert {module: given for module, _, given in map(json.loads, lines)} == expected, done.stdout
