"""Counters as the PetShop data set has them, of known truth; ``petshop`` without its data."""

import json

import numpy as np
import pandas as pd
import pytest

from buto.errors import BadFileError
from buto_replications.clusters.outside import LENGTH, outside_separations, traffics
from tests.support.processes.command import called

SERVICES = ("PetSite", "search", "list", "table")
N_ISSUES, NOTICED = 6, 2
START_S = 1_700_000_000


def table(random, n_observations, start_s, since=None, service=None, spared=()):
    """Return counters that follow the load; one service is twice as slow since an observation."""
    load = random.uniform(80, 120, n_observations)
    columns = {}
    for place, name in enumerate(SERVICES, 1):
        latency = load * place / 1000 * random.normal(1, 0.01, n_observations)
        if name == service:
            latency[since:] *= 2
        columns[name, "latency", "Average"] = latency
        columns[name, "latency", "p99"] = 3 * latency
        columns[name, "requests", "Sum"] = np.round(load * place)
    for name in spared:
        columns[name, "latency", "Average"][:] = np.nan
    times = start_s + 300.0 * np.arange(n_observations)
    return pd.DataFrame(columns, index=pd.Index(times, name="unix_timestamp")).rename_axis(
        columns=["microservice", "metric", "statistic"]
    )


def write(frame, directory):
    directory.mkdir(parents=True)
    frame.to_csv(directory / "metrics.csv")


@pytest.fixture
def checkout(tmp_path):
    random = np.random.default_rng(1)
    place = tmp_path / "dataset" / "low_traffic"
    write(table(random, 60, START_S, spared=("table",)), place / "noissue")
    for number in range(N_ISSUES):
        service = SERVICES[1 + number % 2]
        start_s = START_S - 1000 * (5 + number)
        directory = place / ("test" if number else "train") / f"issue_{number}"
        write(table(random, 5, start_s, NOTICED, service), directory)
        target = {
            "target": {"timestamp": start_s + 300 * NOTICED - 1},
            "root_cause": {"node": service},
            "metadata": {"reproducibility": {"command": f"delay {number}"}},
        }
        (directory / "target.json").write_text(json.dumps(target))
    return tmp_path


def test_a_run_before_an_issue_was_noticed_and_one_after_it(checkout):
    [traffic] = traffics(checkout)
    assert traffic.name == "low traffic"
    assert len(traffic.usual) == 10
    assert {run.shape for run in traffic.usual} == {(LENGTH, len(traffic.counters))}
    # What is rarely read in training is left out, and so are percentiles.
    assert "table_latency_Average" not in traffic.counters
    assert not [name for name in traffic.counters if "p99" in name]
    assert traffic.counters[traffic.front] == "PetSite_requests_Sum"
    assert {issue.kind for issue in traffic.issues} == {"search: delay ", "list: delay "}
    column = traffic.counters.index("search_latency_Average")
    delayed = [issue for issue in traffic.issues if issue.kind.startswith("search")]
    assert all(delay.since[:, column].mean() > 1.5 * delay.before[:, column].mean() for delay in delayed)


def test_a_delay_is_told_from_what_was_before_it(checkout):
    found = {separation.method: separation for separation in outside_separations(checkout)}
    assert {separation.cases for separation in found.values()} == {(N_ISSUES, 2)}
    assert found["cut by the textbook"].area[0] == found["t-test, Bonferroni"].area[0] == 1.0


def test_an_issue_without_a_description_and_a_front_end_without_requests_are_refused(checkout):
    place = checkout / "dataset" / "low_traffic"
    target = place / "test" / "issue_1" / "target.json"
    usual = target.read_text()
    target.write_text("{}")
    with pytest.raises(BadFileError, match=r"issue_1/target.json does not describe an issue"):
        traffics(checkout)
    target.write_text(usual)
    for path in place.rglob("metrics.csv"):
        path.write_text(path.read_text().replace("PetSite", "Other"))
    with pytest.raises(BadFileError, match="no requests of PetSite"):
        traffics(checkout)


def test_another_directory_is_refused(tmp_path):
    with pytest.raises(BadFileError, match="no dataset"):
        traffics(tmp_path)


def test_without_its_data_it_says_where_they_are(tmp_path, checkout):
    done = called(tmp_path, "experiments", "run", "petshop")
    assert (done.returncode, done.stdout) == (2, "")
    assert "git clone https://github.com/amazon-science/petshop-root-cause-analysis" in done.stderr
    done = called(tmp_path, "experiments", "run", "petshop", "--data", str(checkout))
    assert done.returncode == 0, done.stderr
    assert "low traffic" in done.stdout
