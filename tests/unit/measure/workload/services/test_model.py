"""Services as a configuration has them."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from buto.errors import ConfigError
from buto.measure.workload.services import CommandSucceeds, HttpAnswers, LogLine, PortOpen
from buto.project.config import load
from buto.project.model import TestConfig

FULL = """\
version: 1
tests:
  shop:
    command: [java, -jar, shop.jar]
    services:
      database:
        command: [postgres, -D, ., -p, 05432, '${EXTRA}']
        template: data/template
        working-directory: cluster
        environment: {LEVEL: 007}
        user: postgres
        ready: {port: 5432, within: 5s}
        stop-signal: INT
        stop-within: 3s
      mail:
        command: ./mail.sh --all
        ready: {log: 'ready [0-9]+'}
      web:
        command: [web]
        working-directory: web
        ready: {http: "http://127.0.0.1:8080/${PATH_OF_HEALTH}", status: 204}
      queue: {command: [queue], ready: {command: [queue, --ping, 010]}}
"""


def read(tmp_path: Path, text: str) -> TestConfig:
    path = tmp_path / "buto.yaml"
    path.write_text(text)
    return load(path, {"EXTRA": "-c fsync=off", "PATH_OF_HEALTH": "health"}).tests["shop"]


def test_everything_that_a_service_can_say(tmp_path: Path) -> None:
    here = tmp_path.resolve()
    database, mail, web, queue = read(tmp_path, FULL).services
    assert database.command == ("postgres", "-D", ".", "-p", "05432", "-c fsync=off")
    assert (database.template, database.directory) == (here / "data/template", Path("cluster"))
    assert (database.environment, database.user) == ({"LEVEL": "007"}, "postgres")
    assert (database.readiness, database.within_s, database.port) == (PortOpen(5432), 5.0, 5432)
    assert (database.stop_signal, database.stop_within_s) == (signal.SIGINT, 3.0)
    assert (mail.command, mail.directory) == (("./mail.sh", "--all"), here)
    assert mail.readiness == LogLine(re.compile("ready [0-9]+"))
    assert (mail.stop_signal, mail.port) == (signal.SIGTERM, None)
    assert web.readiness == HttpAnswers("http://127.0.0.1:8080/health", 204)
    assert (web.directory, web.port) == (here / "web", 8080)
    assert queue.readiness == CommandSucceeds(("queue", "--ping", "010"))


def test_an_oracle_remembers_services_without_values_of_variables(tmp_path: Path) -> None:
    written = read(tmp_path, FULL).written["services"]
    assert written["database"]["command"][4:] == ["05432", "${EXTRA}"]
    assert written["queue"]["ready"] == {"command": ["queue", "--ping", "010"]}


@pytest.mark.parametrize(
    ("services", "message"),
    [
        ("{db: {command: [x]}}", "4:16: 'ready' is missing in tests.shop.services.db"),
        (
            "{db: {command: [x], ready: {}}}",
            "4:42: tests.shop.services.db.ready: found an empty mapping, expected a mapping with one of",
        ),
        (
            "{db: {command: [x], ready: {port: 1, log: x}}}",
            "4:42: tests.shop.services.db.ready: found a mapping, expected a mapping with one of port,",
        ),
        (
            "{db: {command: [x], ready: {port: 1}, reddy: 1}}",
            "4:53: unknown key 'reddy' in tests.shop.services.db; did you mean 'ready'?",
        ),
        ("{Db: {command: [x], ready: {port: 1}}}", "4:16: 'Db' in tests.shop.services is not the name of"),
        (
            "{db: {command: [x], ready: {log: 'x('}}}",
            "4:20: ready: log must be a regular expression, got 'x('",
        ),
        ("{db: {command: [x], ready: {port: 1, status: 200}}}", "4:20: ready: status can be used with http"),
        (
            "{db: {command: [x], ready: {http: ftp://x/}}}",
            "4:20: ready: http must be an HTTP URL, got 'ftp://",
        ),
        (
            "{db: {command: [x], ready: {http: 'http://x:70000/'}}}",
            "4:20: ready: http must be an HTTP URL, got 'http://x:70000/'",
        ),
        ("{db: {command: [x, '${NO}'], ready: {port: 1}}}", "4:34: unknown variable ${NO}"),
        ("{db: {command: [x], ready: {port: 1}, stop-signal: 9}}", "stop-signal: found 9, expected TERM or"),
    ],
)
def test_a_fault_is_named_with_its_place(tmp_path: Path, services: str, message: str) -> None:
    text = f"version: 1\ntests:\n  shop:\n    services: {services}\n    command: [java]\n"
    with pytest.raises(ConfigError, match=re.escape(message)):
        read(tmp_path, text)
