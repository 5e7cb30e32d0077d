"""Who may join a cluster, and what is said where that is not possible."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from buto.cli.commands import doctor
from buto.measure.doctor import Diagnosis, Health
from buto.version import __version__
from buto_cluster import connection
from buto_cluster.host import Host, description, hosts_of
from tests.support.processes.command import called


def test_an_unfit_machine_does_not_join_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def examined(store: Path) -> Iterator[Diagnosis]:
        yield Diagnosis("clock", Health.OK, "good")
        yield Diagnosis("java", Health.PROBLEM, "no java was found", "install one")

    monkeypatch.setattr(doctor, "examine", examined)
    done = called(tmp_path, "worker", "--scheduler", "tcp://127.0.0.1:1", "--name", "unfit")
    assert done.returncode == 3
    assert "no java was found" in done.stdout
    assert "this machine cannot measure, so it does not join" in done.stderr


def test_a_worker_needs_a_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BUTO_SCHEDULER", raising=False)
    done = called(tmp_path, "worker", "--no-doctor")
    assert (done.returncode, done.stdout) == (2, "")
    assert "a worker needs the address of a scheduler" in done.stderr


@pytest.mark.parametrize(
    ("address", "code", "said"),
    [
        ("tcp://127.0.0.1:1", 3, "the scheduler tcp://127.0.0.1:1 does not answer"),
        ("tcp://127.0.0.1", 2, "missing port number in address"),
        ("nonsense://x", 2, "nonsense://x cannot be used as the address of a scheduler"),
        ("tls://127.0.0.1:1", 2, "tls://127.0.0.1:1 needs a certificate"),
    ],
)
def test_a_scheduler_that_cannot_be_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, code: int, said: str
) -> None:
    monkeypatch.setattr(connection, "CONNECT_S", 0.2)
    done = called(tmp_path, "record", "x", "--scheduler", address, "--", "java", "Main")
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_host_describes_itself_as_plain_data(monkeypatch: pytest.MonkeyPatch) -> None:
    description_of_host = description("bench-1", ["fast"])
    here = {"buto": description_of_host, "name": "bench-1"}
    [host] = hosts_of({"tcp://1": here, "tcp://2": {"name": "of somebody else"}}).values()
    assert host == Host("tcp://1", "bench-1", ("fast",), description_of_host["facts"], __version__)
    assert host.facts["host.cores"]
    assert not any(key.startswith("host.load.") for key in host.facts)
