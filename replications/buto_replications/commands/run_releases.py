"""``buto experiments run releases``, ``releases-closure`` and ``releases-infinispan``."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from math import isnan, nan
from pathlib import Path

import yaml

from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.errors import EXIT_PASS, MeasureError, UsageError
from buto_replications.checkout import CHECKOUT
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show
from buto_replications.live.releases import (
    ProgramRelease,
    Replayed,
    ReplayedLibrary,
    count_typed_anew,
    replay,
    series_of,
)
from buto_replications.report.content import TextTable

RELEASES = CHECKOUT / "replications" / "releases"
HEADS = (
    *("release", "date", "status", "found", "accepted as", "sum", "found since", "runs"),
    *("classes", "live bytes"),
)
WIDTHS = (0.017, 0.04, 0.2)
"""Of typed bounds: FootprintIT's of classes, which are 200 for 11,900; 2 and 10 % to either side."""


def load_series(library: str) -> ReplayedLibrary:
    """Return the releases of a library, as they are written down in the checkout."""
    return series_of(yaml.safe_load((RELEASES / f"{library}.yaml").read_text(encoding="utf-8")))


def run(library: str, request: ExperimentsRequest, console: Console) -> int:
    """Replay the releases of a library; write what became of each, and the page of the whole.

    A call that was stopped is gone on with by the same call.
    """
    series = load_series(library)
    project = request.out / library
    done = read_done(series, project)
    if project.exists() and not done:
        raise UsageError(
            f"{project} exists already, and no release in it is done",
            advice="name another directory with --out, or remove it",
        )
    for replayed in replay(series, project, request.out / "cache", len(done)):
        done.append(replayed)
        status = f"{replayed.status} {replayed.findings} {replayed.sum_status}"
        console.info(f"{replayed.release.version}: {status}".rstrip())
        _write(project, series.driver, done)
    show([_table(done), _typed_anew(done)], console)
    return EXIT_PASS


replay_jsoup = partial(run, "jsoup")
replay_closure = partial(run, "closure")
replay_infinispan = partial(run, "infinispan")


def read_done(series: ReplayedLibrary, project: Path) -> list[Replayed]:
    """Return what an earlier call wrote of the first releases of a series; nothing without its file."""
    path = project.with_suffix(".csv")
    if not path.exists() or not project.exists():
        return []
    _, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    return [_replayed(release, row) for release, row in zip(series.releases, rows, strict=False)]


def _replayed(release: ProgramRelease, row: Sequence[str]) -> Replayed:
    _, _, status, findings, reason, sum_status, sum_findings, launches, *levels = row
    classes, live_bytes = (float(text or nan) for text in levels)
    return Replayed(
        release, status, findings, reason, sum_status, sum_findings, int(launches), classes, live_bytes
    )


def _write(project: Path, test: str, done: Sequence[Replayed]) -> None:
    """Write what is known so far, so that a replay that is stopped has told its story up to then."""
    write_file(project.with_suffix(".csv"), as_csv(done).encode(), "--out")
    if len(done) < 2:
        return
    page = [sys.executable, "-m", "buto", "history", test, "--html", "history.html", "-q"]
    ended = subprocess.run(page, cwd=project, capture_output=True, text=True, timeout=600, check=False)
    if ended.returncode:
        raise MeasureError(f"the page cannot be written: {ended.stderr[-500:]}")
    shutil.copy(project / "history.html", project.with_suffix(".html"))


def as_csv(done: Sequence[Replayed]) -> str:
    """Return a line for each release, after the names of the columns."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADS, *map(_row, done)])
    return text.getvalue()


def _row(replayed: Replayed) -> tuple[str, ...]:
    release = replayed.release
    return (
        release.version,
        release.date,
        replayed.status,
        replayed.findings,
        replayed.reason,
        replayed.sum_status,
        replayed.sum_findings,
        str(replayed.launches),
        *("" if isnan(value) else f"{value:.0f}" for value in (replayed.classes, replayed.live_bytes)),
    )


def _table(done: Sequence[Replayed]) -> TextTable:
    return TextTable("Releases, checked one after the other", HEADS, tuple(map(_row, done)))


def _typed_anew(done: Sequence[Replayed]) -> TextTable:
    """Return how often typed bounds around the first runs would have been typed anew."""
    classes, live = ([getattr(release, name) for release in done] for name in ("classes", "live_bytes"))
    return TextTable(
        "Typed bounds on the first run of each release: how often they must be typed anew",
        ("width, % of the value", "loaded classes", "live heap"),
        tuple(
            (
                f"{100 * width:g}",
                str(count_typed_anew(classes, width)),
                str(count_typed_anew(live, width)),
            )
            for width in WIDTHS
        ),
    )
