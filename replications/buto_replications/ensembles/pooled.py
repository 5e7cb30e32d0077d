"""Runs of the bed judged by the environments of their own block, and by those of all blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from buto.run.model import MetadataValue
from buto_replications.bed.labels import NO_FAULT, BedRun, RunBlock
from buto_replications.bed.phases import cut_phases
from buto_replications.bed.watched import only_watched
from buto_replications.ensembles.ablation import (
    ABLATIONS,
    BARE,
    ENVELOPE,
    EVERYTHING,
    PERCENTAGE,
    by_percentage,
)
from buto_replications.ensembles.methods import EACH, Case, FlaggedCounters, by_each, case_of
from buto_replications.ensembles.scenarios import Scenario, elsewhere, faulty, unchanged
from buto_replications.ensembles.scoring import ScoredScenario, difference, mean_f, scored
from buto_replications.report.content import TextTable

OWN, ALL = "own block", "all blocks"
"""Where the prior tests of a judged run are from."""

TITLES = (EVERYTHING, "without environments (bagging)", ENVELOPE, BARE, PERCENTAGE, EACH)

PHASE_S = 15.0
"""Length of a phase of blocks 1 and 2."""

LIMITS, PROCESSORS, DISK = (f"environment.label.{name}" for name in ("limits", "processors", "disk"))
NO_LIMIT, OF_DISK = "none", "writes a second"


def alike(run: BedRun, block: RunBlock) -> BedRun:
    """Return a run with the labels of environments and the phases that all blocks can have."""
    ours = replace(only_watched(run.run), metadata=_divide_limits(run.run.metadata))
    return replace(run, run=cut_phases(ours, PHASE_S) if block is RunBlock.LONG else ours)


def _divide_limits(metadata: Mapping[str, MetadataValue]) -> dict[str, MetadataValue]:
    """Return metadata that tell limits of processors and of the disk apart, as block 3 does."""
    rest = {key: value for key, value in metadata.items() if key != LIMITS}
    limits = metadata.get(LIMITS)
    if limits is None:
        return rest
    is_disk = str(limits).endswith(OF_DISK)
    return {**rest, PROCESSORS: NO_LIMIT if is_disk else limits, DISK: limits if is_disk else NO_LIMIT}


def pooled(blocks: Mapping[RunBlock, Sequence[BedRun]]) -> Iterator[ScoredScenario]:
    """Judge each run under the steady load twice, and yield one score for each method and way.

    Recall is relative to what any method flags rightly in any way.
    """
    every = {block: [alike(run, block) for run in runs] for block, runs in blocks.items()}
    good = {block: unchanged(runs) for block, runs in every.items()}
    of_all = [run for some in good.values() for run in some]
    for block, runs in every.items():
        for run in (*good[block], *faulty(runs)):
            flags: dict[str, FlaggedCounters] = {}
            names: set[str] = set()
            for way, prior in ((OWN, good[block]), (ALL, of_all)):
                labels = run.labels
                scenario = Scenario(
                    block.value,
                    f"{labels.fault} in {labels.environment}",
                    elsewhere(prior, run),
                    run,
                    is_relative=True,
                )
                case = case_of(scenario)
                names |= {prop.name for prop in case.properties}
                flags |= {titled(title, way): _flagged(title, case) for title in TITLES}
            yield ScoredScenario(scenario, scored(scenario, names, flags))


def titled(title: str, way: str) -> str:
    return f"{title}, {way}"


def _flagged(title: str, case: Case) -> FlaggedCounters:
    if title == PERCENTAGE:
        return by_percentage(case)
    return by_each(case) if title == EACH else ABLATIONS[title].flagged(case)


def table(scenarios: Sequence[ScoredScenario]) -> TextTable:
    """Return the mean F of both ways, and their difference, over all runs and over those of each block."""
    blocks = list(dict.fromkeys(scenario.scenario.study for scenario in scenarios))
    parts = {"all": scenarios} | {
        block: [scenario for scenario in scenarios if scenario.scenario.study == block] for block in blocks
    }
    rows = []
    for title in TITLES:
        own, pool = titled(title, OWN), titled(title, ALL)
        for part, some in parts.items():
            fine = [scenario for scenario in some if scenario.scenario.fault == NO_FAULT]
            bad = [scenario for scenario in some if scenario.scenario.fault != NO_FAULT]
            rows.append(
                (
                    title,
                    f"{part}: {len(some)}",
                    *(_with_error(*mean_f(some, name)) for name in (own, pool)),
                    _with_error(*difference(some, pool, own)),
                    *(f"{_flagging(fine, name)} of {len(fine)}" for name in (own, pool)),
                    *(f"{_right(bad, name)} of {len(bad)}" for name in (own, pool)),
                )
            )
    n_environments = len({scenario.scenario.judged.labels.environment for scenario in scenarios})
    heads = ("method", "runs", *("F: own block", "all blocks", "difference"))
    flags = ("unchanged: own", "all", "faults rightly: own", "all")
    return TextTable(
        "The bed's runs, judged by environments of their own block and of all blocks",
        (*heads, *flags),
        tuple(rows),
        left=2,
        notes=(f"±: standard error clustered by environment, of {n_environments}",),
    )


def _flagging(some: Sequence[ScoredScenario], name: str) -> int:
    return sum(scenario.scores[name].flagged > 0 for scenario in some)


def _right(some: Sequence[ScoredScenario], name: str) -> int:
    return sum(scenario.scores[name].right > 0 for scenario in some)


def _with_error(mean: float, error: float) -> str:
    return f"{mean:.3f} ± {error:.3f}"
