"""``buto experiments run builds``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto.judging.monitor import FEWEST_KNOWN
from buto_replications import checkout
from buto_replications.checkout import CHECKOUT, DATA
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import done, show
from buto_replications.dataset import archive
from buto_replications.judging.builds import MOST_NEW, N_GOOD, BuildsTask, counted, tables
from buto_replications.judging.checks import N_TRAINING
from buto_replications.judging.recordings import recordings

PAIRS = DATA / "benchmark"
DRAW = CHECKOUT / "replications" / "benchmark" / "draw.yaml"
HOST = "parallel"
OLD, NEW = "-old", "-new"
UNDRAWN = "good"
FEWEST_STREAM = N_TRAINING + FEWEST_KNOWN + MOST_NEW


def run(request: ExperimentsRequest, console: Console) -> int:
    """Monitor recorded builds; print tables."""
    tasks = [*_streams(request), *_pairs(request)]
    show(tables(done(counted, tasks, "builds", request, console)), console)
    return EXIT_PASS


def _streams(request: ExperimentsRequest) -> Iterator[BuildsTask]:
    for part, hosts in recordings(request.data).in_row.items():
        for host, programs in hosts.items():
            for program, runs in programs.items():
                if len(runs.valid()) >= FEWEST_STREAM:
                    yield BuildsTask(part, f"{program}@{host}", runs.valid(), request.seed)


def _pairs(request: ExperimentsRequest) -> Iterator[BuildsTask]:
    halves = yaml.safe_load(DRAW.read_text(encoding="utf-8"))
    half_of = {name: half for half, names in halves.items() for name in names}
    for cell in sorted(_cells(checkout.recorded(request.data, PAIRS))):
        runs = {name: some.valid() for name, some in archive.load(cell, HOST).items()}
        for name, old in runs.items():
            pair = name.removesuffix(OLD)
            new = runs.get(f"{pair}{NEW}") if name.endswith(OLD) else None
            if new is not None and len(old) >= N_TRAINING + N_GOOD and len(new) >= MOST_NEW:
                part = half_of.get(pair, UNDRAWN)
                yield BuildsTask(part, pair, old, request.seed, new)


def _cells(root: Path) -> Iterator[Path]:
    return (path for path in root.glob("*/") if (path / archive.RUNS).is_file())
