"""The programs with known regressions: their table, the draw, and when each version is recorded."""

from collections import Counter
from itertools import pairwise

import pytest

from beds.unseen.catalogue import N_TUNING, SOURCES, draw, halves, programs
from beds.unseen.recording import ROUNDS, runs_after, variant
from beds.unseen.verify import MEASURES

PROGRAMS = programs()


def test_every_program_is_described_and_none_is_left_over():
    assert {path.name for path in SOURCES.iterdir()} == {*PROGRAMS, "measure"}
    assert len(PROGRAMS) == 16
    assert sum(len(program.refactorings) for program in PROGRAMS.values()) == 40


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=lambda program: program.name)
def test_a_program_knows_the_versions_that_are_described(program):
    source = (SOURCES / program.name / "Main.java").read_text()
    assert source.count('case "') == len(program.versions)
    assert all(f'case "{version}" ->' in source for version in program.versions)


def test_regressions_are_of_many_kinds():
    kinds = Counter(program.kind for program in PROGRAMS.values())
    assert kinds == Counter(
        heap=4, allocation=3, cpu=2, threads=2, classes=1, descriptors=1, native=1, locks=1, io=1
    )
    assert set(kinds) <= set(MEASURES)


def test_the_written_draw_is_that_of_its_seed():
    drawn = draw(PROGRAMS)
    assert halves() == {name: half for half, names in drawn.items() for name in names}
    assert [len(drawn["tuning"]), len(drawn["apart"])] == [N_TUNING, 16 - N_TUNING]
    n_refactorings = {half: sum(len(PROGRAMS[name].refactorings) for name in drawn[half]) for half in drawn}
    assert n_refactorings == {"tuning": 20, "apart": 20}


@pytest.mark.parametrize("runs", [3, 4, 16])
@pytest.mark.parametrize("phase", [0, 7, 15])
def test_runs_of_a_version_are_spread_over_all_rounds(runs, phase):
    after = [runs_after(round_, runs, phase) for round_ in range(ROUNDS + 1)]
    assert (after[0], after[-1]) == (0, runs)
    assert {later - earlier for earlier, later in pairwise(after)} <= {0, 1}


def test_a_base_is_recorded_under_the_name_of_its_program():
    assert [variant("csv", version) for version in ("base", "r1")] == ["csv", "csv-r1"]
