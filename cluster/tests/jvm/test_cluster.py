"""Real launches on several hosts of a real scheduler, while these hosts are killed and stopped."""

from __future__ import annotations

import itertools
import os
import shlex
import signal
import subprocess
from collections import defaultdict
from functools import partial
from pathlib import Path

import pytest

from buto import jars
from buto.actions.collecting import LaunchPlan, collect
from buto.actions.events import Event, LaunchRepeated, RunStored
from buto.engine.placement import Placement
from buto.measure.target import Target
from buto.run.model import COMMIT, SESSION, WORKER
from buto.run.store import RunStore
from buto_cluster.connection import Cluster
from buto_cluster.engine import ClusterEngine
from cluster.tests.support.real import DEADLINE_S, HOST, in_background, jvms, real_cluster
from tests.support.jvm.harness import harness
from tests.support.processes.command import buto

RUNS = 8
NAMED = ("-subj", "/CN=buto", "-keyout", "key.pem", "-out", "cert.pem")


def command(duration: str, marker: str) -> tuple[str, ...]:
    """A program that sleeps, most of the time."""
    jar = str(jars.path(jars.TESTPROGRAMS))
    return (
        "java",
        f"-Dmarker={marker}",
        "-cp",
        jar,
        "buto.testprograms.leaker.Leaker",
        "--duration",
        duration,
    )


def alone(words: tuple[str, ...], directory: Path) -> tuple[str, ...]:
    """The same program, which ends at once if another one of its host has not ended yet."""
    line = f'exec flock --nonblock --no-fork "$0/${HOST}.lock" {shlex.join(words)}'
    return ("sh", "-c", line, str(directory))


def connected(address: str, silent_s: float) -> Cluster:
    from distributed import Client

    return Cluster(Client(address, set_as_default=False), address, silent_s)


@pytest.mark.all
def test_every_run_is_stored_once_while_hosts_are_killed_and_stopped(tmp_path: Path) -> None:
    store, events = RunStore(tmp_path / "store"), list[Event]()
    with real_cluster(tmp_path) as real:
        for name in "abc":
            real.add(name)
        words = ("worker", "--scheduler", real.address, "--name", "a", "--no-doctor")
        second = buto(tmp_path, *words, timeout_s=DEADLINE_S, TMPDIR=str(tmp_path))
        assert second.returncode == 3
        assert "another worker of the name a runs on this machine" in second.stderr
        cluster = connected(real.address, silent_s=2.0)

        def stored() -> int:
            return sum(isinstance(event, RunStored) for event in events)

        def lost() -> set[str]:
            return {event.host for event in events if isinstance(event, LaunchRepeated)}

        def disturb() -> None:
            # More launches are still to come than there are hosts, so that each of them has one to lose.
            real.until(lambda: stored() >= 2)
            real.workers["b"].send_signal(signal.SIGSTOP)
            real.kill("a")
            real.until(lambda: "b" in lost())
            real.workers["b"].send_signal(signal.SIGCONT)
            real.add("a")

        try:
            with in_background(disturb):
                program = Target(alone(command("1s", str(tmp_path)), tmp_path), interval_s=0.5)
                results = collect(
                    [LaunchPlan("x", program, RUNS, where=Placement(spread=True))],
                    store,
                    events.append,
                    seed=1,
                    purpose="record",
                    engine_for=partial(ClusterEngine, cluster=cluster, look_s=0.2),
                )
        finally:
            cluster.close()
        real.until(lambda: not jvms(str(tmp_path)))
    assert "b" in lost()
    # Also not beside a launch that was given up, of which no run tells.
    assert results["x"].failure is None, "a host launched two programs at the same time"
    runs = store.load_set("x")
    ids = [event.run.id for event in events if isinstance(event, RunStored)]
    assert sorted(ids) == [run.id for run in runs]
    assert len(runs.valid()) == RUNS
    assert len({run.metadata[SESSION] for run in runs}) == 1
    # Nothing of a run that was given up is in the store.
    assert len(list((tmp_path / "store" / "runs" / "x").iterdir())) == len(runs)
    times: dict[object, list[tuple[float, float]]] = defaultdict(list)
    for run in runs:
        start_s = float(str(run.metadata["jvm.start.time"])) / 1000
        times[run.metadata[WORKER]].append((start_s, start_s + run.outcome.duration_s))
    assert set(times) <= set("abc")
    for spans in times.values():
        for (_, end_s), (next_s, _) in itertools.pairwise(sorted(spans)):
            assert end_s <= next_s


