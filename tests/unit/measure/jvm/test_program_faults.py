"""Faults of a program that its output tells."""

from __future__ import annotations

import time

import pytest

from buto.measure.program_faults import FaultKind, find_fault, find_thrown

MAIN = b'Exception in thread "main" '
HEAP = b"java.lang.OutOfMemoryError: Java heap space"
NO_LINE = b"java.util.NoSuchElementException: No line found"


@pytest.mark.parametrize(
    ("output", "kind", "printed"),
    [
        (MAIN + HEAP + b"\n\tat Shop.main(Shop.java:4)\n", FaultKind.OUT_OF_MEMORY, HEAP.decode()),
        (b"Terminating due to " + HEAP + b"\n", FaultKind.OUT_OF_MEMORY, HEAP.decode()),
        (MAIN + NO_LINE + b"\n\tat Shop.main(Shop.java:4)\n", FaultKind.EXCEPTION_IN_MAIN, NO_LINE.decode()),
        (b"begin\n" + MAIN + b"a.B: \x1b[31mred\n", FaultKind.EXCEPTION_IN_MAIN, "a.B: red"),
    ],
)
def test_a_fault_is_found_with_what_was_printed(output: bytes, kind: FaultKind, printed: str) -> None:
    fault = find_fault(output)
    assert fault is not None
    assert (fault.kind, fault.printed) == (kind, printed)
    assert fault.text.endswith(f"({printed})")
    assert fault.advice


@pytest.mark.parametrize(
    "output",
    [b"", b"WARN caught java.util.NoSuchElementException: x\n", b'say: Exception in thread "main" x\n'],
)
def test_other_output_is_not_a_fault(output: bytes) -> None:
    assert find_fault(output) is None


OF_JUNIT = b"""org.opentest4j.AssertionFailedError: expected: <10> but was: <9>
\tat org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:39)
\tat org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:527)
\tat com.acme.CatalogueTest.loadsTenPages(CatalogueTest.java:23)
\tat java.base/java.lang.reflect.Method.invoke(Method.java:568)
\tat buto.junit.Scenario.main(Scenario.java:29)
"""
OF_SEVERAL_LINES = b"""ready
Exception in thread "main" java.lang.AssertionError: \x1b[31m
Expecting:
  9
\tat com.acme.Main.main(Main.java:4)
"""


@pytest.mark.parametrize(
    ("output", "printed"),
    [
        (
            OF_JUNIT,
            OF_JUNIT.decode().splitlines()[0] + "\n" + OF_JUNIT.decode().splitlines()[3],
        ),
        (
            OF_SEVERAL_LINES,
            "java.lang.AssertionError: \nExpecting:\n  9\n\tat com.acme.Main.main(Main.java:4)",
        ),
        (b"java.lang.AssertionError\n\tat a.B.c(B.java:1)", "java.lang.AssertionError\n\tat a.B.c(B.java:1)"),
    ],
)
def test_an_assertion_is_found_with_its_place_in_the_users_code(output: bytes, printed: str) -> None:
    fault = find_thrown(output)
    assert fault is not None
    assert (fault.kind, fault.printed) == (FaultKind.ASSERTION, printed)


@pytest.mark.parametrize(
    ("exception", "kind"),
    [
        ("a.NoCatalogueException: no", FaultKind.EXCEPTION_IN_SCENARIO),
        ("org.opentest4j.TestAbortedException: Assumption failed: no docker", FaultKind.ASSUMPTION),
        ("org.opentest4j.AssertionFailedError: 9", FaultKind.ASSERTION),
    ],
)
def test_whatever_a_scenario_throws_is_found_and_is_an_assertion_only_by_its_type(
    exception: str, kind: FaultKind
) -> None:
    fault = find_thrown(f"The scenario threw {exception}\n\tat a.B.c(B.java:1)".encode())
    assert fault is not None
    assert (fault.kind, fault.printed) == (kind, f"{exception}\n\tat a.B.c(B.java:1)")


@pytest.mark.parametrize(
    "output",
    [
        b"",
        b"java.lang.AssertionError: told, not thrown\n",
        b"x.AssertionErrorHandler: y\n\tat a.B.c(B.java:1)",
    ],
)
def test_other_output_is_no_assertion(output: bytes) -> None:
    assert find_thrown(output) is None


def test_many_frames_are_read_at_once() -> None:
    began_s = time.process_time()
    find_thrown(b"a.AssertionError: x\n" + b"line\n" * 50_000 + b"\tat a.B.c(B.java:1)\n" * 50_000)
    find_thrown(b"a.AssertionError\n" * 50_000)
    find_thrown(b"a." * 100_000)
    assert time.process_time() - began_s < 5
