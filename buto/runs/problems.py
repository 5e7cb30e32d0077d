"""Why a run cannot be used: a kind that code decides by, and a text that people read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ProblemKind(Enum):
    """What made a run invalid. The values are part of the run format: a new one raises its version."""

    TIME_LIMIT = "time-limit"
    """The program was stopped at its time limit."""

    SIGNAL = "signal"
    """A signal ended the program."""

    EXIT_CODE = "exit-code"
    """The program exited with another code than expected."""

    JVM_END = "jvm-end"
    """The measured JVM failed, and the command that started it did not report that."""

    WORKLOAD = "workload"
    """The workload or the test that drove the program failed."""

    SERVICE = "service"
    """One of the test's services ended before the program."""

    NO_WINDOW = "no-window"
    """The measured window cannot be found, because a mark or samples are missing."""

    BUSY_HOST = "busy-host"
    """The machine had no processor time left, so that a loaded system was measured by its queues."""

    STARVED = "starved"
    """Too many samples are missing, or there is too long a gap between two of them."""

    SLOW_MBEAN = "slow-mbean"
    """One of the program's MBeans held up the sampling."""

    UNREADABLE_MBEANS = "unreadable-mbeans"
    """The program's MBeans could not be read at all."""

    LOST_NOTIFICATIONS = "lost-notifications"
    """Notifications came faster than they could be kept."""

    LATE_START = "late-start"
    """The first sample was taken too long after the program's start."""

    EARLY_LOSS = "early-loss"
    """The agent or the JVM stopped answering before the program's end."""

    OPEN_PORT = "open-port"
    """The JMX port that was opened in the JVM could not be closed again."""

    BUTO_LOST = "buto-lost"
    """buto itself was killed while it recorded; the run was recovered from its journal."""

    OTHER = "other"
    """Not known: the run is of a version of the format that had no kinds."""


BAD_ENDS = frozenset(
    {
        ProblemKind.TIME_LIMIT,
        ProblemKind.SIGNAL,
        ProblemKind.EXIT_CODE,
        ProblemKind.JVM_END,
        ProblemKind.WORKLOAD,
        ProblemKind.SERVICE,
    }
)
"""The problems of a program that failed; the others are of the measurement."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why a run cannot be used. Code decides by the kind, never by the words of the text."""

    kind: ProblemKind
    text: str
