"""``buto experiments run rivals``: plain rivals of the thesis and of two papers, on the same runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications import checkout
from buto_replications.checkout import DATA
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show
from buto_replications.dataset import archive
from buto_replications.detectors.history.engine import N_FOLDS
from buto_replications.detectors.history.examples import clustered_error, errors_of
from buto_replications.history.histories import histories
from buto_replications.history.rivals import as_ratios, predicted
from buto_replications.report.content import TextTable
from buto_replications.rivals import RIVALS
from buto_replications.store import recorded
from buto_replications.store.evaluation import evaluate
from buto_replications.store.measured import RecordingEvaluation
from buto_replications.store.rivals import Right, right_by_prediction, rivals
from buto_replications.thesis.rivals import RivalScore
from buto_replications.thesis.rivals import rivals as of_thesis


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print a table for each system whose own experiment has no rivals."""
    data = checkout.recorded(request.data, DATA)
    variants = data / archive.RECORDED.name
    for host in archive.hosts(variants):
        show([_of_thesis(host, list(of_thesis(archive.load(variants, host), request.seed)))], console)
    for table in _of_histories(request):
        show([table], console)
    for series in (recorded.RECORDED.name, recorded.NEAR.name):
        with recorded.unpacked(data / series / recorded.NAME) as (directory, index):
            evaluation = evaluate(directory, index, "jmh")
            show([_of_store(series, evaluation, list(rivals(directory, index, "jmh", evaluation)))], console)
    return EXIT_PASS


def _of_thesis(host: str, scores: Sequence[RivalScore]) -> TextTable:
    return TextTable(
        f"The thesis's 32 experiments ({host}): one number of each property and run, half of the runs train",
        ("rival", "unchanged that fail", "changed that pass", "MCC", "runs judged"),
        tuple(
            (
                score.rival,
                f"{score.rejected:.1%}",
                f"{score.missed:.1%}",
                f"{score.mcc[0]:.3f} ± {score.mcc[1]:.3f}",
                str(score.runs),
            )
            for score in scores
        ),
        left=1,
    )


def _of_histories(request: ExperimentsRequest) -> Iterator[TextTable]:
    for history in histories(request.data, request.seed):
        if history.name.endswith("deviations"):
            continue
        examples, rows = as_ratios(history.examples), []
        for rival in RIVALS:
            called = predicted(examples, rival, request.seed, N_FOLDS)
            errors, error = errors_of(called, examples.abnormal), clustered_error(called, examples)
            rows.append(
                (
                    rival.title,
                    f"{errors.balanced_accuracy:.3f}{'' if isnan(error) else f' ± {error:.3f}'}",
                    f"{errors.alarms:.2%}",
                    f"{errors.missed:.1%}",
                )
            )
        yield TextTable(
            f"{history}: shares of the baseline, with a limit learned from the labels",
            ("rival", "balanced accuracy", "false alarms", "missed"),
            tuple(rows),
            left=1,
        )


def _of_store(series: str, measured: RecordingEvaluation, others: Sequence[Right]) -> TextTable:
    n_versions = len({version.version for version in measured.changed})
    return TextTable(
        f"The small store, {series}: a version is a regression if a component test is slower",
        ("method", "found", "rightly quiet", "no change: quiet"),
        tuple(
            (
                right.method,
                *(
                    f"{right} of {total}"
                    for right, total in (right.regressions, right.quiet, right.unchanged)
                ),
            )
            for right in (right_by_prediction(measured), *others)
        ),
        left=1,
        notes=(f"slower versions under several loads each, so independent cases: {n_versions}",),
    )
