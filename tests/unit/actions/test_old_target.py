"""What the old program is launched with: all of its own from the training, all of measuring from now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from buto.actions.old_target import old_target
from buto.errors import BadFileError, UsageError
from buto.measure.target import Extra, Use
from buto.oracle import Oracle, train
from buto.project.model import TestConfig, build_test
from buto.run.model import run_set
from tests.support.runs.stored import leaking_run

JAVA: dict[str, Any] = {"command": ["java", "-jar", "app.jar"]}


@pytest.fixture(scope="module")
def trained() -> Oracle:
    return train(run_set([leaking_run(number, test="shop") for number in range(5)]))


def known_as(trained: Oracle, target: Mapping[str, Any]) -> Oracle:
    """An oracle whose training was configured so."""
    return train(run_set([leaking_run(number, test="shop") for number in range(5)]), target=target)


def now(written: Mapping[str, Any], base: Path = Path("/project")) -> TestConfig:
    return build_test("shop", written, base, {})


def old(trained: Oracle, then: Mapping[str, Any], written: Mapping[str, Any]) -> TestConfig:
    return old_target(now(written), known_as(trained, then), Path("/project"))


def test_what_was_not_changed_is_the_present_one(trained: Oracle) -> None:
    written = {**JAVA, "environment": {"A": "1"}, "working-directory": "data"}
    assert old(trained, written, written) == now(written)
    assert old_target(now(JAVA), trained, None) == now(JAVA), "an oracle that remembers no target"


@pytest.mark.parametrize("then", [JAVA, {**JAVA, "environment": {"A": "1"}}, {}])
def test_what_the_agent_uses_more_belongs_to_the_present_program(
    trained: Oracle, then: Mapping[str, Any]
) -> None:
    present = now(JAVA)
    more = replace(present, target=replace(present.target, extra=Extra(Use.THREADS, 3)))
    assert old_target(more, known_as(trained, then), None).target.extra is None


def test_the_program_has_its_own_environment_directory_and_options(trained: Oracle) -> None:
    then = {
        **JAVA,
        "command": "java -Xmx64m -jar app.jar",
        "environment": {"CACHE_SIZE": 20, "GONE": "x"},
        "working-directory": "old",
        "jvm": "old*",
        "expect-exit": 3,
    }
    present = {**JAVA, "environment": {"CACHE_SIZE": 300, "NEW": "y"}, "working-directory": "/elsewhere"}
    target = old(trained, then, present).target
    assert target.command == ("java", "-Xmx64m", "-jar", "app.jar")
    assert target.environment == {"CACHE_SIZE": "20", "GONE": "x"}
    assert target.directory == Path("/project/old")
    assert (target.jvm, target.expected_exit) == ("old*", 3)
    back = old(trained, JAVA, {**JAVA, "working-directory": "data", "jvm": "new", "expect-exit": 1}).target
    assert (back.directory, back.jvm, back.expected_exit) == (Path("/project"), None, 0)


def test_the_present_test_says_how_to_measure(trained: Oracle) -> None:
    then = {**JAVA, "interval": "50ms", "timeout": "5s", "collector": "jmx", "environment": {"A": "1"}}
    present = {**JAVA, "interval": "20ms", "timeout": "9s", "live-set": "off"}
    found = old(trained, then, present)
    mine = now(present)
    assert found.target.environment == {"A": "1"}
    same = ("interval_s", "timeout_s", "collector", "live_set", "mbeans", "sources", "command", "directory")
    assert [getattr(found.target, name) for name in same] == [getattr(mine.target, name) for name in same]
    assert (found.window, found.workload, found.services) == (mine.window, mine.workload, mine.services)


def test_the_jdk_is_the_present_one(trained: Oracle) -> None:
    then = {"command": ["/old/bin/java", "-Xss1m", "Main"], "environment": {"PATH": "/old/bin", "A": "1"}}
    present = {"command": ["/new/bin/java", "Main"], "environment": {"PATH": "/new/bin"}}
    target = old(trained, then, present).target
    assert target.command == ("/new/bin/java", "-Xss1m", "Main")
    assert target.environment == {"PATH": "/new/bin", "A": "1"}


def test_variables_that_are_written_have_the_values_of_now(
    trained: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    then = {**JAVA, "environment": {"PLACE": "${WHERE}/old"}}
    monkeypatch.setenv("WHERE", "/now")
    assert old(trained, then, JAVA).target.environment == {"PLACE": "/now/old"}
    monkeypatch.delenv("WHERE")
    with pytest.raises(UsageError, match=r"unknown variable \$\{WHERE\}"):
        old(trained, then, JAVA)


def test_a_secret_is_that_of_now_or_nothing_is_launched(trained: Oracle) -> None:
    then = {**JAVA, "environment": {"DB_PASSWORD": "then-then", "SIZE": "1"}}
    present = {**JAVA, "environment": {"DB_PASSWORD": "now-now-now", "SIZE": "2"}}
    known = known_as(trained, then)
    assert "then-then" not in str(known.target)
    found = old_target(now(present), known, None).target
    assert found.environment == {"DB_PASSWORD": "now-now-now", "SIZE": "1"}
    with pytest.raises(UsageError, match="DB_PASSWORD of the training has a secret"):
        old_target(now(JAVA), known, None)
    with pytest.raises(UsageError, match="the command of the training has a secret"):
        old(trained, {"command": ["java", "--password", "abcdefgh", "A"]}, JAVA)


def test_a_target_that_was_damaged_is_refused(trained: Oracle) -> None:
    with pytest.raises(BadFileError, match="its target cannot be used"):
        old(trained, {**JAVA, "expect-exit": "often"}, JAVA)
