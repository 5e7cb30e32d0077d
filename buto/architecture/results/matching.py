"""Find the component that a component test is about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from buto.architecture.graph import edges_of
from buto.architecture.mapping import How, map_graphs
from buto.architecture.model import Architecture, Benchmark, Measures
from buto.architecture.results.model import ComponentResult

_TEST_WORDS = re.compile(r"^(Test|Bench(mark)?)(?=[A-Z])|(Perf(ormance)?)?(Bench(mark)?s?|Tests?|IT|JMH)$")


@dataclass(frozen=True, slots=True)
class Match:
    """The component that a component test is about, and why that is believed."""

    benchmark: Benchmark
    how: How


def match(results: Sequence[ComponentResult], architecture: Architecture) -> dict[str, Match]:
    """Find the component of each test; those that are left out belong to none, or to several.

    In this order: the model's entry for the test with its parameters, and without; a component of the test's
    own name; the one component whose last words (class and method, else method, else class) are the test's,
    where ``OrderBench`` and ``OrderTest`` count as ``Order``. Traced tests are also mapped by their calls.
    """
    known: dict[str, Match] = {}
    tails = _tails(architecture)
    traced = {result.name: dict.fromkeys(result.calls, 1.0) for result in results if result.calls is not None}
    mapped = {pair.old: pair for pair in map_graphs(traced, edges_of(architecture)).pairs}
    for result in results:
        name, bare = result.name, result.name.partition(":")[0]
        benchmark = architecture.benchmarks.get(name) or architecture.benchmarks.get(bare)
        if benchmark is not None:
            known[name] = Match(benchmark, How.NAME)
        elif name in mapped:
            known[name] = Match(Benchmark(mapped[name].new, Measures.SELF), mapped[name].how)
        elif result.calls is None:
            component = bare if bare in architecture.component_index else _by_tail(bare, tails)
            if component is not None:
                known[name] = Match(Benchmark(component, Measures.INCLUSIVE), How.NAME)
    return known


def _tails(architecture: Architecture) -> dict[tuple[str, ...], set[str]]:
    tails: dict[tuple[str, ...], set[str]] = {}
    for component in architecture.components:
        words = _words(component.name)
        for tail in {words[-2:], words[-1:]}:
            tails.setdefault(tail, set()).add(component.name)
    return tails


def _by_tail(name: str, tails: Mapping[tuple[str, ...], set[str]]) -> str | None:
    words = _words(name)
    for tail in (words[-2:], words[-1:], words[-2:-1]):
        found = tails.get(tail, set()) if tail else set()
        if len(found) == 1:
            return next(iter(found))
    return None


def _words(name: str) -> tuple[str, ...]:
    """Split ``com.acme.OrderBench.place(int)`` into com, acme, order, place."""
    plain = name.partition("(")[0].replace("()", "")
    words = re.split(r"[.#/\s]+", plain)
    return tuple(_TEST_WORDS.sub("", word).casefold() or word.casefold() for word in words if word)
