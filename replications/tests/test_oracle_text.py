"""The text of an oracle, as a reviewer reads it, on recorded services."""

import json
import subprocess
from dataclasses import replace

import pytest

from buto.oracle import load, save, train
from buto.run.model import run_set
from buto_replications.bed import archive as keycloak
from buto_replications.dataset import archive
from tests.support.checkout import ROOT


@pytest.fixture(scope="module")
def servers():
    return archive.load(ROOT / "data" / "servers", "parallel")


def trained(runs):
    return train(run_set([replace(run, test="server") for run in runs]))


@pytest.mark.parametrize(
    ("change", "first"),
    [
        ("threads", "jvm.thread.daemon.count"),
        ("copies", "jvm.memory.allocated"),
        ("descriptors", "process.unix.file_descriptor.count"),
    ],
)
def test_an_accepted_change_is_a_short_difference_that_begins_with_it(servers, tmp_path, change, first):
    old, new = (
        [run for run in servers[f"{change}-{variant}"] if run.quality.valid][:6]
        for variant in ("base", "large")
    )
    path, before = tmp_path / "server.json", tmp_path / "before.json"
    save(path, trained(old))
    before.write_bytes(path.read_bytes())
    save(path, trained(new))
    command = ["git", "diff", "--no-index", "--no-color", str(before), str(path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    assert len(lines) <= 60
    added = [line.strip("+ ") for line in lines if line.startswith("+  ")]
    assert added[0] == '"changed": {'
    assert added[1].startswith(f'"{first}": ')


def test_the_text_of_a_service_with_1500_properties_is_small_and_has_what_people_ask_for(tmp_path):
    runs = [bed_run.run for bed_run in keycloak.load() if bed_run.labels.fault == "none"]
    path = tmp_path / "server.json"
    save(path, trained(runs[:10]))
    assert 20_000 < path.stat().st_size <= 30_000
    known = load(path)
    assert len(list(known.fitted.levels())) > 1000
    said = json.loads(path.read_text())["properties"]
    assert next(iter(said)) == "jvm.cpu.time"
    assert said["jvm.cpu.time"] == "each second 531 ms, 320 ms to 710 ms"
    assert said["not shown"].startswith("1,057 properties: ")
