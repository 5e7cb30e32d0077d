"""``buto experiments run clusters``."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from buto.cli.console import Console
from buto.errors import EXIT_PASS, UsageError
from buto.judging.verdict import Verdict
from buto_replications import checkout
from buto_replications.bed import archive
from buto_replications.bed.labels import BedRun, RunBlock
from buto_replications.clusters.comparison import (
    ALPHA,
    JUDGE,
    METHODS,
    ClusterComparison,
    checks,
    comparisons,
    good_of,
)
from buto_replications.clusters.errors import (
    LEVEL,
    TARGETS,
    ModelErrors,
    RunKind,
    Traditional,
    kinds,
    model_errors,
    traditional,
)
from buto_replications.clusters.example import example_clusters, example_distances, example_merges, kept
from buto_replications.clusters.separation import Separation, printed_range, separations
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show, write
from buto_replications.report.content import TextTable, csv_text


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print the paper's example and the same comparison on the bed, and write the latter to a file.

    Runs that are set apart are also judged by those of the other part, which were recorded before.

    Raises:
        UsageError: the part has no runs under a changing load.
    """
    _needs_changing_loads(request.part)
    directory = checkout.recorded(request.data, archive.RECORDED)
    runs = archive.load(directory, request.part.value)
    earlier: tuple[BedRun, ...] = ()
    if request.part is RunBlock.SET_APART and RunBlock.TUNING in archive.parts(directory):
        earlier = archive.load(directory, RunBlock.TUNING.value)
    show((_distances(), _clusters()), console)
    compared = []
    for comparison in comparisons(runs, earlier):
        compared.append(comparison)
        show((_compare(comparison, request.part), _count(comparison)), console)
    show([separated(list(separations(runs)), "watched counters")], console)
    pairs = list(checks(runs, good_of(runs)))
    show([_errors([model_errors(others, bed_run) for bed_run, others in pairs])], console)
    show([_traditional([traditional(others, bed_run) for bed_run, others in pairs])], console)
    write(request.out, {"clusters.csv": _csv(compared)}, console)
    return EXIT_PASS


def _needs_changing_loads(part: RunBlock) -> None:
    if part is RunBlock.LONG:
        raise UsageError(
            "the long runs are all under one load, and this experiment compares loads",
            advice="buto experiments run clusters --part tuning, or --part set-apart",
        )


def _distances() -> TextTable:
    names, apart = kept(), example_distances()
    heights = ", ".join(f"{height:.3f}" for height in example_merges())
    return TextTable(
        "The paper's example: distances by its equation 1",
        ("counter", *names[:-1]),
        tuple(
            (name, *(f"{apart[row, column]:.2f}" if column < row else "" for column in range(len(names) - 1)))
            for row, name in enumerate(names)
            if row
        ),
        notes=(f"heights of the merges: {heights}",),
    )


def _clusters() -> TextTable:
    return TextTable(
        "Its clusters",
        ("target", "cluster", "signed error", "absolute error"),
        tuple(
            (
                cluster.target,
                ", ".join(cluster.members),
                f"{cluster.errors.signed:+.1%}",
                f"{cluster.errors.absolute:.1%}",
            )
            for cluster in example_clusters()
        ),
        left=2,
    )


_CHOSE = {
    RunBlock.TUNING: "tuning data, which chose how to adjust",
    RunBlock.SET_APART: "set apart, which chose nothing",
}


def _compare(comparison: ClusterComparison, part: RunBlock) -> TextTable:
    return TextTable(
        f"Runs of the bed ({_CHOSE[part]}), each checked by {comparison.trained}",
        ("role", "fault", "load", *METHODS, "p", "control charts"),
        tuple(
            (
                *_labels(checked_run.checked),
                *(checked_run.verdicts[name].status.value for name in METHODS),
                _p_value(checked_run.verdicts[JUDGE]),
                f"{checked_run.flagged} of {checked_run.charted}",
            )
            for checked_run in comparison.checked_runs
        ),
        left=5,
        notes=(
            f"alpha {ALPHA:g} for the judge; no run is checked by itself",
            "p: of the judge; control charts: properties flagged, of those that vary",
        ),
    )


def _count(comparison: ClusterComparison) -> TextTable:
    return TextTable(
        f"How many of them fail, and how many are inconclusive, checked by {comparison.trained}",
        ("runs", "number", *METHODS, "should fail"),
        tuple(
            (
                kind.title,
                str(kind.n_runs),
                *(_find_failed(kind, name) for name in METHODS),
                "all" if kind.changed else f"{kind.expected:.1f} ± {kind.standard_error:.1f}",
            )
            for kind in kinds(comparison.checked_runs)
        ),
        notes=(f"±: one standard error of the share {ALPHA:g} of the unchanged runs",),
    )


