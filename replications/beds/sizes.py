"""Of a hundred other runs of a program, how many need more memory than `buto size` says after ten runs?

The runs are recorded ones: the bound is that of the first ten runs of a program, and all later ones are
counted. A program is one test in one session: a release, a JDK, a load beside it. It is set apart by the
first word of its name, so that both releases of a library, and all sessions of it, are on one side. APART was
drawn, and written down, before any bound was computed; the form of the bound was chosen on the others.

    python -m beds.sizes            # the half that is looked at
    python -m beds.sizes --apart    # the half that is set apart
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from buto.judging.need import RESIDENT, upper_bound

DATA = Path(__file__).parents[2] / "data"
SESSIONS = (
    *("benchmark/17-load", "benchmark/17-quiet", "benchmark/25-load", "benchmark/25-quiet"),
    *("next/in-row-17", "next/in-row-25", "next/turns-elsewhere", "next/turns-load", "next/turns-quiet"),
    *("next/variants", "servers", "unseen/17", "unseen/25", "next/pairs", "next/pairs-more"),
)
"""Those of which resident memory is recorded, and some programs eleven times or more."""

N_FITTED = 10

APART = frozenset(
    {
        "archive",
        "backlog",
        "boxing",
        "cache",
        "classloading",
        "conscrypt",
        "consumerproducer",
        "copies",
        "descriptors",
        "dropwizard",
        "duckdb",
        "good",
        "graphql",
        "jackson",
        "javassist",
        "jna",
        "ledger",
        "logging",
        "logs",
        "lucene",
        "micrometer",
        "mockito",
        "mongo",
        "mysql",
        "netty",
        "netty3",
        "orders",
        "postgres",
        "protobuf",
        "references",
        "rocksdb",
        "same",
        "spring",
        "sqlite",
        "thread",
        "thumbnails",
    }
)
"""Half of the 73 first words of programs with eleven runs or more, drawn with the seed 20261130."""


def programs(apart: bool, data: Path = DATA) -> Iterator[tuple[str, list[float]]]:
    """Yield the peaks of the runs of each program of a half, in their order."""
    for session in SESSIONS:
        runs = pd.read_parquet(data / session / "runs.parquet", columns=["run", "host", "variant", "ordinal"])
        # An invalid run has no ordinal.
        runs = runs[runs.ordinal.notna()]
        runs = runs[runs.variant.map(lambda name: (name.split("-")[0] in APART) == apart)]
        samples = pq.read_table(data / session / "samples.parquet", columns=["run", RESIDENT]).to_pandas()
        runs = runs.join(samples.groupby("run")[RESIDENT].max(), on="run")
        for (host, variant), same in runs.groupby(["host", "variant"]):
            if len(same) > N_FITTED:
                yield f"{session} {variant}@{host}", same.sort_values("ordinal")[RESIDENT].tolist()


def count(peaks: Sequence[float]) -> tuple[int, int]:
    """Return how many later runs need more than the bound of the first ten, and how many there are."""
    bound = upper_bound(peaks[:N_FITTED])
    later = peaks[N_FITTED:]
    return sum(peak > bound for peak in later), len(later)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--apart", action="store_true", help="the half that is set apart")
    found = dict(programs(parser.parse_args().apart))
    above = {name: counted for name, peaks in found.items() if (counted := count(peaks))[0]}
    n_above, n_later = np.sum([count(peaks) for peaks in found.values()], axis=0)
    room = [upper_bound(peaks[:N_FITTED]) / max(peaks[:N_FITTED]) - 1 for peaks in found.values()]
    largest = sum(peak > max(peaks[:N_FITTED]) for peaks in found.values() for peak in peaks[N_FITTED:])
    print(f"{len(found)} programs, {n_later} later runs: {n_above} need more ({n_above / n_later:.2%})")
    print(f"more than the largest of ten runs: {largest} ({largest / n_later:.1%})")
    print(
        "the bound above the largest of ten runs, 10, 50 and 90 % of programs: "
        + ", ".join(f"{share:.1%}" for share in np.quantile(room, [0.1, 0.5, 0.9]))
    )
    for name, (n_runs, of) in above.items():
        print(f"  {name}: {n_runs} of {of}")


if __name__ == "__main__":
    main()
