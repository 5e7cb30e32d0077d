"""Calls and their bytes are counted exactly, in methods of every shape, and the program does what it did."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from buto.causes.calls import Count, count_calls
from buto.errors import MeasureError
from buto.measure.target import Target
from tests.support.checkout import compile_java

CALLS = {
    "Called.<init>": 20,
    "Called.shape": 10,
    "Called.loop": 7,
    "Called.caught": 10,
    "Called.thrown": 10,
    "Called.lambda$main": 10,
    "Called$#.applyAsInt": 10,
    "Called.main": 1,
    "Called.missing": 0,
    "Missing.main": 0,
}

OF_1000 = 1016
"""Bytes of an array of so many, with its head."""

ALLOCATED = {
    "Called.thousand": Count(40, 40, 40 * OF_1000),
    "Called.twice": Count(20, 20, 40 * OF_1000),
    # Five calls of itself belong to the outermost one.
    "Called.deep": Count(100, 100, 100 * OF_1000),
    # Half of these end by an exception.
    "Called.refuse": Count(20, 20, 20 * OF_1000),
    "Called$Filled.<init>": Count(20, 20, 20 * OF_1000),
}
"""In two threads."""


def test_methods_of_every_shape_are_counted_and_do_what_they_did(
    java: str, classes: Path, tmp_path: Path
) -> None:
    command = (java, "-Xverify:all", "-cp", os.fspath(classes), "Called")
    plain = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    printed = tmp_path / "printed"
    shell = ("sh", "-c", f'"$@" > {printed}', "sh", *command)
    counted = count_calls(Target(shell, timeout_s=60), (*CALLS, *ALLOCATED, "Called.often"))
    assert printed.read_text() == plain
    assert {name: counted[name].calls for name in CALLS} == CALLS
    assert counted["Called.missing"].each is None
    assert {name: counted[name] for name in ALLOCATED} == ALLOCATED
    often = counted["Called.often"]
    assert (often.calls, often.measured) == (150_000, 100_000)
    # As the JVM compiles a method, the thread that calls it allocates its strings: once.
    assert often.each == pytest.approx(24, abs=0.1)


def test_counts_of_a_program_that_halts_are_missing_and_not_zero(java: str, tmp_path: Path) -> None:
    source = tmp_path / "Halts.java"
    source.write_text(
        "class Halts { public static void main(String[] words) { Runtime.getRuntime().halt(0); } }"
    )
    compile_java(tmp_path, [source])
    with pytest.raises(MeasureError, match="halted before its counts were written"):
        count_calls(Target((java, "-cp", os.fspath(tmp_path), "Halts"), timeout_s=60), ["Halts.main"])
