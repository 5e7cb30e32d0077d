"""Find the component that a component test is about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from buto_predict.calls import edges_of
from buto_predict.mapping import How, map_graphs
from buto_predict.model import Architecture, Benchmark, Measures
from buto_predict.results.model import ComponentResult

_TEST_WORDS = re.compile(r"^(Test|Bench(mark)?)(?=[A-Z])|(Perf(ormance)?)?(Bench(mark)?s?|Tests?|IT|JMH)$")

_SERVICE = re.compile(r"^[^/\s]+/")
"""As in ``web/Order.place``, and not as in ``GET /orders``."""

_CLASS = re.compile(r"\b[A-Z]\w*$")
"""A component that is a whole class ends with its name, as ``com.acme.Cart``."""


@dataclass(frozen=True, slots=True)
class Match:
    """The component that a component test is about, and why that is believed."""

    benchmark: Benchmark
    how: How


def match(results: Mapping[str, ComponentResult], architecture: Architecture) -> dict[str, Match]:
    """Find the component of each test; those that are left out belong to none, or to several.

    In this order: the model's entry for the test with its conditions, with its parameters, and without; a
    component of the test's own name; the one component whose class and method are the test's, where
    ``OrderBench`` and ``OrderTest`` count as ``Order``; the one component that has only one word, and that is
    the test's class or method. A test whose method alone agrees is about another class. Traced tests are also
    mapped by their calls.

    Args:
        results: by name, with the conditions if there are several.
    """
    known: dict[str, Match] = {}
    names = [component.name for component in architecture.components]
    endings = _endings(names)
    classes = _endings([name for name in names if _CLASS.search(name)])
    traced = {
        result.name: dict.fromkeys(result.calls, 1.0)
        for result in results.values()
        if result.calls is not None
    }
    mapped = {pair.old: pair for pair in map_graphs(traced, edges_of(architecture)).pairs}
    for name, result in results.items():
        bare = result.name.partition(":")[0]
        named = (architecture.benchmarks.get(one) for one in (name, result.name, bare))
        benchmark = next((one for one in named if one is not None), None)
        if benchmark is not None:
            known[name] = Match(benchmark, How.NAME)
        elif result.name in mapped:
            pair = mapped[result.name]
            known[name] = Match(Benchmark(pair.new, Measures.SELF), pair.how)
        elif result.calls is None:
            component = bare if bare in architecture.component_index else _by_ending(bare, endings, classes)
            if component is not None:
                known[name] = Match(Benchmark(component, Measures.INCLUSIVE), How.NAME)
    return known


def _endings(names: Sequence[str]) -> dict[tuple[str, ...], set[str]]:
    """Return components by their last two words, and those that have only one by this one; the service in
    ``store/Stock`` is no word.
    """
    endings: dict[tuple[str, ...], set[str]] = {}
    for name in names:
        words = _words(name)
        endings.setdefault(words[-2:], set()).add(name)
        own = _words(_SERVICE.sub("", name))
        if len(own) == 1:
            endings.setdefault(own, set()).add(name)
    return endings


def _by_ending(
    name: str, endings: Mapping[tuple[str, ...], set[str]], classes: Mapping[tuple[str, ...], set[str]]
) -> str | None:
    """Return the component of a test, or None if none or several agree.

    Args:
        classes: those components that are whole classes.
    """
    words = _words(name)
    no_class = {one for ending, found in endings.items() if ending[-1:] == words for one in found}
    agreeing = (
        endings.get(words[-2:], set()),
        # A test of a whole class, by package and class.
        classes.get(words[-3:-1], set()) if len(words) > 2 else set(),
        endings.get(words[-1:], set()) | endings.get(words[-2:-1], set()),
    )
    found = next((one for one in ([no_class] if len(words) == 1 else agreeing) if one), set())
    return next(iter(found)) if len(found) == 1 else None


def _words(name: str) -> tuple[str, ...]:
    """Split ``com.acme.OrderBench.place(int)`` into com, acme, order, place."""
    plain = name.partition("(")[0].replace("()", "")
    words = re.split(r"[.#/\s]+", plain)
    return tuple(_TEST_WORDS.sub("", word).casefold() or word.casefold() for word in words if word)
