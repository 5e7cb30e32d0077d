"""Tables of a live experiment, from its entries alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import TypeVar

from buto.errors import EXIT_PASS, EXIT_REGRESSION
from buto.judging.monitor import WINDOWS
from buto_replications.live import clone, parts
from buto_replications.live.journal import TRAIN, CommandEntry
from buto_replications.live.limits import CONFIDENCE, clustered_upper_limit, upper_limit
from buto_replications.live.placebo import TOTAL_ALPHA, Block, Placebo, compare_arms
from buto_replications.report.content import TextTable

Entries = Sequence[CommandEntry]
Item = TypeVar("Item")
Key = TypeVar("Key")

_ERRORS = (
    f"at most: one-sided upper limits, {CONFIDENCE:.0%}; the first if all checks are independent, the second "
    "clustered by program"
)


def tables(name: str, entries: Entries, seed: int) -> list[TextTable]:
    """Return the tables of a part; none without entries of checks.

    Args:
        seed: of the permutation tests.
    """
    checks = [entry for entry in entries if entry.action != TRAIN]
    if not checks:
        return []
    match name:
        case parts.PLACEBO:
            by_way = _rates(name, checks, "way", lambda entry: entry.way)
            return [*_placebos(entries, seed), by_way, _failures(checks), _find_untrained(entries)]
        case parts.OUTSIDE:
            return [_outside(entries), _find_untrained(entries)]
        case parts.BUILDS:
            by_load = _rates(name, checks, "beside", lambda entry: entry.condition)
            return [_starts(checks), by_load, _failures(checks), _find_untrained(entries)]
        case parts.CLONE:
            return [_clones(checks), _find_untrained(entries)]
        case _:
            by_way = _rates(name, checks, "way", lambda entry: entry.way)
            by_condition = _rates(name, checks, "beside", lambda entry: entry.condition)
            by_program = _rates(name, checks, "program", lambda entry: entry.program)
            return [by_condition, by_way, by_program, _failures(checks), _find_untrained(entries)]


def placebos(entries: Entries, seed: int) -> dict[str, Placebo]:
    """Return, by subject, how far its arms are apart; left out are those without turns or training."""
    by_subject = {}
    for subject, mine in _group(entries, lambda entry: entry.subject).items():
        plain = [counters for entry in mine if entry.action == TRAIN for counters in entry.plain]
        blocks = [Block(entry.old, entry.new) for entry in mine if entry.old and entry.new]
        if plain and blocks:
            by_subject[subject] = compare_arms(plain, blocks, seed)
    return by_subject


def _placebos(entries: Entries, seed: int) -> list[TextTable]:
    by_subject = placebos(entries, seed)
    alpha = TOTAL_ALPHA / max(1, len(by_subject))
    by_way = _group(by_subject.items(), lambda item: item[0].partition("/")[2])
    ways = [
        (
            way,
            str(len(mine)),
            str(sum(placebo.p_value <= alpha for _, placebo in mine)),
            str(sum(bool(placebo.unequal) for _, placebo in mine)),
        )
        for way, mine in sorted(by_way.items())
    ]
    unlike = sum(placebo.p_value <= alpha for placebo in by_subject.values())
    return [
        TextTable(
            f"placebo: the arms of {unlike} of {len(by_subject)} programs and ways are unlike",
            ("way", "programs", "unlike", "unequal"),
            tuple(ways),
            notes=(
                f"unlike: p of all exact counters together is at most {TOTAL_ALPHA:g} / {len(by_subject)}",
                "unequal: a counter that is equal in all plain launches is not so in all launches in turns",
            ),
        ),
        TextTable(
            "Each program and way",
            ("program", "way", "furthest", "old + new", "new / old", "p", "", "unequal: old + new"),
            tuple(_placebo(subject, placebo, alpha) for subject, placebo in sorted(by_subject.items())),
            left=3,
        ),
    ]


def _placebo(subject: str, placebo: Placebo, alpha: float) -> tuple[str, ...]:
    program, _, way = subject.partition("/")
    return (
        *(program, way, placebo.furthest or "none varies"),
        f"{placebo.n_old} + {placebo.n_new}",
        f"{placebo.ratio:.4f}",
        f"{placebo.p_value:.5f}",
        "UNLIKE" if placebo.p_value <= alpha else "",
        ", ".join(f"{each.name}: {each.old} + {each.new}" for each in placebo.unequal),
    )


def _rates(name: str, checks: Entries, head: str, of: Callable[[CommandEntry], str]) -> TextTable:
    groups = dict(sorted(_group(checks, of).items()))
    rows = [_rate(words, mine) for words, mine in groups.items()]
    if len(groups) > 1:
        rows.append(_rate("all", checks))
    return TextTable(
        f"{name}: {parts.PARTS[name].asks}",
        (head, "checks", "fail", "at most", "clustered", "not judged", "launches", "seconds", "in turns"),
        tuple(rows),
        notes=(_ERRORS, "launches, seconds: mean of a check; in turns: share of checks that reached them"),
    )


def _rate(words: str, checks: Entries) -> tuple[str, ...]:
    n, fails = len(checks), sum(map(_fails, checks))
    by_program = _group(checks, lambda entry: entry.program).values()
    clustered = clustered_upper_limit(
        [sum(map(_fails, mine)) for mine in by_program], [len(mine) for mine in by_program]
    )
    return (
        words,
        str(n),
        f"{fails} ({fails / n:.1%})",
        f"{upper_limit(fails, n):.1%}",
        f"{clustered:.1%}",
        str(sum(entry.exit_code not in (EXIT_PASS, EXIT_REGRESSION) for entry in checks)),
        f"{fmean(entry.launches for entry in checks):.1f}",
        f"{fmean(entry.seconds for entry in checks):.1f}",
        f"{fmean(entry.reached_turns for entry in checks):.0%}",
    )


def _starts(checks: Entries) -> TextTable:
    """Return how often the monitor started turns; it looks from the first build that fills a window."""
    seen = [entry for entry in checks if entry.number + 1 >= min(WINDOWS)]
    groups = _group(seen, lambda entry: entry.program)
    rows = [_start(program, mine, [mine]) for program, mine in sorted(groups.items())]
    if len(groups) > 1:
        rows.append(_start("all", seen, list(groups.values())))
    return TextTable(
        f"builds: {parts.PARTS[parts.BUILDS].asks}",
        ("program", "builds", "starts", "in 1,000", "at most", "clustered", "in turns", "fail"),
        tuple(rows),
        notes=(
            _ERRORS,
            f"builds: from the {min(WINDOWS)}th of each program on; before, the monitor has too few",
            "in turns, fail: whatever started the turns, most often the check itself",
        ),
    )


def _start(words: str, checks: Entries, programs: Sequence[Entries]) -> tuple[str, ...]:
    n, starts = len(checks), sum(entry.alarms for entry in checks)
    clustered = clustered_upper_limit(
        [sum(entry.alarms for entry in mine) for mine in programs], [len(mine) for mine in programs]
    )
    return (
        *(words, str(n), str(starts), f"{1000 * starts / n:.1f}"),
        f"{1000 * upper_limit(starts, n):.1f}",
        f"{1000 * clustered:.1f}",
        str(sum(entry.reached_turns for entry in checks)),
        str(sum(map(_fails, checks))),
    )


def _failures(checks: Entries) -> TextTable:
    shown = [entry for entry in checks if entry.exit_code != EXIT_PASS]
    return TextTable(
        f"{len(shown)} checks that did not pass",
        ("subject", "beside", "exit", "first line"),
        tuple((entry.subject, entry.condition, str(entry.exit_code), entry.first_line) for entry in shown),
        left=4,
    )


def _outside(entries: Entries) -> TextTable:
    rows = []
    checks = [entry for entry in entries if entry.action != TRAIN]
    unsaid = [entry for entry in checks if entry.exit_code == EXIT_PASS and not entry.named]
    for subject, mine in _group(entries, lambda entry: entry.subject).items():
        of_it = [entry for entry in mine if entry.action != TRAIN]
        passed = [entry for entry in of_it if entry.exit_code == EXIT_PASS]
        rows.append(
            (
                *(subject, furthest_move(mine)),
                str(len(of_it)),
                str(sum(not entry.named for entry in passed)),
                str(sum(bool(entry.named) for entry in passed)),
                str(sum(map(_fails, of_it))),
                str(len(of_it) - len(passed) - sum(map(_fails, of_it))),
                str(sum(bool(entry.named) for entry in of_it)),
                of_it[-1].first_line[:80] if of_it else "",
            )
        )
    return TextTable(
        f"outside: {len(unsaid)} of {len(checks)} checks pass as if nothing had happened",
        (
            *("change", "moves most", "checks", "pass", "pass, said", "fail", "not judged", "named"),
            "first line of the last",
        ),
        tuple(sorted(rows)),
        left=2,
        notes=(
            "moves most: of the exact counters, first run of a check by the mean of training",
            "named: the answer has a word for what was changed",
        ),
    )


def furthest_move(entries: Entries) -> str:
    """Return which exact counter a change moves by the largest factor, and the factor; empty without any."""
    known = [counters for entry in entries if entry.action == TRAIN for counters in entry.plain]
    first = [entry.plain[0] for entry in entries if entry.action != TRAIN and entry.plain]
    if not known or not first:
        return ""
    names = set.intersection(*(set(counters) for counters in (*known, *first)))
    means = {name: (fmean(run[name] for run in known), fmean(run[name] for run in first)) for name in names}
    factors = {name: now / before for name, (before, now) in means.items() if before and now}
    if not factors:
        return ""
    name = max(sorted(factors), key=lambda each: max(factors[each], 1 / factors[each]))
    return f"{name} × {factors[name]:.2f}"


def _clones(checks: Entries) -> TextTable:
    rows = []
    for (subject, condition), mine in _group(checks, lambda entry: (entry.subject, entry.condition)).items():
        wrong = [entry for entry in mine if _fails(entry) and not leads_truly(entry)]
        rows.append(
            (
                subject,
                condition,
                str(len(mine)),
                str(sum(map(_fails, mine)) - len(wrong)),
                str(len(wrong)),
                str(sum(entry.exit_code == EXIT_PASS for entry in mine)),
                str(sum(entry.exit_code not in (EXIT_PASS, EXIT_REGRESSION) for entry in mine)),
                mine[-1].first_line[:90],
            )
        )
    heads = ("change", "in the clone", "checks", "true counter", "wrong counter", "pass", "not judged")
    return TextTable(
        f"clone: {parts.PARTS[parts.CLONE].asks}",
        (*heads, "first line of the last"),
        tuple(sorted(rows)),
        left=2,
    )


def leads_truly(entry: CommandEntry) -> bool:
    """Return whether the first finding is of a counter that the change of the clone moves by itself."""
    counters = clone.REGRESSIONS[entry.subject].counters
    return bool(entry.findings) and entry.findings[0].subject.startswith(counters)


def _find_untrained(entries: Entries) -> TextTable:
    trained = [entry for entry in entries if entry.action == TRAIN]
    failed = [entry for entry in trained if entry.exit_code]
    return TextTable(
        f"{len(trained)} trainings, {sum(entry.launches for entry in entries)} launches and "
        f"{sum(entry.seconds for entry in entries) / 60:.0f} min in all; {len(failed)} trainings failed",
        ("subject", "exit", "first line"),
        tuple((entry.subject, str(entry.exit_code), entry.first_line) for entry in failed),
        left=3,
        notes=tuple(sorted({_describe_environment(entry) for entry in entries})),
    )


def _describe_environment(entry: CommandEntry) -> str:
    around = entry.environment
    return (
        f"with buto {around['buto']}, {around['java']}, kernel {around['kernel']}, {around['cores']:g} cores"
    )


def _fails(entry: CommandEntry) -> bool:
    return entry.exit_code == EXIT_REGRESSION


def _group(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    groups: dict[Key, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups
