"""Tables of known entries."""

from itertools import pairwise

import pytest

from buto_replications.live import clone, outside
from buto_replications.live.journal import TRAIN, JournalFinding
from buto_replications.live.parts import PARTS
from buto_replications.live.summary import furthest_move, leads_truly, placebos, tables
from buto_replications.live.ways import WAYS
from replications.tests.support.live import a_launch, an_entry


def rows(table):
    return {row[0]: dict(zip(table.heads, row, strict=True)) for row in table.rows}


def test_fails_launches_and_turns_are_counted():
    entries = [
        an_entry(action=TRAIN, launches=10),
        *(an_entry(number=number) for number in range(8)),
        an_entry("jython/class-path", 0, exit_code=1, launches=16, reached_turns=True, seconds=22.0),
        an_entry("jython/class-path", 1, exit_code=3, condition="load"),
    ]
    by_condition, by_way, by_program, failures, cost = tables("chain", entries, seed=1)
    every = rows(by_condition)["all"]
    assert (every["checks"], every["fail"], every["not judged"]) == ("10", "1 (10.0%)", "1")
    assert (every["launches"], every["seconds"], every["in turns"]) == ("2.5", "4.0", "10%")
    assert every["at most"] == "39.4%"
    assert rows(by_condition)["load"]["checks"] == "1"
    assert rows(by_way)["class-path"]["fail"] == "1 (50.0%)"
    assert set(rows(by_program)) == {"closure", "jython", "all"}
    assert [row[2] for row in failures.rows] == ["1", "3"]
    assert cost.rows == ()


@pytest.mark.parametrize("name", PARTS)
def test_a_part_without_checks_has_no_tables(name):
    assert tables(name, [an_entry(action=TRAIN)], seed=1) == []


def test_arms_are_compared_by_subject():
    alike = tuple([a_launch()] * 6)
    other = tuple([a_launch(**{"jvm.memory.allocated": 6e6})] * 6)
    entries = [
        *(an_entry(f"closure/{way}", action=TRAIN, plain=alike) for way in ("jar-relative", "wildcard")),
        an_entry("closure/jar-relative", 0, old=alike, new=other, reached_turns=True),
        an_entry("closure/wildcard", 0, old=alike, new=alike, reached_turns=True),
        an_entry("closure/manifest", 0, old=alike, new=other, reached_turns=True),
    ]
    by_subject = placebos(entries, seed=1)
    assert set(by_subject) == {"closure/jar-relative", "closure/wildcard"}
    assert by_subject["closure/jar-relative"].p_value < 0.01
    assert by_subject["closure/wildcard"].p_value == 1.0
    by_way, each, *_ = tables("placebo", entries, seed=1)
    assert rows(by_way)["jar-relative"]["unlike"] == "1"
    assert rows(by_way)["wildcard"]["unlike"] == "0"
    assert len(each.rows) == 2


def test_a_pass_that_does_not_name_the_change_is_as_if_nothing_had_happened():
    locale, zone = "locale", "time zone"
    assert {locale, zone} <= set(outside.CHANGES)
    entries = [
        an_entry(locale, 0, named=False),
        an_entry(locale, 1, named=True),
        an_entry(zone, 0, named=False, exit_code=1),
        an_entry(zone, 1, named=True, exit_code=3),
    ]
    table, _ = tables("outside", entries, seed=1)
    shown = rows(table)
    assert table.caption.startswith("outside: 1 of 4")
    assert (shown[locale]["pass"], shown[locale]["pass, said"], shown[locale]["fail"]) == ("1", "1", "0")
    assert (shown[zone]["fail"], shown[zone]["not judged"], shown[zone]["named"]) == ("1", "1", "1")


def test_the_counter_that_moves_most_is_named_with_its_factor():
    training = an_entry(action=TRAIN, plain=(a_launch(), a_launch()))
    check = an_entry(plain=(a_launch(**{"jvm.class.loaded": 250.0}),))
    assert furthest_move([training, check]) == "jvm.class.loaded × 0.25"
    assert furthest_move([check]) == ""


def test_the_first_finding_of_a_clone_is_true_or_not():
    subject = "ten threads more"
    assert subject in clone.REGRESSIONS
    true = JournalFinding("jvm.thread.count", "largest value", "more", "worse", 12.0, 2.0)
    wrong = JournalFinding("jvm.cpu.time", "total", "less", "better", 1.0, 2.0)
    leading = an_entry(subject, exit_code=1, findings=(true, wrong))
    misled = an_entry(subject, 1, exit_code=1, findings=(wrong, true))
    assert leads_truly(leading)
    assert not leads_truly(misled)
    table, _ = tables("clone", [leading, misled], seed=1)
    assert (rows(table)[subject]["true counter"], rows(table)[subject]["wrong counter"]) == ("1", "1")


def test_starts_of_the_monitor_are_counted_from_the_build_that_fills_its_window():
    entries = [an_entry(f"{name}/class-path", number) for name in ("strings", "weak") for number in range(10)]
    entries.append(an_entry("weak/class-path", 10, alarms=1, reached_turns=True, launches=16))
    starts, by_load, failures, _ = tables("builds", entries, seed=1)
    shown = rows(starts)
    assert (shown["strings"]["builds"], shown["strings"]["starts"]) == ("7", "0")
    assert (shown["weak"]["builds"], shown["weak"]["starts"], shown["weak"]["in turns"]) == ("8", "1", "1")
    assert (shown["all"]["builds"], shown["all"]["in 1,000"]) == ("15", "66.7")
    assert float(shown["all"]["at most"]) > 66.7
    assert rows(by_load)["quiet"]["checks"] == "21"
    assert failures.rows == ()


def test_builds_are_in_the_order_of_time_beside_a_load_that_stays_for_some():
    trials = PARTS["builds"].trials
    assert PARTS["builds"].in_order
    assert len(trials) >= 1000
    assert len({trial.subject for trial in trials}) >= 5
    of_one = [trial for trial in trials if trial.subject == trials[0].subject]
    assert [trial.number for trial in of_one] == list(range(len(of_one)))
    stays = sum(one.condition == other.condition for one, other in pairwise(of_one))
    assert 0.6 < stays / len(of_one) < 0.95
    assert {trial.condition for trial in of_one} == {"quiet", "load", "twice the load"}


def test_enough_is_planned():
    assert len(PARTS["turns"].trials) >= 200
    assert len(PARTS["chain"].trials) >= 400
    assert len(PARTS["elsewhere"].trials) == 40
    assert len(outside.CHANGES) == 20
    for name in ("placebo", "turns", "chain"):
        assert {trial.subject.partition("/")[2] for trial in PARTS[name].trials} == set(WAYS)
