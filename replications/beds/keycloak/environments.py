"""Faults and environments of the bed, and the limits of processors that some have."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from beds.artefacts import BedError
from beds.faults import Fault

CONTROL_GROUPS = Path("/sys/fs/cgroup")
_PERIOD_US = 100_000
_NAME = "buto-bed"
_NONE = "none"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a system may use at most.

    Attributes:
        cores: processor time a second, as a number of cores.
        pinned: whether it runs on one core alone.
        writes_per_s: synchronous writes to the disk.
    """

    cores: float | None = None
    pinned: bool = False
    writes_per_s: int | None = None

    @property
    def of_processors(self) -> str:
        if self.pinned:
            return "one core"
        return _NONE if self.cores is None else f"{self.cores:g} cores of quota"

    @property
    def of_disk(self) -> str:
        return _NONE if self.writes_per_s is None else f"{self.writes_per_s} writes a second"

    def of_server(self, command: list[str]) -> list[str]:
        """Return the command that runs a server within the limits of processors.

        Raises:
            BedError: this machine does not let us set them.
        """
        if self.pinned:
            command = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0))), *command]
        if self.cores is not None:
            quota = {"cpu.cfs_period_us": _PERIOD_US, "cpu.cfs_quota_us": self.cores * _PERIOD_US}
            command = _inside(_group("cpu", quota), command)
        return command

    def of_database(self, command: list[str]) -> list[str]:
        """Return the command that runs a database within the limit of the disk.

        The limit is on the disk of temporary files, where buto copies the database to for each run.

        Raises:
            BedError: this machine does not let us set it.
        """
        if self.writes_per_s is None:
            return command
        device = os.stat(tempfile.gettempdir()).st_dev
        line = f"{os.major(device)}:{os.minor(device)} {self.writes_per_s}"
        return _inside(_group("blkio", {"blkio.throttle.write_iops_device": line}), command)


UNLIMITED = Limits()


def _group(controller: str, values: Mapping[str, float | str]) -> Path:
    group = CONTROL_GROUPS / controller / _NAME
    try:
        group.mkdir(exist_ok=True)
        for name, value in values.items():
            (group / name).write_text(value if isinstance(value, str) else f"{value:.0f}")
        # PostgreSQL enters the group as its own user, not as root.
        (group / "cgroup.procs").chmod(0o666)
    except OSError as error:
        raise BedError(
            f"cannot limit the system by the control group {group}: {error.strerror}. This needs root and "
            "control groups of version 1; name the runs of other environments with --only"
        ) from error
    return group


def _inside(group: Path, command: list[str]) -> list[str]:
    # 0 is the process that writes. Its number, $$, would be a dollar sign after the configuration was read.
    return ["sh", "-c", f'echo 0 > "{group}/cgroup.procs" && exec "$@"', "sh", *command]


