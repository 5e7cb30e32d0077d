"""A real program is recorded into a bucket of a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from perf.scale.object_storage import environment, object_storage
from tests.support.processes.command import buto

PATIENCE_S = 100.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    with object_storage(tmp_path_factory.mktemp("server") / "log") as (host, port):
        with urlopen(Request(f"http://{host}:{port}/ci-runs", method="PUT"), timeout=60):
            pass
        yield host, port


def test_a_program_is_recorded_on_one_machine_and_read_on_another(
    server: tuple[str, int], tmp_path: Path, classes: Path
) -> None:
    here, elsewhere = (environment(*server, tmp_path / name) for name in ("here", "elsewhere"))
    there = ("--store", "s3://ci-runs/shop")
    start = ("--", "java", "-Xmx128m", "-cp", str(classes), "Does", "keep", "5")
    done = buto(tmp_path, "record", "keeper", *there, *start, timeout_s=PATIENCE_S, **here)
    assert done.returncode == 0, done.stderr
    [run_id] = done.stdout.split()
    listed = buto(tmp_path, "runs", "list", "--json", "-", *there, **elsewhere)
    runs = json.loads(listed.stdout)["runs"]
    # A run that was disturbed is stored, too, and then repeated.
    assert run_id in [run["id"] for run in runs if run["valid"]]
    shown = buto(tmp_path, "runs", "show", "keeper", run_id, *there, **elsewhere)
    assert shown.returncode == 0, shown.stderr
    assert "Does keep 5" in shown.stdout
    assert not (tmp_path / ".buto").exists()
