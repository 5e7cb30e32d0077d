"""``buto experiments run rpc`` on made-up scenarios."""

import csv
import re

from replications.tests.support.remote_calls import write_scenario, write_systems
from tests.support.processes.command import called


def test_tables_are_printed_and_rows_are_written(tmp_path):
    write_systems(tmp_path / "data")
    options = ("--data", "data", "--out", "results", "--workers", "1")
    done = called(tmp_path, "experiments", "run", "rpc", *options)
    assert done.returncode == 0, done.stderr
    pattern = r"^ *trainticket +with delays +2 +1 found, 1 rightly quiet$"
    assert re.search(pattern, done.stdout, re.MULTILINE)
    rows = list(csv.DictReader((tmp_path / "results" / "rpc.csv").read_text().splitlines()))
    assert [(row["system"], row["delays"]) for row in rows] == [
        (system, delay) for system in ("eshopper", "trainticket") for delay in "012"
    ]
    assert "left out" not in done.stderr


def test_delays_with_too_few_requests_are_counted(tmp_path):
    data = write_systems(tmp_path / "data")
    write_scenario(data / "eshopper" / "001.csv", delayed=10)
    done = called(tmp_path, "experiments", "run", "rpc", "--data", "data", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "2 of 6 comparisons are left out: fewer than 20 requests on one side" in done.stderr


def test_without_data_it_says_where_they_are(tmp_path):
    done = called(tmp_path, "experiments", "run", "rpc")
    assert done.returncode == 2
    assert "git clone https://github.com/SpencerLabAQ/icpe-data-challenge-delag" in done.stderr
