"""Analysis on the hosts of a real cluster, through joblib's backend for Dask."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from buto.actions.engines import share_for
from buto.errors import MeasureError, UsageError
from buto.judging.judge_settings import CALIBRATED
from buto.judging.selfknowledge.selftest import selftest
from buto.run.storage import place_of
from buto_cluster.connection import connect
from buto_cluster.sharing import shared
from cluster.tests.support.real import DEADLINE_S, real_cluster
from tests.support.training.profiles import CPU, HEAP, THREADS, a_profile

N_RUNS, N_TRAINING = 24, 10


@pytest.mark.all
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_selftest_on_hosts_is_that_of_this_machine(tmp_path: Path) -> None:
    profile = a_profile(N_RUNS, 3, (HEAP, CPU, THREADS))
    here = selftest(profile, CALIBRATED, N_TRAINING)
    with real_cluster(tmp_path) as real:
        cluster = connect(real.address)
        share = partial(shared, cluster)
        try:
            with pytest.raises(MeasureError, match="has no host that can compute") as refused:
                list(share(place_of, [".buto"]))
            assert "buto worker --scheduler" in str(refused.value.advice)
            for name in ("a", "b"):
                real.add(name)
            there = selftest(profile, CALIBRATED, N_TRAINING, share=share)
            # Results come in the order of the tasks, and an error of a task is that of the call.
            assert list(share(place_of, ["b", "a", "c"])) == [Path("b"), Path("a"), Path("c")]
            with pytest.raises(UsageError, match="must be a directory or an s3") as failed:
                list(share(place_of, ["gs://bucket"]))
            assert failed.value.advice is not None
        finally:
            cluster.close()
    for name in ("turning", "failing"):
        assert np.array_equal(getattr(here, name).by_run, getattr(there, name).by_run)
    assert here.followed == there.followed
    assert here.in_order is not None and there.in_order is not None
    assert np.array_equal(here.in_order.turning.by_run, there.in_order.turning.by_run)


@pytest.mark.all
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_work_waits_for_a_host_that_is_started_again_but_not_for_ever(tmp_path: Path) -> None:
    with real_cluster(tmp_path) as real:
        cluster = connect(real.address)
        try:
            real.add("a")
            # The only host computes, and not the process that asked.
            assert list(shared(cluster, os.readlink, ["/proc/self"])) == [str(real.workers["a"].pid)]
            results = shared(cluster, time.sleep, [0.05] * 20, patience_s=DEADLINE_S)
            assert next(results) is None
            real.kill("a")
            real.add("a")
            assert list(results) == [None] * 19
            results = shared(cluster, time.sleep, [0.05, 3600.0], patience_s=1.0)
            assert next(results) is None
            real.kill("a")
            with pytest.raises(MeasureError, match="has no host any more, for 1 s"):
                next(results)
        finally:
            cluster.close()


def test_without_a_scheduler_this_process_computes() -> None:
    assert list(share_for("")(abs, [-1, 2])) == [1, 2]
