"""The command line on this machine, with a bucket of a real server, and with the thesis's configuration."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from buto.project.config import load
from perf.scale.object_storage import environment, object_storage
from tests.support.checkout import ROOT
from tests.support.judging import know_a_busy_machine
from tests.support.processes.command import buto

NAME = "leaker-thread"
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


def test_the_doctor_tries_every_jvm_of_this_machine(tmp_path: Path) -> None:
    done = buto(tmp_path, "doctor", "--json", "doctor.json")
    document = json.loads((tmp_path / "doctor.json").read_text())
    by_name = {check["name"]: check for check in document["checks"]}
    jvms = [check for name, check in by_name.items() if name.startswith("java ")]
    assert done.returncode == 0, done.stdout
    assert document["can_measure"]
    assert {"clock", "cores", "store", "temporary files", "load by others"} <= set(by_name)
    assert jvms
    assert [check["level"] for check in jvms] == ["ok"] * len(jvms), jvms
    assert all("its clock is buto's" in check["said"] for check in jvms)
    assert not (tmp_path / ".buto").exists()


@pytest.mark.all
def test_a_leak_of_threads_is_trained_and_four_times_of_it_fails(tmp_path: Path) -> None:
    path = Path(shutil.copy(ROOT / "configs" / "thesis.yaml", tmp_path))
    leaker = (*load(path).tests[NAME].target.command, "--duration", "1500ms")
    trained = buto(tmp_path, "train", NAME, "--config", "thesis.yaml", "--runs", "3", "--", *leaker)
    assert trained.returncode == 0, trained.stderr
    assert trained.stdout.startswith(f"TRAINED  {NAME}: 3 runs, oracles/{NAME}.json\n")
    know_a_busy_machine(tmp_path / "oracles" / f"{NAME}.json")

    more = ("--json", "result.json", "--", *leaker, "--leaks", "40")
    changed = buto(tmp_path, "check", NAME, "--config", "thesis.yaml", *more)
    assert changed.returncode == 1, changed.stdout + changed.stderr
    result = json.loads((tmp_path / "result.json").read_text())["tests"][0]
    assert result["verdict"]["detector"] == "thesis"
    assert "jvm.thread.count" in [finding["subject"] for finding in result["verdict"]["findings"]]
