"""What grows with every round of a program: as a value, in words, and in lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from buto.judging.rounds import NATIVE_MEMORY, Grown, RoundsBy, RunGrowth, SeriesSubject
from buto.judging.verdict import Status
from buto.report.document import STATUS_COLOUR, Line, Table, align, line
from buto.report.sanitize import one_line
from buto.run.holding import ENTRY, LOCAL, STATIC, HoldingPath, Reference
from buto.run.properties import title_of
from buto.run.units import (
    format_bytes,
    format_count,
    format_list,
    format_number,
    format_percent,
    format_quantity,
)


class GrowthReport(Struct, frozen=True):
    """What grows in one run, and how its rounds were told apart.

    Attributes:
        judged: what grows.
        rounds_by: who said when a round was over.
        share_bytes: what the program allocated in a round; 0 where that was not what made one.
        run_id: of the judged run.
        paths: how what grows is held, the most frequent path first.
        why_no_path: why that is not known; empty if it is, or nothing grows.
        why_no_native: why native memory was not counted; empty if it was.
    """

    judged: RunGrowth
    rounds_by: RoundsBy
    share_bytes: int
    run_id: str
    paths: tuple[HoldingPath, ...] = ()
    why_no_path: str = ""
    why_no_native: str = ""

    @property
    def status(self) -> Status:
        return Status.REGRESSION if self.judged.grown else Status.PASS

    @property
    def headline(self) -> str:
        """What grows in a line, without the name of the test."""
        return headline(self.judged)

    @property
    def amount(self) -> str:
        """How much of what grows in a round, where something does."""
        return amount(self.judged)

    @property
    def rounds(self) -> str:
        """What was counted, as ``12 rounds of the test's load; the first 4 are warm-up, 8 count``."""
        judged = self.judged
        kind = {
            RoundsBy.PROGRAM: "the program's own",
            RoundsBy.LOAD: "the test's load",
            RoundsBy.WORK: f"{format_bytes(self.share_bytes)} of allocation each",
        }[self.rounds_by]
        return (
            f"{format_count(judged.n_rounds, 'round')} of {kind}; the first {judged.n_warm_up} are warm-up, "
            f"{judged.n_rounds - judged.n_warm_up} count"
        )


MOST_CLASSES = 5
MOST_LEVELLING = 3

_BADGES = {Status.PASS: "PASS", Status.REGRESSION: "REGRESSION"}


def headline(judged: RunGrowth) -> str:
    """Return what grows in a line, without the name of the test."""
    return f"grows in every round: {amount(judged)}" if judged.grown else "nothing grows in every round"


def amount(judged: RunGrowth) -> str:
    """Return how much of what grows, as ``818 KiB and 5,000 Order objects a round``."""
    heap = _of(judged, SeriesSubject.HEAP)
    classes = _of(judged, SeriesSubject.CLASS)
    phrases = [one_phrase(classes[0])] if classes else []
    if heap:
        phrases.insert(0, format_bytes(heap[0].rate))
    elif classes and not classes[0].is_own:
        phrases = [f"{format_bytes(classes[0].rate)} of {simple(classes[0].name)}"]
    phrases += [one_phrase(counter) for counter in _of(judged, SeriesSubject.COUNTER)]
    return f"{_join(phrases)} a round"


def _of(judged: RunGrowth, what: SeriesSubject) -> list[Grown]:
    return [grown for grown in judged.grown if grown.what is what]


def _join(phrases: Sequence[str]) -> str:
    return " and ".join([", ".join(phrases[:-1]), phrases[-1]] if len(phrases) > 1 else phrases)


def one_phrase(grown: Grown) -> str:
    """Return how much more there is of one thing, as ``5,000 Order objects`` or ``2 threads``."""
    if grown.objects is not None:
        return format_count(_few_digits(grown.objects), f"{simple(grown.name)} object")
    if grown.unit == "By":
        return f"{format_bytes(grown.rate)} of {title_of(grown.name)}"
    return format_quantity(_few_digits(grown.rate), grown.unit)


def _few_digits(number: float) -> float:
    return round(number) if abs(number) >= 10 else float(f"{number:.3g}")


def simple(name: str) -> str:
    """Return the name of a class without its package, and without the classes around it."""
    last = name.rpartition(".")[2]
    if _LAMBDA in last:
        return f"a lambda of {last.partition(_LAMBDA)[0]}"
    inner = last.rpartition("$")[2]
    return last if not inner or inner[0].isdigit() else inner


_HEADS = ("what", "a round", "objects", "after the first and the last round that count")

_LAMBDA = "$$Lambda"

_ROOTS = {"THREAD_OBJECT": "a thread", "JAVA_FRAME": "a local variable", "STICKY_CLASS": "a class of the JVM"}


