"""The public interface is a contract: what stands in tests/golden/public-api.txt changes on purpose only.

A name that goes, or a parameter that goes or changes its place, breaks programs of users:
docs/running/stability.md says how that is done. What is new is added by BUTO_WRITE_GOLDEN=1.
"""

from __future__ import annotations

import dataclasses
import inspect
from types import ModuleType

import pytest

import buto
from tests.support.report.golden import same


def line_of(name: str, value: object) -> str:
    """Return a public name as its users see it: parameters and defaults, fields and methods, but no types."""
    if isinstance(value, type):
        return f"class {name}: {', '.join(attributes(value))}".rstrip(": ")
    if isinstance(value, ModuleType):
        return f"module {name}"
    return f"{name}({', '.join(parameters(value))})"


def parameters(function: object) -> list[str]:
    """Return the parameters of a function, as they are written in a call."""
    words = []
    star = False
    for name, parameter in inspect.signature(function).parameters.items():  # type: ignore[arg-type]
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            words.append("*")
            star = True
        if parameter.kind is parameter.VAR_KEYWORD:
            words.append(f"**{name}")
        elif parameter.default is parameter.empty:
            words.append(name)
        elif callable(parameter.default):
            words.append(f"{name}=...")
        else:
            words.append(f"{name}={parameter.default!r}")
    return words


def attributes(kind: type) -> list[str]:
    """Return the public fields, properties and methods of a class and of those that buto derives it from."""
    fields = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    members = {name for base in kind.mro() if base.__module__.startswith("buto") for name in vars(base)}
    return sorted(name for name in fields | members if not name.startswith("_"))


def test_the_public_interface_is_as_promised() -> None:
    names = [name for name in buto.__all__ if name != "__version__"]
    same("public-api.txt", "".join(f"{line_of(name, getattr(buto, name))}\n" for name in sorted(names)))


def function(first: int, second: int = 2, *, third: str = "x", **options: int) -> None: ...


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (function, "f(first, second=2, *, third='x', **options)"),
        (buto.Status, "class f: INCONCLUSIVE, PASS, REGRESSION, exit_code"),
        (buto.events, "module f"),
    ],
)
def test_a_line_has_what_a_caller_relies_on(value: object, line: str) -> None:
    assert line_of("f", value) == line
