"""In which order programs are launched that are compared: one of the balanced ones, each as likely."""

from __future__ import annotations

import secrets
from collections import Counter
from pathlib import Path

import pytest
from scipy.stats import chi2

from buto.actions import collecting
from buto.actions.collecting import collect
from buto.actions.compare import CompareRequest, compare, two_programs
from buto.judging import registry
from buto.judging.judge_settings import CALIBRATED
from buto.judging.orders import balanced_orders
from buto.run.model import IN_TURNS, Run
from tests.support.projects import project_in
from tests.support.runs.qualities import starved
from tests.support.runs.scripted import Script
from tests.support.runs.stored import leaking_run

N_EACH = 5


def test_every_order_is_equally_likely() -> None:
    """Of 4,000 draws; of fair ones, one in 1000 is not accepted."""
    comparison = registry.comparison(CALIBRATED, runs=N_EACH)
    drawn = Counter(comparison.order(seed) for seed in range(4000))
    every = {tuple(order) for order in balanced_orders(N_EACH).is_new.tolist()}
    expected = drawn.total() / len(every)
    distance = sum((drawn[order] - expected) ** 2 for order in every) / expected
    assert drawn.keys() <= every
    assert distance < chi2.ppf(0.999, len(every) - 1)


def launched(
    directory: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    disturbed: int = -1,
    n_each: int | None = None,
) -> tuple[list[str], list[Run]]:
    """The tests in the order of their launches, and the stored runs.

    Args:
        disturbed: which run of the new program is starved; none by default.
        n_each: how many runs of each are asked for; None for as many as decide.
    """
    monkeypatch.setattr(secrets, "randbits", lambda n_bits: seed)
    runs = {
        name: [
            leaking_run(number, quality=starved())
            if (name, number) == ("new", disturbed)
            else leaking_run(number)
            for number in range(12)
        ]
        for name in ("old", "new")
    }
    script = Script(runs)
    monkeypatch.setattr(collecting, "collect", script.collect)
    request = CompareRequest(two_programs("old", "new", (("java", "Old"), ("java", "New"))), runs=n_each)
    project = project_in(directory)
    (result,) = compare(project, request).results
    assert result.status == "pass", result.error
    return script.launched, [run for name in runs for run in project.store.load_set(name)]


def named(seed: int) -> list[str]:
    return ["new" if is_new else "old" for is_new in registry.comparison(CALIBRATED).order(seed)]


@pytest.mark.parametrize("seed", [0, 1, 13])
def test_programs_that_are_compared_are_launched_in_such_an_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Equal programs are seen to be equal after eight launches, thirteen or all."""
    order, runs = launched(tmp_path, monkeypatch, seed)
    assert len(order) in (8, 13, 20)
    assert order == named(seed)[: len(order)]
    assert {run.metadata[IN_TURNS] for run in runs} == {f"10:{seed}"}


def test_runs_of_a_given_number_say_that_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, runs = launched(tmp_path, monkeypatch, 1, n_each=10)
    assert len(order) == 20
    assert {run.metadata[IN_TURNS] for run in runs} == {"10:1:exactly"}


def test_a_disturbed_launch_is_repeated_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Appended at the end, the launches would have an order that was not drawn."""
    order, _ = launched(tmp_path, monkeypatch, 1, disturbed=1)
    expected = named(1)
    place = [place for place, name in enumerate(expected) if name == "new"][1]
    expected.insert(place, "new")
    assert order == expected[: len(order)]
    assert collect is not collecting.collect
