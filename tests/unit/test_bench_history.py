"""The history of benchmarks: nothing is lost, and only what is alike is compared."""

from __future__ import annotations

from pathlib import Path

from perf import history
from perf.__main__ import BENCHMARKS, HISTORY
from perf.figures import FigureSection, figure_of
from perf.history import BenchmarkEntry

HERE = "2 cores"


def entry(commit: str, measured: str, machine: str = HERE, name: str = "weight") -> BenchmarkEntry:
    return BenchmarkEntry(name, "2026-01-31", commit, machine, {"bytes": measured, f"only of {commit}": "1"})


def test_entries_are_added_and_read_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    assert history.read(path) == []
    entries = [
        entry("a", "1"),
        BenchmarkEntry.now("idle", "b", HERE, FigureSection("Idle", (figure_of("x", [2.0], "ms"),))),
    ]
    for each in entries:
        history.append(path, each)
    assert history.read(path) == entries
    assert entries[1].figures == {"x": "2.0 ms"}


def test_a_table_has_what_the_machine_of_the_newest_entry_measured() -> None:
    entries = [entry("a", "10"), entry("b", "11", "4 cores"), entry("c", "12", name="idle"), entry("d", "13")]
    written = history.table("weight", entries)
    assert "| figure | 2026-01-31 a | 2026-01-31 d |" in written
    assert "| bytes | 10 | 13 |" in written
    assert "| only of a | 1 |  |" in written
    assert "| only of d |  | 1 |" in written
    assert history.table("load", entries) == "load: not measured yet"


def test_a_table_has_only_the_newest() -> None:
    written = history.table("weight", [entry(str(number), "1") for number in range(20)])
    assert "2026-01-31 19" in written
    assert f"2026-01-31 {19 - history.SHOWN} " not in written


def test_the_file_has_figures_of_known_benchmarks() -> None:
    entries = history.read(HISTORY)
    assert {each.name for each in entries} <= {*BENCHMARKS}
    assert all(each.figures for each in entries)
