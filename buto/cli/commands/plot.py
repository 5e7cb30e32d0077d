"""Draw the training runs, what the oracle expects, and the runs of a check, from stored runs.

Without --from-runs, buto draws all runs of the newest check. It writes an overview and a picture of each
property that differs, or a picture of each PROPERTY. If a test has no oracle, buto draws its recorded and
attached runs without bands.

examples:
  buto plot leaker
  buto plot leaker jvm.memory.heap.used 'jvm.gc.*' --format svg
  buto plot leaker --out plots --from-runs 20261120T234041.123Z-1f2e
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from buto import oracle
from buto.actions.project import Project
from buto.actions.report import ReportRequest, has_no_oracle, report
from buto.actions.stored import ALL, load_stored_runs, newest_check, training_runs
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.cli.projects import project_of
from buto.errors import EXIT_PASS
from buto.judging.verdict import OF_CHECK, Verdict
from buto.oracle import Oracle
from buto.report.levels import select
from buto.report.panels import OF_RECORDING, report_recorded_runs
from buto.report.words import status_of
from buto.run.model import Run, run_set
from buto.run.store import RunStore
from buto.run.units import format_count
from buto.steps import Action

MATPLOTLIB_PLACE = "MPLCONFIGDIR"


def add_arguments(parser: ArgumentParser) -> None:
    parsing.add_properties(parser, "draw")
    parser.add_argument("--format", choices=["png", "svg"], default="png", help="(default: png)")
    parsing.declare(
        parser,
        "--out DIR  where to write pictures (default: plots/NAME)",
        "--from-runs WHICH  runs to draw: 'all', ids, or FIRST..LAST",
    )
    parsing.add_options(parser, "plot")


def run(args: Namespace, console: Console) -> int:
    project = project_of(args)
    with matplotlib_beside(project.store):
        made = _pictures(project, args, console)
    out = args.out or Path("plots", args.test)
    for name, picture in made.items():
        write_file(out / name, picture, "--out")
        console.result(str(out / name))
    return EXIT_PASS


def _pictures(project: Project, args: Namespace, console: Console) -> dict[str, bytes]:
    """Return pictures by their file names; without an oracle, of recorded runs without bands."""
    from buto.report.plots import pictures

    test: str = args.test
    if has_no_oracle(project, test):
        runs = load_stored_runs(project.workspace(), test, args.from_runs or ALL)
        console.info(f"{format_count(len(runs), 'recorded run')}, without an oracle")
        panels = list(report_recorded_runs(run_set(runs), datetime.now(UTC)).panels)
        caption, roles, whose = "", OF_RECORDING, f"the test {test!r}"
    else:
        known = project.oracle(test, Action.PLOT)
        which = args.from_runs
        checked = (
            newest_check(project.workspace(), test)
            if which is None
            else load_stored_runs(project.workspace(), test, which)
        )
        verdict = _judge(project, test, known, checked, which)
        if verdict is None:
            console.info("no check has been recorded yet")
        else:
            ids = ", ".join(run.id for run in checked)
            console.info(f"{format_count(len(checked), 'checked run')}, {status_of(verdict)}: {ids}")
        training = training_runs(project.workspace(), known)
        console.info(f"{len(training)} of {len(known.run_ids)} training runs are stored here")
        panels = pictures.panels(known, training.runs, checked, verdict)
        caption, roles, whose = (pictures.caption_of(known, checked), OF_CHECK, f"the oracle of {test!r}")
    if not args.properties:
        return pictures.pictures(panels, test, caption, args.format, roles)
    by_name = {panel.prop.name: panel for panel in panels}
    shown = [by_name[name] for name in select(by_name, args.properties, whose)]
    return pictures.single_pictures(shown, test, caption, args.format, roles)


def _judge(
    project: Project, test: str, known: Oracle, checked: Sequence[Run], which: str | None
) -> Verdict | None:
    """Return the verdict on checked runs; on those of the newest check the one that a report of it has."""
    if not checked:
        return None
    if which is not None:
        return oracle.check(known, run_set(checked))
    (result,) = report(project, ReportRequest((test,))).results
    return result.verdict


@contextmanager
def matplotlib_beside(store: RunStore) -> Iterator[None]:
    """Keep matplotlib's font cache in the store, not in the user's home, unless MPLCONFIGDIR is set."""
    if MATPLOTLIB_PLACE in os.environ:
        yield
        return
    with TemporaryDirectory(prefix="buto-") as passing:
        beside = os.access(store.storage.here, os.W_OK | os.X_OK)
        os.environ[MATPLOTLIB_PLACE] = str(store.storage.here.resolve() / "matplotlib") if beside else passing
        try:
            yield
        finally:
            del os.environ[MATPLOTLIB_PLACE]
