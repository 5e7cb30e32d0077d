"""The programs with a regression: every version of all of them does the same work."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.all

RunProgram = Callable[..., subprocess.CompletedProcess[str]]
PROGRAM = "changes.Program"
ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "testprograms" / "src" / "buto" / "testprograms" / "changes" / "servers"
CAUSES = yaml.safe_load((ROOT / "testprograms" / "changes.yaml").read_text())
"""By the name of the program: its kind, and where the cause is."""


def all_as(change: str) -> list[str]:
    return [f"{name}={change}" for name in CAUSES]


def test_all_versions_of_all_programs_compute_the_same(run_program: RunProgram) -> None:
    changes = ("base", "small", "large", "refactored")
    base, *others = (run_program(PROGRAM, *all_as(change)) for change in changes)
    assert base.returncode == 0, base.stderr
    assert len(base.stdout.splitlines()) == len(CAUSES)
    for other in others:
        assert (other.returncode, other.stderr) == (0, "")
        assert other.stdout == base.stdout


def test_without_arguments_the_names_are_listed(run_program: RunProgram) -> None:
    done = run_program(PROGRAM)
    assert done.returncode == 2
    assert f"names: {' '.join(sorted(CAUSES))}" in done.stderr


@pytest.mark.parametrize("name", CAUSES)
def test_the_method_named_as_the_cause_exists(name: str) -> None:
    for place in (CAUSES[name]["changed"], *CAUSES[name].get("also", ())):
        owner, member = place.rsplit(".", 1)
        outer, _, inner = owner.partition("$")
        source = (SOURCES / f"{outer}.java").read_text()
        declared = (inner or outer) if member == "<init>" else member
        assert re.search(rf"\b{declared}\b[ (]", source), f"{place} is not in {outer}.java"
