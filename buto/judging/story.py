"""The story of a check: what changed, in the order in which people mind it, and what follows from it.

A program that keeps more also uses more of its heap, collects more often and takes more processor time. One
change is then many findings. A story has a *headline* for each change that no other one accounts for; what
another one accounts for, in direction and in amount, comes with it. Nothing is left out.

Pure, and by a table: :data:`FOLLOWS` says what follows from what, and how much of it at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import cache
from math import inf

from msgspec import Struct

from buto.judging.verdict import GROWTH, LIMIT, Difference, Direction, Effect, Finding, Verdict
from buto.run.patterns import fits
from buto.run.properties import (
    LIVE_CLASSES,
    LIVE_OBJECTS,
    Topic,
    property_for,
    reading_rank,
    split_name,
    topic_of,
)
from buto.run.properties import is_counted as is_counted_property


class Matter(Enum):
    """What a finding is about, in the order in which people mind it."""

    KEPT = "kept memory"
    THREADS = "threads"
    DESCRIPTORS = "descriptors and sockets"
    NATIVE = "native memory"
    ALLOCATION = "allocation"
    CPU = "processor time"
    TRANSFERS = "input and output"
    PROGRAM = "the program's own"
    CLASSES = "classes"
    DURATION = "duration"
    LOCKS = "locks and waiting"
    COLLECTIONS = "collections"
    COMPILATION = "compilation"
    OF_THE_JVM = "the JVM's own"
    """Of which a change says nothing by itself: sizes that it adapts, threads that it starts for itself."""


_KEPT = (
    "jvm.memory.heap.live",
    "jvm.memory.heap.used_after_last_gc",
    "jvm.memory.used_after_last_gc",
    LIVE_OBJECTS,
)
_THREADS = ("jvm.thread.count", "jvm.thread.daemon.count", "jvm.thread.started")
_NATIVE = (
    "jvm.buffer.memory.used",
    "jvm.buffer.count",
    "jvm.memory.native.committed",
    "jvm.memory.native.category",
    "command.memory.peak",
    "process.memory.usage",
)

_OF_METRIC = {
    **dict.fromkeys(_KEPT, Matter.KEPT),
    **dict.fromkeys(_THREADS, Matter.THREADS),
    **dict.fromkeys(_NATIVE, Matter.NATIVE),
    # One class in place of another keeps nothing; with more that is kept, its class follows.
    LIVE_CLASSES.name: Matter.CLASSES,
    GROWTH: Matter.KEPT,
    "process.thread.count": Matter.OF_THE_JVM,
    "jvm.memory.tlab.waste": Matter.OF_THE_JVM,
}
_OF_TOPIC = {
    Topic.DURATION: Matter.DURATION,
    Topic.CPU: Matter.CPU,
    # What is in use swings with the collections; what is kept is named above.
    Topic.HEAP: Matter.COLLECTIONS,
    Topic.ALLOCATION: Matter.ALLOCATION,
    Topic.THREADS: Matter.THREADS,
    Topic.LOCKS: Matter.LOCKS,
    Topic.CLASSES: Matter.CLASSES,
    Topic.DESCRIPTORS: Matter.DESCRIPTORS,
    Topic.TRANSFERS: Matter.TRANSFERS,
    Topic.PROCESS_MEMORY: Matter.NATIVE,
    Topic.PROGRAM: Matter.PROGRAM,
    Topic.COLLECTIONS: Matter.COLLECTIONS,
    Topic.COMPILATION: Matter.COMPILATION,
    Topic.SAFEPOINTS: Matter.OF_THE_JVM,
    Topic.NON_HEAP: Matter.CLASSES,
    Topic.BUFFERS: Matter.NATIVE,
    Topic.MEASURING: Matter.OF_THE_JVM,
}
_MATTERS = tuple(Matter)
_FIRST = (*_KEPT, *_THREADS, *_NATIVE)
_ASIDE = 2
"""How far a size that the JVM sets aside or adapts is from what people ask about."""


@cache
def matter_of(subject: str) -> Matter:
    """Return what a finding is about, by its subject."""
    if reading_rank(subject)[0] == _ASIDE:
        return Matter.OF_THE_JVM
    return _OF_METRIC.get(split_name(subject)[0]) or _OF_TOPIC[topic_of(subject)]


KIB, MIB = 2.0**10, 2.0**20


class Way(Enum):
    """In which direction an effect follows a cause."""

    SAME = "more of one is more of the other"
    OPPOSITE = "more of one is less of the other"
    ANY = "a change of one is a change of the other"


class Rule(Struct, frozen=True):
    """That some properties follow others, and how much of them at most.

    Attributes:
        causes, effects: shell patterns of subjects.
        per: the largest change of an effect for a change of the cause by one, each in its unit.
        share: the largest share of an effect for a share of the cause: 2 if it may change by twice as many
            percent.
        way: in which direction an effect follows.
    """

    causes: tuple[str, ...]
    effects: tuple[str, ...]
    per: float = 0.0
    share: float = 0.0
    way: Way = Way.SAME


_LIVE = ("jvm.memory.heap.live", "jvm.memory.heap.used_after_last_gc")
_IN_USE = ("jvm.memory.heap.used", "jvm.memory.used[[]*")
_SET_ASIDE = (
    "jvm.memory.heap.committed",
    "jvm.memory.committed[[]*",
    "jvm.memory.*Eden*",
    "jvm.memory.*Survivor*",
)
_RESIDENT = ("process.memory.usage", "process.memory.*", "process.paging.faults*")
_PAUSES = ("jvm.gc.time*", "jvm.safepoint.*")
_LOADED = ("jvm.class.loaded", "jvm.class.count")
_DESCRIPTORS = ("process.unix.file_descriptor.count", "process.socket.count")

FOLLOWS = (
    # More requests are more of everything but of what the load itself says.
    Rule(("load.throughput*",), ("[!l]*",), share=2.0),
    # Kept memory, the heap after collections, the process; a collector keeps room beside what is alive.
    Rule(("jvm.memory.heap.live",), ("jvm.memory.heap.used_after_last_gc",), per=2.0),
    Rule(_LIVE, (LIVE_OBJECTS, LIVE_CLASSES.name), per=inf),
    Rule(_LIVE, ("jvm.memory.used_after_last_gc*", *_IN_USE), per=3.0),
    Rule(_LIVE, _RESIDENT, per=3.0),
    Rule(_LIVE, ("jvm.gc.*", *_PAUSES), share=3.0),
    Rule((*_LIVE, "jvm.memory.heap.used"), _SET_ASIDE, per=inf, way=Way.ANY),
    Rule(("jvm.memory.heap.used",), ("jvm.memory.used[[]*", "jvm.memory.threshold.crossings*"), per=inf),
    # Threads: all counts of them, their stacks, and what they open.
    Rule(("jvm.thread.count",), ("jvm.thread.daemon.count", "process.thread.count"), per=inf),
    # Threads that live at the same time say little of how many are started one after the other.
    Rule(("jvm.thread.count",), ("jvm.thread.started",), per=2.0),
    Rule(("jvm.thread.started", "jvm.thread.daemon.count"), ("process.thread.count",), per=inf),
    Rule(("jvm.thread.started",), ("jvm.thread.daemon.count",), per=inf),
    Rule(_THREADS, (*_RESIDENT, "jvm.memory.native.*"), per=2 * MIB),
    Rule(_THREADS, ("process.unix.file_descriptor.count",), per=2.0),
    Rule(_THREADS, ("process.context_switches*", "jvm.lock.parked"), per=inf),
    # A thread is an object with a name and a queue; starting one takes time.
    Rule(_THREADS, _LIVE, per=4 * KIB),
    Rule(_THREADS, ("jvm.memory.allocated",), per=16 * KIB),
    Rule(_THREADS, ("jvm.cpu.time", "process.cpu.*", "run.duration"), per=5e-4),
    # A virtual thread is an object with a stack; while it is pinned, the scheduler may start a carrier more.
    Rule(("jvm.thread.virtual.count",), (*_LIVE, LIVE_OBJECTS, LIVE_CLASSES.name), per=4 * KIB),
    Rule(
        ("jvm.thread.virtual.pinned",),
        ("jvm.thread.virtual.carriers", *_THREADS, "process.thread.count"),
        per=1.0,
    ),
    Rule(("jvm.thread.virtual.pinned",), ("process.context_switches*", "jvm.lock.parked"), per=4.0),
    # What is open has buffers: those of the usual reader or writer are 24 KiB.
    Rule(_DESCRIPTORS, _LIVE, per=24 * KIB),
    Rule(_DESCRIPTORS, ("jvm.memory.allocated",), per=48 * KIB),
    Rule(("process.socket.count",), ("process.unix.file_descriptor.count",), per=1.5),
    Rule(("process.unix.file_descriptor.count",), ("*]/OpenFileDescriptorCount",), per=inf),
    Rule(("jvm.buffer.memory.used*",), ("jvm.buffer.count*", "jvm.buffer.memory.limit*"), per=inf),
    Rule(("jvm.buffer.memory.used*",), (*_RESIDENT, "jvm.memory.native.*"), per=1.5),
    # A buffer outside the heap is an object with one that cleans up behind it.
    Rule(("jvm.buffer.count*",), _LIVE, per=KIB / 2),
    Rule(("jvm.buffer.memory.used*",), _LIVE, per=0.005),
    Rule(("jvm.memory.native.committed",), ("jvm.memory.native.category*",), per=inf),
    Rule(("jvm.memory.native.*",), _RESIDENT, per=1.5),
    Rule(("process.memory.usage",), ("process.memory.*", "process.paging.faults*"), per=inf),
    # Of a command without a JVM: the largest, and a fault for each page that is touched first.
    Rule(("command.memory.peak",), ("process.memory.*", "command.paging.faults*"), per=inf),
    Rule(("command.memory.peak",), ("command.cpu.time", "run.duration"), share=1.0),
    Rule(("command.cpu.time",), ("command.cpu.instructions",), per=inf),
    Rule(("command.cpu.time",), ("run.duration", "process.context_switches*"), share=1.5),
    # Allocation, collections, pauses, processor time; garbage that no collection has taken yet is in use.
    Rule(("jvm.memory.allocated",), ("*]/TotalThreadAllocatedBytes", "jvm.memory.tlab.waste"), per=inf),
    # More garbage moves the collections, and one at another moment finds more alive. What a program keeps is
    # most of what it allocates more.
    Rule(("jvm.memory.allocated",), ("jvm.memory.*used_after_last_gc*",), per=0.5),
    # A collector that gets more garbage before it runs touches more of the heap than the garbage fills.
    Rule(("jvm.memory.allocated",), _RESIDENT, share=2.0),
    Rule(("jvm.memory.allocated",), ("jvm.gc.*", "jvm.safepoint.*", "jvm.memory.threshold.*"), share=3.0),
    Rule(("jvm.memory.allocated",), (*_IN_USE, *_SET_ASIDE), per=inf, way=Way.ANY),
    Rule(
        ("jvm.memory.allocated",),
        ("jvm.cpu.time", "process.cpu.*", "run.duration", "process.context_switches*", "jvm.compilation.*"),
        share=1.0,
    ),
    Rule(("jvm.gc.count*",), _PAUSES, share=3.0),
    # A collection less leaves more garbage at the exit.
    Rule(("jvm.gc.count*",), (*_IN_USE, "jvm.memory.used_after_last_gc*"), per=inf, way=Way.OPPOSITE),
    Rule(("jvm.gc.count*",), _SET_ASIDE, per=inf, way=Way.ANY),
    Rule(("jvm.gc.time*",), ("jvm.safepoint.time",), per=2.0),
    Rule(("jvm.gc.time*",), ("jvm.cpu.time", "run.duration"), per=8.0),
    Rule(("jvm.cpu.time",), ("process.cpu.*",), per=inf),
    Rule(("jvm.cpu.time",), ("jvm.compilation.*",), share=2.0),
    Rule(("jvm.cpu.time",), ("run.duration", "process.context_switches*", "jvm.safepoint.*"), share=1.5),
    Rule(("process.io.bytes*",), ("process.io.calls*", "process.disk.io*"), per=inf),
    Rule(("process.io.bytes*",), ("jvm.cpu.time", "process.cpu.*"), share=0.5),
    Rule(("process.io.calls*",), ("jvm.cpu.time", "process.cpu.*", "run.duration"), per=1e-5),
    Rule(("process.io.*", "process.disk.io*"), ("run.duration", "process.context_switches*"), share=1.0),
    # Classes: what describes them, their compiled code, and what loading them reads and allocates.
    Rule(("jvm.class.loaded",), ("jvm.class.*",), per=inf),
    Rule(("jvm.class.count",), ("jvm.class.[uiv]*",), per=inf),
    Rule(_LOADED, ("jvm.memory.non_heap.*", "outside the heap: *"), per=24 * KIB),
    Rule(_LOADED, ("jvm.memory.non_heap.*", "outside the heap: *Code*", "jvm.compilation.*"), share=3.0),
    Rule(_LOADED, ("jvm.memory.heap.live", "jvm.memory.heap.used_after_last_gc"), per=3 * KIB),
    Rule(_LOADED, _RESIDENT, per=32 * KIB),
    Rule(_LOADED, ("jvm.memory.allocated",), per=16 * KIB),
    Rule(_LOADED, ("process.io.bytes[[]read]",), per=4 * KIB),
    Rule(_LOADED, ("process.io.calls[[]read]",), per=4.0),
    Rule(_LOADED, ("jvm.cpu.time", "process.cpu.*", "run.duration"), per=1e-3),
    Rule(("jvm.compilation.*",), ("outside the heap: *Code*", "jvm.memory.non_heap.*"), share=2.0),
    Rule(("jvm.memory.non_heap.used",), ("jvm.memory.non_heap.committed", "outside the heap: *"), per=inf),
    Rule(("run.duration",), ("process.context_switches*", "jvm.safepoint.*"), share=2.0),
)
"""What follows from what. Of an effect with several causes, these account for it together."""


class Order(Enum):
    """How findings are listed."""

    MEANING = "meaning"
    """As a story."""
    EVIDENCE = "evidence"
    """As the detector lists them, each by itself."""


class Headline(Struct, frozen=True):
    """A change that no other one accounts for.

    Attributes:
        finding: the change.
        followers: what follows from it, what people mind most first.
    """

    finding: Finding
    followers: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.finding, *self.followers

    @property
    def beside(self) -> tuple[Finding, ...]:
        """One follower of each other matter, what people mind most first: those that say most that is new."""
        by_matter: dict[Matter, Finding] = {}
        for follower in self.followers:
            # What is in use, and of which class, says no more than what is kept or allocated.
            if follower.subject != LIVE_CLASSES.name and not _is_in_use(follower.subject):
                by_matter.setdefault(matter_of(follower.subject), follower)
        ours = matter_of(self.finding.subject)
        return tuple(by_matter[matter] for matter in Matter if matter in by_matter and matter is not ours)


class Story(Struct, frozen=True):
    """All findings of a check.

    Attributes:
        headlines: what is worse, then what is neither, then what is better; what people mind most first.
    """

    headlines: tuple[Headline, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings in the order in which the story names them."""
        return tuple(finding for headline in self.headlines for finding in headline.findings)

    @property
    def better(self) -> tuple[Headline, ...]:
        return tuple(headline for headline in self.headlines if headline.finding.effect is Effect.BETTER)

    @property
    def other(self) -> tuple[Headline, ...]:
        """What is not better: worse, or neither."""
        return tuple(headline for headline in self.headlines if headline.finding.effect is not Effect.BETTER)

    @property
    def is_welcome(self) -> bool:
        """Whether all that changed is better, with what follows from it."""
        return bool(self.headlines) and not self.other


