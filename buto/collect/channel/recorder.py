"""Add the messages of the measured JVM to a recording. Knows neither sockets nor processes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from buto.collect.channel import messages as channel
from buto.collect.channel.frames import ChannelError
from buto.collect.jvm.class_histogram import class_histogram
from buto.collect.record.recording import Recording
from buto.properties import Kind

_BLOCKED = "blocked "


class AgentRecorder:
    """Handles the messages of one JVM after its HELLO.

    Columns that the recording has before are not the agent's; its rows get NaN in them.

    Attributes:
        recording: receives everything.
        exiting: whether the exit hook has begun.
        complete: whether the exit hook took the last sample and everything has arrived.
        blocked: the MBean that kept the agent waiting when the program ended, and since when
            (``time.monotonic_ns``); None if there was none.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.exiting = False
        self.complete = False
        self._n_unsent_notifications = 0
        self.blocked: tuple[str, int] | None = None
        self._gate_open = False
        self._n_before = len(recording.columns)

    @property
    def n_lost_notifications(self) -> int:
        """Number of notifications that could not be sent or kept."""
        return self._n_unsent_notifications + self.recording.n_dropped_notifications

    @property
    def _n_columns(self) -> int:
        """Number of columns that the agent has announced."""
        return len(self.recording.columns) - self._n_before

    def receive(self, message: channel.Message) -> bytes | None:
        """Add one message to the recording.

        Returns:
            The frame to answer with, if any: GO to the first sample, FAREWELL to BYE.

        Raises:
            ChannelError: the message contradicts an earlier one.
            MeasureError: a property was announced twice.
        """
        recording = self.recording
        match message:
            case channel.Samples():
                if message.values.shape[1] > self._n_columns:
                    raise ChannelError(f"{message.values.shape[1]} columns, {self._n_columns} announced")
                n_rows, n_columns = message.values.shape
                rows = np.full((n_rows, self._n_before + n_columns), np.nan)
                rows[:, self._n_before :] = message.values
                if n_rows and message.times_ns[0] == recording.last_time_ns:
                    # The agent completes its last row; what was read from outside stays.
                    rows[0, : self._n_before] = recording.last_row()[: self._n_before]
                recording.add_rows(message.times_ns, rows)
                if recording.n_samples and not self._gate_open:
                    self._gate_open = True
                    return channel.go()
            case channel.Columns():
                if message.first != self._n_columns:
                    raise ChannelError(f"new columns from {message.first} on, not {self._n_columns}")
                recording.add_columns(message.properties)
            case channel.Metadata():
                recording.metadata.update(message.entries)
            case channel.Notifications():
                for item in message.items:
                    recording.add_notification(
                        item.received_ns, item.type, item.source, item.sequence, item.message
                    )
            case channel.Reasons():
                self._add_reasons(message)
            case channel.Mark():
                if message.name == "main":
                    recording.zero_ns = message.time_ns
                elif message.name == "exit":
                    self.exiting = True
                elif message.name.startswith(_BLOCKED):
                    self.blocked = message.name.removeprefix(_BLOCKED), message.time_ns
            case channel.Dropped():
                self._n_unsent_notifications = message.n_notifications
            case channel.Histogram():
                counted = class_histogram(
                    message.point, message.instances, message.size_bytes, message.printed
                )
                recording.add_histogram(message.time_ns, counted)
            case channel.Bye():
                self.complete = True
                return channel.farewell()
            case channel.Hello():
                raise ChannelError("a second HELLO")
        return None

    def add_last_state(self, time_ns: int, values: Mapping[str, float], source: str) -> bool:
        """Append a last row from another source, if no exit hook could run.

        Values of properties that the agent did not announce are left out, and so is a counter that
        would fall: both show that the source counts something else.

        Args:
            time_ns: of the JVM's end.
            values: property name to value.
            source: name of the source, for the NaN reason of all other columns.

        Returns:
            Whether a row was appended.
        """
        recording = self.recording
        known = {
            prop.name: values[prop.name]
            for prop in recording.columns
            if prop.name in values
            and not (prop.kind is Kind.COUNTER and values[prop.name] < recording.last_value(prop.name))
        }
        last_ns = recording.last_time_ns
        if not known or last_ns is None or time_ns <= last_ns:
            return False
        recording.add_row(time_ns, known)
        for prop in recording.columns:
            if prop.name not in known:
                recording.add_reason(
                    prop.name, f"the last sample comes from {source}, which does not have it"
                )
        return True

    def _add_reasons(self, message: channel.Reasons) -> None:
        columns = self.recording.columns[self._n_before :]
        for column, why in message.entries:
            if column >= len(columns):
                raise ChannelError(f"a reason for column {column} of {len(columns)}")
            self.recording.add_reason(columns[column].name, why)
