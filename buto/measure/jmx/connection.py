"""A connection to one JVM through the worker, to record it and to invoke its operations."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from msgspec import Struct

from buto.measure.channel import AgentRecorder
from buto.measure.jmx.credentials import NO_CREDENTIALS, Credentials, JmxFailure
from buto.measure.jmx.worker_client import Worker
from buto.measure.messages import MAX_FRAME_BYTES, FrameDecoder
from buto.measure.progress import Closeable
from buto.measure.recording import Recording
from buto.measure.target import MBeanSpec

CONNECT_S = 10.0
CLOSE_S = 2.0
INVOKE_S = 60.0
_DRAIN_S = 5.0


class TargetTimes(Struct, frozen=True):
    """The target's start on this machine's monotonic clock.

    Attributes:
        started_ms: the JVM's start, ms of its wall clock.
        uptime_s: time since then, at ``read_ns``.
        read_ns: when the uptime was read, ``time.monotonic_ns``.
    """

    started_ms: int
    uptime_s: float
    read_ns: int

    @property
    def started_ns(self) -> int:
        """The JVM's start on the monotonic clock."""
        return self.read_ns - round(self.uptime_s * 1e9)


class JmxConnection(Closeable):
    """A connection to the MBean server of one JVM. Close it, for instance by a ``with`` block.

    Args:
        worker: carries the connection, and maybe others. A worker that does not finish a request in
            time is ended, so that no stuck thread outlives its connection.
        address: a JMX service URL.
        name: what messages call the JVM.

    Attributes:
        lost: why no more samples come; None while they do.
        silent: whether it was lost because the JVM did not answer in time, and not because it ended.

    Raises:
        MeasureError: the connection cannot be made; the message says why.
    """

    def __init__(
        self,
        worker: Worker,
        address: str,
        name: str,
        credentials: Credentials = NO_CREDENTIALS,
        within_s: float = CONNECT_S,
    ) -> None:
        self.name = name
        self._worker = worker
        self._recorder: AgentRecorder | None = None
        self._decoder = FrameDecoder(MAX_FRAME_BYTES)
        self._is_open = False
        self.lost: str | None = None
        self.silent = False
        self._number = self._ask(
            "connect",
            f"cannot connect to {name}",
            within_s,
            address=address,
            user=credentials.user,
            password=credentials.password,
            registry_tls=credentials.registry_tls,
        )
        self._is_open = True

    @property
    def n_lost_notifications(self) -> int:
        return self._recorder.n_lost_notifications if self._recorder else 0

    def worker_cpu_s(self) -> float:
        """Return the processor time that the worker has used so far."""
        return self._worker.cpu_s()

    def start(
        self,
        recording: Recording,
        interval_s: float,
        mbeans: Sequence[MBeanSpec] = (),
        *,
        same_machine: bool,
        within_s: float = CONNECT_S,
    ) -> TargetTimes:
        """Read the metadata, subscribe to notifications and begin to poll.

        Args:
            recording: receives the samples in :meth:`drain`.
            same_machine: whether the JVM runs on this machine, with the same wall clock.
        """
        self._recorder = AgentRecorder(recording)
        times = self._ask(
            "start",
            f"cannot read the MBeans of {self.name}",
            within_s,
            connection=self._number,
            interval_ns=round(interval_s * 1e9),
            same_machine=same_machine,
            mbeans=[asdict(spec) for spec in mbeans],
        )
        return TargetTimes(times["started_at_ms"], times["uptime_ms"] / 1000, times["uptime_read_at_ns"])

    def drain(self) -> None:
        """Append new samples to the recording; notice a lost connection."""
        assert self._recorder is not None, "a connection is started before it is drained"
        answer = self._worker.ask("drain", _DRAIN_S, connection=self._number)
        for message in self._decoder.feed(base64.b64decode(answer["frames"])):
            self._recorder.receive(message)
        self.lost, self.silent = answer["lost"], answer["silent"]

    def finish(self) -> None:
        """Take a last sample, stop polling, and drain."""
        in_time = self._ask("finish", f"cannot stop polling {self.name}", CLOSE_S, connection=self._number)
        self.drain()
        if not in_time:
            self._retire()

    def invoke(self, bean: str, operation: str, *arguments: Any, within_s: float = INVOKE_S) -> Any:
        """Invoke an operation of an MBean; it is found by its name and number of arguments.

        Args:
            bean: object name, for example ``com.acme:type=Queue``.
            arguments: numbers, texts, truth values, None.

        Returns:
            A plain value; a dictionary for composite data, a list for tabular data and arrays.

        Raises:
            MeasureError: there is no such MBean or operation, it threw, or took too long.
        """
        call = {"bean": bean, "name": operation, "values": list(arguments)}
        what = f"{operation} of {bean} failed"
        return self._ask("invoke", what, within_s, connection=self._number, **call)

    def close(self) -> None:
        """Close the connection, so that the target's threads for it end. Safe to call again."""
        if not self._is_open:
            return
        self._is_open = False
        if self._worker.is_usable:
            what = f"cannot close the connection to {self.name}"
            if not self._ask("close", what, CLOSE_S, connection=self._number):
                self._retire()

    def _ask(self, operation: str, what: str, within_s: float, **arguments: Any) -> Any:
        """Send a request to the worker; ``what`` begins the message if it fails."""
        try:
            return self._worker.ask(operation, within_s, within_ms=round(within_s * 1000), **arguments)
        except JmxFailure as failure:
            if failure.is_timeout:
                self._retire()
            raise failure.about(what) from None

    def _retire(self) -> None:
        self._is_open = False
        self._worker.close()
