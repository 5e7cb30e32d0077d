"""The table and the figure of all rules, and a line for each pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

from benchmark.halves import Half
from benchmark.judged import BUTO, Judgement, launches, share
from benchmark.pairs import Difficulty, Pair
from benchmark.rules import MEMORY
from buto.run.model import RunSet
from buto_replications.judging.checks import Rate
from buto_replications.report.content import TextTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OFTEN = 0.5
"""A pair is found by a rule that finds it in more than this share of the draws."""


def found_by(rule: str, judged: Sequence[Judgement], pairs: Mapping[str, Pair]) -> list[Judgement]:
    """Return what a rule said of the new releases with a regression."""
    return [judgement for judgement in judged if judgement.rule == rule and pairs[judgement.pair].regression]


def alarms_of(rule: str, judged: Sequence[Judgement], pairs: Mapping[str, Pair]) -> list[Judgement]:
    """Return what a rule said of the new releases of good pairs."""
    return [
        judgement
        for judgement in judged
        if judgement.rule == rule and pairs[judgement.pair].regression is None
    ]


def rules_table(
    judged: Sequence[Judgement], pairs: Mapping[str, Pair], halves: Mapping[str, Half]
) -> TextTable:
    """Return for each rule what it finds of the pairs set apart, what it fails wrongly, and its launches."""
    rows = []
    for rule in rules_of(judged):
        found = found_by(rule, judged, pairs)
        apart = [judgement for judgement in found if halves[judgement.pair] == "apart"]
        alarms = alarms_of(rule, judged, pairs)
        cells = [
            [judgement for judgement in apart if _difficulty(pairs[judgement.pair]) is level]
            for level in Difficulty
        ]
        cells += [apart, [judgement for judgement in found if halves[judgement.pair] == "tuning"], alarms]
        row = [percent(share(chosen)) for chosen in cells]
        rows.append((rule, *row, f"{launches(found):.1f}", f"{launches(alarms):.1f}"))
    return TextTable(
        "What each rule finds, and what it fails wrongly: % of checks, errors by pair",
        ("rule", *Difficulty, "all", "tuning", "good pairs", "regression", "good"),
        tuple(rows),
        groups=(("", 1), ("found: set apart", 4), ("found:", 1), ("fail:", 1), ("launches", 2)),
    )


def cells_table(
    judged: Sequence[Judgement], pairs: Mapping[str, Pair], halves: Mapping[str, Half]
) -> TextTable:
    """Return for each rule and cell what it finds of the pairs set apart, and which good pairs it fails."""
    cells, rows = cells_of(judged), []
    for rule in rules_of(judged):
        row = []
        for cell in cells:
            here = [judgement for judgement in judged if judgement.cell == cell]
            found, alarms = found_by(rule, here, pairs), alarms_of(rule, here, pairs)
            row.append(
                percent(share([judgement for judgement in found if halves[judgement.pair] == "apart"]))
            )
            row.append(percent(share(alarms)))
        rows.append((rule, *row))
    return TextTable(
        "Found of the pairs set apart, and good pairs that fail, by cell: % of checks, errors by pair",
        ("rule", *("found", "fail") * len(cells)),
        tuple(rows),
        groups=(("", 1), *((cell, 2) for cell in cells)),
    )


def pairs_table(
    judged: Sequence[Judgement],
    pairs: Mapping[str, Pair],
    halves: Mapping[str, Half],
    short: Mapping[str, str],
) -> TextTable:
    """Return a line for each regression: its kind, how often buto finds it by cell, and who else mostly does.

    Args:
        short: by rule, its short name.
    """
    rules, cells = rules_of(judged), cells_of(judged)
    rows = []
    for pair in pairs.values():
        mine = [judgement for judgement in judged if judgement.pair == pair.name]
        if pair.regression is None or not mine:
            continue
        shares = {
            rule: share([judgement for judgement in mine if judgement.rule == rule]).value for rule in rules
        }
        others = " ".join(short[rule] for rule in rules if rule != BUTO and shares[rule] > OFTEN)
        ours = [
            share([judgement for judgement in mine if (judgement.rule, judgement.cell) == (BUTO, cell)]).value
            for cell in cells
        ]
        rows.append(
            (
                pair.name,
                str(pair.regression.kind),
                str(pair.regression.difficulty),
                halves[pair.name],
                *("" if isnan(value) else f"{100 * value:.0f}" for value in ours),
                others or "none",
            )
        )
    return TextTable(
        "% of draws in which buto finds each pair, by cell, and who else does in most draws of all cells",
        ("pair", "kind", "difficulty", "half", *cells, "others"),
        tuple(rows),
        left=5 + len(cells),
    )


def rules_of(judged: Sequence[Judgement]) -> list[str]:
    """Return the names of the rules, in their order."""
    return list(dict.fromkeys(judgement.rule for judgement in judged))


def cells_of(judged: Sequence[Judgement]) -> list[str]:
    """Return the names of the cells, in their order."""
    return list(dict.fromkeys(judgement.cell for judgement in judged))


def figure(judged: Sequence[Judgement], pairs: Mapping[str, Pair], halves: Mapping[str, Half]) -> Figure:
    """Draw for each rule the share of regressions that it finds against what it fails wrongly."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(8, 5.5), layout="constrained")
    axes = drawn.add_subplot()
    for number, rule in enumerate(rules_of(judged)):
        apart = [
            judgement for judgement in found_by(rule, judged, pairs) if halves[judgement.pair] == "apart"
        ]
        found, wrong = share(apart), share(alarms_of(rule, judged, pairs))
        axes.errorbar(
            100 * wrong.value,
            100 * found.value,
            xerr=None if isnan(wrong.error) else 100 * wrong.error,
            yerr=None if isnan(found.error) else 100 * found.error,
            marker="o" if rule == BUTO else "osD^vPX"[number % 7],
            markersize=9 if rule == BUTO else 6,
            linestyle="none",
            color="black" if rule == BUTO else f"C{number % 10}",
            label=rule,
        )
    axes.set_xlabel("good pairs that fail, %")
    axes.set_ylabel("regressions set apart that are found, %")
    axes.set_xlim(-2, 102)
    axes.set_ylim(-2, 102)
    drawn.legend(loc="outside right upper", fontsize="small")
    return drawn