def _is_in_use(subject: str) -> bool:
    """Return whether a property is the heap that is in use, or a part of something."""
    return subject == "jvm.memory.heap.used" or reading_rank(subject)[0] > 0


def news(story: Story, others: Sequence[Finding]) -> Story:
    """Return the story of further findings for which this one does not account."""
    whole = tell((*story.findings, *others))
    leading = {id(headline.finding) for headline in whole.headlines}
    return tell([finding for finding in others if id(finding) in leading])


def story_of(verdict: Verdict, order: Order = Order.MEANING) -> Story:
    """Return the story of what a check fails for."""
    return tell(verdict.findings, order, counted_first=bool(verdict.without_turns))


def tell(findings: Sequence[Finding], order: Order = Order.MEANING, *, counted_first: bool = False) -> Story:
    """Return the story of findings, in whatever order they are given.

    Args:
        counted_first: whether counters that no machine moves come before all others: without turns, what
            follows a clock or a machine accuses nobody.
    """
    if order is Order.EVIDENCE:
        return Story(tuple(map(Headline, findings)))
    ranked = sorted(findings, key=lambda finding: _rank(finding, counted_first=counted_first))
    cause = {place: _cause(place, ranked) for place in range(len(ranked))}
    followers: dict[int, list[Finding]] = {place: [] for place, of in cause.items() if of is None}
    for place, of in cause.items():
        if of is not None:
            followers[_root(place, cause)].append(ranked[place])
    return Story(tuple(Headline(ranked[place], tuple(some)) for place, some in followers.items()))