NANOS_PER_MS = 1_000_000
KIB = 1024


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the system runs.

    Attributes:
        limits: what the system may use of the machine.
    """

    name: str
    jvm: tuple[str, ...] = ("-Xmx512m", "-XX:+UseG1GC")
    keycloak: str = "26.7.3"
    postgresql: str = "17"
    settings: dict[str, str] = field(default_factory=dict)
    java: int = 17
    limits: Limits = UNLIMITED

    @property
    def labels(self) -> dict[str, str]:
        """What tells this environment from others, for the runs recorded in it."""
        return {
            "name": self.name,
            "keycloak": self.keycloak,
            "database": self.postgresql,
            "java": str(self.java),
            "heap": self.jvm[0].removeprefix("-Xmx"),
            "collector": self.jvm[1].removeprefix("-XX:+Use"),
            "processors": self.limits.of_processors,
            "disk": self.limits.of_disk,
        }


ENVIRONMENTS = {
    environment.name: environment
    for environment in (
        Environment("base"),
        Environment("half-quota", limits=Limits(cores=1.0)),
        Environment("one-core", limits=Limits(pinned=True)),
        Environment("slow-disk", limits=Limits(writes_per_s=40)),
        Environment("small-memory", ("-Xmx256m", "-XX:+UseG1GC"), settings={"shared_buffers": "16MB"}),
        Environment("parallel", ("-Xmx512m", "-XX:+UseParallelGC")),
        Environment("serial", ("-Xmx512m", "-XX:+UseSerialGC")),
        Environment("postgresql-14", postgresql="14"),
        Environment("postgresql-18", postgresql="18"),
        Environment("java-25", java=25),
        Environment("keycloak-26.0", keycloak="26.0.8"),
    )
}

COMBINED = {
    environment.name: environment
    for environment in (
        Environment("half-quota-slow-disk", limits=Limits(cores=1.0, writes_per_s=40)),
        Environment("one-core-slow-disk", limits=Limits(pinned=True, writes_per_s=40)),
        Environment("half-quota-postgresql-18", postgresql="18", limits=Limits(cores=1.0)),
        Environment("one-core-postgresql-14", postgresql="14", limits=Limits(pinned=True)),
    )
}
"""Components of several of the environments above."""

SEARCHED = {
    "search_username": "username",
    "search_email": "email",
    "search_first_name": "lower(first_name)",
    "search_last_name": "lower(last_name)",
}
_USERS = "org.keycloak.services.resources.admin.UsersResource"
_STORE = "org.keycloak.models.jpa.JpaUserProvider"
_TOKENS = "org.keycloak.protocol.oidc.TokenManager"
_CONNECTIONS = "io.quarkus.agroal.runtime.QuarkusNettyConnectionCache"
"""The connection that a thread used last. Nearly all are taken from here; few come from the shared pool."""


@dataclass(frozen=True, slots=True)
class Injected:
    """A fault of the system.

    Attributes:
        paper: where it comes from.
        statements: of SQL, carried out in the database before the run.
    """

    name: str
    paper: str
    woven: tuple[Fault, ...] = ()
    statements: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


def _woven(name: str, paper: str, kind: str, amount: int, place: str) -> Injected:
    return Injected(name, paper, (Fault(name.rpartition("-")[0], kind, amount, place, True),))


def _one_entry(cache: str) -> str:
    """Return the option by which a cache of Keycloak keeps one entry, because none switches it off."""
    return f"--cache-embedded-{cache}-max-count=1"


NO_FAULT = Injected("none", "a run without a change")
IDLE = Fault("nothing", "burn", 0, f"{_USERS}#getUsers")
"""Woven into runs that have no fault in their code: the agent itself brings classes and memory."""
FAULTS = {
    fault.name: fault
    for fault in (
        NO_FAULT,
        _woven("memory-low", "002, A", "retain", 16 * KIB, f"{_TOKENS}#createClientAccessToken"),
        _woven("memory-high", "002, A", "retain", 64 * KIB, f"{_TOKENS}#createClientAccessToken"),
        _woven("busy-low", "002, B; 000, D5", "burn", 10 * NANOS_PER_MS, f"{_USERS}#getUsers"),
        _woven("busy-high", "002, B; 000, D5", "burn", 30 * NANOS_PER_MS, f"{_USERS}#getUsers"),
        Injected("column-index-low", "002, C", statements=("drop index idx_user_role_mapping",)),
        Injected(
            "column-index-high",
            "002, C",
            statements=("drop index idx_user_role_mapping", "drop index idx_user_credential"),
        ),
        Injected(
            "text-index-low",
            "002, D",
            statements=tuple(
                statement
                for name, column in SEARCHED.items()
                for statement in (
                    f"drop index {name}",
                    f"create index {name} on user_entity using gist ({column} gist_trgm_ops)",
                )
            ),
        ),
        Injected("text-index-high", "002, D", statements=("drop index search_username",)),
        _woven("log-low", "002, E", "log", 20, f"{_STORE}#getUserById"),
        Injected("log-high", "002, E", options=("--log-level=org.hibernate.SQL:debug",)),
        _woven("repeat-low", "000, D5", "repeat", 10, f"{_STORE}#getUserByUsername"),
        _woven("repeat-high", "000, D5", "repeat", 30, f"{_STORE}#getUserByUsername"),
        Injected("small-buffers", "000, J3", settings={"shared_buffers": "1MB"}),
        Injected("caches-low", "000, J3", options=(_one_entry("users"),)),
        Injected("caches-high", "000, J3", options=(_one_entry("users"), _one_entry("realms"))),
        _woven("connections-low", "001, leaker", "leak", 80, f"{_CONNECTIONS}#get"),
        _woven("connections-high", "001, leaker", "leak", 40, f"{_CONNECTIONS}#get"),
    )
}
