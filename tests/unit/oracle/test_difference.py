"""The reported differences of two oracles, for oracles of known truth."""

from dataclasses import replace

import pytest

from buto.judging.configuration import settings_from
from buto.judging.judge_settings import CALIBRATED
from buto.judging.thesis.detector import THESIS
from buto.judging.verdict import Effect
from buto.oracle import train
from buto.oracle.check import VARIES, Changed, surroundings
from buto.oracle.difference import difference
from buto.report.terminal.oracle import change_lines
from buto.run.model import Notification, run_set
from buto.run.properties import property_for
from tests.support.runs.signals import Program, made, make_run, program_run

HEAP = "jvm.memory.heap.used"


def learned(first, program=None, settings=THESIS, count=10, target=None, **metadata):
    runs = [program_run(5, first + number, program or Program()) for number in range(count)]
    runs = [replace(run, metadata={**run.metadata, **metadata}) for run in runs]
    return train(run_set(runs), settings, target=target)


def moved(rows):
    return {row.subject for row in rows if row.has_moved}


@pytest.mark.parametrize("settings", [CALIBRATED, THESIS], ids=lambda settings: settings.method)
def test_learning_an_unchanged_program_again_moves_next_to_nothing(settings):
    rows = difference(learned(0, settings=settings), learned(100, settings=settings))
    assert len(moved(rows)) <= 1
    assert {row.subject for row in rows} >= {HEAP, "jvm.cpu.time"}


@pytest.mark.parametrize("settings", [CALIBRATED, THESIS], ids=lambda settings: settings.method)
def test_a_change_is_reported_by_size_and_whether_it_is_welcome(settings):
    rows = difference(learned(0, settings=settings), learned(100, Program(threads=4), settings))
    first = rows[0]
    number = "mean" if settings is THESIS else "largest"
    assert (first.subject, first.number, first.effect) == ("jvm.thread.count", number, Effect.WORSE)
    assert first.change == pytest.approx(4, abs=0.2)
    assert first.old.lower <= first.old.expected <= first.old.upper
    (back,) = [
        row
        for row in difference(learned(100, Program(threads=4), settings), learned(0, settings=settings))
        if row.subject == first.subject
    ]
    assert (back.change, back.effect) == (-first.change, Effect.BETTER)


def test_the_one_that_moved_furthest_by_what_runs_scatter_comes_first():
    steps = [row.steps for row in difference(learned(0), learned(100, Program(threads=1, work=1.5)))]
    assert steps == sorted(steps, reverse=True)


def test_counters_are_reported_by_their_total_and_gauges_by_their_largest_value():
    old, new = (learned(first, settings=CALIBRATED) for first in (0, 100))
    numbers = {row.subject: row.number for row in difference(old, new)}
    assert (numbers["jvm.cpu.time"], numbers[HEAP], numbers["run.duration"]) == ("total", "largest", "total")


def test_runs_that_scatter_more_make_a_wider_band():
    def oracle(scatter):
        return train(made(8, lambda number: [1000.0 + scatter * (number % 4)] * 10))

    def width(old, new):
        (row,) = [row for row in difference(oracle(old), oracle(new)) if row.subject == "jvm.class.count"]
        return row.is_wider, row.is_narrower

    assert (width(10, 40), width(40, 10), width(40, 50)) == ((True, False), (False, True), (False, False))


def test_properties_that_one_oracle_lacks_are_there_with_the_reason():
    columns = {"jvm.class.count": [1.0] * 3, "mbean[a]/X": [2.0] * 3}
    both = train(run_set([make_run(number, [0, 1, 2], columns) for number in range(5)]))
    unread = [
        make_run(number, [0, 1, 2], {**columns, "mbean[a]/X": [float("nan")] * 3}) for number in range(5)
    ]
    lacking = train(run_set([replace(run, nan_reasons={"mbean[a]/X": "no such bean"}) for run in unread]))
    (gone,) = [row for row in difference(both, lacking) if row.new is None]
    assert (gone.subject, gone.old.expected) == ("mbean[a]/X", 2.0)
    assert "no such bean" in gone.reason
    (added,) = [row for row in difference(lacking, both) if row.old is None]
    assert (added.subject, added.new.expected, added.has_moved) == ("mbean[a]/X", 2.0, False)


def test_how_often_notifications_come_is_reported():
    def oracle(count):
        notified = tuple(
            Notification(0.1 * number, "done", "a:type=B", number, "") for number in range(count)
        )
        return train(run_set([replace(run, notifications=notified) for run in made(5, lambda _: [1.0] * 40)]))

    (row,) = [row for row in difference(oracle(4), oracle(6)) if row.unit == "{notification}"]
    assert (row.subject, row.old.expected, row.new.expected) == ("done from a:type=B", 4, 6)
    assert row.has_moved


def test_nothing_beside_the_numbers_changes_by_itself():
    assert surroundings(learned(0), learned(100)) == ()


def test_program_judgement_number_of_runs_and_environment_are_reported():
    stricter = settings_from({"method": "thesis", "thesis": {"deviations": 3}})
    old = learned(0, target={"command": ["java", "Main"], "interval": "1s"})
    new = learned(100, settings=stricter, count=8, target={"command": ["java", "New"]}, **{"host.cores": 8})
    assert surroundings(old, new) == (
        Changed("target", "command", "java Main", "java New"),
        Changed("target", "interval", "1s", None),
        Changed("runs", "number", "10", "8"),
        Changed("judge", "deviations", "20.0", "3"),
        Changed("environment", "host.cores", "2", "8", decides=True),
    )


def test_of_another_method_the_name_is_reported_and_what_both_have():
    settings = CALIBRATED.with_value("metadata-ignored", ["a"])
    changed = surroundings(learned(0), learned(0, settings=settings))
    assert [(change.key, change.new) for change in changed[:2]] == [
        ("method", "calibrated"),
        ("metadata-ignored", "a"),
    ]
    assert {change.part for change in changed[2:]} <= {"environment"}


def test_metadata_that_vary_are_reported_as_such():
    runs = [
        replace(run, metadata={**run.metadata, "jvm.class.path": str(number % 2)})
        for number, run in enumerate(program_run(5, number) for number in range(5))
    ]
    changed = surroundings(learned(0, settings=CALIBRATED, count=5), train(run_set(runs), CALIBRATED))
    assert changed == (Changed("environment", "jvm.class.path", "app.jar", VARIES),)


def test_the_unit_is_the_property_s():
    units = {row.subject: row.unit for row in difference(learned(0), learned(100))}
    assert units[HEAP] == property_for(HEAP).unit == "By"


def test_a_certain_change_of_less_than_a_hundredth_is_counted_and_listed_only_in_full():
    """One class more of a thousand, where nothing scatters, would stand before all that matters."""
    for later, is_listed in ((1001.0, False), (1500.0, True)):
        old, new = (train(made(8, lambda _, level=level: [level] * 10)) for level in (1000.0, later))
        for max_rows, shown in ((20, is_listed), (None, True)):
            lines = [line.plain for line in change_lines(old, new, max_rows=max_rows)]
            assert any(line.startswith("  classes  ") for line in lines) is shown
