"""How to start a program, its time limit, and what to record of it.

:func:`http_url` reads the URLs of servers beside the program, as a configuration gives them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

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


@dataclass(frozen=True, slots=True)
class SourceSpec:
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
    settings: Mapping[str, Any] = field(default_factory=dict)
    interval_s: float = 1.0
    timeout_s: float = 1.0


NOT_IN_TRAINING = "training did without"
"""Why a check does not count live objects."""


@dataclass(frozen=True, slots=True)
class LiveSet:
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


@dataclass(frozen=True, slots=True)
class Target:
    """A program under test.

    Attributes:
        command: the user's own command line; ``java ...`` or anything that starts a JVM.
        timeout_s: after this time the program is stopped and the run is invalid.
        interval_s: time between two samples.
        mbeans: custom MBeans to record.
        collector: ``agent`` or ``jmx``.
        jvm: a shell pattern for the main class (or jar) of the JVM to measure, for commands that
            start several; None takes the first that is not a build tool.
        directory: working directory of the command; None for the current one.
        environment: variables added to the current environment.
        expected_exit: the exit code of a good run.
        live_set: when to count the live objects; None for never. Only the collector ``agent`` can.
        mask: further shell patterns for names of secrets, see :mod:`buto.run.masking`.
        labels: of the environment in which it runs, see :mod:`buto.project.document`.
        sources: what is read beside the JVM, in the order of the configuration.
        secrets: values to mask besides those in the command and the environment.
        asks_git: whether git is asked for the commit; False if whoever wants the run knows it.
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
