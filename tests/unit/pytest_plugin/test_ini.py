"""What the ini file says of all marks has an effect; runs of known truth stand in for launches."""

from __future__ import annotations

import pytest

# pytester forgets what a session in this process has imported, and numpy cannot be loaded twice.
import scipy.special  # noqa: F401

import buto.pytest_plugin.session  # noqa: F401
from buto.actions import collecting
from tests.support.runs.scripted import LATE, Event, Script
from tests.support.runs.stored import leaking_run

pytest_plugins = ["pytester"]

TEST = "test_it.test_shop"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(
        test_it="import pytest\n@pytest.mark.buto(jar='app.jar')\ndef test_shop():\n    pass\n"
    )
    return pytester


def leaking(n_runs: int, first: int = 0) -> list[Event]:
    return [leaking_run(number, leak=3.0) for number in range(first, first + n_runs)]


def session(
    project: pytest.Pytester, patch: pytest.MonkeyPatch, launches: list[Event], *words: str
) -> pytest.RunResult:
    script = Script({TEST: launches, f"{TEST}@trained": leaking(10, first=60)})
    patch.setattr(collecting, "collect", script.collect)
    return project.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist", "-v", *words)


@pytest.mark.parametrize(
    ("ini", "outcome", "line"),
    [
        (
            "",
            {"failed": 1},
            "CHANGED  *: only for the better, so accept it",
        ),
        ("buto_alpha = 0.05", {"failed": 1}, "  because: * (alpha 0.05)"),
        ("buto_fail_on = worse", {"passed": 1}, f"PASS  {TEST}: *"),
    ],
)
def test_its_defaults_are_what_runs_are_judged_by(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ini: str, outcome: dict[str, int], line: str
) -> None:
    """The program leaks less than it did, and than the one that training kept."""
    project.makeini(f"[pytest]\n{ini}\n")
    session(project, monkeypatch, leaking(10), "--buto-train").assert_outcomes(passed=1)
    (project.path / ".buto" / "runs").rename(project.path / "moved")  # for the stand-ins' names begin anew
    done = session(project, monkeypatch, [leaking_run(number) for number in range(20, 40)])
    done.assert_outcomes(**outcome)
    done.stdout.fnmatch_lines([line])


def test_quiet_it_says_only_that_a_test_fails(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(project, monkeypatch, leaking(10), "--buto-train").assert_outcomes(passed=1)
    (project.path / ".buto" / "runs").rename(project.path / "moved")
    done = session(project, monkeypatch, [leaking_run(number) for number in range(20, 40)], "-qq")
    done.assert_outcomes(failed=1)
    for left_out in ("*-- buto --*", "*next: *", "*= buto =*"):
        done.stdout.no_fnmatch_line(left_out)


def test_its_time_limit_is_that_of_the_program(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makeini("[pytest]\nbuto_timeout = 7s\n")
    done = session(project, monkeypatch, [LATE], "--buto-train")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["ERROR  test_shop: the program was stopped at its time limit of 7 s"])
