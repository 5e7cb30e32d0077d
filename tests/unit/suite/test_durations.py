"""A test that becomes much slower is noticed, and never by chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import durations
from tests.support.checkout import ROOT
from tests.support.serial import SERIAL

pytest_plugins = ["pytester"]

KNOWN = {f"test_it.py::test_{number}": 2.0 for number in range(20)}
ONE = "test_it.py::test_0"


@pytest.mark.parametrize(
    ("test", "seconds", "noticed"),
    [
        (ONE, 13.0, True),
        (ONE, 11.0, False),
        ("test_it.py::test_new", 61.0, True),
        ("test_it.py::test_new", 59.0, False),
        ("test_it.py::test_new setup", 900.0, False),
    ],
    ids=["fourfold", "within the floor", "unrecorded", "unrecorded and short", "set-up"],
)
def test_what_takes_clearly_longer_is_noticed(test: str, seconds: float, noticed: bool) -> None:
    assert durations.grown(KNOWN, {**KNOWN, test: seconds}, 1.0) == [test] * noticed


def test_a_slow_machine_is_no_reason() -> None:
    slow = {test: 9 * seconds for test, seconds in KNOWN.items()}
    assert durations.slowness(KNOWN, slow) == 9
    assert durations.grown(KNOWN, slow, durations.slowness(KNOWN, slow)) == []
    assert durations.grown(KNOWN, {**slow, ONE: 150.0}, 9.0) == [ONE]


def test_few_tests_say_nothing_about_the_machine() -> None:
    assert durations.slowness(KNOWN, {ONE: 20.0}) == 1


def test_a_test_is_known_where_ever_its_file_moves() -> None:
    case = "test_it.py::test_it[a/b::c]"
    assert durations.name(f"tests/unit/{case}") == durations.name(f"predict/tests/{case}") == case


SLOWER = """\
import time
from pathlib import Path

def test_it():
    again = Path("again")
    if {always} or not again.exists():
        time.sleep(0.3)
    again.touch()
"""


@pytest.mark.parametrize("always", [True, False])
def test_only_what_is_slow_twice_fails_a_run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, always: bool
) -> None:
    pytester.makepyfile(SLOWER.format(always=always))
    pytester.makeconftest((ROOT / "conftest.py").read_text(encoding="utf-8"))
    monkeypatch.setattr(durations, "ROOT", pytester.path)
    monkeypatch.setattr(durations, "UNRECORDED_S", 0.25)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    done = pytester.inline_run("--check-durations")
    assert done.ret == (pytest.ExitCode.TESTS_FAILED if always else pytest.ExitCode.OK)
    assert Path("again").exists()


def test_every_serial_place_has_tests() -> None:
    for place in SERIAL:
        assert list(ROOT.glob(place.rstrip("/") + ("/test_*.py" if place.endswith("/") else ""))), place
