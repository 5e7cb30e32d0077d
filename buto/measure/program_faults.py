"""Faults of the measured program that its own output tells.

A JVM prints these lines itself, always in the same form, so its output is data here.
"""

from __future__ import annotations

import re
from enum import Enum

from msgspec import Struct

from buto.measure.output import last_lines


class FaultKind(Enum):
    """What went wrong in the program."""

    OUT_OF_MEMORY = "out-of-memory"
    """A thread got no memory; the JVM goes on if other threads do."""

    EXCEPTION_IN_MAIN = "exception-in-main"
    """The main method ended with an exception."""

    ASSERTION = "assertion"
    """An assertion of the program, as of a test, failed."""

    ASSUMPTION = "assumption"
    """A test assumes what is not so here."""

    EXCEPTION_IN_SCENARIO = "exception-in-scenario"
    """A test method ended with an exception."""


class ProgramFault(Struct, frozen=True):
    """A fault.

    Attributes:
        printed: what the program printed of it, without control characters.
        text: what happened, as a clause.
        advice: what to do about it.
    """

    kind: FaultKind
    printed: str
    text: str
    advice: str


_FAULTS = (
    (
        FaultKind.OUT_OF_MEMORY,
        re.compile(rb"(java\.lang\.OutOfMemoryError(?:: [^\r\n]*)?)"),
        "it ran out of memory",
        (
            "give the program a larger heap with -Xmx, or find what keeps the memory: "
            "-XX:+HeapDumpOnOutOfMemoryError"
        ),
    ),
    (
        FaultKind.EXCEPTION_IN_MAIN,
        re.compile(rb"^Exception in thread \"main\" ([^\r\n]+)", re.MULTILINE),
        "an exception ended its main method",
        "run the command without buto, and correct what the exception says",
    ),
)
"""An exception in the main method that has a known cause is of the kind of its cause, which stands first."""

_ASSERTIONS = (
    rb"(?=(?:[\w$]+\.)+[\w$]*"
    rb"(?:AssertionError|AssertionFailedError|ComparisonFailure|MultipleFailuresError)\b)"
)
_IS_ASSERTION = re.compile(_ASSERTIONS)
_IS_ASSUMPTION = re.compile(rb"org\.opentest4j\.TestAbortedException\b")

_THROWN = re.compile(
    rb"^(?:The scenario threw |(?:Exception in thread \"[^\"\r\n]*\" )?" + _ASSERTIONS + rb")"
    rb"([\w$.]+(?::[^\r\n]*)?(?:\r?\n(?!\s+at |\s+\.\.\. |Caused by)[^\r\n]*){0,5})"
    rb"((?:\r?\n\s+at [^\r\n]+)+)",
    re.MULTILINE,
)
"""What the libraries of tests throw, and what a scenario of JUnit does, with message and places."""

_OF_LIBRARIES = re.compile(
    r"\s+at (?:[\w.@-]*/)*(?:java|jdk|sun|org\.junit|org\.opentest4j|org\.assertj|org\.hamcrest|org\.testng"
    r"|junit|kotlin\.test|com\.google\.common\.truth)\."
)


_MOST_PLACES = 1024
"""As many as a JVM prints."""


def find_thrown(output: bytes) -> ProgramFault | None:
    """Return the failed assertion that an output tells, with its place in the user's code, or None.

    Also whatever else a scenario of JUnit threw.
    """
    match = _THROWN.search(output)
    if match is None:
        return None
    places = last_lines(match[2].lstrip(b"\r\n"), _MOST_PLACES).splitlines()
    place = next((position for position in places if not _OF_LIBRARIES.match(position)), places[-1])
    printed = f"{last_lines(match[1])}\n{place}"
    if _IS_ASSERTION.match(match[1]):
        return ProgramFault(
            FaultKind.ASSERTION, printed, "an assertion failed", "correct what the assertion says"
        )
    if _IS_ASSUMPTION.match(match[1]):
        return ProgramFault(
            FaultKind.ASSUMPTION,
            printed,
            "an assumption does not hold",
            "measure it where the assumption holds",
        )
    return ProgramFault(
        FaultKind.EXCEPTION_IN_SCENARIO, printed, "it threw an exception", "correct what the exception says"
    )


READ_INPUT = "it read its standard input, which is empty under buto"
"""A clause, for a program that did so."""

GIVE_INPUT = "let the program read a file, or start it by a shell: sh -c 'exec java ... < input.txt'"


_EXCEPTION = re.compile(
    rb"^(?:Exception in thread \"[^\"\r\n]*\" )?((?:[\w$]+\.)+[\w$]*(?:Exception|Error)(?:: [^\r\n]*)?)\r?$",
    re.MULTILINE,
)


def find_last_exception(output: bytes) -> str:
    """Return the last exception that an output begins a line with, in one line; empty if there is none."""
    printed = _EXCEPTION.findall(output)
    return last_lines(printed[-1]) if printed else ""


def find_fault(output: bytes) -> ProgramFault | None:
    """Return the fault that an output tells; None if there is none."""
    for kind, pattern, what, advice in _FAULTS:
        match = pattern.search(output)
        if match is not None:
            printed = last_lines(match[1])
            return ProgramFault(kind, printed, f"{what} ({printed})", advice)
    return None
