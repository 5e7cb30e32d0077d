"""Numbers of a real PostgreSQL, and of a server that only says it is one."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import psycopg
import pytest

from buto.measure.sources import sql
from buto.measure.sources.protocol import Reader, SourceError
from buto.measure.sources.sql import SqlSource
from buto.run.properties import Kind
from perf.scale.ports import free_port
from tests.support import postgresql
from tests.support.sources.raw_server import serving
from tests.support.sources.surroundings import NoProgram

pytestmark = pytest.mark.slow


class Database:
    """A PostgreSQL that runs."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.url = f"postgresql://shop@127.0.0.1:{port}/postgres"

    def open(self, queries: Mapping[str, str], *, timeout_s: float = 5.0, **settings: object) -> Reader:
        return SqlSource({"url": self.url, "queries": queries, **settings}).open(NoProgram(), 1.0, timeout_s)

    def read(self, queries: Mapping[str, str], **settings: object) -> Mapping[str, float]:
        with self.open(queries, **settings) as reader:
            return reader.read()


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    programs = postgresql.postgresql()
    with tempfile.TemporaryDirectory() as parent:
        Path(parent).chmod(0o755)
        directory = Path(parent, "database")
        postgresql.new_database(programs, directory)
        port = free_port()
        command = [programs / "postgres", "-D", directory, "-p", str(port), "-c", "unix_socket_directories="]
        is_root = postgresql.owner() == "nobody"
        process = subprocess.Popen(
            [*command, "-c", "shared_buffers=8MB", "-c", "fsync=off"],
            user=postgresql.owner() if is_root else None,
            stderr=subprocess.DEVNULL,
        )
        try:
            until_it_answers(port)
            postgresql.query(port, "CREATE TABLE orders AS SELECT generate_series(1, 7) AS id")
            postgresql.query(port, "CREATE SEQUENCE numbers")
            yield Database(process, port)
        finally:
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGINT)
            process.wait(20)


def until_it_answers(port: int) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            return postgresql.query(port, "SELECT 1")
        except (OSError, RuntimeError):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_columns_of_one_row_and_rows_of_names_are_numbers(database: Database) -> None:
    queries = {
        "orders": "SELECT count(*) AS rows, max(id) + 0.5 AS largest, NULL::int AS none FROM orders;",
        "sizes": "VALUES ('a', 1), ('b c', 2.5), ('d', NULL)",
        "answer": "SELECT true AS yes -- a comment",
    }
    assert database.read(queries) == {
        "orders.rows": 7,
        "orders.largest": 7.5,
        "sizes[a]": 1,
        "sizes[b c]": 2.5,
        "answer.yes": 1,
    }


def test_patterns_say_what_counts_up(database: Database) -> None:
    with database.open({"a": "SELECT 1 AS up, 2 AS level"}, counters=["*.up"]) as reader:
        assert {name: reader.property(name).kind for name in reader.read()} == {
            "a.up": Kind.COUNTER,
            "a.level": Kind.GAUGE,
        }


def test_the_version_and_the_settings_are_metadata(database: Database) -> None:
    with database.open({"a": "SELECT 1 AS one"}) as reader:
        metadata = reader.metadata()
    assert str(metadata["version"])[0].isdigit()
    assert metadata["setting.shared_buffers"] == "10248kB"
    assert "setting.work_mem" not in metadata


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT 'a' AS one, 'b' AS two, 1 AS three", "the query a returns 'a', which is no number"),
        (
            "SELECT * FROM orders",
            "the query a must return one row of numbers, or rows of a name and a number; got 7",
        ),
        (
            "SELECT id::text, id FROM generate_series(1, 5001) AS id",
            "the query a returns more than 5000 rows",
        ),
        ("SELECT * FROM nothing", 'the database cannot be read: relation "nothing" does not exist'),
        ("DELETE FROM orders", "the database cannot be read: syntax error"),
        ("SELECT 1 AS one) AS a; DROP TABLE orders; --", "the database cannot be read: "),
    ],
)
def test_a_query_of_another_kind_is_refused_with_the_reason(
    database: Database, query: str, said: str
) -> None:
    with pytest.raises(SourceError) as caught:
        database.read({"a": query})
    assert caught.value.message.startswith(said)
    assert database.read({"a": "SELECT count(*) AS n FROM orders"}) == {"a.n": 7}


def test_a_query_that_changes_something_is_refused_by_the_server(database: Database) -> None:
    with pytest.raises(SourceError, match="read-only transaction"):
        database.read({"a": "SELECT nextval('numbers') AS one"})


def test_a_slow_query_ends_at_the_time_limit(database: Database) -> None:
    sleeping = {"a": "SELECT 1 AS one, pg_sleep(9) IS NULL AS two"}
    with database.open(sleeping, timeout_s=0.3) as reader:
        begun = time.monotonic()
        with pytest.raises(SourceError, match="did not answer within"):
            reader.read()
        assert time.monotonic() - begun < 8


def test_a_server_that_stands_still_ends_at_the_time_limit(database: Database) -> None:
    with database.open({"a": "SELECT 1 AS one"}, timeout_s=1.5) as reader:
        assert reader.read() == {"a.one": 1}
        children = [str(child.pid) for child in psutil.Process(database.process.pid).children()]
        try:
            subprocess.run(["kill", "-STOP", *children], check=False)
            begun = time.monotonic()
            with pytest.raises(SourceError, match="did not answer within"):
                reader.read()
            assert time.monotonic() - begun < 60
        finally:
            subprocess.run(["kill", "-CONT", *children], check=False)
        assert reader.read() == {"a.one": 1}


class LateConnection:
    """A connection of which another thread may close the descriptor."""

    closed = False

    def fileno(self) -> int:
        raise psycopg.OperationalError("the connection is closed")

    def close(self) -> None:
        pass


def test_a_connection_that_is_opened_too_late_is_asked_only_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def connect(*_: object, **__: object) -> LateConnection:
        time.sleep(0.2)
        return LateConnection()

    monkeypatch.setattr(psycopg, "connect", connect)
    reader = SqlSource({"url": "postgresql://a@127.0.0.1/a", "queries": {"a": "SELECT 1"}}).open(
        NoProgram(), 1.0, 0.05
    )
    # Without the limit it would be asked, and has no cursor.
    with reader, pytest.raises(SourceError, match="did not answer within"):
        reader.read()


def test_a_connection_that_closes_at_the_time_limit_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psycopg, "connect", lambda *_, **__: LateConnection())
    with SqlSource({"url": "postgresql://a@127.0.0.1/a", "queries": {}}).open(
        NoProgram(), 1.0, 5.0
    ) as reader:
        assert reader.read() == {}
        assert isinstance(reader, sql._SqlReader)
        reader._abort()


def test_what_is_no_database_is_said() -> None:
    with serving(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad\r\n\r\n")) as url:
        port = url.split(":")[2].split("/")[0]
        source = SqlSource({"url": f"postgresql://a:geheim@127.0.0.1:{port}/a", "queries": {"a": "SELECT 1"}})
        with source.open(NoProgram(), 1.0, 2.0) as reader, pytest.raises(SourceError) as caught:
            reader.read()
    assert caught.value.message.startswith("the database cannot be read: ")
    assert "geheim" not in caught.value.message
