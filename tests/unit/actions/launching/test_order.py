"""In which order programs are launched that are compared: every order is equally likely."""

from __future__ import annotations

import secrets
from collections import Counter
from math import comb
from pathlib import Path

import pytest
from scipy.stats import chi2

from buto.actions import collecting
from buto.actions.collecting import shuffled
from buto.actions.compare import CompareRequest, compare, two_programs
from tests.support.projects import project_in
from tests.support.runs.scripted import Script
from tests.support.runs.stored import leaking_run

N_EACH = 3
N_ORDERS = comb(2 * N_EACH, N_EACH)


def is_uniform(orders: Counter[str]) -> bool:
    """Return whether counts of all orders are as a fair draw gives them; of fair ones, one in 1000 is not."""
    expected = orders.total() / N_ORDERS
    distance = sum((count - expected) ** 2 for count in orders.values()) / expected
    return len(orders) == N_ORDERS and distance < chi2.ppf(0.999, N_ORDERS - 1)


def test_every_order_is_equally_likely() -> None:
    planned = {"old": N_EACH, "new": N_EACH}
    assert is_uniform(Counter(" ".join(shuffled(planned, seed)) for seed in range(4000)))


@pytest.mark.parametrize(("seed", "n_launched"), [(1, 8), (0, 13), (13, 20)])
def test_programs_that_are_compared_are_launched_in_such_an_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, n_launched: int
) -> None:
    """The order decides how soon equal programs are seen to be equal."""
    monkeypatch.setattr(secrets, "randbits", lambda n_bits: seed)
    script = Script({name: [leaking_run(number) for number in range(10)] for name in ("old", "new")})
    monkeypatch.setattr(collecting, "collect", script.collect)
    request = CompareRequest(two_programs("old", "new", (("java", "Old"), ("java", "New"))))
    (result,) = compare(project_in(tmp_path), request).results
    assert result.status == "pass", result.error
    assert script.launched == shuffled({"old": 10, "new": 10}, seed)[:n_launched]
