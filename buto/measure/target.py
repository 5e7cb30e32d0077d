"""How to start a program, its time limit, and what to record of it.

:func:`http_url` reads the URLs of servers beside the program, as a configuration gives them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from buto.run.masking import Mask


@dataclass(frozen=True, slots=True)
class MBeanSpec:
    """Custom MBeans to record.

    Attributes:
        pattern: JMX object name or pattern, for example ``com.acme:type=Queue,*``.
        attributes: names of the attributes to sample; none means all numeric ones. Composite
            and tabular values give one property for each numeric member.
        metadata: names of attributes to read once.
        notifications: whether to record the notifications of matching beans.
    """

    pattern: str
    attributes: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()
    notifications: bool = True


class SourceSpec(Struct, frozen=True):
    """A source of numbers beside the JVM.

    Attributes:
        name: begins the names of its properties.
        kind: which source it is, see :mod:`buto.measure.sources.chosen`.
        settings: its own keys, with variables replaced.
        interval_s: time between two readings.
        timeout_s: the longest time that one reading may take.
    """

    name: str
    kind: str
    settings: Mapping[str, Any] = {}
    interval_s: float = 1.0
    timeout_s: float = 1.0


NOT_IN_TRAINING = "training did without"
"""Why a check does not count live objects."""


class LiveSet(Struct, frozen=True):
    """When to count the live objects on purpose, after a forced collection; always at the program's end.

    Attributes:
        period_s: also during the run, with this time in between; 0 for not.
        at_marks: also at every mark.
        gives_up: whether later launches of a collector do without if the count takes too long.
        why_not: why they are not counted at the end after all; empty if they are.
    """

    period_s: float = 0.0
    at_marks: bool = False
    gives_up: bool = False
    why_not: str = ""

    @property
    def is_during(self) -> bool:
        """Whether objects are counted during the run, too, however long it takes."""
        return self.at_marks or self.period_s > 0


ROUND_OVER = "load.round"
"""The mark with which a load that is repeated asks for a count."""


class Rounds(Struct, frozen=True):
    """Rounds of a program's work, after each of which its live objects and its counters are read.

    A round is over when the program says so (``buto.Round.end()`` in Java), when a load of the test is over,
    or when the program has allocated the next share of bytes.

    Attributes:
        most: how many are counted; then the program goes on uncounted.
        every: of those that the program marks, each multiple of this is counted.
        share_bytes: what the program allocates in a round; 0 if it marks its rounds, or a load does.
        dump: a file that does not exist, into which the heap is written after the last round; None for not.
    """

    most: int
    every: int = 1
    share_bytes: int = 0
    dump: Path | None = None


class Use(Enum):
    """What the agent can use on top of the program; the values are those of java-probes/agent-channel.md."""

    ALLOCATED = 1
    KEPT = 2
    THREADS = 3
    DESCRIPTORS = 4
    CPU = 5


class Extra(Struct, frozen=True):
    """More use than the program's own, by the agent, so that a self-test sees whether a check finds it.

    Only :mod:`buto.actions.live` asks for it. No configuration and no option of a user can.

    Attributes:
        amount: bytes, threads, descriptors, or nanoseconds of processor time.
        spread_s: from the program's start, how long it takes to allocate or to burn all of it. All else is
            used from the start to the end.
    """

    use: Use
    amount: int
    spread_s: float = 0.0


PROCESS = "process"
"""The collector of a command that is measured from outside, without a JVM."""

STOPPED_EXIT = 143
"""Exit code of a JVM after SIGTERM: 128 plus the number of the signal. As the expected one of a program that
buto asks to end, it stands for all ways in which programs do so."""


@dataclass(frozen=True, slots=True)
class Target:
    """A program under test.

    Attributes:
        command: the user's own command line; ``java ...`` or anything that starts a JVM.
        timeout_s: after this time the program is stopped and the run is invalid.
        interval_s: time between two samples.
        mbeans: custom MBeans to record.
        collector: ``agent``, ``jmx``, or :data:`PROCESS`.
        jvm: a shell pattern for the main class (or jar) of the JVM to measure, for commands that
            start several; None takes the first that is not a build tool.
        directory: working directory of the command; None for the current one.
        environment: variables added to the current environment.
        expected_exit: the exit code of a good run; STOPPED_EXIT if buto asks the program to end.
        live_set: when to count the live objects; None for never. Only the collector ``agent`` can.
        mask: further shell patterns for names of secrets, see :mod:`buto.run.masking`.
        labels: of the environment in which it runs, see :mod:`buto.project.document`.
        sources: what is read beside the JVM, in the order of the configuration.
        secrets: values to mask besides those in the command and the environment.
        asks_git: whether git is asked for the commit; False if whoever wants the run knows it.
        isolates_home: whether each launch has an empty home and an empty temporary directory of its own.
        counts_virtual_threads: whether virtual threads are counted that are pinned, rejected, or alive at the
            end, for which Flight Recorder runs in the JVM. Only the collector ``agent`` can.
        extra: what the agent uses on top of the program; None for nothing. The collector ``jmx`` has none.
        rounds: when to count objects and counters for :mod:`buto.actions.grow`, instead of ``live_set``; None
            for never. The collector ``jmx`` has none.
    """

    command: tuple[str, ...]
    timeout_s: float = 600.0
    interval_s: float = 0.1
    mbeans: tuple[MBeanSpec, ...] = ()
    collector: str = "agent"
    jvm: str | None = None
    directory: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    expected_exit: int = 0
    mask: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    sources: tuple[SourceSpec, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    live_set: LiveSet | None = None
    asks_git: bool = True
    isolates_home: bool = False
    counts_virtual_threads: bool = False
    extra: Extra | None = None
    rounds: Rounds | None = None

    def new_mask(self) -> Mask:
        """Return a mask for the secrets in this program's command and environment."""
        mask = Mask.of(self.mask, self.command, os.environ, self.environment)
        for value in self.secrets:
            mask.learn(value)
        return mask


PORT = "${port}"
"""In a URL: the port at which the measured program listens."""


def http_url(url: str, schemes: Collection[str] = ("http",)) -> SplitResult | None:
    """Return the parts of an HTTP URL, in which a port that is not known yet counts as 1.

    Returns:
        None if it is not one, for example because its port is above 65535.
    """
    try:
        parts = urlsplit(url.replace(PORT, "1"))
        is_http = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0 and url.isascii()
    except ValueError:
        return None
    return parts if is_http else None
