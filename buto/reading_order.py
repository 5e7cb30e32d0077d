"""The order in which people read findings, and which of them are echoes of one cause.

A detector lists findings by the strength of their evidence. That says how sure a change is, and not how
much it matters: a pool that repeats exactly may come before processor time that has doubled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from buto.properties import Topic, reading_rank, topic_of
from buto.verdicts import Effect, Finding

SMALL = 0.1
"""A change by a smaller share of what was expected is named after larger ones."""

_EFFECTS = (Effect.WORSE, Effect.UNKNOWN, Effect.BETTER)


class Order(Enum):
    """How findings are listed."""

    MEANING = "meaning"
    """By what they mean to people, those of one topic together."""
    EVIDENCE = "evidence"
    """As the detector lists them, each by itself."""


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings that probably have one cause.

    Attributes:
        leading: what says most to people.
        parts: the others, what says most first.
    """

    leading: Finding
    parts: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.leading, *self.parts


def grouped(findings: Sequence[Finding], order: Order = Order.MEANING) -> tuple[FindingGroup, ...]:
    """Return findings in groups.

    By meaning, what people ask about comes before its parts (pools), and these before sizes that the JVM sets
    aside (committed) or adapts (eden, survivors); then what is worse before what is better; then changes that
    are not :data:`SMALL`; then the order of :class:`buto.properties.Topic`.
    Findings of one topic make one group. Those that are not about a property of the JVM are groups of their
    own: what a program itself counts has causes of its own.
    """
    if order is Order.EVIDENCE:
        return tuple(map(FindingGroup, findings))
    by_topic: dict[Topic | str, list[Finding]] = {}
    for finding in sorted(findings, key=_reading_key):
        topic = topic_of(finding.subject)
        by_topic.setdefault(finding.subject if topic is Topic.PROGRAM else topic, []).append(finding)
    return tuple(FindingGroup(leading, tuple(parts)) for leading, *parts in by_topic.values())


def in_line(groups: Sequence[FindingGroup]) -> tuple[Finding, ...]:
    """Return the findings of all groups, one behind the other."""
    return tuple(finding for group in groups for finding in group.findings)


def _reading_key(finding: Finding) -> tuple[int, int, bool, int, int]:
    remoteness, topic, place = reading_rank(finding.subject)
    return remoteness, _EFFECTS.index(finding.effect), _is_small(finding), topic, place


def _is_small(finding: Finding) -> bool:
    if finding.observed is None or finding.expected is None:
        return False
    return abs(finding.observed - finding.expected) < SMALL * abs(finding.expected)
