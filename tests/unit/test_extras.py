"""What is said where a package of an extra is missing."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec

import pytest

from buto.extensions import DISTRIBUTION, EXTRAS, MissingExtraError, optional_packages, require


def hide(monkeypatch: pytest.MonkeyPatch, *hidden: str) -> None:
    find = importlib.util.find_spec

    def find_others(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name in hidden else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_others)


@pytest.mark.parametrize("package", sorted(EXTRAS))
def test_the_command_that_adds_it_is_given(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    hide(monkeypatch, package)
    with pytest.raises(MissingExtraError) as caught:
        require(package, "this picture")
    assert caught.value.advice == f"pip install '{DISTRIBUTION}[{EXTRAS[package]}]'"


def test_where_there_is_no_pip_another_python_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the runtime."""
    hide(monkeypatch, "matplotlib", "pip")
    with pytest.raises(MissingExtraError) as caught:
        require("matplotlib", "this picture")
    assert caught.value.advice == f"in another Python, which has pip: pip install '{DISTRIBUTION}[plots]'"


def test_a_module_of_no_extra_is_not_explained_away() -> None:
    with pytest.raises(ModuleNotFoundError), optional_packages():
        raise ModuleNotFoundError("No module named 'no_such'", name="no_such")
