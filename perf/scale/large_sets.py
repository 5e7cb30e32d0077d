"""Can detectors learn from runs that do not fit in memory together? ``python -m perf.scale.large_sets``.

The samples are made up, and have more than 1 GiB together. Each method learns in a process of its own, whose
largest memory is measured. Goal: less than half of the samples' size, with all libraries.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from buto import oracle
from buto.judging.calibrated.settings import CALIBRATED
from buto.run.long import LongRun
from buto.run.store import RunStore
from buto_replications.detectors.ensemble.settings import FOO, INTERVAL
from buto_replications.detectors.history.settings import HISTORY
from buto_replications.detectors.regression_models import SHANG
from perf.figures import Figure, at_most, benchmark, conclude
from perf.scale.store import TEST, record

TITLE = "Training on more runs than fit in memory"

INTERVAL_S = 300.0
SETTINGS = {
    "calibrated": CALIBRATED,
    "shang": SHANG,
    "foo": replace(FOO, values={**FOO.values, INTERVAL: INTERVAL_S}),
    "history": HISTORY,
}
_MIB = 2**20


def learn(root: Path, name: str) -> dict[str, float]:
    """Learn from all runs of a store; return what that took in this process."""
    began_s = time.process_time()
    store = RunStore(root)
    runs = store.open_set(TEST, store.ids(TEST))
    n_open = sum(isinstance(run, LongRun) for run in runs)
    n_values = sum(run.n_samples * len(run.properties) for run in runs)
    oracle.train(runs, SETTINGS[name])
    return {
        "in_files": n_open,
        "mib": 8 * n_values / _MIB,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "worked_s": time.process_time() - began_s,
    }


def measure(root: Path, n_runs: int, n_properties: int, n_samples: int) -> Iterator[Figure]:
    with patch("os.fsync"):
        for number in range(n_runs):
            record(root, number, n_properties, n_samples, 1.0)
    for name in SETTINGS:
        command = [sys.executable, "-m", "perf.scale.large_sets", "--learn", str(root), name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        found = json.loads(done.stdout)
        what = f"{name}: {n_runs} runs, {found['mib']:,.0f} MiB, {found['in_files']} left in their files"
        yield at_most(f"{what}: memory, largest", [found["peak_mib"]], round(found["mib"] / 2), "MiB", 0)
        yield Figure(f"{name}: processor time", f"{found['worked_s']:.0f} s")


def main() -> int:
    if sys.argv[1:2] == ["--learn"]:
        print(json.dumps(learn(Path(sys.argv[2]), sys.argv[3])))
        return 0
    parser = benchmark(__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--properties", type=int, default=40)
    parser.add_argument("--samples", type=int, default=100_000)
    options = parser.parse_args()
    with TemporaryDirectory(prefix="buto-perf-") as place:
        size = options.runs, options.properties, options.samples
        return conclude(TITLE, tuple(measure(Path(place), *size)), options)


if __name__ == "__main__":
    sys.exit(main())
