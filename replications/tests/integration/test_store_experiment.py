"""``buto experiments run store`` on a tiny recording."""

import csv
import re

from beds.store.recording import INDEX
from buto_replications.store.recorded import write
from replications.tests.support.store import write_recording
from tests.support.processes.command import called


def test_tables_are_printed_and_numbers_are_written(tmp_path):
    write(write_recording(tmp_path / "made"), INDEX, tmp_path / "set")
    done = called(tmp_path, "experiments", "run", "store", "--data", "set", "--out", "results")
    assert done.returncode == 0, done.stderr
    benchmarks, unit_tests = done.stdout.split("Predicted from unit tests\n")
    assert benchmarks.startswith("Predicted from benchmarks\n")
    for printed in (benchmarks, unit_tests):
        assert re.search(r"^ *fixed load +7 of 9 .+ +1 found +1 +1 +1$", printed, re.MULTILINE)
    assert "not measured: hot-low fixed, " in done.stderr
    for tests, versions in (("jmh", {"hot-high", "same-1"}), ("junit", {"hot-high"})):
        rows = list(csv.DictReader((tmp_path / "results" / f"store-{tests}.csv").read_text().splitlines()))
        assert {row["version"] for row in rows} == versions


def test_a_recording_that_is_missing_is_named(tmp_path):
    done = called(tmp_path, "experiments", "run", "store", "--data", "set")
    assert done.returncode == 4
    assert "set/recording.tar.xz cannot be read" in done.stderr
    assert "python -m beds.store pack" in done.stderr