def separated(outcomes: Sequence[Separation], counters: str) -> TextTable:
    """Return how well each score tells faults; ``counters`` says of what."""
    return TextTable(
        f"How well the largest error tells faults, by {counters} alone, beside plain rivals",
        ("loads", "score of a run", "clusters", "unchanged", "with a fault", "area", "runs, kinds of faults"),
        tuple(
            (
                separation.loads,
                separation.method,
                _from_to(separation.clusters, "{:.0f}") if any(separation.clusters) else "",
                _from_to(separation.unchanged, "{:.2f}"),
                _from_to(separation.changed, "{:.2f}"),
                f"{separation.area[0]:.2f}"
                + ("" if isnan(separation.area[1]) else f" ± {separation.area[1]:.2f}"),
                f"{separation.cases[0]}, {separation.cases[1]}",
            )
            for separation in outcomes
        ),
        left=2,
        notes=(
            f"{_from_to(_all_counters(outcomes), '{:.0f}')} {counters} were read often enough",
            "area: under the curve of hits over false alarms; ±: clustered by kind of fault",
            "times usual: as a multiple of the largest error of any training run that the others predict",
            _paper(),
        ),
    )


def _paper() -> str:
    fine, faulty = (_from_to(printed_range(faulty=is_given), "{:.2f}") for is_given in (False, True))
    return f"the paper: 2 to 5 clusters; unchanged {fine}, with a fault {faulty}"


def _all_counters(outcomes: Sequence[Separation]) -> tuple[float, float]:
    return min(separation.counters[0] for separation in outcomes), max(
        separation.counters[1] for separation in outcomes
    )


def _from_to(pair: tuple[float, float], form: str) -> str:
    low, high = (form.format(value) for value in pair)
    return low if low == high else f"{low} to {high}"


def _errors(of_runs: Sequence[ModelErrors]) -> TextTable:
    return TextTable(
        "Errors of the paper's models on the bed, as in its tables 4 and 5",
        ("role", "fault", "load", "clusters", "with a model", "largest error of these", "all above 30 %"),
        tuple(
            (
                *_labels(errors.checked),
                str(errors.clusters),
                str(errors.models),
                "" if isnan(errors.largest) else f"{errors.largest:.0%}",
                str(errors.above),
            )
            for errors in of_runs
        ),
        left=3,
        notes=("absolute errors; a cluster of one property has no model, and its mean is predicted",),
    )


def _traditional(rates: Sequence[Traditional]) -> TextTable:
    return TextTable(
        "Models of typed targets, and t-tests of every property, as in the paper's tables 6 to 8",
        ("role", "fault", "load", *(f"error: {title}" for title in TARGETS), "t-tests: different"),
        tuple(
            (
                *_labels(rate.checked),
                *(f"{rate.errors[title]:.0%}" if title in rate.errors else "" for title in TARGETS),
                f"{rate.differing} of {rate.compared}",
            )
            for rate in rates
        ),
        left=3,
        notes=(
            f"targets: {', '.join(TARGETS.values())}; predicted by all properties that are not redundant",
            f"t-tests: properties with p < {LEVEL:g}, of those that vary",
        ),
    )


def _find_failed(kind: RunKind, name: str) -> str:
    unclear = kind.inconclusive[name]
    return f"{kind.failed[name]}{f', {unclear} inconclusive' if unclear else ''}"


def _labels(run: BedRun) -> tuple[str, str, str]:
    return run.labels.role, run.labels.fault, run.labels.load


def _p_value(verdict: Verdict) -> str:
    return "" if verdict.p_value is None else f"{verdict.p_value:.2f}"


def _csv(compared: Sequence[ClusterComparison]) -> str:
    heads = ["trained", "run", "role", "fault", "load", *METHODS, "p_value", "charts_flagged", "charts"]
    rows = [
        (
            comparison.trained,
            checked_run.checked.run.id,
            *_labels(checked_run.checked),
            *(checked_run.verdicts[name].status.value for name in METHODS),
            checked_run.verdicts[JUDGE].p_value,
            checked_run.flagged,
            checked_run.charted,
        )
        for comparison in compared
        for checked_run in comparison.checked_runs
    ]
    return csv_text(heads, rows)
