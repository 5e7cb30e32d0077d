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
    assert "REGRESSION test_shop.py::test_orders - without turns, " in changed.stdout
    assert "Traceback" not in changed.stdout
    assert f"  next: pytest {ORDERS} --buto-accept  # if the change is meant" in changed.stdout
    failure = ElementTree.parse(project / "junit.xml").find(".//failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("without turns, ")
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
        assert [notification.type for notification in run.notifications] == [
            "buto.mark.load.start",
            "buto.mark.load.end",
        ]
        start_s, end_s = (notification.time_s for notification in run.notifications)
        assert 0 < start_s < start_s + 0.4 < end_s < run.times_s[-1]
        assert run.outcome.exit_code == 143
    assert json.loads((project / "oracles" / "test_shop.test_service.json").read_text())["target"] == {}


GROWS = """
import pytest

from buto import jars

GROWTH = ["--keeps", "{keeps}", "--marks", "yes", "--rounds", "16"]
JUDGE = {{"alpha": 0.05, "minimum-effect": {{"*": "never"}}}}


@pytest.mark.buto(judge=JUDGE, growth={growth})
@pytest.mark.buto(
    main="buto.testprograms.growth.Growth",
    classpath=[jars.path(jars.TESTPROGRAMS)],
    options=["-Xmx64m", "-XX:+UseSerialGC"],
    args=GROWTH,
)
def test_grows({fixture}):
    pass
"""


@pytest.mark.all
@pytest.mark.parametrize(
    ("keeps", "growth", "exits"), [("static-map", {"rounds": 8}, 1), ("nothing", "never", 0)]
)
def test_the_mark_has_a_check_fail_for_what_grows(
    tmp_path: Path, keeps: str, growth: object, exits: int
) -> None:
    (tmp_path / "test_growth.py").write_text(GROWS.format(keeps=keeps, growth=repr(growth), fixture=""))
    trained = run_pytest(tmp_path, "--buto-train")
    assert trained.returncode == 0, trained.stdout
    checked = run_pytest(tmp_path)
    assert checked.returncode == exits, checked.stdout
    assert ("grows in every round" in checked.stdout) == bool(exits)
    assert ("buto grow test_growth.test_grows" in checked.stdout) == bool(exits)


def test_a_program_that_the_test_drives_cannot_be_counted_in_rounds(tmp_path: Path) -> None:
    source = GROWS.format(keeps="nothing", growth=repr("never"), fixture="buto")
    (tmp_path / "test_growth.py").write_text(source)
    failed = run_pytest(tmp_path, "--buto-train")
    assert failed.returncode == 1
    assert "only a program that buto launches itself can be counted in rounds" in failed.stdout
