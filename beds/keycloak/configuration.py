"""The bed's tests as a configuration of buto: one for each environment and fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from beds.faults import agent_option
from beds.keycloak.commands import (
    DATABASE_PORT,
    HOST,
    HTTP_PORT,
    MANAGEMENT_PORT,
    database_command,
    owner,
    server_command,
)
from beds.keycloak.environments import Environment, Injected
from beds.keycloak.prepare import Bed

LOAD = Path(__file__).parent / "load.yaml"
WARM_UP_S = 30
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


def test_of(
    bed: Bed, environment: Environment, fault: Injected, rates: tuple[int, ...], phase_s: int
) -> dict[str, Any]:
    """Return one test of a configuration.

    Args:
        rates: requests a second, one phase each after the warm-up.
        phase_s: how long a phase lasts.
    """
    woven = (agent_option(*fault.woven),) if fault.woven else ()
    phases = [{"name": "warm-up", "rate": rates[0], "duration": f"{WARM_UP_S}s"}]
    phases += [
        {"name": f"phase-{number}", "rate": rate, "duration": f"{phase_s}s"}
        for number, rate in enumerate(rates, 1)
    ]
    return {
        "command": [*server_command(bed.keycloak, *environment.jvm, *woven), *fault.options],
        "interval": "1s",
        "timeout": f"{300 + WARM_UP_S + phase_s * len(rates)}s",
        "labels": {"name": environment.name, "database": environment.postgresql},
        "services": {"database": _database(bed, environment.settings | fault.settings)},
        "sources": _sources(),
        "workload": {
            "port": HTTP_PORT,
            "ready": {"http": f"http://{HOST}:{MANAGEMENT_PORT}/health/ready", "within": "3min"},
            "load": yaml.safe_load(LOAD.read_text()) | {"phases": phases},
            "stop": True,
        },
        "window": {"from": f"load.start + {WARM_UP_S}s", "to": "load.end"},
    }


def _database(bed: Bed, settings: dict[str, str]) -> dict[str, Any]:
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return {
        "command": [*database_command(bed.programs, Path(".")), *options],
        "template": str(bed.template),
        "user": owner(),
        "ready": {"log": "ready to accept connections"},
        "stop-signal": "INT",
    }


def _sources() -> dict[str, Any]:
    return {
        "metrics": {
            "kind": "prometheus",
            "url": f"http://{HOST}:{MANAGEMENT_PORT}/metrics",
            "settle": WARM_UP_S,
        },
        "postgres": {"kind": "process", "match": "*postgres -D*"},
        "database": {
            "kind": "sql",
            "url": f"postgresql://keycloak@{HOST}:{DATABASE_PORT}/keycloak",
            "queries": QUERIES,
            "counters": COUNTERS,
        },
        "host": {"kind": "host"},
    }