@pytest.mark.all
def test_the_command_line_trains_and_checks_on_a_cluster_with_tls(tmp_path: Path) -> None:
    subprocess.run(
        [*("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"), *NAMED],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    tls = {f"{prefix}CA_FILE": str(tmp_path / "cert.pem")}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        tls |= {f"{prefix}{role}__CERT": str(tmp_path / "cert.pem")}
        tls |= {f"{prefix}{role}__KEY": str(tmp_path / "key.pem")}
    project = tmp_path / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / "buto.yaml").write_text(
        "version: 1\ntests:\n  x:\n    runs: 5\n    hosts: {tag: fast}\n"
        f"    command: [{', '.join(map(repr, command('300ms', 'tls')))}]\n"
        "    environment: {API_TOKEN: hush-hush-hush}\n"
    )
    with real_cluster(tmp_path, "tls", tls) as real:
        assert real.address.startswith("tls://")
        stranger = buto(project, "record", "x", timeout_s=DEADLINE_S, BUTO_SCHEDULER=real.address)
        assert stranger.returncode == 2, stranger.stderr
        assert f"{real.address} needs a certificate" in stranger.stderr
        real.add("slow")
        real.add("fast", "--tag", "fast")
        at = partial(buto, project, timeout_s=DEADLINE_S, BUTO_SCHEDULER=real.address, **tls)
        trained = at("train", "x")
        assert trained.returncode == 0, trained.stderr
        checked = at("check", "x", "-v")
    runs = RunStore(project / ".buto").load_set("x")
    assert {run.metadata[WORKER] for run in runs} == {"fast"}
    assert len({run.metadata[COMMIT] for run in runs}) == 1
    assert "hush" not in "".join(f"{run.metadata}" for run in runs)
    assert "  hosts: fast" in checked.stdout, checked.stdout + checked.stderr
    assert "hush" not in real.said("scheduler") + real.said("worker-fast")


@pytest.mark.all
def test_ctrl_c_and_a_lost_scheduler_stop_the_programs(tmp_path: Path) -> None:
    marker, store = str(tmp_path), RunStore(tmp_path / ".buto")
    with real_cluster(tmp_path) as real:
        real.add("a", "--tag", "slow")
        # The first launch is short, so that one run is complete when the scheduler is lost.
        long, short = (shlex.join(command(duration, marker)) for duration in ("300s", "300ms"))
        short_once = ("sh", "-c", f"if mkdir began; then exec {short}; else exec {long}; fi")
        words = ("-m", "buto", "record", "x", "--runs", "2", "--scheduler", real.address, "--")
        with harness(tmp_path, *words, *command("300s", marker)) as interrupted:
            real.until(lambda: jvms(marker))
            os.killpg(interrupted.process.pid, signal.SIGINT)
            assert interrupted.ended() == 130, interrupted.printed()
            interrupted.assert_alone()
            assert "no run was complete" in interrupted.printed()
        real.until(lambda: not jvms(marker))
        with harness(tmp_path, *words, *short_once) as left:
            real.until(lambda: store.ids("x"))
            real.until(lambda: jvms(marker))
            real.scheduler.kill()
            assert left.ended() == 3, left.printed()
            left.assert_alone()
            said = left.printed()
        assert f"the scheduler {real.address} does not answer any more" in said
        [run] = store.load_set("x")
        n_usable = int(run.quality.valid)
        assert f"complete and kept in .buto: {n_usable} of 2 runs of 'x'" in said
        # Nothing of the second run is there.
        assert [path.name for path in (tmp_path / ".buto" / "runs" / "x").iterdir()] == [run.id]
        real.until(lambda: not jvms(marker))
        assert real.workers["a"].wait(DEADLINE_S) == 3
        assert "was lost" in real.said("worker-a")


def test_a_cluster_of_this_machine_starts_and_ends_by_itself(tmp_path: Path) -> None:
    words = ("record", "x", "--scheduler", "local", "--", *command("300ms", "local"))
    done = buto(tmp_path, *words, timeout_s=DEADLINE_S, TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    # A run that was disturbed is kept, too, and then repeated.
    [run] = RunStore(tmp_path / ".buto").load_set("x").valid()
    assert done.stdout.split() == [run.id]
    assert f"{run.metadata[WORKER]}: x: run 1 of 1" in done.stderr
    assert "Warning" not in done.stderr
