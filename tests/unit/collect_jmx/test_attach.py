"""Attaching without a JVM: what is said of one that ends at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from buto.collect.jmx import attach
from buto.errors import MeasureError


class EndedConnection:
    """A connection to a JVM that has ended before its first sample."""

    lost = "the connection was closed"
    silent = False

    def start(self, *_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(read_ns=time.monotonic_ns(), uptime_s=1.0)

    def drain(self) -> None:
        pass


def test_a_jvm_that_ends_before_its_first_sample_is_said_to_give_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @contextmanager
    def connected(*_: object) -> Iterator[EndedConnection]:
        yield EndedConnection()

    monkeypatch.setattr(attach, "connect", connected)
    with pytest.raises(MeasureError, match="gave no sample: the JVM's end"):
        attach.attach(attach.AttachSpec("shop", url="service:jmx:rmi://db:9010/jndi/rmi"))
