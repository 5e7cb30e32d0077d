"""What the checks said, beside what the author of the programs had written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from beds.hand.catalogue import BASE, BETTER, HARMLESS, LARGE, SMALL, Program
from beds.hand.probe import Medians, is_shown
from beds.hand.trial import Said
from buto_replications.live.limits import CONFIDENCE, clustered_upper_limit, upper_limit

OF_A_RESOURCE: Mapping[str, tuple[str, ...]] = {
    "kept memory": ("jvm.memory.heap.live", "jvm.object.live", "jvm.object.live.by_class"),
    "allocated memory": ("jvm.memory.allocated",),
    "threads": ("jvm.thread.count", "jvm.thread.daemon.count", "jvm.thread.started", "process.thread.count"),
    "threads started": ("jvm.thread.started",),
    "open files": ("process.unix.file_descriptor.count",),
    "sockets": ("process.socket.count", "process.unix.file_descriptor.count"),
    "direct memory": ("jvm.buffer.memory.used[direct]", "jvm.buffer.count[direct]"),
    "native memory": ("process.memory.usage", "process.memory.anonymous", "process.memory.proportional"),
    "read calls": ("process.io.calls[read]",),
    "bytes read": ("process.io.bytes[read]", "process.disk.io[read]"),
    "write calls": ("process.io.calls[write]",),
    "bytes written": ("process.io.bytes[write]", "process.disk.io[write]"),
    "processor time": ("jvm.cpu.time", "process.cpu.instructions", "process.cpu.cycles"),
    "duration": ("run.duration",),
    "loaded classes": ("jvm.class.loaded", "jvm.class.count", "jvm.class.initialized"),
}
"""The properties that measure what a maintainer would name first."""

ASKED: Mapping[str, tuple[str, ...]] = {
    "unchanged": (BASE,),
    "harmless": HARMLESS,
    "small": (SMALL,),
    "large": (LARGE,),
    "better": (BETTER,),
}
HEAD = (
    *("versions", "checks", "fail", "welcome", "first line: the author's resource"),
    *("or one that the author accepts", "what the probe shows"),
    *("launches", "seconds"),
)


def names_truly(said: Said, program: Program) -> bool:
    """Return whether the first headline is of the resource that the author names."""
    return said.property in OF_A_RESOURCE[program.resource]


def names_what_its_author_accepts(said: Said, program: Program) -> bool:
    """Return whether the first headline is of the author's resource, or of one that the author accepts."""
    return any(said.property in OF_A_RESOURCE[name] for name in (program.resource, *program.also))


def rows(said: Sequence[Said], programs: Mapping[str, Program], medians: Medians) -> list[tuple[str, ...]]:
    """Return a row for each kind of version, with limits clustered by program where nothing should fail."""
    table: list[tuple[str, ...]] = []
    for asked, versions in ASKED.items():
        mine = [each for each in said if each.version in versions]
        if not mine:
            continue
        fails = [each for each in mine if each.verdict == "regression"]
        share = f"{len(fails)} ({len(fails) / len(mine):.0%})"
        if asked in ("unchanged", "harmless"):
            share += f", {CONFIDENCE:.0%}: at most {_limit(mine):.1%}"
        named = [names_truly(each, programs[each.program]) for each in fails]
        accepted = [names_what_its_author_accepts(each, programs[each.program]) for each in fails]
        table.append(
            (
                asked,
                str(len(mine)),
                share,
                str(sum(each.is_welcome for each in fails)),
                f"{sum(named)} of {len(named)}",
                f"{sum(accepted)} of {len(accepted)}",
                f"{sum(is_shown(each, medians) for each in fails)} of {len(fails)}",
                f"{_mean(mine, lambda each: each.launches):.1f}",
                f"{_mean(mine, lambda each: each.seconds):.1f}",
            )
        )
    return table


def by_resource(said: Sequence[Said], programs: Mapping[str, Program]) -> list[tuple[str, ...]]:
    """Return a row for each resource: how many of its small and large regressions were found."""
    table: list[tuple[str, ...]] = []
    for resource in OF_A_RESOURCE:
        mine = [each for each in said if programs[each.program].resource == resource]
        if mine:
            small, large = ([each for each in mine if each.version == version] for version in (SMALL, LARGE))
            table.append((resource, _found_of(small), _found_of(large)))
    return table


def _found_of(some: Sequence[Said]) -> str:
    return f"{sum(each.verdict == 'regression' for each in some)} of {len(some)}"


def _limit(some: Sequence[Said]) -> float:
    names = sorted({each.program for each in some})
    by_program = [[each for each in some if each.program == name] for name in names]
    fails = [sum(each.verdict == "regression" for each in mine) for mine in by_program]
    independent = upper_limit(sum(fails), len(some))
    return max(independent, clustered_upper_limit(fails, list(map(len, by_program))))


def _mean(some: Sequence[Said], of: Callable[[Said], float]) -> float:
    return sum(map(of, some)) / len(some)


def markdown(head: Iterable[str], table: Iterable[Sequence[str]]) -> str:
    names = list(head)
    lines = [names, ["---"] * len(names), *map(list, table)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
