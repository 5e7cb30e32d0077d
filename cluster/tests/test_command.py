"""What buto says of the command and of the hosts, with the package and without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from buto import extensions
from buto.actions.engines import EXTENSIONS, engine_for
from buto.cli import registry
from buto.errors import UsageError
from tests.support.checkout import ROOT
from tests.support.processes.command import called

GOLDEN = ROOT / "cluster" / "tests" / "golden" / "worker.txt"


def test_help_is_as_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    done = called(tmp_path, "worker", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == GOLDEN.read_text(encoding="utf-8")


def test_the_entry_points_lead_to_the_command_and_to_the_hosts() -> None:
    assert registry.find("worker").module == "buto_cluster.commands.worker"
    assert EXTENSIONS.names() == {"dask"}


def test_without_the_package_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extensions, "entry_points_of", lambda group: ())
    with pytest.raises(UsageError) as refused:
        engine_for("tcp://10.0.0.1:8786")
    assert "pip install ./cluster" in str(refused.value.advice)
    with pytest.raises(registry.UnknownCommandError) as unknown:
        registry.find("worker")
    assert "pip install ./cluster" in str(unknown.value.advice)
