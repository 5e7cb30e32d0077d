"""The environments and faults of the bed, and which of them are recorded together."""

from __future__ import annotations

from dataclasses import dataclass, field

from beds.faults import Fault

NANOS_PER_MS = 1_000_000
KIB = 1024


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the system runs.

    Attributes:
        jvm: options of Keycloak's JVM.
        postgresql: the major version.
        settings: of PostgreSQL.
    """

    name: str
    jvm: tuple[str, ...] = ("-Xmx512m", "-XX:+UseG1GC")
    postgresql: str = "17"
    settings: dict[str, str] = field(default_factory=dict)


ENVIRONMENTS = {
    environment.name: environment
    for environment in (
        Environment("base"),
        Environment("small-memory", ("-Xmx256m", "-XX:+UseG1GC"), settings={"shared_buffers": "16MB"}),
        Environment("parallel", ("-Xmx512m", "-XX:+UseParallelGC")),
        Environment("serial", ("-Xmx512m", "-XX:+UseSerialGC")),
        Environment("one-core", ("-Xmx512m", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1")),
        Environment("postgresql-18", postgresql="18"),
    )
}

_USERS = "org.keycloak.services.resources.admin.UsersResource"
_STORE = "org.keycloak.models.jpa.JpaUserProvider"
_TOKENS = "org.keycloak.protocol.oidc.TokenManager"


@dataclass(frozen=True, slots=True)
class Injected:
    """A fault of the system.

    Attributes:
        paper: where it comes from.
        woven: into Keycloak's methods.
        settings: of PostgreSQL that differ.
        options: of Keycloak that are added.
    """

    name: str
    paper: str
    woven: tuple[Fault, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


FAULTS = {
    fault.name: fault
    for fault in (
        Injected("none", "a run without a change"),
        Injected(
            "busy-low", "000, D5", (Fault("busy", "burn", 3 * NANOS_PER_MS, f"{_USERS}#getUsers", True),)
        ),
        Injected(
            "busy-high", "000, D5", (Fault("busy", "burn", 12 * NANOS_PER_MS, f"{_USERS}#getUsers", True),)
        ),
        Injected(
            "leak-low",
            "002, A",
            (Fault("leak", "retain", 4 * KIB, f"{_TOKENS}#createClientAccessToken", True),),
        ),
        Injected(
            "leak-high",
            "002, A",
            (Fault("leak", "retain", 32 * KIB, f"{_TOKENS}#createClientAccessToken", True),),
        ),
        Injected("repeat-low", "000, D5", (Fault("again", "repeat", 2, f"{_STORE}#getUserById", True),)),
        Injected("repeat-high", "000, D5", (Fault("again", "repeat", 10, f"{_STORE}#getUserById", True),)),
        Injected("small-buffers", "000, J3", settings={"shared_buffers": "1MB"}),
        Injected("log-sql", "002, E", options=("--log-level=org.hibernate.SQL:debug",)),
    )
}
