"""Which components are the same: of two call graphs, and of a component test and a model.

By name first, then those that moved or were renamed. The paper looks for a maximum common subgraph (ISMAGS).
Names decide nearly everything in practice, and without labels such a search is ambiguous and explodes. So
here the leftovers are assigned by the neighbours that they have in common, which takes polynomial time.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from scipy.optimize import linear_sum_assignment

from buto_predict.calls import edges_of
from buto_predict.model import Architecture, Benchmark, Measures
from buto_predict.results.model import ComponentResult

Edges = Mapping[str, Mapping[str, float]]
"""Caller to the components that it calls, with the number of calls; every component is a key."""

_ENOUGH = 0.5
"""Share of neighbours that a component must have in common with another to count as renamed."""

MOST_LEFTOVERS = 200
"""With more leftovers than this on a side, the graphs are of different systems and only names count."""


_TEST_WORDS = re.compile(r"^(Test|Bench(mark)?)(?=[A-Z])|(Perf(ormance)?)?(Bench(mark)?s?|Tests?|IT|JMH)$")

_SERVICE = re.compile(r"^[^/\s]+/")
"""As in ``web/Order.place``, and not as in ``GET /orders``."""

_CLASS = re.compile(r"\b[A-Z]\w*$")
"""A component that is a whole class ends with its name, as ``com.acme.Cart``."""


class How(Enum):
    """Why two components are regarded as the same."""

    NAME = "name"
    MOVED = "moved"
    """The same last words of the name, in another class or package."""
    RENAMED = "renamed"
    """The same callers and callees, mostly, and at least one caller."""


@dataclass(frozen=True, slots=True)
class Mapped:
    old: str
    new: str
    how: How


@dataclass(frozen=True)
class GraphMapping:
    """All pairs, and the unmapped components of both sides.

    Attributes:
        only_old, only_new: components without a counterpart, never dropped silently.
    """

    pairs: tuple[Mapped, ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]

    def without(self, old: Container[str]) -> GraphMapping:
        """Return the same mapping without the pairs of some old names."""
        return GraphMapping(
            tuple(pair for pair in self.pairs if pair.old not in old), self.only_old, self.only_new
        )

    @property
    def new_of(self) -> dict[str, str]:
        return {pair.old: pair.new for pair in self.pairs}


def map_graphs(old: Edges, new: Edges) -> GraphMapping:
    """Map the components of two call graphs; each is used once.

    Args:
        old, new: components may be missing as keys if they call nothing.
    """
    old_callees, new_callees = _complete(old), _complete(new)
    pairs = [Mapped(name, name, How.NAME) for name in old_callees if name in new_callees]
    pairs += _move(_find_left(old_callees, pairs, old=True), _find_left(new_callees, pairs, old=False))
    while True:
        left_old = _find_left(old_callees, pairs, old=True)
        left_new = _find_left(new_callees, pairs, old=False)
        if not left_old or not left_new or max(len(left_old), len(left_new)) > MOST_LEFTOVERS:
            break
        known = {pair.old: pair.new for pair in pairs}
        # A found pair is a neighbour in common for those around it, so that the next round finds more.
        matches = _rename(
            [_neighbours(old_callees, name, known) for name in left_old],
            [_neighbours(new_callees, name, {pair.new: pair.new for pair in pairs}) for name in left_new],
        )
        if not matches:
            break
        pairs += [Mapped(left_old[i], left_new[j], How.RENAMED) for i, j in matches]
    return GraphMapping(
        tuple(pairs),
        tuple(_find_left(old_callees, pairs, old=True)),
        tuple(_find_left(new_callees, pairs, old=False)),
    )


def _complete(edges: Edges) -> dict[str, frozenset[str]]:
    called = {name for callees in edges.values() for name in callees}
    return {name: frozenset(edges.get(name, ())) for name in dict.fromkeys([*edges, *sorted(called)])}


def _find_left(callees: Mapping[str, frozenset[str]], pairs: Sequence[Mapped], *, old: bool) -> list[str]:
    taken = {pair.old if old else pair.new for pair in pairs}
    return [name for name in callees if name not in taken]


def _move(old: Sequence[str], new: Sequence[str]) -> list[Mapped]:
    pairs: list[Mapped] = []
    for length in (2, 1):
        taken = {pair.old for pair in pairs} | {pair.new for pair in pairs}
        ours, theirs = _by_tail(old, length, taken), _by_tail(new, length, taken)
        pairs += [
            Mapped(names[0], theirs[tail][0], How.MOVED)
            for tail, names in ours.items()
            if len(names) == 1 and len(theirs.get(tail, ())) == 1
        ]
    return pairs


def _by_tail(names: Sequence[str], length: int, taken: set[str]) -> dict[tuple[str, ...], list[str]]:
    tails: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        words = re.split(r"[.#/]+", name.partition("(")[0])
        if name not in taken and len(words) > length:
            tails.setdefault(tuple(words[-length:]), []).append(name)
    return tails


def _neighbours(
    callees: Mapping[str, frozenset[str]], name: str, known: Mapping[str, str]
) -> frozenset[tuple[str, str]]:
    """Return mapped callers and callees by their new names; what is not mapped yet counts as not shared."""
    called = {("callee", known.get(callee, f"?{callee}")) for callee in callees[name]}
    callers = {
        ("caller", known.get(caller, f"?{caller}")) for caller, others in callees.items() if name in others
    }
    return frozenset(called | callers)


def _rename(
    old: Sequence[frozenset[tuple[str, str]]], new: Sequence[frozenset[tuple[str, str]]]
) -> list[tuple[int, int]]:
    """Return the best assignment by shared neighbours, without pairs for which another choice is as good.

    Pairs without a common caller are left out, too: what nobody calls, such as a test, was not renamed.
    """
    likeness = np.array([[len(a & b) / max(len(a | b), 1) for b in new] for a in old])
    pairs = []
    for i, j in zip(*linear_sum_assignment(-likeness), strict=True):
        best = likeness[i, j]
        rivals = np.append(np.delete(likeness[i], j), np.delete(likeness[:, j], i))
        has_caller = any(side == "caller" for side, _ in old[i] & new[j])
        if best >= _ENOUGH and has_caller and not (rivals >= best).any():
            pairs.append((int(i), int(j)))
    return pairs


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
        named = (architecture.benchmarks.get(words) for words in (name, result.name, bare))
        benchmark = next((candidate for candidate in named if candidate is not None), None)
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
    no_class = {
        benchmark for ending, of_ending in endings.items() if ending[-1:] == words for benchmark in of_ending
    }
    agreeing = (
        endings.get(words[-2:], set()),
        # A test of a whole class, by package and class.
        classes.get(words[-3:-1], set()) if len(words) > 2 else set(),
        endings.get(words[-1:], set()) | endings.get(words[-2:-1], set()),
    )
    candidates = next((names for names in ([no_class] if len(words) == 1 else agreeing) if names), set())
    return next(iter(candidates)) if len(candidates) == 1 else None


def _words(name: str) -> tuple[str, ...]:
    """Split ``com.acme.OrderBench.place(int)`` into com, acme, order, place."""
    plain = name.partition("(")[0].replace("()", "")
    words = re.split(r"[.#/\s]+", plain)
    return tuple(_TEST_WORDS.sub("", word).casefold() or word.casefold() for word in words if word)
