"""The distribution buto-replications, as a user gets it, and what buto says where it is missing."""

import subprocess
import sys
import tomllib
from configparser import ConfigParser
from zipfile import ZipFile

import pytest

from buto import oracle
from buto.errors import BadFileError
from buto.judging.configuration import settings_from
from buto.judging.registry import PACKAGES
from buto.run.model import run_set
from buto.version import __version__
from tests.support.checkout import ROOT
from tests.support.processes.command import called
from tests.support.runs.signals import program_run

PROJECT = ROOT / "replications"
BUILD_S = 120.0


def test_the_wheel_has_all_that_its_commands_read_and_no_recorded_data(tmp_path):
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, PROJECT]
    subprocess.run(command, check=True, capture_output=True, timeout=BUILD_S)
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (text,) = (archive.read(name).decode() for name in names if name.endswith("/entry_points.txt"))
    entries = ConfigParser()
    entries.read_string(text)
    assert sorted(entries["buto.commands"]) == ["experiments", "suggest"]
    assert sorted(entries["buto.detectors"]) == sorted(PACKAGES)
    package = PROJECT / "buto_replications"
    wanted = (path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert {path.relative_to(PROJECT).as_posix() for path in wanted} <= names
    assert not [name for name in names if name.endswith(".parquet")]


def test_it_is_released_together_with_buto():
    assert tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"] == __version__


@pytest.mark.parametrize("method", PACKAGES)
def test_where_it_is_missing_a_configuration_with_its_method_names_what_to_install(
    tmp_path, monkeypatch, method
):
    monkeypatch.setattr("buto.extensions.entry_points_of", lambda group: ())
    (tmp_path / "buto.yaml").write_text(
        f"version: 1\ntests:\n  shop:\n    command: [java, Shop]\n    judge: {{method: {method}}}\n"
    )
    done = called(tmp_path, "train", "shop")
    assert done.returncode == 2
    assert done.stderr == (
        f"buto: buto.yaml:5:21: judge: method: {method!r} is not calibrated or thesis\n"
        "try:  pip install ./replications (in a checkout of buto)\n"
    )


def test_where_it_is_missing_an_oracle_of_its_method_names_what_to_install(tmp_path, monkeypatch):
    runs = run_set([program_run(1, number) for number in range(5)])
    oracle.save(tmp_path / "oracles" / "shop.json", oracle.train(runs, settings_from({"method": "shang"})))
    monkeypatch.setattr("buto.extensions.entry_points_of", lambda group: ())
    with pytest.raises(BadFileError, match="method: 'shang' is not calibrated or thesis") as error:
        oracle.load(tmp_path / "oracles" / "shop.json")
    assert error.value.advice is not None
    assert error.value.advice.startswith(
        "pip install ./replications (in a checkout of buto), or train again with another: "
    )
