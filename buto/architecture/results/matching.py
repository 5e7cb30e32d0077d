"""Which component a component test is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from buto.architecture.model import Architecture, Benchmark, Measures

_TEST_WORDS = re.compile(r"^(Test|Bench(mark)?)(?=[A-Z])|(Perf(ormance)?)?(Bench(mark)?s?|Tests?|IT|JMH)$")


@dataclass(frozen=True)
class Matched:
    """Component tests and what they are about.

    Attributes:
        known: by the test's name.
        unknown: names of tests that belong to no component, or to several.
    """

    known: Mapping[str, Benchmark]
    unknown: tuple[str, ...]


def match(names: Iterable[str], architecture: Architecture) -> Matched:
    """Find the component of each test.

    In this order: what the model says of the test with its parameters, and without; a component of the test's
    own name; the one component whose last words (class and method, else method, else class) are the test's,
    where ``OrderBench`` and ``OrderTest`` count as ``Order``.
    """
    known: dict[str, Benchmark] = {}
    unknown: list[str] = []
    tails = _tails(architecture)
    for name in names:
        bare = name.partition(":")[0]
        benchmark = architecture.benchmarks.get(name) or architecture.benchmarks.get(bare)
        if benchmark is None:
            component = bare if bare in architecture.component_index else _by_tail(bare, tails)
            benchmark = None if component is None else Benchmark(component, Measures.INCLUSIVE)
        if benchmark is None:
            unknown.append(name)
        else:
            known[name] = benchmark
    return Matched(known, tuple(unknown))


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
    """``com.acme.OrderBench.place(int)`` as com, acme, order, place."""
    plain = name.partition("(")[0].replace("()", "")
    words = re.split(r"[.#/\s]+", plain)
    return tuple(_TEST_WORDS.sub("", word).casefold() or word.casefold() for word in words if word)