_EFFECTS = (Effect.WORSE, Effect.UNKNOWN, Effect.BETTER)


def _rank(finding: Finding, *, counted_first: bool) -> tuple[int, ...]:
    matter = matter_of(finding.subject)
    metric = split_name(finding.subject)[0]
    is_aside = matter is Matter.OF_THE_JVM
    place = _FIRST.index(metric) if metric in _FIRST else len(_FIRST)
    counted = not (counted_first and is_counted(finding))
    return (
        int(finding.source != LIMIT),
        int(is_aside),
        int(counted),
        _EFFECTS.index(finding.effect),
        _MATTERS.index(matter),
        place,
        *reading_rank(finding.subject),
    )


def is_counted(finding: Finding) -> bool:
    """Return whether a finding is of a counter that no machine moves."""
    return is_counted_property(property_for(finding.subject))


def _cause(place: int, ranked: Sequence[Finding]) -> int | None:
    """Return the finding from which another one follows; None if no others account for it.

    That is the first that accounts for it alone, else the one that accounts for most.
    """
    effect = ranked[place]
    given = {
        other: amount
        for other, finding in enumerate(ranked)
        if other != place and (amount := account_for(finding, effect)) > 0
    }
    if not given or sum(given.values()) < _change(effect):
        return None
    alone = [other for other, amount in given.items() if amount >= _change(effect)]
    return alone[0] if alone else max(given, key=lambda other: given[other])


