"""What matched modes give: recorded runs whose heap has one of two sizes, with and without them.

    python -m benchmark.modes

From runs of one program of the benchmark, ten are drawn as training, and ten as five and five launches in
turns, of which the new program's have a share more resident memory; the first of these is a first look, too.
A draw counts only if its training has two modes. No regression of the benchmark is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from benchmark.recording import CELLS, RECORDED
from buto.judging.features import Feature
from buto.judging.modes import SIZE, Modes, find_modes
from buto.judging.procedure import LEVEL_T
from buto.run.model import BoolArray, FloatArray
from buto.run.properties import property_for

RESIDENT = "process.memory.usage"
QUANTITIES = (property_for(SIZE[0]), property_for(RESIDENT))
FEATURES = (Feature(0, "largest"), Feature(1, "largest"))
CHANGES = (0.0, 0.08, 0.12, 0.2)
DRAWS = 150
TRAINING, EACH = 10, 5
SIZE_THAT_MATTERS, FLOOR = 0.05, 0.005
ALPHA = 0.008
LABELS: BoolArray = np.array(
    [[n in new for n in range(2 * EACH)] for new in combinations(range(2 * EACH), EACH)]
)
SEED = 1


def programs() -> Iterator[FloatArray]:
    """Yield of each program of each cell its heap and its resident memory, shape (n_runs, 2)."""
    for cell in CELLS:
        directory = RECORDED / cell
        runs = pd.read_parquet(directory / "runs.parquet", columns=["run", "variant"])
        samples = pd.read_parquet(directory / "samples.parquet", columns=["run", SIZE[0], RESIDENT])
        largest = runs.merge(samples.groupby("run").max(), on="run").dropna()
        for _, some in largest.groupby("variant"):
            if len(some) >= TRAINING + 2 * EACH:
                yield some[[SIZE[0], RESIDENT]].to_numpy()


def is_suspicious(known: FloatArray, run: float, n_means: int, n_alike: int) -> bool:
    scale = np.log(known)
    variance = ((scale - scale.mean()) ** 2).sum() / (len(known) - n_means) + FLOOR**2
    t = abs(np.log(run) - scale.mean()) / np.sqrt(variance * (1 + 1 / n_alike))
    return bool(t >= LEVEL_T and abs(run - known.mean()) >= SIZE_THAT_MATTERS * known.mean())


def p_value(values: FloatArray) -> float:
    """Return the share of ways to deal out launches that set them as far apart; the first ones are new."""
    apart = np.abs(LABELS @ values - ~LABELS @ values)
    return float((apart >= apart[0] - 1e-9).mean())


def judge_both(training: FloatArray, modes: Modes, later: FloatArray) -> tuple[bool, bool, bool, bool]:
    """Return whether a first look is suspicious and turns find something, each as values are, and matched."""
    known, matched = modes.match(training)[:, 1], modes.match(later)[:, 1]
    as_it_is = is_suspicious(training[:, 1], float(later[0, 1]), 1, TRAINING)
    n_alike = modes.count_alike(training, later[0])
    by_mode = is_suspicious(known, float(matched[0]), 2, n_alike) if n_alike else as_it_is
    turns = [p_value(np.log(some)) <= ALPHA for some in (later[:, 1], matched)]
    return as_it_is, by_mode, turns[0], turns[1]


def main() -> None:
    random = np.random.default_rng(SEED)
    recorded = list(programs())
    for change in CHANGES:
        found = []
        for runs in recorded:
            for _ in range(DRAWS):
                drawn = runs[random.permutation(len(runs))[: TRAINING + 2 * EACH]]
                training, later = drawn[:TRAINING], drawn[TRAINING:].copy()
                modes = find_modes(FEATURES, QUANTITIES, training)
                if modes is not None:
                    later[:EACH, 1] *= 1 + change
                    found.append(judge_both(training, modes, later))
        shares = np.mean(found, axis=0)
        print(
            f"+{change:.0%}, n = {len(found)}: first look {shares[0]:.3f} -> {shares[1]:.3f}; "
            f"turns {shares[2]:.4f} -> {shares[3]:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
