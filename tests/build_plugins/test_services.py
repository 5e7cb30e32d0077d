"""Services as their users have them, built by Maven: what buto init writes for them, and that it works."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from buto.actions.init import listing_of
from buto.project import config
from buto.project.layout import propose
from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.needed import skip_without
from tests.support.processes.command import called

EXAMPLE = ROOT / "examples" / "spring-boot"


def package(directory: Path) -> None:
    """Build a jar; the first time, Maven loads what it needs."""
    maven = os.environ.get("MVN", "mvn")
    if shutil.which(maven) is None:
        skip_without("Maven builds the service, and is not installed (Debian: apt-get install maven)")
    subprocess.run([maven, "-B", "-q", "package"], cwd=directory, check=True, timeout=600)


def test_the_example_is_known_for_a_service_before_it_is_built() -> None:
    found = propose(listing_of(EXAMPLE))
    assert found is not None
    assert found.kind == "a Spring Boot application"
    assert found.missing.startswith("mvn package; ")


@pytest.mark.all
def test_the_example_becomes_two_tests_that_one_launch_records(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("target"))
    package(tmp_path)
    said = called(tmp_path, "init", exits=0).stdout
    assert "; 3 endpoints answered well" in said
    path = tmp_path / "buto.yaml"
    tests = config.load(path, {}).tests
    assert [*tests] == ["shop", "shop-start"]
    load = tests["shop"].workload.load if tests["shop"].workload else None
    assert load is not None
    assert [request_kind.path for request_kind in load.kinds] == [
        "/products",
        "/products/${id}",
        "/search?word=${word}",
    ]
    assert (load.variables["id"].first, load.variables["id"].last) == (1, 10)
    path.write_text(path.read_text().replace("duration: 8s", "duration: 2s"))
    called(tmp_path, "record", exits=0)
    store = RunStore(tmp_path / ".buto")
    # A run that the machine has disturbed is launched again, and stays.
    assert len(store.load_set("shop").valid()) == 1 and store.ids("shop") == store.ids("shop-start")