def _root(place: int, cause: dict[int, int | None]) -> int:
    while (of := cause[place]) is not None:
        place = of
    return place


def account_for(cause: Finding, effect: Finding) -> float:
    """Return how much of a finding another one accounts for at most, in the unit of the effect; 0 for none.

    Infinite where the table sets no limit. Findings without a size are accounted for by their direction only.
    That a limit of the user is exceeded, nothing accounts for.
    """
    if cause.subject == effect.subject or effect.source == LIMIT:
        return 0.0
    rules = [rule for rule in _rules_for(cause.subject, effect.subject) if _is_towards(cause, effect, rule)]
    return max((_most(cause, effect, rule) for rule in rules), default=0.0)


@cache
def _rules_for(cause: str, effect: str) -> tuple[Rule, ...]:
    ours, theirs = _name_for_rules(cause), _name_for_rules(effect)
    return tuple(rule for rule in FOLLOWS if _fits(ours, rule.causes) and _fits(theirs, rule.effects))


def _name_for_rules(subject: str) -> str:
    """Return what rules call a property: pools outside the heap are not those of the heap."""
    is_pool = subject.startswith("jvm.memory.") and split_name(subject)[1] is not None
    return f"outside the heap: {subject}" if is_pool and topic_of(subject) is Topic.NON_HEAP else subject


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fits(name, pattern) for pattern in patterns)


