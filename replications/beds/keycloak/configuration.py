"""The bed's tests as a configuration of buto: one for each environment and fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from beds.artefacts import BedError
from beds.faults import agent_option
from beds.keycloak.environments import IDLE, Limits
from beds.keycloak.plan import Load, PlannedRun
from beds.keycloak.prepare import DATABASE_PORT, HTTP_PORT, MANAGEMENT_PORT, Bed, server_command
from beds.postgresql import HOST, service
from buto.measure.jvms import find_installations

LOAD = Path(__file__).parent / "load.yaml"
WARM_UP_S = 30
INTERVAL_MS = 500
WRITES = ("search", "create", "update")
MEASURED = {"shared_preload_libraries": "pg_stat_statements", "track_io_timing": "on"}
"""Settings of PostgreSQL without which it does not count statements and times."""

QUERIES = {
    "activity": "select xact_commit, xact_rollback, blks_read, blks_hit, tup_returned, tup_fetched, "
    "tup_inserted, tup_updated, tup_deleted, temp_bytes, deadlocks "
    "from pg_stat_database where datname = current_database()",
    "connections": "select coalesce(state, 'none'), count(*)::float from pg_stat_activity group by state",
    "sequential": "select relname, seq_tup_read from pg_stat_user_tables",
    "indexed": "select relname, idx_tup_fetch from pg_stat_user_tables",
    "dead": "select relname, n_dead_tup from pg_stat_user_tables",
    "scans": "select indexrelname, idx_scan from pg_stat_user_indexes",
    "statements": "select sum(calls) as calls, sum(total_exec_time) as time, sum(rows) as rows, "
    "sum(shared_blks_hit) as hit, sum(shared_blks_read) as read from pg_stat_statements",
}
COUNTERS = ["activity.*", "sequential*", "indexed*", "scans*", "statements.*"]


def test_of(bed: Bed, planned: PlannedRun) -> dict[str, Any]:
    """Return the test of a configuration that records one planned run."""
    environment, fault, rates = planned.environment, planned.fault, planned.load.rates
    agent = agent_option(*(fault.woven or (IDLE,)))
    command = server_command(bed.keycloak, *environment.jvm, agent, java=_java(environment.java))
    return {
        "command": environment.limits.of_server([*command, *fault.options]),
        "interval": f"{INTERVAL_MS}ms",
        "timeout": f"{300 + WARM_UP_S + planned.load.phase_s * len(rates)}s",
        "labels": environment.labels | planned.labels,
        "services": {"database": _database(bed, environment.limits, environment.settings | fault.settings)},
        "sources": _sources(),
        "workload": {
            "port": HTTP_PORT,
            "ready": {"http": f"http://{HOST}:{MANAGEMENT_PORT}/health/ready", "within": "3min"},
            "load": _load(planned.load),
            "stop": True,
        },
        "window": {"from": f"load.start + {WARM_UP_S}s", "to": "load.end"},
    }


def _java(release: int) -> str:
    for installed in find_installations():
        if installed.major == release:
            return str(installed.java)
    raise BedError(f"no JDK {release} was found; buto doctor lists those of this machine")


def _load(load: Load) -> dict[str, Any]:
    described: dict[str, Any] = yaml.safe_load(LOAD.read_text())
    for name in WRITES:
        described["requests"][name]["weight"] *= load.writes
    phases = [{"name": "warm-up", "rate": load.rates[0], "duration": f"{WARM_UP_S}s"}]
    phases += [
        {"name": f"phase-{number}", "rate": rate, "duration": f"{load.phase_s}s"}
        for number, rate in enumerate(load.rates, 1)
    ]
    return described | {"seed": load.seed, "phases": phases}


def _database(bed: Bed, limits: Limits, settings: dict[str, str]) -> dict[str, Any]:
    database = service(bed.programs, bed.template, DATABASE_PORT, MEASURED | settings)
    return database | {"command": limits.of_database(database["command"])}


def _sources() -> dict[str, Any]:
    return {
        "metrics": {
            "kind": "prometheus",
            "url": f"http://{HOST}:{MANAGEMENT_PORT}/metrics",
            "settle": WARM_UP_S,
        },
        "postgres": {"kind": "process", "match": f"*postgres -D*port={DATABASE_PORT}*"},
        "database": {
            "kind": "sql",
            "url": f"postgresql://keycloak@{HOST}:{DATABASE_PORT}/keycloak",
            "queries": QUERIES,
            "counters": COUNTERS,
        },
        "host": {"kind": "host"},
    }
