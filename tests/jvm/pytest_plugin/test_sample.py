"""The sample project: passes, fails after a change, passes after the change was accepted."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from buto.run.store import RunStore
from tests.support.judging import know_a_busy_machine, without_turns
from tests.support.processes.sample_project import compile_sample, run_pytest

ORDERS = "test_shop.py::test_orders"
NAME = "test_shop.test_orders"


@pytest.mark.all
def test_it_passes_fails_after_a_change_and_passes_when_accepted(
    lenient: Path,
) -> None:
    project = lenient
    trained = run_pytest(project, ORDERS, "--buto-train")
    assert trained.returncode == 0, trained.stdout
    assert f"TRAINED  {NAME}: 5 runs, oracles/{NAME}.json" in trained.stdout
    learned = (project / "oracles" / f"{NAME}.json").read_text()
    assert json.loads(learned)["judge"]["method"] == "calibrated"
    assert json.loads(learned)["target"]["command"][-3:] == ["classes", "Shop", "60"]
    assert str(project) not in learned

    unchanged = run_pytest(project, ORDERS, "-v")
    assert unchanged.returncode == 0, unchanged.stdout
    # By one run, or by three if the first was not ordinary.
    assert f"PASS  {NAME}: the " in unchanged.stdout

    know_a_busy_machine(project / "oracles" / f"{NAME}.json")
    without_turns(project / "oracles" / f"{NAME}.json")
    source = project / "Shop.java"
    source.write_text(source.read_text().replace("20_000", "400_000"))
    compile_sample(project)
    changed = run_pytest(project, ORDERS, "--junitxml", "junit.xml")
    assert changed.returncode == 1, changed.stdout
    assert "REGRESSION test_shop.py::test_orders - fails for " in changed.stdout
    assert "Traceback" not in changed.stdout
    assert f"  next: pytest {ORDERS} --buto-accept  # if the change is meant" in changed.stdout
    failure = ElementTree.parse(project / "junit.xml").find(".//failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("fails for ")
    assert "--buto-accept" in (failure.text or "")
    assert "-- buto --" in changed.stdout

    accepted = run_pytest(project, ORDERS, "--buto-accept")
    assert accepted.returncode == 0, accepted.stdout
    learned_from = f"ACCEPTED  {NAME}: 5 runs, 3 of them judged before, oracles/{NAME}.json"
    assert learned_from in accepted.stdout, accepted.stdout
    assert f"  {NAME}: " in accepted.stdout, "number by number"
    assert " numbers changed by more than runs vary" in accepted.stdout
    passed = run_pytest(project, ORDERS)
    assert passed.returncode == 0, passed.stdout
    assert sorted(path.suffix for path in (project / "oracles").iterdir()) == [".json", ".numbers"]


def test_a_test_drives_the_program_while_it_is_measured(blunt: Path) -> None:
    project = blunt
    (project / "test_zzz.py").write_text(
        "import sys\n\n\ndef test_no_jvm_lives_in_this_process():\n    assert 'jpype' not in sys.modules\n"
    )
    driven = ("test_shop.py::test_service", "test_zzz.py")
    trained = run_pytest(project, *driven, "--buto-train")
    assert trained.returncode == 0, trained.stdout
    checked = run_pytest(project, *driven)
    assert checked.returncode == 0, checked.stdout
    store = RunStore(project / ".buto")
    runs = store.load_set("test_shop.test_service").valid()
    assert len(runs) >= 6
    for run in runs:
        assert [one.type for one in run.notifications] == ["buto.mark.load.start", "buto.mark.load.end"]
        start_s, end_s = (one.time_s for one in run.notifications)
        assert 0 < start_s < start_s + 0.4 < end_s < run.times_s[-1]
        assert run.outcome.exit_code == 143
    assert json.loads((project / "oracles" / "test_shop.test_service.json").read_text())["target"] == {}
