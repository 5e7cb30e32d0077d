"""The first words of a JVM with the agent, and what they show; the program is not measured."""

from __future__ import annotations

import time
from dataclasses import dataclass

from buto.collect import processes
from buto.collect.agent_frames import ChannelError
from buto.collect.agent_listener import AgentConnection, AgentListener
from buto.collect.agent_messages import Hello, decline
from buto.collect.hsperf import HeldCounters, NoPerfData
from buto.collect.launcher import Launch
from buto.collect.session import session_directory
from buto.collect.target import Target
from buto.errors import MeasureError

_HELLO_S = 20.0


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a JVM's first words show.

    Attributes:
        clock_difference_s: arrival of its words by this process's clock, less the JVM's own time.
        counters: why its performance counters cannot be read; None if they can.
    """

    clock_difference_s: float
    counters: str | None


def introduce(target: Target) -> Introduction:
    """Launch a program with the agent, listen to its first words, and send the agent away.

    Raises:
        MeasureError: the command cannot be started, or no agent speaks in time.
    """
    with session_directory() as directory, AgentListener(directory) as listener:
        with Launch(target, directory, [listener.jvm_option]) as launch:
            connection, hello, arrived_ns = _first_words(listener, launch)
            try:
                counters = _counters(hello)
                connection.send(decline())
            finally:
                connection.close()
        return Introduction((arrived_ns - hello.nano_time_ns) * 1e-9, counters)


def _first_words(listener: AgentListener, launch: Launch) -> tuple[AgentConnection, Hello, int]:
    deadline = time.monotonic() + _HELLO_S
    if not processes.readable(listener.fileno(), _HELLO_S):
        raise MeasureError(f"the agent did not speak within {_HELLO_S:g} s\n{launch.quote()}")
    connection = listener.accept()
    try:
        while connection is not None and connection.hello is None and not connection.closed:
            if not processes.readable(connection.fileno(), max(0.0, deadline - time.monotonic())):
                break
            connection.receive()
    except ChannelError as error:
        raise MeasureError(f"the agent's first words were not understood: {error}") from error
    if connection is None or connection.hello is None:
        raise MeasureError(f"the agent did not introduce itself within {_HELLO_S:g} s\n{launch.quote()}")
    return connection, connection.hello, time.monotonic_ns()


def _counters(hello: Hello) -> str | None:
    try:
        with HeldCounters(hello.pid, hello.jvm_start_ms) as counters:
            counters.values()
    except NoPerfData as reason:
        return reason.message
    return None
