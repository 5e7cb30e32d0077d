"""Environments of packed data sets, each with the data set that was recorded last."""

import pytest

from buto.errors import BadFileError
from buto.run.store import RunStore
from buto_replications.dataset import archive
from buto_replications.dataset.archive import write
from buto_replications.dataset.variants import name_on
from buto_replications.design import BENCHMARK
from buto_replications.ensembles.sites import sites
from tests.support.runs.examples import full_run


def packed(root, directory, day, *hosts, variant=BENCHMARK):
    """Pack a run of a variant on each host; a collector is named as its host."""
    store = RunStore(root / "store" / directory)
    for host in hosts:
        metadata = {"host.cores": 2, "jvm.vm.version": "17", "jvm.gc.collectors": host}
        run_id = f"202601{day:02d}T000000.000Z-0000"
        store.add(full_run(run_id, name_on(host, variant), metadata=metadata))
    write(root / "data" / directory, archive.pack(store))


def test_of_one_environment_the_data_set_recorded_last_is_taken(tmp_path):
    packed(tmp_path, "experiments", 1, "parallel", "g1")
    packed(tmp_path, "next/variants", 3, "parallel")
    packed(tmp_path, "servers", 4, "parallel", variant="leaker-thread")
    found = sites(tmp_path / "data")
    assert [one.name.partition(":")[0] for one in found] == ["parallel (next/variants)", "g1 (experiments)"]
    assert found[0].runs[BENCHMARK][0].id.startswith("20260103")


def test_one_environment_is_too_few(tmp_path):
    packed(tmp_path, "a", 1, "g1")
    packed(tmp_path, "b", 2, "g1")
    with pytest.raises(BadFileError, match="two environments or more, got 1"):
        sites(tmp_path / "data")
