"""The mark: from its arguments to a test that can be launched and judged."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import pytest

from buto.errors import UsageError
from buto.project.model import TestConfig, build_test
from buto.project.options import TEST, argument
from buto.project.yaml import complaints, guess_meant
from buto.run.names import encode_test

_MARK = "buto"
_MARKS = "pytestmark"
"""Where pytest keeps the marks on a function, class or module."""

STARTS = ("command", "jar", "main")
_OF_JAVA = ("java", "options", "args", "classpath")
_OF_JUDGE = ("alpha", "fail_on")
_OWN = ("name", *STARTS, *_OF_JAVA, *_OF_JUDGE)
_EXAMPLE = '@pytest.mark.buto(command=["java", "-cp", "app.jar", "com.acme.Main"])'


def arguments_of(item: pytest.Item) -> dict[str, Any]:
    """Return the arguments of all marks of a test: of each argument that of the nearest mark."""
    merged: dict[str, Any] = {}
    for mark in reversed(_nearest_first(item)):
        if mark.args:
            raise UsageError(
                f"the mark buto takes named arguments only, got {mark.args[0]!r}", advice=_EXAMPLE
            )
        merged = join(merged, mark.kwargs)
    return merged


def _nearest_first(item: pytest.Item) -> list[pytest.Mark]:
    """Return the marks of a test: added to this item, of its parameters, on the function, class and module.

    pytest itself has the function before its parameters, and a base class before the class.
    """
    marks: list[pytest.Mark] = []
    for node in reversed(item.listchain()):
        placed = [*_of_parameters(node), *_on(getattr(node, "obj", None))]
        places = {id(mark) for mark in placed}
        # By a fixture or a conftest.py: the last one is the newest.
        added = [mark for mark in reversed(node.own_markers) if id(mark) not in places]
        marks += [mark for mark in (*added, *placed) if mark.name == _MARK]
    return marks


def _of_parameters(node: object) -> list[pytest.Mark]:
    """Return the marks of the parameters of a test: of its fixtures first, then of the test itself."""
    return _plain_marks(getattr(getattr(node, "callspec", None), "marks", ()))


def _on(marked: object) -> list[pytest.Mark]:
    """Return the marks on a function, a class and its bases, or a module."""
    owners: tuple[object, ...] = marked.__mro__ if isinstance(marked, type) else (marked,)
    return [mark for owner in owners for mark in _plain_marks(getattr(owner, "__dict__", {}).get(_MARKS, ()))]


def _plain_marks(marks: Any) -> list[pytest.Mark]:
    several = marks if isinstance(marks, list | tuple) else [marks]
    return [mark.mark if isinstance(mark, pytest.MarkDecorator) else mark for mark in several]


def join(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with overrides. An override of what to start drops every older such argument."""
    if any(key in now for key in STARTS):
        before = {key: value for key, value in before.items() if key not in (*STARTS, *_OF_JAVA)}
    return {**before, **now}


def name_of(item: pytest.Item, given: Mapping[str, Any]) -> str:
    """Return the test's name: the given one, otherwise one made of the module, the class and the function."""
    name = given.get("name")
    if name is None:
        path, _, rest = item.nodeid.partition("::")
        name = ".".join([PurePath(path).stem, *rest.split("::")])
    if not isinstance(name, str):
        raise UsageError(f"name must be a text, got {name!r}", advice='name="shop"')
    encode_test(name)
    return name


def check_names(items: Sequence[pytest.Item]) -> None:
    """Raise pytest.UsageError if two tests would share an oracle."""
    seen: dict[str, str] = {}
    for item in items:
        try:
            name = name_of(item, arguments_of(item))
        except UsageError:
            continue  # The test itself reports the error.
        if name in seen:
            raise pytest.UsageError(
                f"two buto tests have the name {name!r}: {seen[name]} and {item.nodeid}; "
                f"give one another name: @pytest.mark.buto(name=...)"
            )
        seen[name] = item.nodeid


def test_of(name: str, given: Mapping[str, Any], defaults: Mapping[str, str], root: Path) -> TestConfig:
    """Return a test that can be launched and judged.

    Args:
        given: the mark's arguments.
        defaults: arguments from the ini file, as texts.
        root: where the command is started, unless ``working_directory`` is given.

    Raises:
        UsageError: an argument is unknown or not valid, or nothing specifies what to start.
    """
    known = list(dict.fromkeys([*_OWN, *map(argument, TEST)]))
    for key in given:
        if key not in known:
            raise UsageError(f"buto: unknown argument {key!r}; {guess_meant(key, known)}", advice=_EXAMPLE)
    merged = {**{key: _number(text) for key, text in defaults.items()}, **given}
    data: dict[str, Any] = {
        key.replace("_", "-"): _plain(value) for key, value in merged.items() if key not in _OWN
    }
    data["command"] = _command(_below(given, root))
    judge = data.pop("judge", {})
    faults = complaints(data, "test")
    if not isinstance(judge, Mapping):
        faults.append(f"judge must be a mapping, got {judge!r}")
    if faults:
        raise UsageError("; ".join(faults), advice=_EXAMPLE)
    # Its contents are checked where they are read.
    own = {key.replace("_", "-"): merged[key] for key in _OF_JUDGE if key in merged}
    return build_test(name, {**data, "judge": {**judge, **own}}, root, os.environ)


test_of.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test


def _below(value: Any, root: Path) -> Any:
    """Make paths below the root relative: the oracle stores the command, and other users have other roots."""
    if isinstance(value, Path) and value.is_relative_to(root) and value != root:
        return value.relative_to(root)
    if isinstance(value, list | tuple):
        return [_below(part, root) for part in value]
    if isinstance(value, Mapping):
        return {key: _below(part, root) for key, part in value.items()}
    return value


def _command(given: Mapping[str, Any]) -> Any:
    starts = [key for key in STARTS if key in given]
    if not starts:
        raise UsageError("the mark buto needs a command, a jar or a main", advice=_EXAMPLE)
    if len(starts) > 1:
        raise UsageError(f"{' and '.join(starts)} cannot be combined; give one of them", advice=_EXAMPLE)
    if starts == ["command"]:
        idle = [key for key in _OF_JAVA if key in given]
        if idle:
            raise UsageError(
                f"{' and '.join(idle)} can be used with jar or main, not with command",
                advice="put them into the command",
            )
        return _plain(given["command"])
    if starts == ["main"] and "classpath" not in given:
        raise UsageError("main needs a classpath", advice='main="com.acme.Main", classpath=["build/classes"]')
    java = [_plain(given.get("java", "java")), *_words(given, "options")]
    if starts == ["jar"]:
        how = ["-jar", _plain(given["jar"])]
    else:
        path = given["classpath"]
        parts = [path] if isinstance(path, str | os.PathLike) else path
        how = ["-cp", os.pathsep.join(map(os.fspath, parts)), given["main"]]
    return [*java, *how, *_words(given, "args")]


def _words(given: Mapping[str, Any], key: str) -> list[Any]:
    words = given.get(key, ())
    if isinstance(words, str) or not isinstance(words, Sequence):
        raise UsageError(f"{key} must be a list of words, got {words!r}", advice=f'{key}=["first", "second"]')
    return [_plain(word) for word in words]


def _plain(value: Any) -> Any:
    """Return Python's values as a configuration has them."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return value


def _number(text: str) -> Any:
    """Return a text of the ini file as a number, if it is one."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
