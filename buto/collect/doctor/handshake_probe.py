"""Launch a JVM with the agent only for the agent's first message (HELLO); the program is not measured."""

from __future__ import annotations

import time
from dataclasses import dataclass

from buto.collect.agent.option import agent_option
from buto.collect.channel.frames import ChannelError
from buto.collect.channel.listener import AgentConnection, AgentListener
from buto.collect.channel.messages import Hello, decline
from buto.collect.jvm.hsperfdata import HeldCounters, NoPerfData
from buto.collect.process import kernel
from buto.collect.process.launch import Launch
from buto.collect.process.private_directory import private_directory
from buto.collect.target import Target
from buto.errors import MeasureError

_HELLO_S = 20.0
_RETRY_S = 0.02


@dataclass(frozen=True, slots=True)
class Handshake:
    """What the agent's first message shows.

    Attributes:
        same_clock: whether the JVM's time lies between its start and the message's arrival on
            buto's clock.
        no_counters: why its performance counters cannot be read; None if they can.
    """

    same_clock: bool
    no_counters: str | None


def probe_handshake(target: Target) -> Handshake:
    """Launch a program with the agent, wait for HELLO, and decline to measure.

    Raises:
        MeasureError: the command cannot be started, or no HELLO arrives in time.
    """
    with (
        private_directory() as directory,
        AgentListener(directory) as listener,
        Launch(target, directory, [agent_option(listener.agent, target)]) as launch,
    ):
        connection, hello = _receive_hello(listener, launch)
        try:
            same_clock = launch.started_ns <= hello.nano_time_ns <= time.monotonic_ns()
            connection.send(decline())
        finally:
            connection.close()
        return Handshake(same_clock, _no_counters(hello, launch))


def _receive_hello(listener: AgentListener, launch: Launch) -> tuple[AgentConnection, Hello]:
    deadline = time.monotonic() + _HELLO_S
    if not kernel.readable(listener.fileno(), _HELLO_S):
        raise MeasureError(f"the agent did not connect within {_HELLO_S:g} s\n{launch.quote()}")
    connection = listener.accept()
    try:
        while connection is not None and connection.hello is None and not connection.closed:
            if not kernel.readable(connection.fileno(), max(0.0, deadline - time.monotonic())):
                break
            connection.receive()
    except ChannelError as error:
        raise MeasureError(f"the agent's first message was not understood: {error}") from error
    if connection is None or connection.hello is None:
        raise MeasureError(f"the agent did not send its HELLO within {_HELLO_S:g} s\n{launch.quote()}")
    return connection, connection.hello


def _no_counters(hello: Hello, launch: Launch) -> str | None:
    """Return why the counters cannot be read. A JVM fills them after its agents: try until its end."""
    while True:
        try:
            with HeldCounters(hello.pid, hello.jvm_start_ms) as counters:
                counters.values()
        except NoPerfData as reason:
            if launch.wait(_RETRY_S) is not None:
                return reason.message
        else:
            return None
