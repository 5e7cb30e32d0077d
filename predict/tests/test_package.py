"""The distribution buto-predict, as a user gets it."""

import subprocess
import sys
import tomllib
from configparser import ConfigParser
from zipfile import ZipFile

from buto.version import __version__
from tests.support.checkout import ROOT

PROJECT = ROOT / "predict"
BUILD_S = 120.0


def test_the_wheel_has_all_that_its_commands_read(tmp_path):
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, PROJECT]
    subprocess.run(command, check=True, capture_output=True, timeout=BUILD_S)
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (text,) = (archive.read(name).decode() for name in names if name.endswith("/entry_points.txt"))
    entries = ConfigParser()
    entries.read_string(text)
    assert sorted(entries["buto.commands"]) == ["architecture", "predict"]
    assert sorted(entries["buto.schemas"]) == ["architecture", "prediction"]
    package = PROJECT / "buto_predict"
    wanted = (path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert {path.relative_to(PROJECT).as_posix() for path in wanted} <= names


def test_it_is_released_together_with_buto():
    assert tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["version"] == __version__
