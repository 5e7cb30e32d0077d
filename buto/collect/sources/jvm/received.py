"""What the agent of a further JVM has sent. Knows neither sockets nor processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from buto.collect.channel import messages as channel
from buto.collect.channel.frames import ChannelError
from buto.properties import Property


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One sample.

    Attributes:
        time_ns: ``time.monotonic_ns`` at which the JVM took it.
        values: by name; NaN: could not be read.
    """

    time_ns: int
    values: Mapping[str, float]


class Received:
    """The messages of one agent after its HELLO, of which only the newest row is kept.

    Attributes:
        properties: of the columns, by name, in the order of the agent.
        reasons: why columns could not be read, by name.
        metadata: of the JVM.
        row: the newest one; None before the first.
    """

    def __init__(self) -> None:
        self.properties: dict[str, Property] = {}
        self.reasons: dict[str, str] = {}
        self.metadata: dict[str, str] = {}
        self.row: Row | None = None

    def add(self, message: channel.Message) -> bytes | None:
        """Take over one message.

        Returns:
            The frame to answer with, if any: GO to the first sample, FAREWELL to BYE.

        Raises:
            ChannelError: the message contradicts an earlier one.
        """
        match message:
            case channel.Samples():
                return self._add_rows(message)
            case channel.Columns():
                if message.first != len(self.properties):
                    raise ChannelError(f"new columns from {message.first} on, not {len(self.properties)}")
                self.properties |= {prop.name: prop for prop in message.properties}
            case channel.Metadata():
                self.metadata |= dict(message.entries)
            case channel.Reasons():
                names = list(self.properties)
                for column, why in message.entries:
                    if column >= len(names):
                        raise ChannelError(f"a reason for column {column} of {len(names)}")
                    self.reasons[names[column]] = why
            case channel.Bye():
                return channel.farewell()
            case channel.Hello():
                raise ChannelError("a second HELLO")
        return None

    def _add_rows(self, samples: channel.Samples) -> bytes | None:
        n_rows, n_columns = samples.values.shape
        if n_columns > len(self.properties):
            raise ChannelError(f"{n_columns} columns, {len(self.properties)} announced")
        if not n_rows:
            return None
        is_first = self.row is None
        values = dict(zip(self.properties, samples.values[-1].tolist(), strict=False))
        self.row = Row(int(samples.times_ns[-1]), values)
        return channel.go() if is_first else None
