"""Nothing that buto reads is ever run: no pickle, no evaluation, no tags of YAML, no shell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "buto"
LOADERS = {"pickle", "_pickle", "cloudpickle", "dill", "marshal", "shelve", "copyreg", "jsonpickle"}
EVALUATORS = {"eval", "exec", "compile", "__import__", "execfile"}
OF_MODULES = {
    "yaml": {"load", "load_all", "unsafe_load", "full_load", "unsafe_load_all", "full_load_all"},
    "os": {"system", "popen"},
    "joblib": {"load", "dump"},
    "np": {"load", "save", "savez", "fromregex", "loadtxt"},
    "numpy": {"load", "save", "savez", "fromregex", "loadtxt"},
    "pd": {"read_pickle", "eval", "read_hdf"},
    "runpy": {"run_path", "run_module"},
}
LOADER_CLASSES = {"Loader", "FullLoader", "UnsafeLoader", "CLoader", "CFullLoader", "CUnsafeLoader"}


def faults(source: str) -> Iterator[str]:
    """What in a source would run what it reads, with the line."""
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Import):
            names = [alias.name.partition(".")[0] for alias in node.names]
            yield from (f"{line}: import {name}" for name in names if name in LOADERS)
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").partition(".")[0]
            taken = {alias.name for alias in node.names} & OF_MODULES.get(module, set())
            if module in LOADERS or taken:
                yield f"{line}: from {module}"
        elif isinstance(node, ast.Call):
            yield from (f"{line}: {fault}" for fault in _faults_of_call(node))
        elif isinstance(node, ast.Attribute) and node.attr in LOADER_CLASSES and _name(node.value) == "yaml":
            yield f"{line}: yaml.{node.attr}"


def _faults_of_call(call: ast.Call) -> Iterator[str]:
    called = call.func
    if _name(called) in EVALUATORS:
        yield _name(called)
    if isinstance(called, ast.Attribute) and called.attr in OF_MODULES.get(_name(called.value), set()):
        yield f"{_name(called.value)}.{called.attr}"
    for keyword in call.keywords:
        is_no = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        if keyword.arg in ("allow_pickle", "shell") and not is_no:
            yield f"{keyword.arg}="


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "import os, marshal",
        "from pickle import loads",
        "from os import system",
        "eval('1')",
        "exec(text)",
        "yaml.load(text)",
        "yaml.compose(text, Loader=yaml.FullLoader)",
        "np.load(path)",
        "read(path, allow_pickle=True)",
        "subprocess.run(line, shell=True)",
        "subprocess.run(line, shell=given)",
    ],
)
def test_what_runs_what_it_reads_is_found(source: str) -> None:
    assert list(faults(source))


def test_nothing_in_the_package_runs_what_it_reads() -> None:
    sources = sorted(PACKAGE.rglob("*.py"))
    assert len(sources) > 150
    found = [f"{path}:{fault}" for path in sources for fault in faults(path.read_text())]
    assert found == []
