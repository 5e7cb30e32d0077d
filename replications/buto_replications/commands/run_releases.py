"""``buto experiments run releases``."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import astuple, fields

import yaml

from buto.cli.console import Console
from buto.cli.output_files import write_file
from buto.errors import EXIT_PASS, MeasureError, UsageError
from buto_replications.checkout import CHECKOUT
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show
from buto_replications.live.releases import TEST, Replayed, releases_of, replay
from buto_replications.report.content import TextTable

RELEASES = CHECKOUT / "replications" / "releases" / "jsoup.yaml"
HEADS = ("release", "date", "status", "found", "accepted as", "sum", "found since", "runs")


def run(request: ExperimentsRequest, console: Console) -> int:
    """Replay the releases; write what became of each, and the page of the whole."""
    data = yaml.safe_load(RELEASES.read_text(encoding="utf-8"))
    project = request.out / "releases"
    if project.exists():
        raise UsageError(
            f"{project} exists already", advice="name another directory with --out, or remove it"
        )
    done: list[Replayed] = []
    for replayed in replay(data["driver"], releases_of(data), project, request.out / "cache"):
        done.append(replayed)
        status = f"{replayed.status} {replayed.findings} {replayed.sum_status}"
        console.info(f"{replayed.release.version}: {status}".rstrip())
        _write(request, done)
    show([_table(done)], console)
    return EXIT_PASS


def _write(request: ExperimentsRequest, done: Sequence[Replayed]) -> None:
    """Write what is known so far, so that a replay that is stopped has told its story up to then."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADS, *map(_row, done)])
    write_file(request.out / "releases.csv", text.getvalue().encode(), "--out")
    if len(done) < 2:
        return
    page = [sys.executable, "-m", "buto", "history", TEST, "--html", "history.html", "-q"]
    ended = subprocess.run(
        page, cwd=request.out / "releases", capture_output=True, text=True, timeout=600, check=False
    )
    if ended.returncode:
        raise MeasureError(f"the page cannot be written: {ended.stderr[-500:]}")
    shutil.copy(request.out / "releases" / "history.html", request.out / "releases.html")


def _row(replayed: Replayed) -> tuple[str, ...]:
    named = dict(zip((field.name for field in fields(replayed)), astuple(replayed), strict=True))
    release = replayed.release
    texts = (str(value) for name, value in named.items() if name != "release")
    return (release.version, release.date, *texts)


def _table(done: Sequence[Replayed]) -> TextTable:
    return TextTable("Releases, checked one after the other", HEADS, tuple(map(_row, done)))
