"""Programs that serve requests are judged under other rates than they were trained with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from buto.judging.verdict import Direction, Status
from buto.measure.workload import load as engine
from buto.oracle import check, settings_from, train
from buto.run.model import run_set
from buto.run.store import RunStore
from tests.support.processes.command import called

pytestmark = pytest.mark.all

LEAKER = (
    "java -Xss256k -XX:+UseSerialGC -cp ${testprograms} buto.testprograms.leaker.Leaker "
    "--at request --object thread --print-every 60s --duration 60s --leaks"
)
BY_THREADS = settings_from({"alpha": 0.05, "minimum-effect": {"*": "never", "jvm.thread.started": "1"}})
"""Started threads alone, which no machine moves: they accuse without turns. Three runs decide together."""

RATES = ((20, 30, 10, 20), (60, 40, 50, 60), (10, 30, 20, 40), (50, 20, 60, 30), (30, 40, 10, 30))
OTHER_RATES = ((20, 30, 20, 20), (50, 40, 30, 50), (30, 10, 20, 40))


def kept(leaks: int, rates: tuple[int, ...]) -> dict[str, object]:
    phases = [{"name": f"phase-{n}", "rate": rate, "duration": "300ms"} for n, rate in enumerate(rates)]
    load = {
        "url": "http://127.0.0.1:${port}",
        "interval": "150ms",
        "arrivals": "even",
        "timeout": "60s",
        "requests": {"leak": {"path": "/"}},
        "phases": phases,
    }
    return {
        "command": f"{LEAKER} {leaks}",
        "workload": {"port": "any", "load": load, "stop": True},
        "window": {"from": "load.start", "to": "load.end"},
    }


@pytest.mark.jvm
def test_a_leak_three_times_as_large_at_each_request_is_found_under_other_rates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Late requests leak, too.
    monkeypatch.setattr(engine, "MOST_LATE_S", 60.0)
    tests = {f"rates-{number}": kept(5, rates) for number, rates in enumerate(RATES)}
    tests |= {f"more-{number}": kept(15, rates) for number, rates in enumerate(OTHER_RATES)}
    (tmp_path / "buto.yaml").write_text(yaml.safe_dump({"version": 1, "tests": tests}))
    done = called(tmp_path, "record", *tests)
    assert done.returncode == 0, done.stderr
    store = RunStore(tmp_path / ".buto")
    runs = {name: replace(store.load_set(name).valid().runs[0], test="leaker") for name in tests}
    more, usual = (
        run_set([runs[name] for name in runs if name.startswith(value)]) for value in ("more", "rates")
    )
    oracle = train(usual, BY_THREADS)
    # As if others had used the whole machine in training: who else uses it now does not matter.
    verdict = check(replace(oracle, foreign_load=1.0), more)
    assert verdict.adjusted.startswith("adjusted for the load: ")
    assert verdict.status is Status.REGRESSION, verdict.reasons
    found = {finding.subject: finding for finding in verdict.findings}
    assert {finding.direction for finding in found.values()} == {Direction.MORE}
    assert "jvm.thread.started" in found
