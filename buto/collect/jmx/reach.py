"""How a companion reaches the MBeans of the JVM that is being measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from buto.collect.hooks import Connect
from buto.collect.jmx.attach import AttachSpec, connect
from buto.collect.jmx.connection import JmxConnection
from buto.collect.jmx.worker_client import Worker


def attached(test: str, pid: int) -> Connect:
    """How a JVM without a connection is reached: by attaching to it."""

    def to_jvm(worker: Worker) -> AbstractContextManager[JmxConnection]:
        return connect(AttachSpec(test, pid=pid), worker)

    return to_jvm


def connected(connection: JmxConnection | None, pid: int, test: str) -> Connect:
    """How a JVM is reached that is polled through JMX anyhow: by that connection."""
    if connection is None:
        return attached(test, pid)

    @contextmanager
    def same(worker: Worker) -> Iterator[JmxConnection]:
        yield connection

    return same
