"""Which hosts a test asks for, and which scheduler launches."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto.engine.placement import HostLabels
from buto.errors import ConfigError
from buto.project.config import load
from buto.project.document import SCHEDULER_VARIABLE, scheduler_of

ADDRESS, OTHER = "tcp://10.0.0.1:8786", "tcp://10.0.0.2:8786"


def test_a_test_asks_for_hosts_and_remembers_it_in_its_oracle(tmp_path: Path) -> None:
    path = tmp_path / "buto.yaml"
    path.write_text(
        f"version: 1\nscheduler: {ADDRESS}\ndefaults: {{hosts: {{cpu: 'EPYC*', tag: fast}}}}\n"
        "tests:\n  a: {command: x}\n  b: {command: x, hosts: {name: bench-*, tag: [fast, x86]}}\n"
    )
    read = load(path, {})
    assert read.scheduler == ADDRESS
    assert read.tests["a"].hosts == HostLabels(cpu="EPYC*", tags=("fast",))
    assert read.tests["b"].hosts == HostLabels("bench-*", "", ("fast", "x86"))
    assert read.tests["b"].written["hosts"] == {"name": "bench-*", "tag": ["fast", "x86"]}


@pytest.mark.parametrize("hosts", ["{}", "{core: 4}", "{tag: 7}", "{cpu: ''}", "fast"])
def test_anything_else_is_refused_with_its_place(tmp_path: Path, hosts: str) -> None:
    path = tmp_path / "buto.yaml"
    path.write_text(f"version: 1\ntests:\n  a:\n    command: x\n    hosts: {hosts}\n")
    with pytest.raises(ConfigError, match=r"buto\.yaml:5:"):
        load(path, {})


@pytest.mark.parametrize(
    ("given", "variable", "configured", "expected"),
    [
        (None, "", "", ""),
        (None, "", ADDRESS, ADDRESS),
        (None, OTHER, ADDRESS, OTHER),
        ("local", OTHER, ADDRESS, "local"),
        ("none", OTHER, ADDRESS, ""),
        (None, "none", ADDRESS, ""),
    ],
)
def test_the_call_comes_before_the_variable_and_that_before_the_configuration(
    given: str | None, variable: str, configured: str, expected: str
) -> None:
    assert scheduler_of(given, configured, {SCHEDULER_VARIABLE: variable}) == expected