def path_text(path: HoldingPath) -> str:
    """Return a path in a line, from its root to the objects."""
    begin = (
        []
        if path.steps[:1] and path.steps[0].kind == STATIC
        else [_ROOTS.get(path.root, "a root of the JVM")]
    )
    return " → ".join([*begin, *map(_step, path.steps), simple(path.class_name)])


def _step(step: Reference) -> str:
    if step.kind == LOCAL:
        return "a local variable"
    owner = simple(step.owner)
    if step.kind == STATIC:
        return f"static {owner}.{step.field}"
    return owner if step.kind == ENTRY else f"{owner}.{step.field}"


def growth_lines(
    test: str, growth: GrowthReport, next_steps: Sequence[str] = (), *, full: bool = False
) -> list[Line]:
    """Return the lines to print; the first is the headline.

    Args:
        next_steps: what to type next.
        full: whether all classes are listed.
    """
    return [
        line(
            (_BADGES[growth.status], STATUS_COLOUR[growth.status]),
            f"  {one_line(f'{test}: {growth.headline}')}",
        ),
        *detail_lines(growth, full=full),
        *(line("  ", ("next:", "cyan"), f" {text}") for text in next_steps),
    ]


def detail_lines(growth: GrowthReport, *, full: bool = False) -> list[Line]:
    """Return the lines below the headline: the rounds, what grows, and what holds it."""
    judged = growth.judged
    classes = _of(judged, SeriesSubject.CLASS)
    n_shown = len(classes) if full else min(len(classes), MOST_CLASSES)
    table = growth_table(judged, n_shown)
    lines = [line(f"  {growth.rounds}")]
    if table.rows:
        lines += [line(f"    {text}") for text in align([table.heads, *table.rows])]
    if n_shown < len(classes):
        lines.append(line(f"    and {format_count(len(classes) - n_shown, 'class')} more (-v)"))
    lines += [line("  ", ("held by:", "cyan"), f" {text}") for text in holders(growth, full=full)]
    if judged.levelling and (full or not judged.grown):
        most = len(judged.levelling) if full else MOST_LEVELLING
        names = format_list([one_line(title_of(name)) for name in judged.levelling], most)
        lines.append(line("  ", ("levels off:", "cyan"), f" {names}"))
    if growth.why_no_native:
        why = f"{NATIVE_MEMORY}: {one_line(growth.why_no_native)}"
        lines.append(line("  ", ("not counted:", "cyan"), f" {why}"))
    return lines


def growth_table(judged: RunGrowth, most_classes: int) -> Table:
    """Return a table of what grows, without columns that would be empty."""
    shown = _of(judged, SeriesSubject.CLASS)[:most_classes]
    rows = [*_of(judged, SeriesSubject.HEAP), *shown, *_of(judged, SeriesSubject.COUNTER)]
    return Table(_HEADS, [tuple(map(one_line, _cells(row, judged))) for row in rows]).without_empty()


def holders(growth: GrowthReport, *, full: bool = False) -> list[str]:
    """Return what holds what grows, a path each, or why that is not known; empty if nobody looked."""
    paths = growth.paths if full else growth.paths[:1]
    texts = [
        f"{one_line(path_text(path))}"
        + (f" ({format_percent(path.share)} of those drawn)" if len(growth.paths) > 1 else "")
        for path in paths
    ]
    return [*texts, *([f"not known: {one_line(growth.why_no_path)}"] if growth.why_no_path else [])]


def _cells(grown: Grown, judged: RunGrowth) -> tuple[str, ...]:
    first, last = grown.values[judged.n_warm_up], grown.values[-1]
    objects = "" if grown.objects is None else f"+{format_number(_few_digits(grown.objects))}"
    ends = f"{format_quantity(first, grown.unit)}, {format_quantity(last, grown.unit)}"
    rate = _few_digits(grown.rate)
    return title_of(grown.name), f"+{format_quantity(rate, grown.unit)}", objects, ends


def growth_data(growth: GrowthReport) -> dict[str, Any]:
    """Return what grows as plain data, in the shape of ``buto/schemas/growth.schema.json``."""
    judged = growth.judged
    return {
        "run": growth.run_id,
        "rounds": {
            "counted": judged.n_rounds,
            "warm_up": judged.n_warm_up,
            "by": growth.rounds_by.value,
            "share_bytes": growth.share_bytes or None,
        },
        "headline": growth.headline,
        "grows": [_entry(grown) for grown in judged.grown],
        "held_by": [
            {
                "class": path.class_name,
                "share": path.share,
                "root": path.root,
                "steps": [
                    {"kind": reference.kind, "class": reference.owner, "field": reference.field}
                    for reference in path.steps
                ],
            }
            for path in growth.paths
        ],
        "levels_off": list(judged.levelling),
    }


def _entry(grown: Grown) -> dict[str, Any]:
    return {
        "name": grown.name,
        "what": grown.what.value,
        "rate": grown.rate,
        "unit": grown.unit,
        "objects": grown.objects,
        "p_value": grown.p_value,
        "values": list(grown.values),
    }
