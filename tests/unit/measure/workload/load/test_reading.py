"""``workload: load`` of a configuration: what it says, and where it is wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from buto.errors import ConfigError
from buto.measure.workload.plan import Arrivals, Load, Login, Phase, RequestKind, Variable
from buto.project.config import load as load_config

HEAD = "version: 1\ntests:\n  a:\n    command: [java, Shop]\n    workload:\n      port: any\n      load:\n"
FULL = """\
        url: http://127.0.0.1:${port}/shop
        arrivals: even
        seed: 5
        interval: 500ms
        timeout: 2s
        may-fail: 0.05
        login:
          path: /login
          body: "user=admin&password=${PASSWORD}"
          keep: {token: access.token}
        variables:
          user: {from: 1, to: 20000}
          word: {one-of: [a, "${PASSWORD}"]}
        requests:
          search: {path: "/search?q=${word}", weight: 3}
          create:
            path: /users
            headers: {Authorization: "Bearer ${token}"}
            body: '{"name": "u-${n}", "like": "${user}", "cost": "$$5"}'
            status: 201
        phases:
          - {name: warm-up, rate: 10, duration: 5s}
          - {name: busy, rate: 100, duration: 1min, mix: {create: 1}}
"""
SMALL = """\
        url: http://127.0.0.1:${port}
        requests: {order: {path: /order}}
        rate: 50
        duration: 5s
"""


def read(tmp_path: Path, text: str) -> Load:
    path = tmp_path / "buto.yaml"
    path.write_text(HEAD + text)
    workload = load_config(path, {"PASSWORD": "geheim", "RATE": "30"}).tests["a"].workload
    assert workload is not None and workload.load is not None
    return workload.load


def test_everything_that_a_load_can_say(tmp_path: Path) -> None:
    assert read(tmp_path, FULL) == Load(
        url="http://127.0.0.1:${port}/shop",
        kinds=(
            RequestKind("search", "/search?q=${word}"),
            RequestKind(
                "create",
                "/users",
                "POST",
                {"Authorization": "Bearer ${token}"},
                '{"name": "u-${n}", "like": "${user}", "cost": "$5"}',
                201,
            ),
        ),
        phases=(
            Phase("warm-up", 5.0, 10.0, {"search": 3.0, "create": 1.0}),
            Phase("busy", 60.0, 100.0, {"create": 1.0}),
        ),
        arrivals=Arrivals.EVEN,
        seed=5,
        interval_s=0.5,
        timeout_s=2.0,
        login=Login(
            RequestKind("login", "/login", "POST", body="user=admin&password=geheim"),
            {"token": "access.token"},
        ),
        variables={"user": Variable(1, 20000), "word": Variable(texts=("a", "geheim"))},
        may_fail=0.05,
    )


def test_a_small_load_is_poisson_in_one_phase_without_a_mark(tmp_path: Path) -> None:
    load = read(tmp_path, SMALL)
    assert load.arrivals is Arrivals.POISSON
    assert load.phases == (Phase("", 5.0, 50.0, {"order": 1.0}),)


def test_a_load_without_rate_and_duration_has_200_requests_in_8_seconds(tmp_path: Path) -> None:
    load = read(tmp_path, SMALL.replace("        rate: 50\n        duration: 5s\n", ""))
    assert load.phases == (Phase("", 8.0, 25.0, {"order": 1.0}),)


def test_a_rate_may_be_a_range_or_a_variable_of_the_environment(tmp_path: Path) -> None:
    [phase] = read(tmp_path, SMALL.replace("rate: 50", "rate: 20..60")).phases
    assert (phase.rate, phase.rate_to) == (20.0, 60.0)
    [phase] = read(tmp_path, SMALL.replace("rate: 50", 'rate: "${RATE}"')).phases
    assert (phase.rate, phase.rate_to) == (30.0, None)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("rate: 50", "rate: 5001", "load: 25005 requests, at most 5001 per second, are too many"),
        ("duration: 5s", "duration: 10h", "load: 1800000 requests, at most 50 per second, are too many"),
        (
            "rate: 50",
            "rate: 60..20",
            "rate must be a number of requests a second above 0, or a range of them",
        ),
        ("rate: 50", "rate: fast", "rate must be a number of requests a second above 0, or a range of them"),
        ("rate: 50", "rate: 20..", "a range of them"),
        ("rate: 50", "rate: 20..5001", "25005 requests, at most 5001 per second, are too many"),
        ("rate: 50", "phases: [{name: a, rate: 1, duration: 1s}]", "give duration in each of the phases"),
        (
            "http://127.0.0.1:${port}",
            "ftp://a",
            "load: url must be an HTTP URL without a query, got 'ftp://a'",
        ),
        (
            "http://127.0.0.1:${port}",
            "http://[::1",
            "load: url must be an HTTP URL without a query, got 'http://[::1'",
        ),
        ("/order}", "order}", "load: the path of order must begin with '/', got 'order'"),
        ("/order}", '"/${GONE}"}', "unknown variable ${GONE}"),
        ("rate: 50", "rate: 50\n        variables: {n: {from: 1, to: 2}}", "the variable 'n' is given twice"),
        ("rate: 50", "rate: 50\n        variables: {a: {from: 3, to: 2}}", "must not end before it begins"),
        (
            "rate: 50",
            "rate: 50\n        variables: {a: {from: 3}}",
            "expected a variable: {from: 1, to: 100} or",
        ),
        ("/order}", "/order, verb: GET}", "unknown key 'verb' in tests.a.workload.load.requests.order"),
        ("/order}", "/order, weight: 0}", "has no request in its mix"),
        ("rate: 50", "rate: 50\n        may-fail: 2", "expected a share of requests from 0 to 1"),
        (
            "        rate: 50\n        duration: 5s\n",
            "        phases: [{name: end, rate: 1, duration: 1s}]\n",
            "a phase must not be called main or end or window.start or window.end, got 'end'",
        ),
    ],
)
def test_a_faulty_load_is_told_with_its_place(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in SMALL
    with pytest.raises(ConfigError) as error:
        read(tmp_path, SMALL.replace(old, new))
    first = error.value.message.replace(f"{tmp_path}{os.sep}", "").splitlines()[0]
    assert first.startswith("buto.yaml:")
    assert expected in first


def test_a_mix_of_unknown_requests_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"the phase busy has 'buy' in its mix, which is none of the requests"
    ):
        read(tmp_path, FULL.replace("mix: {create: 1}", "mix: {buy: 1}"))
