"""The page of runs that nothing judges: curves without bands, output, and how well they were measured."""

from __future__ import annotations

from buto.report.charted import RecordedRuns
from buto.report.html.chart_data import drawn, points_of
from buto.report.html.document import render_document
from buto.report.html.sections.run_table import recorded_table
from buto.runs.metadata_text import metadata_text
from buto.units import format_count


def render_runs(report: RecordedRuns) -> str:
    """Return the runs as one HTML document that needs no other file and no network."""
    return render_document(
        "recorded.html",
        report,
        count=format_count(len(report.checked), "recorded run"),
        drawn=_drawn(report),
        metadata=_metadata(report),
        runs=recorded_table(report),
    )


def _drawn(report: RecordedRuns) -> str:
    texts = [
        f"A curve has at most {points_of(report)} points: the lowest and the highest value of each interval."
    ]
    if report.stride > 1:
        texts.append(f"The runs are long: the curves are of one sample in {report.stride}.")
    n_drawn = len(drawn(report))
    if n_drawn < len(report.panels):
        texts.append(f"Only {n_drawn} of {len(report.panels):,} properties are drawn.")
    return " ".join(texts)


def _metadata(report: RecordedRuns) -> list[tuple[str, str]]:
    """Return key and value of all metadata; values that runs do not share are behind one another."""
    runs = report.checked.runs
    keys = sorted({key for run in runs for key in run.metadata})
    return [
        (
            key,
            ", ".join(
                dict.fromkeys(metadata_text(key, run.metadata[key]) for run in runs if key in run.metadata)
            ),
        )
        for key in keys
    ]
