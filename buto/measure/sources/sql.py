"""The source ``sql``: numbers of a PostgreSQL database, by the user's own queries."""

from __future__ import annotations

import math
import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from buto.measure.samples import MAX_PROPERTIES
from buto.measure.sources.protocol import Reader, Settings, SourceContext, SourceError
from buto.measure.sources.sampling import ReadingLimit
from buto.run.model import MetadataValue
from buto.run.patterns import fits
from buto.run.properties import Kind, Property

if TYPE_CHECKING:
    from psycopg import Connection

_SETTINGS = """\
SELECT name, setting || COALESCE(unit, '') FROM pg_settings
WHERE source NOT IN ('default', 'override', 'client', 'session') ORDER BY name LIMIT 200"""

_MOST_SHOWN = 200


class SqlSource:
    """Queries that give one row of numbers, or rows of a name and a number."""

    kind: ClassVar[str] = "sql"
    required: ClassVar[tuple[str, ...]] = ("url", "queries")
    keys: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "url": {
            "title": "a URL or connection string of PostgreSQL",
            "description": "Which database, as libpq has it.",
            "type": "string",
            "minLength": 1,
            "examples": ["postgresql://shop:${DB_PASSWORD}@127.0.0.1:5432/shop"],
        },
        "queries": {
            "title": "queries by name",
            "description": "Each a SELECT that returns one row of numbers, or rows of a name and a number.",
            "type": "object",
            "minProperties": 1,
            "maxProperties": 100,
            "propertyNames": {"title": "the name of a query", "pattern": "^[A-Za-z0-9_.-]{1,50}$"},
            "additionalProperties": {"title": "a SELECT", "type": "string", "minLength": 1},
            "examples": ["{orders: 'SELECT count(*) AS rows FROM orders'}"],
        },
        "counters": {
            "title": "a list of shell patterns",
            "description": "Which names count up from a start, as most of pg_stat_database do; default none.",
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "examples": ["['*.xact_commit', '*.blks_*']"],
        },
    }

    def __init__(self, settings: Settings) -> None:
        self.settle_s = 0.0
        self._url: str = settings["url"]
        self._queries: Mapping[str, str] = {
            name: query.strip().rstrip(";") for name, query in settings["queries"].items()
        }
        self._counters: Sequence[str] = settings.get("counters", ())

    def open(self, surroundings: SourceContext, interval_s: float, timeout_s: float) -> Reader:
        return _SqlReader(self._url, self._queries, self._counters, timeout_s)


class _SqlReader(Reader):
    """Keeps one connection, opened anew after a failure. Its transactions are read only."""

    def __init__(
        self, url: str, queries: Mapping[str, str], counters: Sequence[str], timeout_s: float
    ) -> None:
        self._url = url
        self._queries = queries
        self._counters = counters
        self._timeout_s = timeout_s
        self._connection: Connection[Any] | None = None

    def read(self) -> Mapping[str, float]:
        import psycopg

        # The server's own limit fails for one that does not run at all.
        with ReadingLimit(self._timeout_s, self._abort) as limit:
            try:
                connection = self._connect()
                # A connection that was opened too late cannot be cut off any more.
                if limit.has_passed:
                    raise SourceError(f"the database did not answer within {limit.elapsed_s:.1f} s")
                values: dict[str, float] = {}
                for name, query in self._queries.items():
                    values |= _numbers(name, *_rows(connection, query))
            except psycopg.Error as error:
                self.close()
                if limit.has_passed or isinstance(error, psycopg.errors.QueryCanceled):
                    took = f"{limit.elapsed_s:.1f} s"
                    raise SourceError(f"the database did not answer within {took}") from error
                raise SourceError(f"the database cannot be read: {_reason_of(error)}") from error
        return {name: value for name, value in values.items() if math.isfinite(value)}

    def property(self, name: str) -> Property:
        counts = any(fits(name, pattern.replace("[", "[[]")) for pattern in self._counters)
        return Property(name, "1", Kind.COUNTER if counts else Kind.GAUGE, lower=0.0 if counts else -math.inf)

    def metadata(self) -> Mapping[str, MetadataValue]:
        """Return the version of the server and its settings that are not the default."""
        import psycopg

        with ReadingLimit(self._timeout_s, self._abort):
            try:
                connection = self._connect()
                _, [(version,)] = _rows(connection, "SELECT current_setting('server_version')")
                with connection.cursor() as cursor:
                    settings = cursor.execute(_SETTINGS).fetchall()
            except psycopg.Error as error:
                self.close()
                return {"version": f"not known: {_reason_of(error)}"}
        return {"version": version} | {f"setting.{name}": value for name, value in settings}

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> Connection[Any]:
        import psycopg

        if self._connection is None:
            limits = f"-c statement_timeout={max(1, round(1000 * self._timeout_s))}"
            self._connection = psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=max(2, math.ceil(self._timeout_s)),
                options=f"{limits} -c default_transaction_read_only=on",
                # A database without an encoding would send texts as bytes.
                client_encoding="utf8",
                application_name="buto",
            )
        return self._connection

    def _abort(self) -> None:
        import psycopg

        connection = self._connection
        if connection is None:
            return
        # Another thread may close it at this moment.
        with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as copy:
            copy.shutdown(socket.SHUT_RDWR)


def _rows(connection: Connection[Any], query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    # The client keeps a whole result in memory, so the server must limit it.
    limited = f"SELECT * FROM ({query}\n) AS asked LIMIT {MAX_PROPERTIES + 1}"
    with connection.cursor() as cursor:
        cursor.execute(limited.encode())
        return [column.name for column in cursor.description or ()], cursor.fetchall()


def _numbers(query: str, columns: list[str], rows: list[tuple[Any, ...]]) -> dict[str, float]:
    """Return the numbers of one result by name; null is left out.

    Raises:
        SourceError: it is neither one row of numbers nor rows of a name and a number.
    """
    if len(rows) > MAX_PROPERTIES:
        raise SourceError(f"the query {query} returns more than {MAX_PROPERTIES} rows")
    if len(columns) == 2 and all(isinstance(row[0], str) for row in rows):
        return {f"{query}[{name}]": _number(query, value) for name, value in rows if value is not None}
    if len(rows) != 1:
        raise SourceError(
            f"the query {query} must return one row of numbers, or rows of a name and a number; "
            f"got {len(rows)} rows with the columns {', '.join(columns)}"
        )
    return {
        f"{query}.{column}": _number(query, value)
        for column, value in zip(columns, rows[0], strict=True)
        if value is not None
    }


def _number(query: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise SourceError(f"the query {query} returns {str(value)[:50]!r}, which is no number") from error


def _reason_of(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:_MOST_SHOWN] if lines else type(error).__name__