def curves(pair: Pair, runs: Mapping[str, RunSet]) -> Figure:
    """Draw what the old and the new release used over time, for the counters that dashboards show.

    Args:
        runs: by side, ``old`` and ``new``.
    """
    from matplotlib.figure import Figure

    names = [
        name
        for name in MEMORY
        if all(name in {prop.name for prop in side.runs[0].properties} for side in runs.values())
    ]
    drawn = Figure(figsize=(9, 2.2 * len(names)), layout="constrained")
    drawn.suptitle(pair.releases)
    for place, name in enumerate(names, 1):
        axes = drawn.add_subplot(len(names), 1, place)
        for number, (side, some) in enumerate(runs.items()):
            for run in some:
                axes.plot(run.times_s, run.series(name), color=f"C{number}", alpha=0.4, linewidth=0.8)
            axes.plot([], [], color=f"C{number}", label=side)
        axes.set_title(name, fontsize="small", loc="left")
        axes.legend(fontsize="small", loc="upper left")
    axes.set_xlabel("time, s")
    return drawn


def percent(found: Rate) -> str:
    """Return a share with its error; empty if nothing was judged."""
    if isnan(found.value):
        return ""
    return f"{100 * found.value:.0f}" + ("" if isnan(found.error) else f" ± {100 * found.error:.0f}")


def _difficulty(pair: Pair) -> Difficulty | None:
    return pair.regression.difficulty if pair.regression else None
