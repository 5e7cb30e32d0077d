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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from buto import oracle
from buto.actions.project import Project
from buto.actions.report import has_no_oracle
from buto.actions.stored import ALL, newest_check, stored_runs, training_runs
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.cli.projects import project_of
from buto.errors import EXIT_PASS
from buto.report.levels import select
from buto.report.panels import OF_RECORDING, recorded_runs
from buto.run.model import Run, run_set
from buto.run.store import RunStore
from buto.run.units import format_count
from buto.steps import Action

MATPLOTLIB_PLACE = "MPLCONFIGDIR"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("test", metavar="NAME", help="the test")
    parser.add_argument(
        "properties",
        metavar="PROPERTY",
        nargs="*",
        help="what to draw: a property, a metric for all its instances, or either with * in it",
    )
    parser.add_argument("--format", choices=["png", "svg"], default="png", help="(default: png)")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="where to write pictures (default: plots/NAME)"
    )
    parser.add_argument("--from-runs", metavar="WHICH", help="runs to draw: 'all', ids, or FIRST..LAST")
    parsing.add_options(parser, "plot")


def run(args: Namespace, console: Console) -> int:
    project = project_of(args)
    if has_no_oracle(project, args.test):
        return _plot_runs(project, args, console)
    known = project.oracle(args.test, Action.PLOT)
    checked = _checked(project, args.test, args.from_runs)
    verdict = None
    if checked:
        verdict = oracle.check(known, run_set(checked))
        ids = ", ".join(run.id for run in checked)
        console.info(f"{format_count(len(checked), 'checked run')}, {verdict.status.value}: {ids}")
    else:
        console.info("no check has been recorded yet")
    training = training_runs(project, known)
    console.info(f"{len(training)} of {len(known.run_ids)} training runs are stored here")
    with matplotlib_beside(project.store):
        from buto.report.plots.pictures import caption_of, panels, pictures, single_pictures

        drawn = panels(known, training.runs, checked, verdict)
        caption = caption_of(known, checked)
        if args.properties:
            by_name = {panel.prop.name: panel for panel in drawn}
            named = select(by_name, args.properties, f"the oracle of {args.test!r}")
            shown = [by_name[name] for name in named]
            made = single_pictures(shown, args.test, caption, args.format)
        else:
            made = pictures(drawn, args.test, caption, args.format)
        _write(args, made, console)
    return EXIT_PASS


def _plot_runs(project: Project, args: Namespace, console: Console) -> int:
    """Draw runs of a test without an oracle: curves without bands."""
    runs = stored_runs(project, args.test, args.from_runs or ALL)
    console.info(f"{format_count(len(runs), 'recorded run')}, without an oracle")
    panels = recorded_runs(run_set(runs), datetime.now(UTC)).panels
    with matplotlib_beside(project.store):
        from buto.report.plots.pictures import pictures, single_pictures

        if args.properties:
            by_name = {panel.prop.name: panel for panel in panels}
            named = select(by_name, args.properties, f"the test {args.test!r}")
            shown = [by_name[name] for name in named]
            made = single_pictures(shown, args.test, "", args.format, OF_RECORDING)
        else:
            made = pictures(panels, args.test, "", args.format, OF_RECORDING)
        _write(args, made, console)
    return EXIT_PASS


def _write(args: Namespace, made: Mapping[str, bytes], console: Console) -> None:
    out: Path = args.out or Path("plots", args.test)
    for name, picture in made.items():
        write_file(out / name, picture, "--out")
        console.result(str(out / name))


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


def _checked(project: Project, test: str, which: str | None) -> list[Run]:
    return newest_check(project, test) if which is None else stored_runs(project, test, which)
