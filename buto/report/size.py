"""How much memory a program needs, for a terminal and as JSON.

``buto/schemas/size.schema.json`` has the shape of the JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from buto.judging.need import CONFIDENCE, CONTENT, MIB, RISE, HeapTrial, Need, Search, container_limit
from buto.report.document import Line, align, line
from buto.report.formats.json_result import result_text
from buto.report.sanitize import one_line
from buto.run.units import format_bytes, format_count, format_percent, format_range
from buto.version import __version__

FORMAT = "buto-size"
VERSION = 1


def headline(need: Need) -> str:
    """Return what a program needs in a line, without the name of the test."""
    return f"of a hundred runs at most one needs more than {format_bytes(need.most)}"


def to_copy(heap: int, limit: int) -> tuple[str, str]:
    """Return the option of the JVM and that of the container."""
    return f"-Xmx{heap // MIB}m", f"-m {limit // MIB}m"


def size_lines(test: str, need: Need, heap: int, outside: float, search: Search | None) -> list[Line]:
    """Return the lines to print; the first is the headline, the last two are to be copied."""
    peaks = need.peaks
    lines = [
        line((one_line(f"{test}: {headline(need)}"), "bold")),
        line(
            f"  {format_count(len(peaks), 'run')} needed {format_range(min(peaks), max(peaks), 'By')}; the "
            f"bound holds for {format_percent(CONTENT)} of runs with confidence {format_percent(CONFIDENCE)}"
        ),
        *(line(f"    {text}") for text in align(_parts(need))),
    ]
    if search is not None:
        lines += _search_lines(search)
    xmx, container = to_copy(heap, container_limit(heap, outside))
    lines.append(
        line(
            "  ",
            ("to copy:", "cyan"),
            f" the heap, and the container that holds it with {format_bytes(outside)} outside it",
        )
    )
    return [*lines, line(f"    {xmx}"), line(f"    {container}")]


def _parts(need: Need) -> list[tuple[str, str, str]]:
    allowed = f"of {format_bytes(need.allowed)} that it may have" if isfinite(need.allowed) else ""
    threads = f", {format_count(need.threads, 'thread')}" if isfinite(need.threads) else ""
    rows = [
        ("heap", need.heap, allowed),
        ("metaspace", need.metaspace, ""),
        ("compiled code", need.code, ""),
        ("direct buffers", need.direct, ""),
        ("the rest", need.rest, f"the JVM, libraries{threads}, pages of the heap that were free"),
        ("reserve", need.reserve, "because runs differ"),
    ]
    return [(name, format_bytes(size), note) for name, size, note in rows if size > 0]


def _search_lines(search: Search) -> list[Line]:
    chosen = search.chosen
    if chosen is None:
        said = f"{format_bytes(search.enough)}, as it is: no smaller one that was tried is enough"
    else:
        said = f"{format_bytes(chosen.heap)}, with which processor time {_rise(chosen, search.noise)}"
    lines = [line("  ", ("smallest heap:", "cyan"), f" {said}")]
    others = [trial for trial in search.trials if trial is not chosen]
    return [
        *lines,
        *(
            line(f"    {format_bytes(trial.heap)}: {one_line(_tell(trial, search.noise))}")
            for trial in sorted(others, key=lambda trial: -trial.heap)
        ),
    ]


def _tell(trial: HeapTrial, noise: float) -> str:
    if trial.failure:
        return f"too small, {trial.failure}"
    is_enough = trial.is_enough(noise)
    return f"{'enough' if is_enough else 'too small'}, processor time {_rise(trial, noise)}"


def _rise(trial: HeapTrial, noise: float) -> str:
    sign = "+" if trial.rise >= 0 else "-"
    half = trial.half_interval(noise)
    return f"{sign}{format_percent(abs(round(trial.rise, 3)))} ± {format_percent(round(half, 3))}"


def size_json(
    test: str,
    need: Need,
    heap: int,
    outside: float,
    run_ids: Sequence[str],
    search: Search | None,
    n_launches: int,
) -> str:
    """Return the document that ``--json`` writes."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "buto": __version__,
        "test": test,
        "headline": headline(need),
        "runs": list(run_ids),
        "needs": {
            "most": need.most,
            "share": CONTENT,
            "confidence": CONFIDENCE,
            "peaks": list(need.peaks),
            "parts": {
                "heap": need.heap,
                "metaspace": need.metaspace,
                "code": need.code,
                "direct": need.direct,
                "rest": need.rest,
                "reserve": need.reserve,
            },
            "outside": need.outside,
            "heap_committed": need.committed,
            "heap_allowed": need.allowed if isfinite(need.allowed) else None,
        },
        "search": None if search is None else _search_data(search, n_launches),
        "heap": heap,
        "outside": outside,
        "limit": container_limit(heap, outside),
    }
    return result_text(document)


def _search_data(search: Search, n_launches: int) -> dict[str, Any]:
    return {
        "launches": n_launches,
        "rise": RISE,
        "trials": [
            {
                "heap": trial.heap,
                "enough": trial.is_enough(search.noise),
                "rise": trial.rise if trial.rises else None,
                "half_interval": trial.half_interval(search.noise) if trial.rises else None,
                "failure": trial.failure or None,
            }
            for trial in search.trials
        ],
    }