def _is_towards(cause: Finding, effect: Finding, rule: Rule) -> bool:
    directions = {_direction(cause), _direction(effect)}
    if Direction.OTHER in directions:
        return False
    return rule.way is Way.ANY or (len(directions) == 1) == (rule.way is Way.SAME)


def _direction(finding: Finding) -> Direction:
    """Return whether there is more or less of the property, whatever part of it the finding is about."""
    size = finding.size if isinstance(finding, Difference) else None
    if size is None or size.change == 0:
        return finding.direction
    return Direction.MORE if size.change > 0 else Direction.LESS


def _most(cause: Finding, effect: Finding, rule: Rule) -> float:
    ours, theirs = (finding.size if isinstance(finding, Difference) else None for finding in (cause, effect))
    if ours is None or theirs is None or rule.per == inf:
        return inf
    by_amount = rule.per * abs(ours.change)
    share = abs(ours.change) / abs(ours.old) if ours.old else inf
    return max(by_amount, _by_share(rule, share, effect.subject, abs(theirs.old)) if rule.share else 0.0)


_OF_COLLECTIONS = ("jvm.gc.count*", "jvm.safepoint.count")


def _by_share(rule: Rule, share: float, effect: str, old: float) -> float:
    """Return how much of an effect a share of its cause accounts for, in the unit of the effect.

    Nothing has no shares. What was not there before accounts for all that was not there either, as the first
    collections do for the first pauses. A program that did not fill its heap once collects about as often as
    it fills the heap now.
    """
    if old:
        return rule.share * share * old
    if share == inf:
        return inf
    return rule.share * (1.0 + share) if _fits(effect, _OF_COLLECTIONS) else 0.0


def _change(finding: Finding) -> float:
    size = finding.size if isinstance(finding, Difference) else None
    return 0.0 if size is None else abs(size.change)
