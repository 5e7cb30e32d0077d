"""``buto experiments bed`` on a small data set of known runs."""

from dataclasses import replace

import pytest

from buto.run.model import Problem, ProblemKind, Quality
from buto_replications.bed import archive
from buto_replications.checkout import CHECKOUT
from replications.tests.support.bed import bed_run, bed_store
from tests.support.processes.command import called


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    made = tmp_path_factory.mktemp("bed")
    busy = Quality((Problem(ProblemKind.BUSY_HOST, "the machine was busy"),))
    bed_store(
        made / "runs",
        *(bed_run(number) for number in range(3)),
        bed_run(4, role="fault", fault="busy-high", more=1.5),
        replace(bed_run(5), quality=busy),
        bed_run(1, block=2),
    )
    return made


def test_runs_are_packed_listed_and_shown(directory):
    packed = called(directory, "experiments", "bed", "pack", "runs", "set")
    assert packed.returncode == 0, packed.stderr
    tuning, apart = packed.stdout.splitlines()
    assert tuning.startswith("wrote 4 runs, tuning, to set/tuning (")
    assert apart.startswith("wrote 1 run, set apart, to set/set-apart (")
    left_out = bed_run(5).id
    assert f"the run {left_out} is not valid and was left out: the machine was busy" in packed.stderr
    assert len(archive.load(directory / "set")) == 4

    listed = called(directory, "experiments", "bed", "list", "--data", "set")
    assert listed.stdout.splitlines()[0] == "4 runs, tuning:"
    assert "busy-high" in listed.stdout
    assert listed.stderr == "not listed: 1 run, set apart (--part set-apart)\n"
    other = called(directory, "experiments", "bed", "list", "--data", "set", "--part", "set-apart")
    assert other.stdout.splitlines()[0] == "1 run, set apart:"

    shown = called(directory, "experiments", "bed", "faults", "--data", "set", "--out", "out")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[0] == "role fault, against runs of the role good:"
    assert {path.name for path in (directory / "out").iterdir()} == {"faults.csv", "busy.png"}
    assert shown.stderr == "wrote out/faults.csv\nwrote out/busy.png\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("list", "--data", "nothing"), 4, "nothing/tuning/runs.parquet"),
        (("list", "--part", "all"), 2, "invalid choice: 'all'"),
        (("pack", "nothing", "out"), 4, "nothing holds no usable runs"),
        (("pack", "runs"), 2, "the following arguments are required: DIRECTORY"),
    ],
)
def test_what_cannot_be_done_is_reported(directory, arguments, code, message):
    ended = called(directory, "experiments", "bed", *arguments)
    assert ended.returncode == code
    assert message in ended.stderr


def test_an_installed_package_says_where_the_runs_are(directory, monkeypatch):
    monkeypatch.setattr(archive, "RECORDED", CHECKOUT / "data" / "gone")
    ended = called(directory, "experiments", "bed", "list")
    assert (ended.returncode, ended.stdout) == (4, "")
    assert "the installed package contains no recorded runs" in ended.stderr
    assert "data/gone of buto's repository" in ended.stderr
