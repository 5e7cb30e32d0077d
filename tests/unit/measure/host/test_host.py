from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from buto.measure import host
from buto.measure.host import describe
from buto.measure.target import Target

TARGET = Target(("java", "-cp", "a b", "Main"), interval_s=0.02)


def test_a_run_carries_what_comparing_it_needs() -> None:
    metadata = describe(TARGET)
    names = "name os kernel arch cpu.model cores cores.total cores.quota memory.total memory.limit load.1min"
    assert set(metadata) == {f"host.{name}" for name in names.split()} | {
        f"buto.{name}" for name in ("version", "collector", "probe", "interval", "command", "commit")
    }
    assert metadata["host.cores"] == len(os.sched_getaffinity(0))
    assert metadata["buto.command"] == "java -cp 'a b' Main"
    assert json.loads(json.dumps(metadata)) == metadata


def git(place: Path, *words: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    done = subprocess.run(["git", *who, *words], cwd=place, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_run_names_the_commit_it_was_made_at_and_whether_files_differed(tmp_path: Path) -> None:
    target = replace(TARGET, directory=tmp_path)
    assert describe(target)["buto.commit"] is None
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a").write_text("1")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "--quiet", "-m", "one")
    git(tmp_path, "tag", "v1")
    head = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "new").write_text("git does not know it")
    assert describe(target)["buto.commit"] == head
    (tmp_path / "a").write_text("2")
    assert describe(target)["buto.commit"] == f"{head}+dirty"
    assert describe(replace(target, command=()))["buto.commit"] is None


def test_no_git_is_not_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert describe(TARGET)["buto.commit"] is None


@pytest.mark.parametrize(
    ("files", "cores", "memory"),
    [
        ({}, None, None),
        ({"/sys/fs/cgroup/cpu.max": "max 100000\n", "/sys/fs/cgroup/memory.max": "max\n"}, None, None),
        ({"/sys/fs/cgroup/cpu.max": "150000 100000\n", "/sys/fs/cgroup/memory.max": "1048576\n"}, 1.5, 2**20),
        (
            {
                "/proc/self/cgroup": "0::/user.slice/tests\n",
                "/sys/fs/cgroup/user.slice/cpu.max": "300000 100000\n",
                "/sys/fs/cgroup/user.slice/tests/cpu.max": "max 100000\n",
                "/sys/fs/cgroup/user.slice/tests/memory.max": "4194304\n",
            },
            3.0,
            2**22,
        ),
        (
            {
                "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "2097152\n",
            },
            0.5,
            2**21,
        ),
        (
            {
                "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            },
            None,
            None,
        ),
        (
            {
                "/proc/self/cgroup": "4:memory:/tests/one\n1:cpu,cpuacct:/tests/one\n0::/\n",
                "/proc/self/mountinfo": (
                    "32 31 0:29 / /cgroups/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
                    "35 31 0:32 / /cgroups/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n"
                    "41 31 0:38 / /cgroups/unified rw - cgroup2 cgroup2 rw\n"
                ),
                "/cgroups/cpu,cpuacct/tests/one/cpu.cfs_quota_us": "-1\n",
                "/cgroups/cpu,cpuacct/tests/one/cpu.cfs_period_us": "100000\n",
                "/cgroups/cpu,cpuacct/tests/cpu.cfs_quota_us": "70000\n",
                "/cgroups/cpu,cpuacct/tests/cpu.cfs_period_us": "100000\n",
                "/cgroups/memory/tests/one/memory.limit_in_bytes": "1048576\n",
            },
            0.7,
            2**20,
        ),
        (
            {
                "/proc/self/cgroup": "1:cpu:/docker/abc/inner\n",
                "/proc/self/mountinfo": "32 31 0:29 /docker/abc /cgroups/cpu rw - cgroup cgroup rw,cpu\n",
                "/cgroups/cpu/inner/cpu.cfs_quota_us": "20000\n",
                "/cgroups/cpu/inner/cpu.cfs_period_us": "100000\n",
                "/cgroups/cpu/cpu.cfs_quota_us": "50000\n",
                "/cgroups/cpu/cpu.cfs_period_us": "100000\n",
            },
            0.2,
            None,
        ),
        (
            {
                "/proc/self/cgroup": "0::/\n",
                "/proc/self/mountinfo": (
                    "30 31 0:27 / /data rw - fuse.store  rw\n"
                    "32 31 0:29 / /cgroups rw - cgroup2  rw,nsdelegate\n"
                ),
                "/cgroups/memory.max": "1048576\n",
            },
            None,
            2**20,
        ),
    ],
    ids=[
        *("none", "v2 without limits", "v2", "v2 in a group of groups", "v1", "v1 without limits"),
        *("v1 in a group of groups", "v1 in a container", "mounts without a name"),
    ],
)
def test_limits_of_control_groups_are_seen(
    monkeypatch: pytest.MonkeyPatch, files: dict[str, str], cores: float | None, memory: int | None
) -> None:
    monkeypatch.setattr(host, "read", files.get)
    metadata = describe(TARGET)
    assert (metadata["host.cores.quota"], metadata["host.memory.limit"]) == (cores, memory)


def stat(user: int, *, idle: int = 0, steal: int = 0, elsewhere: int = 0) -> str:
    ticks = f"{user} 0 0 {idle} 0 0 0 {steal} 0 0"
    return (
        f"cpu  1 1 1 1 1 1 1 1 1 1\ncpu0 {ticks}\ncpu1 {ticks}\ncpu7 {elsewhere} 0 0 0 0 0 0 0 0 0\nintr 5\n"
    )


def test_the_foreign_load_is_what_visible_cores_did_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {"clock": 100.0, "own": 5.0, "stat": stat(1000)}
    monkeypatch.setattr(host, "visible_cpus", lambda: frozenset({0, 1}))
    monkeypatch.setattr(host, "read", lambda path: now["stat"])
    monkeypatch.setattr(host, "_own_cpu_s", lambda: now["own"])
    monkeypatch.setattr(time, "monotonic", lambda: now["clock"])
    monkeypatch.setattr(os, "sysconf", lambda name: 100)
    meter = host.LoadMeter()
    now |= {"clock": 110.0, "own": 9.0, "stat": stat(1300, idle=900, steal=100, elsewhere=5000)}
    # Two cores were busy for 3 s each and lost 1 s each; 4 of these 8 s were our own.
    assert meter.foreign_load() == pytest.approx(4 / 20)
    assert meter.foreign_load(known_s=1.0) == pytest.approx(3 / 20)
    assert meter.foreign_load(known_s=60.0) == 0.0
    assert meter.idle_share() == pytest.approx(12 / 20)
    now["clock"] = 100.05
    assert math.isnan(meter.foreign_load())
    assert math.isnan(meter.idle_share())


def test_a_busy_stranger_is_seen_until_it_is_collected_as_our_own() -> None:
    meter = host.LoadMeter()
    burn = "import time\nwhile time.process_time() < 0.4: pass\nprint(flush=True)\ninput()"
    stranger = subprocess.Popen([sys.executable, "-c", burn], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with stranger:
        assert stranger.stdout is not None
        stranger.stdout.readline()
        seen = meter.foreign_load()
        known = meter.foreign_load(known_s=0.4)
        stranger.communicate(b"\n")
    assert 0 < seen <= 1
    assert known < seen


def test_waiting_for_a_core_is_counted_for_all_threads() -> None:
    waited_s = host.run_queue_s(os.getpid())
    assert waited_s is not None
    assert waited_s >= 0
    assert host.run_queue_s(2**22 + 1) is None
