"""What a check tells first, what follows from it, and that nothing is left out."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import pytest

from buto.judging.story import FOLLOWS, Matter, Order, Story, account_for, matter_of, story_of, tell
from buto.judging.verdict import Amount, Difference, Direction, Effect, Finding, Statement, Status, Verdict
from buto.run.properties import DURATION, LIVE_CLASSES, METRICS
from tests.support.report import golden

MIB = 2.0**20
LIVE, AFTER, USED = "jvm.memory.heap.live", "jvm.memory.heap.used_after_last_gc", "jvm.memory.heap.used"
ALLOCATED, CPU, RESIDENT = "jvm.memory.allocated", "jvm.cpu.time", "process.memory.usage"
COLLECTIONS, PAUSES = "jvm.gc.count[G1 Young Generation]", "jvm.gc.time[G1 Young Generation]"
THREADS, STARTED, OF_PROCESS = "jvm.thread.count", "jvm.thread.started", "process.thread.count"
OPEN_FILES, SOCKETS = "process.unix.file_descriptor.count", "process.socket.count"
DIRECT, READ = "jvm.buffer.memory.used[direct]", "process.io.bytes[read]"
WRITES = "process.io.calls[write]"
LOADED, METASPACE = "jvm.class.loaded", "jvm.memory.used[Metaspace]"
OLD_POOL, EDEN, SURVIVORS = (
    "jvm.memory.used[G1 Old Gen]",
    "jvm.memory.used[G1 Eden Space]",
    "jvm.memory.committed[G1 Survivor Space]",
)


def change(
    subject: str, old: float, new: float, effect: Effect | None = None, measure: str = "", part: str = ""
) -> Difference:
    more = new > old
    return Difference(
        "comparison",
        subject,
        "run",
        Direction.MORE if more else Direction.LESS,
        effect or (Effect.WORSE if more else Effect.BETTER),
        unit="By",
        observed=new,
        expected=old,
        measure=measure,
        part=part,
    )


def share(subject: str, percent: float, *, old: float = 100.0, effect: Effect | None = None) -> Difference:
    return change(subject, old, old * (1 + percent / 100), effect)


def told(*findings: Finding, counted_first: bool = False) -> list[tuple[str, list[str]]]:
    """Return the headlines by subject, each with its followers."""
    story = tell(findings, counted_first=counted_first)
    return [
        (headline.finding.subject, [follower.subject for follower in headline.followers])
        for headline in story.headlines
    ]


def first(*findings: Finding, counted_first: bool = False) -> tuple[str, Direction]:
    leading = tell(findings, counted_first=counted_first).headlines[0].finding
    return leading.subject, leading.direction


def test_a_leak_is_what_is_kept_and_what_is_allocated_and_all_else_is_with_it() -> None:
    leak = [
        change(CPU, 0.144, 0.358, measure="increase in the first third"),
        change(COLLECTIONS, 5.0, 19.0),
        change(PAUSES, 0.02, 0.06),
        change(RESIDENT, 120 * MIB, 155 * MIB),
        change(AFTER, 11 * MIB, 44 * MIB),
        change(USED, 14 * MIB, 60 * MIB),
        change(OLD_POOL, 9 * MIB, 44 * MIB),
        change(ALLOCATED, 154 * MIB, 617 * MIB),
        change(LIVE, 11 * MIB, 45 * MIB),
        change(LIVE_CLASSES.name, 10 * MIB, 42 * MIB, part="byte[]"),
    ]
    (kept, with_kept), (allocated, with_allocated) = told(*leak)
    assert (kept, allocated) == (LIVE, ALLOCATED)
    assert set(with_kept) >= {AFTER, OLD_POOL, LIVE_CLASSES.name, RESIDENT}
    assert set(with_allocated) >= {CPU}
    assert {*with_kept, *with_allocated} == {difference.subject for difference in leak} - {LIVE, ALLOCATED}


TABLE = {
    "allocated more": ([share(USED, 84), share(ALLOCATED, 58), share(RESIDENT, 20)], ALLOCATED, "more"),
    "allocated less, so garbage is left": (
        [share(USED, 90), share(ALLOCATED, -66), change(COLLECTIONS, 6.0, 5.0)],
        ALLOCATED,
        "less",
    ),
    "processor time more": ([share(USED, -8.5), share(CPU, 17), share("run.duration", 12)], CPU, "more"),
    "processor time less and faster": ([share(CPU, -24), share("run.duration", -33)], CPU, "less"),
    "threads": (
        [share(USED, 194), share(THREADS, 86, old=7), share(OF_PROCESS, 30, old=20)],
        THREADS,
        "more",
    ),
    "allocated, seen by the duration": ([share("run.duration", 14), share(ALLOCATED, 93)], ALLOCATED, "more"),
    "allocated, seen by processor time": ([share(CPU, 17.5), share(ALLOCATED, 277)], ALLOCATED, "more"),
    "direct buffers": (
        [change(RESIDENT, 60 * MIB, 137 * MIB), change(DIRECT, 64 * MIB, 133 * MIB)],
        DIRECT,
        "more",
    ),
    "kept": ([share(CPU, 30), change(LIVE, 10 * MIB, 17.1 * MIB)], LIVE, "more"),
    "reads": ([share("run.duration", 83), share(READ, 167)], READ, "more"),
    "a lock": ([share("run.duration", 8), share(OF_PROCESS, 13, old=20)], "run.duration", "more"),
    "one row class in place of another": (
        [change(LIVE_CLASSES.name, 1e3, 6e5, part="Row"), share(ALLOCATED, 20)],
        ALLOCATED,
        "more",
    ),
}


@pytest.mark.parametrize("truth", TABLE)
def test_the_first_line_is_about_the_truth(truth: str) -> None:
    findings, subject, direction = TABLE[truth]
    assert first(*findings) == (subject, Direction(direction))
    assert first(*reversed(findings)) == (subject, Direction(direction))


def test_what_is_not_accounted_for_in_amount_is_a_headline_of_its_own() -> None:
    """Five percent more garbage does not take half as much processor time again."""
    assert told(share(ALLOCATED, 5), share(CPU, 50)) == [(ALLOCATED, []), (CPU, [])]
    assert told(share(ALLOCATED, 60), share(CPU, 50)) == [(ALLOCATED, [CPU])]


def test_more_garbage_accounts_for_the_heap_that_it_touches_and_not_for_three_times_its_share() -> None:
    assert told(share(ALLOCATED, 38), share(RESIDENT, 45)) == [(ALLOCATED, [RESIDENT])]
    assert told(share(ALLOCATED, 10), share(RESIDENT, 30)) == [(RESIDENT, []), (ALLOCATED, [])]


@pytest.mark.parametrize(("after_mib", "leads"), [(2.7, ALLOCATED), (6.0, AFTER)])
def test_garbage_that_a_collection_at_another_moment_finds_alive_does_not_lead(
    after_mib: float, leads: str
) -> None:
    assert (
        told(change(AFTER, 0.7 * MIB, after_mib * MIB), change(ALLOCATED, 61 * MIB, 67 * MIB))[0][0] == leads
    )


def test_first_collections_follow_from_an_allocation_that_can_fill_a_heap_so_often() -> None:
    doubled, paused = change(ALLOCATED, 100 * MIB, 200 * MIB), change(PAUSES, 0.0, 0.05)
    few, many = (replace(change(COLLECTIONS, 0.0, new), unit="{collection}") for new in (3.6, 40.0))
    assert told(doubled, few, paused) == [(ALLOCATED, [COLLECTIONS, PAUSES])]
    assert told(doubled, many, paused) == [(ALLOCATED, []), (COLLECTIONS, [PAUSES])]


@pytest.mark.parametrize("subject", [DIRECT, SOCKETS, "process.io.bytes[write]"])
def test_a_little_more_load_is_no_reason_for_what_was_not_there(subject: str) -> None:
    load = "load.throughput"
    assert (subject, []) in told(share(load, 3), change(subject, 0.0, 500.0))


def test_what_goes_in_the_other_direction_is_a_headline_of_its_own() -> None:
    assert told(share(ALLOCATED, 60), share(CPU, -20)) == [(ALLOCATED, []), (CPU, [])]


def test_a_megabyte_kept_is_no_reason_for_a_hundred_of_the_process() -> None:
    grown = change(RESIDENT, 100 * MIB, 200 * MIB)
    assert told(change(LIVE, 10 * MIB, 11 * MIB), grown) == [(LIVE, []), (RESIDENT, [])]
    assert told(change(LIVE, 10 * MIB, 60 * MIB), grown) == [(LIVE, [RESIDENT])]


def test_several_causes_account_for_an_effect_together() -> None:
    causes = [change(LIVE, 10 * MIB, 20 * MIB), change(DIRECT, 1 * MIB, 26 * MIB)]
    grown = change(RESIDENT, 100 * MIB, 155 * MIB)
    assert max(account_for(cause, grown) for cause in causes) < 55 * MIB
    assert told(*causes, grown) == [(LIVE, []), (DIRECT, [RESIDENT])]


def test_threads_account_for_their_stacks_and_files_and_for_no_more() -> None:
    threads = change(THREADS, 10.0, 20.0)
    assert told(threads, change(RESIDENT, 100 * MIB, 115 * MIB)) == [(THREADS, [RESIDENT])]
    assert told(threads, change(RESIDENT, 100 * MIB, 150 * MIB)) == [(THREADS, []), (RESIDENT, [])]
    assert told(threads, change(OPEN_FILES, 10.0, 20.0)) == [(THREADS, [OPEN_FILES])]
    assert told(threads, change(OPEN_FILES, 10.0, 90.0)) == [(THREADS, []), (OPEN_FILES, [])]


def test_sockets_are_the_open_files() -> None:
    assert told(change(OPEN_FILES, 9.0, 49.0), change(SOCKETS, 2.0, 42.0)) == [(SOCKETS, [OPEN_FILES])]


def test_classes_account_for_metaspace_and_for_what_they_keep_themselves() -> None:
    classes = change(LOADED, 1000.0, 2000.0)
    small, large = change(LIVE, 10 * MIB, 12 * MIB), change(LIVE, 10 * MIB, 20 * MIB)
    metaspace = change(METASPACE, 8 * MIB, 14 * MIB)
    assert told(metaspace, classes, small) == [(LOADED, [LIVE, METASPACE])]
    assert told(metaspace, classes, large) == [(LIVE, []), (LOADED, [METASPACE])]


def test_metaspace_is_no_part_of_the_heap() -> None:
    kept, pool = change(LIVE, 10 * MIB, 60 * MIB), change(METASPACE, 8 * MIB, 12 * MIB)
    assert told(kept, pool) == [(LIVE, []), (METASPACE, [])]


def test_people_mind_what_is_kept_before_what_is_fast() -> None:
    order = [
        LIVE,
        THREADS,
        SOCKETS,
        DIRECT,
        ALLOCATED,
        CPU,
        READ,
        "mbean[com.acme:type=Cache]/Size",
        LOADED,
        DURATION.name,
        "jvm.lock.contended",
        COLLECTIONS,
        "jvm.compilation.time",
    ]
    # Each without a known size in its own direction, so that none follows another.
    story = tell([Statement("x", subject, "run", effect=Effect.WORSE) for subject in reversed(order)])
    assert [headline.finding.subject for headline in story.headlines] == order


def test_worse_comes_before_better_and_both_are_told() -> None:
    story = tell([share(ALLOCATED, -43), change(COLLECTIONS, 6.0, 3.0), change(THREADS, 7.0, 9.0)])
    assert [headline.finding.subject for headline in story.other] == [THREADS]
    assert [headline.finding.subject for headline in story.better] == [ALLOCATED]
    assert not story.is_welcome


def test_garbage_that_an_improvement_leaves_behind_is_no_regression() -> None:
    """Fewer collections leave more garbage at the exit."""
    story = tell([share(ALLOCATED, -66), change(COLLECTIONS, 6.0, 5.0), share(USED, 46)])
    assert story.is_welcome
    assert not tell([share(USED, 46)]).is_welcome
    assert not tell([]).is_welcome


@pytest.mark.parametrize("aside", [SURVIVORS, "jvm.memory.heap.committed", EDEN])
@pytest.mark.parametrize("other", ["run.duration", "mbean[com.acme:type=Cache]/Size", OLD_POOL])
def test_what_the_jvm_sets_aside_never_leads_while_there_is_anything_else(aside: str, other: str) -> None:
    assert first(share(aside, 900), share(other, -1))[0] == other


def test_what_threads_files_and_classes_bring_with_them_does_not_lead() -> None:
    """The objects of threads, the buffers of what is open, and what loading a class reads and allocates."""
    threads = [change(LIVE, 1.46 * MIB, 1.67 * MIB), change(STARTED, 20.0, 488.0), change(CPU, 0.336, 0.422)]
    assert told(*threads) == [(STARTED, [LIVE, CPU])]
    files = [change(LIVE, 2.5 * MIB, 2.77 * MIB), change(OPEN_FILES, 36.0, 59.0)]
    assert told(*files) == [(OPEN_FILES, [LIVE])]
    classes = [
        change(ALLOCATED, 0.75 * MIB, 3.3 * MIB),
        change(READ, 265_000.0, 360_000.0),
        change(LOADED, 847.0, 1052.0),
    ]
    assert told(*classes) == [(LOADED, [ALLOCATED, READ])]
    buffers = [change(LIVE, 1.66 * MIB, 1.70 * MIB), change(DIRECT, 9.5 * MIB, 37.1 * MIB)]
    assert told(*buffers) == [(DIRECT, [LIVE])]
    calls = [change(CPU, 0.482, 1.16), change(WRITES, 10_011.0, 640_011.0), change(DURATION.name, 0.4, 1.0)]
    assert told(*calls) == [(WRITES, [CPU, DURATION.name])]
    assert [subject for subject, _ in told(change(THREADS, 16.0, 15.0), change(STARTED, 41.0, 10.0))] == [
        THREADS,
        STARTED,
    ]
    much = [change(LIVE, 2 * MIB, 12 * MIB), change(OPEN_FILES, 36.0, 59.0), change(STARTED, 20.0, 30.0)]
    assert [subject for subject, _ in told(*much)] == [LIVE, STARTED, OPEN_FILES]


def test_without_turns_a_counter_that_no_machine_moves_leads() -> None:
    findings = [
        change(OF_PROCESS, 10.0, 20.0),
        change(CPU, 1.0, 1.9),
        share(THREADS, 10),
        change(ALLOCATED, 100 * MIB, 105 * MIB),
    ]
    assert first(*findings)[0] == THREADS
    assert first(*findings, counted_first=True)[0] == ALLOCATED
    verdict = Verdict(Status.REGRESSION, "calibrated", tuple(findings), without_turns="not kept")
    assert story_of(verdict).headlines[0].finding.subject == ALLOCATED


def test_the_natural_number_and_not_the_telling_one_says_what_follows() -> None:
    """Processor time tripled in the first third, and is ten percent more in all."""
    telling = share(CPU, 200)
    natural = Difference(
        **{
            name: getattr(telling, name)
            for name in ("source", "subject", "run_id", "direction", "effect", "unit", "observed", "expected")
        },
        amount=Amount("total", 100.0, 110.0),
    )
    assert told(share(ALLOCATED, 15), telling) == [(ALLOCATED, []), (CPU, [])]
    assert told(share(ALLOCATED, 15), natural) == [(ALLOCATED, [CPU])]


def test_what_a_program_counts_itself_has_causes_of_its_own() -> None:
    names = [f"mbean[com.acme:type=Cache]/{name}" for name in ("Size", "Misses")]
    assert [subject for subject, _ in told(*(share(name, 50) for name in names))] == names


def test_the_order_of_the_evidence_changes_nothing() -> None:
    findings = [share(SURVIVORS, 9), share(OLD_POOL, 9), share(CPU, 9)]
    assert [headline.findings for headline in tell(findings, Order.EVIDENCE).headlines] == [
        (finding,) for finding in findings
    ]


def every_subject() -> list[str]:
    instances = {
        "memory pool": ["G1 Old Gen", "G1 Eden Space", "G1 Survivor Space", "Metaspace", "CodeCache"],
        "collector": ["G1 Young Generation", "G1 Old Generation"],
        "buffer pool": ["direct", "mapped"],
    }
    names = [
        name if not instance else f"{name}[{instance}]"
        for name, metric in METRICS.items()
        for instance in (metric.instances or instances.get(metric.per, ["a", "b"] if metric.per else [""]))
    ]
    others = ["load.throughput[GET /]", "load.latency.p95[GET /]", "mbean[a:type=B]/OpenFileDescriptorCount"]
    return [*names, *others, DURATION.name, LIVE_CLASSES.name]


def test_nothing_follows_from_itself_by_any_way() -> None:
    subjects = every_subject()
    doubled = {name: change(name, 1.0, 2.0) for name in subjects}
    follows = {
        cause: {effect for effect in subjects if account_for(doubled[cause], doubled[effect]) > 0}
        for cause in subjects
    }
    for start in subjects:
        seen, open_ = set(), set(follows[start])
        while open_:
            seen |= (now := open_)
            open_ = {followed for name in now for followed in follows[name]} - seen
        assert start not in seen, start


def test_no_finding_is_lost_or_named_twice() -> None:
    findings = [share(name, 50 if place % 2 else -50) for place, name in enumerate(every_subject())]
    findings += [Statement("metadata", "host.cores", "run")] * 2
    listed = tell(findings).findings
    assert sorted(map(id, listed)) == sorted(map(id, findings))
    assert tell([]) == Story()


def test_each_rule_is_about_something() -> None:
    subjects = every_subject()
    pairs = [
        (change(cause, 1.0, 2.0), change(other, 1.0, 2.0)) for cause, other in product(subjects, repeat=2)
    ]
    explained = sum(account_for(*pair) > 0 for pair in pairs)
    assert explained > len(FOLLOWS)


@pytest.mark.parametrize(
    ("subject", "matter"),
    [
        (LIVE, Matter.KEPT),
        (USED, Matter.COLLECTIONS),
        (SURVIVORS, Matter.OF_THE_JVM),
        (METASPACE, Matter.CLASSES),
        (OF_PROCESS, Matter.OF_THE_JVM),
        ("mbean[java.lang:type=OperatingSystem]/OpenFileDescriptorCount", Matter.DESCRIPTORS),
        ("com.acme.full from a:type=Job", Matter.PROGRAM),
    ],
)
def test_what_a_finding_is_about(subject: str, matter: Matter) -> None:
    assert matter_of(subject) is matter


def test_doubled_live_memory_is_headed_by_the_heap_in_use() -> None:
    """Findings of a real program that kept twice as much: a committed pool has the strongest evidence."""
    stored = json.loads((golden.PLACE / "findings-doubled-memory.json").read_text())
    findings = [
        Difference(
            **{
                **headline,
                "direction": Direction(headline["direction"]),
                "effect": Effect(headline["effect"]),
            }
        )
        for headline in stored
    ]
    assert findings[0].subject == "jvm.memory.committed[G1 Eden Space]"
    leading = tell(findings).headlines[0]
    assert leading.finding.subject == USED
    assert len(leading.followers) >= 4
