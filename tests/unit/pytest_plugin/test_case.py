"""How many runs a test needs, and what comes of them; on runs of known truth, without any JVM."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from buto.actions import single
from buto.causes import launches as profiling
from buto.causes.flight import Flight
from buto.causes.profiles import ProfileStore
from buto.errors import BadFileError, MeasureError, StorageError, UsageError
from buto.project.model import build_test
from buto.pytest_plugin.case import Events, ItemCase, project_of
from buto.pytest_plugin.hints import InPytest
from buto.report import strength
from buto.run.model import Run
from buto.steps import Action
from tests.support.profiles import launches
from tests.support.runs.qualities import starved
from tests.support.runs.stored import leaking_run, store

STARVED = starved()
THESIS = {"method": "thesis"}
"""One run decides."""

AT_ALPHA = {"alpha": 0.05}
"""Three runs decide, also of five that train."""


def front_end_at(directory: Path) -> InPytest:
    path = directory / "oracles" / "leaker.json"
    return InPytest("test_it.py::test_leaker", "leaker", directory, directory / ".buto", path)


def a_case(directory: Path, mode: str, *, runs: int = 5, judge: Mapping[str, object] = THESIS) -> ItemCase:
    written = {"command": ["java"], "runs": runs, "judge": judge}
    test = build_test("leaker", written, directory, {})
    front_end = front_end_at(directory)
    project, events = project_of(test, front_end), Events(front_end)
    return ItemCase(project.launcher(events), single.begin(project, test, Action(mode)), events)


def trained(directory: Path, judge: Mapping[str, object] = THESIS) -> None:
    case = a_case(directory, "train", judge=judge)
    case.add([leaking_run(number) for number in range(5)])
    case.outcome(0)


def leaking(number: int) -> Run:
    return leaking_run(number, leak=9.0, classes=900, purpose="check")


def test_training_takes_as_many_usable_runs_as_are_wanted(tmp_path: Path) -> None:
    case = a_case(tmp_path, "train")
    assert (case.state.missing, case.state.plan.purpose, case.state.session) == (5, "train", None)
    case.add([leaking_run(0), leaking_run(1), leaking_run(2, quality=STARVED)])
    assert (case.state.missing, case.state.session) == (3, leaking_run(0).id)
    case.add([leaking_run(number) for number in range(3, 6)])
    assert case.state.missing == 0
    outcome = case.outcome(0)
    assert outcome.line == "TRAINED  leaker: 5 runs, oracles/leaker.json"
    assert outcome.is_good
    assert (tmp_path / "oracles" / "leaker.json").exists()


def test_training_says_in_its_line_what_a_check_detects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An oracle is weak if it can miss that a quantity becomes more by this share of its level.
    monkeypatch.setattr(strength, "LARGE_SHARE", 0.0)
    case = a_case(tmp_path, "train", runs=10, judge={})
    case.add([leaking_run(number) for number in range(10)])
    outcome = case.outcome(0)
    assert outcome.line.startswith("TRAINED  leaker: 10 runs, oracles/leaker.json; a check detects 9 of 10 ")
    (weak,) = (
        warning for warning in outcome.warnings if "a check may miss that a quantity doubles" in warning
    )
    assert "more runs (runs=20)" in weak


def test_advice_on_the_number_of_runs_names_the_argument_of_the_mark(tmp_path: Path) -> None:
    case = a_case(tmp_path, "train", runs=5, judge={})
    case.add([leaking_run(number) for number in range(5)])
    (few,) = (warning for warning in case.outcome(0).warnings if "5 runs are few" in warning)
    assert few.endswith("(runs=10)")


def test_a_good_run_passes_at_once(tmp_path: Path) -> None:
    trained(tmp_path)
    case = a_case(tmp_path, "check")
    assert case.state.missing == 1
    case.add([leaking_run(20, purpose="check")])
    assert case.state.missing == 0
    assert case.outcome(0).line.startswith("PASS  leaker: the run did what the 5 training runs did")


def test_a_run_that_differs_is_confirmed_by_two_more(tmp_path: Path) -> None:
    trained(tmp_path, AT_ALPHA)
    case = a_case(tmp_path, "check", judge=AT_ALPHA)
    case.add([leaking(20)])
    assert case.state.missing == 2
    case.add([leaking(21), leaking(22)])
    assert case.state.missing == 0
    outcome = case.outcome(0)
    assert not outcome.is_good
    assert outcome.reason.startswith("without turns, keeps ")
    accept = "pytest test_it.py::test_leaker --buto-accept  # if the change is meant: later checks expect it"
    assert outcome.details[-1] == f"  next: {accept}"
    assert case.outcome(-1).details == ()
    assert len(case.outcome(1).details) >= len(outcome.details)


def test_accepting_learns_only_what_does_not_pass(tmp_path: Path) -> None:
    trained(tmp_path)
    good = a_case(tmp_path, "accept")
    good.add([leaking_run(20)])
    assert (good.state.missing, good.outcome(0).status) == (0, "pass")
    changed = a_case(tmp_path, "accept")
    changed.add([leaking(21)])
    assert (changed.state.missing, changed.state.plan.purpose, changed.state.session) == (4, "accept", None)
    changed.add([leaking_run(number, leak=9.0, purpose="accept") for number in range(30, 34)])
    assert changed.state.missing == 0
    accepted = changed.outcome(0)
    assert accepted.line == "ACCEPTED  leaker: 5 runs, 1 of them judged before, oracles/leaker.json"
    assert accepted.is_good
    failed = accepted.details[0]
    assert failed.startswith("  leaker: failed for ") and failed.endswith(": expected now")
    assert " → " in failed
    moved = next(number for number, line in enumerate(accepted.details) if line.startswith("  leaker: 1 of "))
    assert accepted.details[moved + 1].startswith("    used heap  ")
    assert accepted.to_data()["details"] == list(accepted.details)
    again = a_case(tmp_path, "check")
    again.add([leaking(40)])
    assert (again.state.missing, again.outcome(0).status) == (0, "pass")


def test_an_oracle_is_never_replaced_by_one_of_fewer_runs(tmp_path: Path) -> None:
    """Of ten runs, after a check that judged eight: two more are launched, although eight are enough."""
    case = a_case(tmp_path, "train", runs=10)
    case.add([leaking_run(number) for number in range(10)])
    case.outcome(0)
    store(tmp_path, *_of_one_check(range(20, 28)))
    for runs in (5, 10):
        changed = a_case(tmp_path, "accept", runs=runs)
        assert (len(changed.state.valid()), changed.state.missing) == (8, 2)


def _of_one_check(numbers: range) -> list[Run]:
    session = leaking(numbers[0]).id
    return [
        replace(run, metadata={**run.metadata, "buto.session": session, "buto.command": "java"})
        for run in map(leaking, numbers)
    ]


@pytest.mark.parametrize("n_judged", [3, 5])
def test_accepting_after_a_failed_check_learns_from_its_runs(tmp_path: Path, n_judged: int) -> None:
    """Nothing is judged again: runs that passed by chance would leave the oracle as it was."""
    trained(tmp_path)
    store(tmp_path, *_of_one_check(range(20, 20 + n_judged)))
    case = a_case(tmp_path, "accept")
    assert (len(case.state.valid()), case.state.missing) == (n_judged, 5 - n_judged)
    case.add([leaking_run(number, leak=9.0, purpose="accept") for number in range(40, 45 - n_judged)])
    assert case.outcome(0).status == "accepted"
    assert a_case(tmp_path, "accept").state.check is not None, "what was accepted passes"


def test_runs_of_another_command_are_not_accepted(tmp_path: Path) -> None:
    trained(tmp_path)
    run = leaking(20)
    store(tmp_path, replace(run, metadata={**run.metadata, "buto.command": "java Other"}))
    assert a_case(tmp_path, "accept").state.runs == ()


def test_settings_that_changed_since_training_are_reported_though_it_passes(tmp_path: Path) -> None:
    trained(tmp_path)
    case = a_case(tmp_path, "check", judge={"method": "thesis", "thesis": {"deviations": 31}})
    case.add([leaking_run(20)])
    outcome = case.outcome(0)
    assert outcome.is_good
    assert (
        "(deviations changed); to use those: pytest test_it.py::test_leaker --buto-train"
        in outcome.warnings[-1]
    )
    assert outcome.to_data()["warnings"] == list(outcome.warnings)


def test_an_oracle_that_cannot_be_written_is_reported_before_the_first_launch(tmp_path: Path) -> None:
    (tmp_path / "oracles").write_text("a file in the way")
    with pytest.raises(StorageError, match=r"the oracle .* cannot be written") as caught:
        a_case(tmp_path, "train")
    advice = "make it writable, or name another place: buto_oracles = FILE, in pytest's ini file"
    caught.value.rephrase(front_end_at(tmp_path).words)
    assert caught.value.advice == advice


def test_too_many_disturbed_runs_end_it(tmp_path: Path) -> None:
    case = a_case(tmp_path, "train")
    with pytest.raises(MeasureError, match="4 of 4 runs were disturbed"):
        case.add([leaking_run(number, quality=STARVED) for number in range(4)])


def test_nothing_to_check_by_and_too_little_to_learn_from_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFileError) as caught:
        a_case(tmp_path, "check")
    caught.value.rephrase(front_end_at(tmp_path).words)
    assert caught.value.message == "'leaker' has no oracle yet: oracles/leaker.json does not exist"
    with pytest.raises(UsageError, match="an oracle needs at least 3 runs, got 2"):
        a_case(tmp_path, "train", runs=2)


@pytest.mark.parametrize("mode", ["check", "accept"])
def test_an_oracle_that_cannot_even_be_looked_for_is_not_taken_for_missing(tmp_path: Path, mode: str) -> None:
    with pytest.raises(BadFileError, match="cannot be read: File name too long"):
        a_case(tmp_path / ("x" * 300), mode)


OLD = {"shop.Cart.add < shop.Main.main": 1e6}
NEW = {"shop.Cart.add < shop.Main.main": 4e6}


def flying(monkeypatch: pytest.MonkeyPatch, levels: dict[str, float]) -> None:
    seeds = iter(range(100))
    monkeypatch.setattr(
        profiling, "record_flight", lambda *_: Flight(launches(levels, 1, next(seeds))[0], "", "", 1.0, 1)
    )


def test_training_stores_a_profile_and_a_regression_is_compared_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flying(monkeypatch, OLD)
    case = a_case(tmp_path, "train")
    case.explains = True
    case.add([leaking_run(number) for number in range(5)])
    case.outcome(0)
    assert ProfileStore(tmp_path / ".buto").newest("leaker") is not None
    flying(monkeypatch, NEW)
    case = a_case(tmp_path, "check")
    case.explains = True
    case.add([leaking(20)])
    case.add([leaking(21), leaking(22)])
    details = "\n".join(case.outcome(0).details)
    assert "CAUSE  leaker: shop.Cart.add allocates more" in details
    assert re.search(r"is stored and \d+ s old", details)
    # What was done is no next step; to accept the change is one.
    steps = [line for line in details.splitlines() if line.strip().startswith("next:")]
    assert any("--buto-accept" in line for line in steps)
    assert not any("--buto-why" in line for line in steps)


def test_a_program_that_cannot_be_profiled_leaves_the_verdict_and_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Flight:
        raise MeasureError("its workload failed")

    trained(tmp_path)
    ProfileStore(tmp_path / ".buto").add("leaker", launches(OLD, 3, 1))
    monkeypatch.setattr(profiling, "record_flight", fail)
    case = a_case(tmp_path, "check")
    case.explains = True
    case.add([leaking(20)])
    case.add([leaking(21), leaking(22)])
    outcome = case.outcome(0)
    assert outcome.status == "regression"
    assert outcome.details[-1] == "  which code did it is not known: its workload failed"


def test_without_a_profile_the_verdict_stays_and_the_advice_trains_with_one(tmp_path: Path) -> None:
    case = a_case(tmp_path, "train")
    case.add([leaking_run(number) for number in range(5)])
    case.outcome(0)
    case = a_case(tmp_path, "check")
    case.explains = True
    case.add([leaking(20)])
    case.add([leaking(21), leaking(22)])
    outcome = case.outcome(0)
    assert outcome.status == "regression"
    details = "\n".join(outcome.details)
    assert "has neither the old program of 'leaker' nor a profile" in details
    assert "pytest test_it.py::test_leaker --buto-train --buto-why" in details
