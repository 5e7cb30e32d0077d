"""``import buto`` offers what the API has, and imports nothing heavy for it."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import buto

HEAVY = [
    "filterpy",
    "jinja2",
    "jpype",
    "jsonschema",
    "matplotlib",
    "numpy",
    "pandas",
    "psutil",
    "pyarrow",
    "rich",
    "scipy",
    "yaml",
]


def imported_by(code: str) -> list[str]:
    """Which of the heavy packages a fresh interpreter has imported after some code."""
    script = f"import sys, json\n{code}\nprint(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    names: list[str] = json.loads(done.stdout)
    return names


def test_import_buto_imports_nothing_heavy() -> None:
    assert imported_by("import buto") == []
    assert imported_by("import buto; buto.__version__; dir(buto)") == []


@pytest.mark.slow
def test_each_library_is_imported_when_it_is_needed() -> None:
    later = {"filterpy", "jinja2", "matplotlib", "pandas", "scipy", "jpype", "rich"}
    assert not later & set(imported_by("import buto; buto.train; buto.plot_runs; buto.frames; buto.learn"))
    made = "import buto; frame = buto.frames.samples([])"
    assert "pandas" in imported_by(made) and "matplotlib" not in imported_by(made)
    assert "matplotlib" not in imported_by("from buto.run.model import RunSet; RunSet(())._repr_html_()")


def test_every_name_can_be_used() -> None:
    for name in buto.__all__:
        assert getattr(buto, name) is not None
        assert name in dir(buto)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(buto.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    public = [
        alias.asname
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    ]
    assert sorted([*map(str, public), "__version__"]) == sorted(buto.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'buto' has no attribute 'tarin'"):
        buto.tarin  # noqa: B018


def test_every_public_name_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "running" / "api.md").read_text(encoding="utf-8")
    assert [name for name in buto.__all__ if name != "__version__" and f"buto.{name}" not in page] == []
