"""Programs by another hand: what their author wrote, how versions are built, how answers are counted."""

from __future__ import annotations

import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from beds.hand import probe, tables
from beds.hand.__main__ import SEED, _is_wrong
from beds.hand.catalogue import BASE, BETTER, HERE, JAR, LARGE, SETS, SMALL, VERSIONS, Program, programs
from beds.hand.trial import RELEASES, Said, key_of, plan

PROGRAMS = programs()
PROGRAM = Program("shop", "plain", "threads")


def said(version: str, verdict: str, subject: str = "", number: int = 0, **more: bool) -> Said:
    usual = {"is_welcome": False}
    return Said(
        "shop",
        17,
        version,
        number,
        verdict,
        **(usual | more),
        property=subject,
        line="",
        launches=1,
        seconds=1.0,
    )


def test_every_program_is_described_and_none_is_left_over() -> None:
    assert Counter(program.set for program in PROGRAMS.values()) == dict.fromkeys(SETS, 16)
    for kind in SETS:
        ours = {program.name for program in PROGRAMS.values() if program.set == kind}
        assert {path.name for path in (HERE / kind).iterdir()} == ours


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=lambda program: program.name)
def test_a_resource_is_one_that_can_be_compared(program: Program) -> None:
    assert {program.resource, *program.also} <= set(tables.OF_A_RESOURCE)
    assert program.resource not in program.also


def test_every_version_is_planned_on_every_jdk_and_the_unchanged_one_twice() -> None:
    order = plan([PROGRAM], SEED)
    assert len(set(order)) == len(order) == (len(VERSIONS) + 1) * len(RELEASES)
    assert Counter(version for _, _, version, _ in order)[BASE] == 2 * len(RELEASES)


@pytest.mark.all
@pytest.mark.jvm
def test_the_versions_of_a_program_print_the_same(tmp_path: Path) -> None:
    outputs = set()
    for version in VERSIONS:
        PROGRAMS["batch"].lay(version, tmp_path)
        done = subprocess.run(
            ["java", "-jar", JAR], cwd=tmp_path, capture_output=True, check=True, timeout=120
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("check", "is_wrong"),
    [
        (said(BASE, "pass"), False),
        (said(BASE, "regression", "jvm.thread.count"), True),
        (said(SMALL, "pass"), True),
        (said(SMALL, "regression", "jvm.thread.count"), False),
        (said(SMALL, "regression", "jvm.memory.allocated"), True),
        (said(LARGE, "regression", "jvm.thread.count", is_welcome=True), True),
        (said(BETTER, "regression", "jvm.thread.count", is_welcome=True), False),
        (said(BETTER, "regression", "jvm.thread.count"), True),
    ],
)
def test_what_the_author_would_not_say_is_wrong(check: Said, is_wrong: bool) -> None:
    assert _is_wrong(check, PROGRAM) is is_wrong


def test_what_the_author_accepts_as_well_is_not_wrong() -> None:
    check = said(SMALL, "regression", "jvm.memory.allocated")
    accepting = replace(PROGRAM, also=("allocated memory",))
    assert not _is_wrong(check, accepting)
    (row,) = tables.rows([check], {"shop": accepting}, {})
    assert row[4:6] == ("0 of 1", "1 of 1")


def test_a_table_counts_what_fails_and_what_is_named_truly() -> None:
    checks = [
        said(BASE, "pass"),
        said(BASE, "pass", number=1),
        said(SMALL, "pass"),
        said(LARGE, "regression", "jvm.thread.started"),
        replace(said(BETTER, "regression", "jvm.memory.allocated"), is_welcome=True),
    ]
    probed = {("shop", version): {"threads_started": 10.0} for version in VERSIONS}
    probed["shop", LARGE] = {"threads_started": 20.0}
    by_kind = {row[0]: row[1:] for row in tables.rows(checks, {"shop": PROGRAM}, probed)}
    assert by_kind["unchanged"][:2] == ("2", "0 (0%), 95%: at most 77.6%")
    assert by_kind["small"][:4] == ("1", "0 (0%)", "0", "0 of 0")
    assert by_kind["large"][:6] == ("1", "1 (100%)", "0", "1 of 1", "1 of 1", "1 of 1")
    assert by_kind["better"][:6] == ("1", "1 (100%)", "1", "0 of 1", "0 of 1", "0 of 1")
    assert tables.by_resource(checks, {"shop": PROGRAM}) == [("threads", "0 of 1", "1 of 1")]
    assert len(set(map(key_of, checks))) == len(checks)


@pytest.mark.parametrize(
    ("subject", "counted", "is_shown"),
    [
        ("jvm.thread.count", {"threads_peak": 21.0}, True),
        ("jvm.thread.count", {"threads_peak": 20.9}, False),
        ("jvm.thread.count", {}, False),
        ("jvm.lock.contended", {"threads_peak": 40.0}, False),
    ],
)
def test_the_probe_shows_what_moved_by_a_size(
    subject: str, counted: dict[str, float], is_shown: bool
) -> None:
    medians = {("shop", BASE): {"threads_peak": 20.0}, ("shop", LARGE): counted}
    assert probe.is_shown(said(LARGE, "regression", subject), medians) is is_shown


def test_what_came_from_nothing_is_shown() -> None:
    medians = {("shop", BASE): {"direct": 0.0}, ("shop", LARGE): {"direct": 1.0}}
    check = said(LARGE, "regression", "jvm.buffer.memory.used[direct]")
    assert probe.is_shown(check, medians)
    assert not probe.is_shown(check, {key: {"direct": 0.0} for key in medians})


def test_the_probe_has_medians_of_each_program() -> None:
    assert {name for name, _ in probe.read_probe()} == set(PROGRAMS)
