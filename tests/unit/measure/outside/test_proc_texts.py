"""The texts of /proc/PID, as proc(5) describes them."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from buto.measure.procfs import (
    CHILDREN_FAULTS,
    IO,
    ProcError,
    Switches,
    parse_io,
    parse_peak,
    parse_pss,
    parse_stat,
    parse_statm,
    parse_switches,
)

STAT = (
    b"4711 (a ) b) S 1 4711 4711 0 -1 4194304 1500 70 3 4 250 50 9 8 20 0 27 0 123456 "
    b"999999 8888 18446744073709551615 1 1 0 0 0 0\n"
)
TRANSFERS = b"rchar: 10\nwchar: 20\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: 8192\n"
STATUS = b"Name:\tx\nThreads:\t3\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t12\n"
ROLLUP = b"55d-7ffc ---p 00000000 00:00 0 [rollup]\nRss:    900 kB\nPss:    450 kB\nPss_Dirty:  7 kB\n"

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def test_stat_with_a_parenthesis_in_the_name() -> None:
    assert parse_stat(STAT) == {
        "paging.faults[minor]": 1500,
        "paging.faults[major]": 3,
        "thread.count": 27,
        "cpu.time": 300 / TICKS_PER_S,
        CHILDREN_FAULTS: 70,
    }


def test_what_is_shared_or_of_a_file_is_not_anonymous() -> None:
    assert parse_statm(b"9000 300 120 1 0 500 0\n") == {
        "memory.usage": 300 * PAGE,
        "memory.anonymous": 180 * PAGE,
    }


def test_an_ended_process_has_no_memory_instead_of_none_used() -> None:
    with pytest.raises(ProcError, match="the process has ended"):
        parse_statm(b"0 0 0 0 0 0 0\n")


def test_transfers() -> None:
    assert parse_io(TRANSFERS) == dict(zip(IO, (10, 20, 3, 4, 4096, 8192), strict=True))


def test_voluntary_switches_are_not_mistaken_for_the_others() -> None:
    assert parse_switches(STATUS) == Switches(150, 12)


def test_the_proportional_share_is_in_bytes() -> None:
    assert parse_pss(ROLLUP) == 450 * 1024


def test_the_peak_is_in_bytes() -> None:
    assert parse_peak(b"Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t  450 kB\nVmRSS:\t 400 kB\n") == 450 * 1024


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_stat, b""),
        (parse_stat, b"4711 (java) S 1 2"),
        (parse_stat, STAT.replace(b"1500", b"many")),
        (parse_statm, b"9000"),
        (parse_io, TRANSFERS.replace(b"syscw: 4\n", b"")),
        (parse_io, b"rchar\n"),
        (parse_switches, b"Name:\tx\n"),
        (parse_switches, b"x\nvoluntary_ctxt_switches:\n"),
        (parse_pss, b""),
        (parse_peak, STATUS),
    ],
)
def test_a_kernel_that_writes_something_else_is_one_error(
    parse: Callable[[bytes], object], text: bytes
) -> None:
    with pytest.raises(ProcError, match="/proc/PID/"):
        parse(text)
