"""``buto experiments run`` on a small data set of known truth, and on a full disk."""

import json
import resource
from contextlib import contextmanager

import pytest

from buto.errors import EXIT_NOT_JUDGED
from buto.run.store import RunStore
from buto_replications.checkout import CHECKOUT, DATA, checkout_of, recorded
from buto_replications.dataset import archive
from buto_replications.dataset.archive import write
from replications.tests.support.variants import a_data_set
from tests.support.checkout import ROOT
from tests.support.processes.command import buto, called

NAMES = ("time-point-generation", "kalman-classifier-tuning-averageMethod")
FILES = ("scores.csv", "notifications.csv", "claims.csv", "results.json", "page.html")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("experiments")
    store = RunStore(directory / "runs")
    for runs in a_data_set(8, ("references-strong", "references-weak"), shift=2.0).values():
        for run in runs:
            store.add(run)
    write(directory / "set", archive.pack(store))
    return directory


@pytest.mark.all
@pytest.mark.slow
def test_one_seed_gives_the_same_files_whatever_the_number_of_workers(data):
    command = ("experiments", "run", *NAMES, "--data", "set", "--seed", "7")
    alone = buto(data, *command, "--workers", "1", "--out", "alone")
    shared = buto(data, *command, "--workers", "2", "--out", "shared")
    assert alone.returncode == shared.returncode == 0, alone.stderr + shared.stderr
    assert alone.stdout == shared.stdout
    for name in FILES:
        assert (data / "alone" / name).read_bytes() == (data / "shared" / name).read_bytes()
    other = called(data, *command[:-1], "8", "--workers", "1", "--out", "other")
    assert other.returncode == 0
    assert (data / "other" / "scores.csv").read_bytes() != (data / "alone" / "scores.csv").read_bytes()

    lines = alone.stdout.splitlines()
    assert lines[0].startswith("parallel: 8 runs of each of 2 variants, 2 pairs of variants, seed 7")
    assert any(line.startswith("Table 5.3. ") for line in lines)
    assert "rounding: the thesis's own counts give accuracy 0.82, MCC 0.69." in alone.stdout
    assert lines[-1].endswith("are undecided")
    assert alone.stderr.splitlines()[-len(FILES) :] == [f"wrote alone/{name}" for name in FILES]
    assert json.loads((data / "alone" / "results.json").read_text())["hosts"][0]["seed"] == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("no-such-experiment",), 2, "invalid choice"),
        (("smoothing", "--seed", "-1"), 2, "must be a whole number, got '-1'"),
        (("smoothing", "--data", "nothing"), 4, "nothing/runs.parquet"),
        (("smoothing", "--data", "a" * 300), 4, "File name too long"),
        (("smoothing", "--data", "set", "--host", "g1"), 3, "set has no runs of the host g1"),
        (("training-set-size", "--data", "few"), 3, "usable runs are needed to train"),
    ],
)
def test_what_cannot_be_done_is_reported(data, arguments, code, message):
    if not (data / "few").exists():
        store = RunStore(data / "few-runs")
        for runs in a_data_set(3, ("references-strong", "references-weak")).values():
            for run in runs:
                store.add(run)
        write(data / "few", archive.pack(store))
    ended = called(data, "experiments", "run", *arguments, "--workers", "1")
    assert ended.returncode == code
    assert message in ended.stderr


@pytest.mark.slow
def test_without_recorded_runs_it_says_how_to_get_some(data, monkeypatch):
    monkeypatch.setattr(archive, "RECORDED", CHECKOUT / "data" / "gone")
    ended = called(data, "experiments", "run", "smoothing")
    assert ended.returncode == 4
    assert ended.stderr.splitlines() == [
        "buto: the installed package contains no recorded runs",
        "try:  change to a checkout of buto's repository, or name the data: --data CHECKOUT/data/gone",
    ]


def test_an_installed_package_takes_the_checkout_in_the_working_directory(tmp_path):
    installed = tmp_path / "lib" / "python3.11" / "site-packages" / "buto_replications"
    inside = tmp_path / "checkout" / "replications" / "buto_replications"
    for package in (installed, inside):
        package.mkdir(parents=True)
    assert checkout_of(installed, tmp_path / "checkout") == tmp_path / "checkout"
    assert checkout_of(inside, tmp_path) == tmp_path / "checkout"
    assert checkout_of(installed, tmp_path) == tmp_path / "lib" / "python3.11"


@pytest.mark.parametrize("named", [".", "data", "data/keycloak"])
def test_data_may_be_named_by_their_checkout(tmp_path, named):
    (tmp_path / "data" / "keycloak").mkdir(parents=True)
    assert recorded(tmp_path / named, DATA / "keycloak").samefile(tmp_path / "data" / "keycloak")
    assert recorded(tmp_path / named, DATA / "gone") == tmp_path / named


@pytest.mark.slow
def test_without_joblib_one_process_is_offered(data):
    (data / "absent").mkdir()
    (data / "absent" / "joblib.py").write_text("raise ModuleNotFoundError('No module named joblib')\n")
    found = f"{data / 'absent'}:{ROOT}"
    command = ("experiments", "run", NAMES[0], "--data", "set", "--out", "out")
    two = buto(data, *command, "--workers", "2", PYTHONPATH=found)
    assert two.returncode == 2
    assert "joblib, which shares the work among processes, is not installed" in two.stderr
    assert "--workers 1" in two.stderr
    assert buto(data, *command, "--workers", "1", PYTHONPATH=found).returncode == 0


@pytest.mark.slow
def test_an_experiment_of_its_own_cannot_be_combined_with_others(data):
    ended = called(data, "experiments", "run", "judge", "smoothing", "--data", "set")
    assert ended.returncode == 2
    assert "judge cannot be combined with other experiments" in ended.stderr


WRITES = {
    "data set": ("experiments", "pack", "--data", "recorded", "-o", "set"),
    "experiment": ("experiments", "run", "smoothing", "--data", "packed", "--out", "made", "--workers", "1"),
}


@contextmanager
def full():
    """A disk that is full after twenty bytes in a file, for this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("what", WRITES)
def test_a_full_disk_ends_with_one_message_and_leaves_all_as_it_was(tmp_path, what):
    store = RunStore(tmp_path / "recorded")
    for runs in a_data_set(8, ("references-strong", "references-weak"), shift=2.0).values():
        for run in runs:
            store.add(run)
    archive.write(tmp_path / "packed", archive.pack(store))
    before = _files(tmp_path)
    with full():
        done = called(tmp_path, *WRITES[what])
    assert done.returncode == EXIT_NOT_JUDGED, done.stderr
    assert "File too large" in done.stderr
    assert _files(tmp_path) == before
    assert called(tmp_path, *WRITES[what]).returncode == 0


def _files(directory):
    """All that is there, but for what only makes reading faster."""
    found = (path for path in directory.rglob("*") if path.is_file() and "cache" not in path.parts)
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}
