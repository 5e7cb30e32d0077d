"""Results as files: every score as CSV, what a reader looks for as JSON.

Numbers are written with all their digits, so that equal results are equal files; NaN is empty or null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from math import isnan
from typing import Any

from buto_replications.report.content import csv_text
from buto_replications.scores import SCORES
from buto_replications.thesis import published
from buto_replications.thesis.claims import Claim, ClaimDecision
from buto_replications.thesis.notifications import FlaggedNotifications
from buto_replications.thesis.published import PublishedRow
from buto_replications.thesis.repetition import Results
from buto_replications.thesis.score_tables import TOGETHER, ScoreLine, ScoreTable

FORMAT = "buto-experiments"
VERSION = 1

COUNTS = ("tp", "fn", "tn", "fp")
NAMES = tuple(score.name.lower() for score in SCORES)
SCORE_COLUMNS = (
    *("host", "experiment", "program", "property", "configuration", "training_runs", "splits"),
    *COUNTS,
    *NAMES,
    *(f"{name}_error" for name in NAMES),
    *(f"thesis_{name}" for name in (*COUNTS, *NAMES)),
)
FLAGGED_COLUMNS = ("host", "table", "runs", "run", "flagged", "thesis_flagged")
CLAIM_COLUMNS = ("host", "section", "table", "claim", "outcome", "thesis", "ours", "apart", "error", "why")
ALL = "all"


def scores_csv(results: Sequence[Results]) -> str:
    return csv_text(SCORE_COLUMNS, (row for result in results for row in _score_rows(result)))


def claims_csv(results: Sequence[Results]) -> str:
    rows = [(result.host, *_claim(*claim).values()) for result in results for claim in result.claims]
    return csv_text(CLAIM_COLUMNS, rows)


def notifications_csv(results: Sequence[Results]) -> str:
    """Return one row for each judged run, here and in the thesis; the two in a row have only their number in
    common.
    """
    return csv_text(FLAGGED_COLUMNS, (row for result in results for row in _flag_rows(result)))


def to_json(results: Sequence[Results]) -> str:
    data = {"format": FORMAT, "version": VERSION, "hosts": [_host(result) for result in results]}
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _score_rows(results: Results) -> Iterator[tuple[object, ...]]:
    for grid, line in results.lines:
        configuration, program, prop, *numbers, thesis = _line(line).values()
        printed = [None if thesis is None else thesis[name] for name in (*COUNTS, *NAMES)]
        yield results.host, grid, program, prop, configuration, *numbers, *printed


def _flag_rows(results: Results) -> Iterator[tuple[str, ...]]:
    for runs in results.notified:
        positive, negative, _ = runs.thesis.tables
        for table, name, flagged in (
            (positive, "positive", runs.positive),
            (negative, "negative", runs.negative),
        ):
            both = zip_longest(flagged.first.tolist(), published.flagged(table), fillvalue="")
            for number, (ours, thesis) in enumerate(both, 1):
                yield results.host, table, name, str(number), str(ours), str(thesis)


def _host(results: Results) -> dict[str, Any]:
    evaluation = results.evaluation
    return {
        "host": results.host,
        "seed": evaluation.seed,
        "experiments": [grid.name for grid in results.grids],
        "runs_of_each_variant": evaluation.n_runs,
        "recorded": [
            {
                "variant": variant.variant,
                "usable": variant.usable,
                "left_out": list(variant.left_out),
                "foreign_load": _number(variant.foreign_load),
            }
            for variant in results.recorded
        ],
        "pairs": [[experiment.training, experiment.negative] for experiment in evaluation.experiments],
        "tables": [_table(table) for table in results.tables],
        "tables_by_program": [_table(table) for table in results.by_program],
        "good_runs_failed_at": [_line(line) for line in results.failing],
        "shown_experiments": [
            {
                "table": example.table,
                "training": example.training,
                "negative": example.negative,
                "property": example.properties[0],
                "configuration": example.configuration,
                **dict(zip(COUNTS, counts, strict=True)),
                "thesis": dict(zip(COUNTS, example.counts, strict=True)),
            }
            for example, counts in results.examples
        ],
        "notifications": [
            {
                "tables": list(runs.thesis.tables),
                "training": runs.thesis.training,
                "negative": runs.thesis.negative,
                "positive_runs": _flag(runs.positive, runs.thesis.tables[0], runs.thesis.of_positive),
                "negative_runs": _flag(runs.negative, runs.thesis.tables[1], runs.thesis.of_negative),
            }
            for runs in results.notified
        ],
        "claims": [_claim(*claim) for claim in results.claims],
    }


def _claim(claim: Claim, decision: ClaimDecision) -> dict[str, Any]:
    return {
        "section": claim.section,
        "table": claim.table,
        "claim": claim.text,
        "outcome": decision.outcome.value,
        "thesis": decision.thesis,
        "ours": decision.ours,
        "apart": _number(decision.apart),
        "error": _number(decision.error),
        "why": claim.why,
    }


def _table(table: ScoreTable) -> dict[str, Any]:
    return {
        "table": table.number or None,
        "experiment": table.grid,
        "title": table.title,
        "lines": [_line(line) for line in table.lines],
        "more": [_line(line) for line in table.more],
        "only_in_the_thesis": [
            {"configuration": row.configuration, "thesis": _row(row)} for row in table.only_printed
        ],
    }


def _line(line: ScoreLine) -> dict[str, Any]:
    return {
        "configuration": line.configuration,
        "program": line.program or ALL,
        "property": line.property if line.property != TOGETHER else ALL,
        "training_runs": line.n_training,
        "splits": line.n_splits,
        **dict(zip(COUNTS, line.counts, strict=True)),
        **dict(zip(NAMES, map(_number, line.scores), strict=True)),
        **{f"{name}_error": _number(value) for name, value in zip(NAMES, line.errors, strict=True)},
        "thesis": None if line.thesis is None else _row(line.thesis),
    }


def _row(row: PublishedRow) -> dict[str, Any]:
    return {
        **dict(zip(COUNTS, row.counts, strict=True)),
        **dict(zip(NAMES, row.scores, strict=True)),
        "slips": dict(row.slips()),
    }


def _flag(flagged: FlaggedNotifications, table: str, thesis: tuple[float, float]) -> dict[str, Any]:
    mean, deviation = flagged.mean_and_deviation()
    over_splits, error = flagged.mean_and_error()
    return {
        "flagged_in_each_run": flagged.first.tolist(),
        "mean": _number(mean),
        "deviation": _number(deviation),
        "mean_over_splits": _number(over_splits),
        "error": _number(error),
        "thesis_flagged_in_each_run": list(published.flagged(table)),
        "thesis_mean": thesis[0],
        "thesis_deviation": thesis[1],
    }


def _number(value: float) -> float | None:
    return None if isnan(value) else value
