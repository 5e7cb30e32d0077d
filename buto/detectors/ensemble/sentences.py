"""Rules, environments and votes in words."""

from __future__ import annotations

from collections.abc import Sequence

from buto.detectors.ensemble.rules.discretise import Bins
from buto.detectors.ensemble.rules.mining import NONE, STRIDE, Rules
from buto.properties import Kind, Property
from buto.units import format_range

_WORDS = ("very low", "low", "medium", "high", "very high")


def level_word(number: int, count: int) -> str:
    """Return what a bin is called among so many inner bins."""
    if number < 1:
        return "lower than in any prior test"
    if number > count:
        return "higher than in any prior test"
    if count == 1:
        return "as in the prior tests"
    words = _WORDS[1:4:2] if count == 2 else _WORDS[1:4] if count == 3 else _WORDS
    return words[(number - 1) * len(words) // count]


def item_words(item: int, properties: Sequence[Property], bins: Bins) -> str:
    """Return an item as ``the growth of jvm.gc.time is high``."""
    counter, number = divmod(item, STRIDE)
    prop = properties[counter]
    name = f"the growth of {prop.name}" if prop.kind is Kind.COUNTER else prop.name
    return f"{name} is {level_word(number, int(bins.counts[counter]))}"


def rule_words(rules: Rules, number: int, properties: Sequence[Property], bins: Bins) -> str:
    """Return a rule as ``when heap is high, GC time is high (2 ms to 4 ms)``."""
    premise = [item_words(int(item), properties, bins) for item in rules.premises[number] if item != NONE]
    consequent = int(rules.consequents[number])
    counter, place = divmod(consequent, STRIDE)
    limits = format_range(*bins.limits(counter, place), properties[counter].unit)
    then = f"{item_words(consequent, properties, bins)} ({limits})"
    return f"when {' and '.join(premise)}, {then}" if premise else then


def range_words(low: float, high: float, prop: Property) -> str:
    """Return the rule that a counter stays in its range."""
    name = f"the growth of {prop.name}" if prop.kind is Kind.COUNTER else prop.name
    return f"{name} stays in its range ({format_range(low, high, prop.unit)})"
