"""Faults of a program that its output tells."""

from __future__ import annotations

import pytest

from buto.measure.program_faults import FaultKind, find_fault

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
