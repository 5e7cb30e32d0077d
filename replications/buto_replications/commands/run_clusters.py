"""``buto experiments run clusters``."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from buto.cli.console import Console
from buto.errors import EXIT_PASS, UsageError
from buto.judging.verdict import Verdict
from buto_replications import checkout
from buto_replications.bed import archive
from buto_replications.bed.labels import BedRun, Part
from buto_replications.clusters.comparison import (
    ALPHA,
    JUDGE,
    METHODS,
    Comparison,
    checks,
    comparisons,
    good_of,
)
from buto_replications.clusters.errors import (
    LEVEL,
    TARGETS,
    Kind,
    ModelErrors,
    Traditional,
    kinds,
    model_errors,
    traditional,
)
from buto_replications.clusters.example import example_clusters, example_distances, example_merges, kept
from buto_replications.clusters.separation import Separation, printed_range, separations
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show, write
from buto_replications.report.content import Columns, csv_text


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
    if request.part is Part.SET_APART and Part.TUNING in archive.parts(directory):
        earlier = archive.load(directory, Part.TUNING.value)
    show((_distances(), _clusters()), console)
    compared = []
    for one in comparisons(runs, earlier):
        compared.append(one)
        show((_compared(one, request.part), _counted(one)), console)
    show([separated(list(separations(runs)), "watched counters")], console)
    pairs = list(checks(runs, good_of(runs)))
    show([_errors([model_errors(others, one) for one, others in pairs])], console)
    show([_traditional([traditional(others, one) for one, others in pairs])], console)
    write(request.out, {"clusters.csv": _csv(compared)}, console)
    return EXIT_PASS


def _needs_changing_loads(part: Part) -> None:
    if part is Part.LONG:
        raise UsageError(
            "the long runs are all under one load, and this experiment compares loads",
            advice="buto experiments run clusters --part tuning, or --part set-apart",
        )


def _distances() -> Columns:
    names, apart = kept(), example_distances()
    heights = ", ".join(f"{height:.3f}" for height in example_merges())
    return Columns(
        "The paper's example: distances by its equation 1",
        ("counter", *names[:-1]),
        tuple(
            (name, *(f"{apart[row, column]:.2f}" if column < row else "" for column in range(len(names) - 1)))
            for row, name in enumerate(names)
            if row
        ),
        notes=(f"heights of the merges: {heights}",),
    )


def _clusters() -> Columns:
    return Columns(
        "Its clusters",
        ("target", "cluster", "signed error", "absolute error"),
        tuple(
            (one.target, ", ".join(one.members), f"{one.errors.signed:+.1%}", f"{one.errors.absolute:.1%}")
            for one in example_clusters()
        ),
        left=2,
    )


_CHOSE = {
    Part.TUNING: "tuning data, which chose how to adjust",
    Part.SET_APART: "set apart, which chose nothing",
}


def _compared(comparison: Comparison, part: Part) -> Columns:
    return Columns(
        f"Runs of the bed ({_CHOSE[part]}), each checked by {comparison.trained}",
        ("role", "fault", "load", *METHODS, "p", "control charts"),
        tuple(
            (
                *_labels(one.checked),
                *(one.verdicts[name].status.value for name in METHODS),
                _p_value(one.verdicts[JUDGE]),
                f"{one.flagged} of {one.charted}",
            )
            for one in comparison.found
        ),
        left=5,
        notes=(
            f"alpha {ALPHA:g} for the judge; no run is checked by itself",
            "p: of the judge; control charts: properties flagged, of those that vary",
        ),
    )


def _counted(comparison: Comparison) -> Columns:
    return Columns(
        f"How many of them fail, and how many are inconclusive, checked by {comparison.trained}",
        ("runs", "number", *METHODS, "should fail"),
        tuple(
            (
                one.title,
                str(one.n_runs),
                *(_failed(one, name) for name in METHODS),
                "all" if one.changed else f"{one.expected:.1f} ± {one.standard_error:.1f}",
            )
            for one in kinds(comparison.found)
        ),
        notes=(f"±: one standard error of the share {ALPHA:g} of the unchanged runs",),
    )


def separated(found: Sequence[Separation], counters: str) -> Columns:
    """Return how well each score tells faults; ``counters`` says of what."""
    return Columns(
        f"How well the largest error tells faults, by {counters} alone, beside plain rivals",
        ("loads", "score of a run", "clusters", "unchanged", "with a fault", "area", "runs, kinds of faults"),
        tuple(
            (
                one.loads,
                one.method,
                _from_to(one.clusters, "{:.0f}") if any(one.clusters) else "",
                _from_to(one.unchanged, "{:.2f}"),
                _from_to(one.changed, "{:.2f}"),
                f"{one.area[0]:.2f}{'' if isnan(one.area[1]) else f' ± {one.area[1]:.2f}'}",
                f"{one.cases[0]}, {one.cases[1]}",
            )
            for one in found
        ),
        left=2,
        notes=(
            f"{_from_to(_all_counters(found), '{:.0f}')} {counters} were read often enough",
            "area: under the curve of hits over false alarms; ±: clustered by kind of fault",
            "times usual: as a multiple of the largest error of any training run that the others predict",
            _paper(),
        ),
    )


def _paper() -> str:
    fine, faulty = (_from_to(printed_range(faulty=one), "{:.2f}") for one in (False, True))
    return f"the paper: 2 to 5 clusters; unchanged {fine}, with a fault {faulty}"


def _all_counters(found: Sequence[Separation]) -> tuple[float, float]:
    return min(one.counters[0] for one in found), max(one.counters[1] for one in found)


def _from_to(pair: tuple[float, float], form: str) -> str:
    low, high = (form.format(one) for one in pair)
    return low if low == high else f"{low} to {high}"


def _errors(found: Sequence[ModelErrors]) -> Columns:
    return Columns(
        "Errors of the paper's models on the bed, as in its tables 4 and 5",
        ("role", "fault", "load", "clusters", "with a model", "largest error of these", "all above 30 %"),
        tuple(
            (
                *_labels(one.checked),
                str(one.clusters),
                str(one.models),
                "" if isnan(one.largest) else f"{one.largest:.0%}",
                str(one.above),
            )
            for one in found
        ),
        left=3,
        notes=("absolute errors; a cluster of one property has no model, and its mean is predicted",),
    )


def _traditional(found: Sequence[Traditional]) -> Columns:
    return Columns(
        "Models of typed targets, and t-tests of every property, as in the paper's tables 6 to 8",
        ("role", "fault", "load", *(f"error: {title}" for title in TARGETS), "t-tests: different"),
        tuple(
            (
                *_labels(one.checked),
                *(f"{one.errors[title]:.0%}" if title in one.errors else "" for title in TARGETS),
                f"{one.differing} of {one.compared}",
            )
            for one in found
        ),
        left=3,
        notes=(
            f"targets: {', '.join(TARGETS.values())}; predicted by all properties that are not redundant",
            f"t-tests: properties with p < {LEVEL:g}, of those that vary",
        ),
    )


def _failed(kind: Kind, name: str) -> str:
    unclear = kind.inconclusive[name]
    return f"{kind.failed[name]}{f', {unclear} inconclusive' if unclear else ''}"


def _labels(run: BedRun) -> tuple[str, str, str]:
    return run.labels.role, run.labels.fault, run.labels.load


def _p_value(verdict: Verdict) -> str:
    return "" if verdict.p_value is None else f"{verdict.p_value:.2f}"


def _csv(compared: Sequence[Comparison]) -> str:
    heads = ["trained", "run", "role", "fault", "load", *METHODS, "p_value", "charts_flagged", "charts"]
    rows = [
        (
            comparison.trained,
            one.checked.run.id,
            *_labels(one.checked),
            *(one.verdicts[name].status.value for name in METHODS),
            one.verdicts[JUDGE].p_value,
            one.flagged,
            one.charted,
        )
        for comparison in compared
        for one in comparison.found
    ]
    return csv_text(heads, rows)
