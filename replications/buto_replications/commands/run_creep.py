"""``buto experiments run creep``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import yaml

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto.run.model import Run, run_set
from buto_replications import checkout
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.run_builds import DRAW, HOST, NEW, OLD, PAIRS
from buto_replications.commands.sharing import done, show
from buto_replications.dataset import archive
from buto_replications.judging.creep import FEWEST_NEW, FEWEST_OLD, CreepTask, observed, tables

APART = "apart"


def run(request: ExperimentsRequest, console: Console) -> int:
    """Count what builds that creep and builds that regress come to; print tables."""
    tasks = list(_tasks(request))
    show(tables(done(observed, tasks, "creep", request, console)), console)
    return EXIT_PASS


def _tasks(request: ExperimentsRequest) -> Iterator[CreepTask]:
    """Yield the pairs set apart, with the runs of all cells of one JDK together."""
    apart = set(yaml.safe_load(DRAW.read_text(encoding="utf-8"))[APART])
    runs: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for cell in _cells(checkout.recorded(request.data, PAIRS)):
        jdk = f"JDK {cell.name.partition('-')[0]}"
        for name, some in archive.load(cell, HOST).items():
            runs[jdk, name] += some.valid().runs
    for (jdk, name), old in runs.items():
        pair = name.removesuffix(OLD)
        new = runs.get((jdk, f"{pair}{NEW}"), [])
        if name.endswith(OLD) and pair in apart and len(old) >= FEWEST_OLD and len(new) >= FEWEST_NEW:
            yield CreepTask(jdk, pair, run_set(old), run_set(new), request.seed)


def _cells(root: Path) -> list[Path]:
    return sorted(path for path in root.glob("*/") if (path / archive.RUNS).is_file())
