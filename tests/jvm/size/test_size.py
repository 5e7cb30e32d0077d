"""How much memory real programs need: one of known need, one whose heap is too small, one over its limit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from buto import schemas
from buto.run.store import RunStore
from tests.support.processes.command import called
from tests.support.processes.sample_project import compile_sample

MIB = 1 << 20
KEPT, DIRECT = 48, 24

NEEDS = """
public class Needs {
    static java.nio.ByteBuffer direct; // A local one could be collected before the loop has ended.

    public static void main(String[] words) {
        byte[][] kept = new byte[Integer.parseInt(words[0]) << 4][];
        for (int place = 0; place < kept.length; place++) kept[place] = new byte[1 << 16];
        direct = java.nio.ByteBuffer.allocateDirect(Integer.parseInt(words[1]) << 20);
        long sum = direct.capacity();
        for (int n = 0; n < 300_000; n++) {
            byte[] garbage = new byte[4096];
            for (int place = 0; place < garbage.length; place += 4) garbage[place] = (byte) n;
            kept[n % kept.length][0] = garbage[n % garbage.length];
            sum += kept[n / 7 % kept.length][0];
        }
        System.out.println(sum);
    }
}
"""


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("needs")
    (directory / "Needs.java").write_text(NEEDS)
    compile_sample(directory)
    return directory / "classes"


def command(classes: Path, kept: int = KEPT) -> tuple[str, ...]:
    """A program that keeps so many MiB, and in the loop allocates 1.2 GiB that it does not keep."""
    java = ("java", "-XX:+UseSerialGC", "-Xms200m", "-Xmx200m", "-cp", str(classes), "Needs")
    return (*java, str(kept), str(DIRECT))


@pytest.fixture(scope="module")
def recorded(classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with six runs, and no oracle."""
    directory = tmp_path_factory.mktemp("recorded")
    called(directory, "record", "needs", "--runs", "6", "--", *command(classes), exits=0)
    return directory


def sized(directory: Path, *words: str) -> dict[str, Any]:
    """What ``buto size`` writes."""
    called(directory, "size", "needs", "--json", "size.json", *words, exits=0)
    document: dict[str, Any] = json.loads((directory / "size.json").read_text())
    jsonschema.validate(document, schemas.load("size"))
    return document


@pytest.mark.slow
def test_stored_runs_tell_what_is_needed(recorded: Path) -> None:
    before = len(RunStore(recorded / ".buto").ids("needs"))
    document = sized(recorded, "--no-launch")
    needs, parts = document["needs"], document["needs"]["parts"]
    assert len(document["runs"]) == 6
    assert needs["heap_allowed"] == 200 * MIB
    assert parts["direct"] == pytest.approx(DIRECT * MIB, rel=0.01)
    assert parts["heap"] > KEPT * MIB
    assert max(needs["peaks"]) < needs["most"]
    # All that is not the heap is the buffers and a JVM, which takes tens of MiB.
    assert DIRECT * MIB < needs["outside"] < (DIRECT + 100) * MIB
    assert (document["heap"], document["search"]) == (200 * MIB, None)
    assert document["limit"] >= 200 * MIB + needs["outside"]
    assert len(RunStore(recorded / ".buto").ids("needs")) == before


@pytest.mark.all
@pytest.mark.slow
def test_the_smallest_heap_holds_what_is_kept_and_an_error_for_lack_of_memory_is_an_answer(
    recorded: Path, classes: Path
) -> None:
    document = sized(recorded, "--", *command(classes))
    trials = document["search"]["trials"]
    assert 1 <= len(trials) <= 5
    assert document["search"]["launches"] <= 31
    # The live objects at the end are few: the middle of a MiB and 200 MiB is far below what is kept.
    assert trials[0]["heap"] < KEPT * MIB
    assert "OutOfMemoryError" in trials[0]["failure"]
    assert not trials[0]["enough"]
    assert KEPT * MIB < document["heap"] <= 200 * MIB
    assert document["limit"] > document["heap"] + DIRECT * MIB


@pytest.mark.slow
def test_a_run_over_its_limit_fails_and_within_it_passes(tmp_path: Path, classes: Path) -> None:
    text = json.dumps(list(command(classes)))
    configuration = "version: 1\ntests:\n  needs:\n    command: {}\n    limit: {}\n"
    (tmp_path / "buto.yaml").write_text(configuration.format(text, "1GiB"))
    called(tmp_path, "train", "needs", "--runs", "5", exits=0)
    (tmp_path / "buto.yaml").write_text(configuration.format(text, "64MiB"))
    called(tmp_path, "check", "needs", "--json", "check.json", exits=1)
    (result,) = json.loads((tmp_path / "check.json").read_text())["tests"]
    first = result["verdict"]["findings"][0]
    assert (first["source"], first["subject"]) == ("limit", "process.memory.peak")
    assert first["observed"] > first["upper"] == 64 * MIB


@pytest.mark.all
@pytest.mark.slow
def test_a_jvm_that_obeys_nobody_is_an_error(tmp_path: Path, classes: Path) -> None:
    """A script that takes the variable away: nothing could be said of a smaller heap."""
    script = tmp_path / "start.sh"
    script.write_text(f"#!/bin/sh\nunset _JAVA_OPTIONS\nexec {' '.join(command(classes, 8))}\n")
    script.chmod(0o755)
    called(tmp_path, "record", "needs", "--runs", "5", "--", str(script), exits=0)
    called(tmp_path, "size", "needs", "--", str(script), exits=3)
    called(tmp_path, "size", "needs", "--no-launch", exits=0)
