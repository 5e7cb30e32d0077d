"""Recorded runs of the pairs as a small data set for a repository.

example: python -m beds.versions.packing .buto data/versions
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from beds.versions.launch import SIDES
from beds.versions.pairs import PAIRS
from buto.errors import BadFileError, ButoError
from buto.experiments.dataset.archive import pack_groups
from buto.experiments.dataset.files import write
from buto.runs.store import RunStore

HOST = "parallel"
"""The collector with which all scenarios run."""


def pack(store: RunStore, directory: Path) -> int:
    """Write the runs of the tests ``NAME-old`` and ``NAME-new`` as a data set and return their number.

    Raises:
        BadFileError: there are no runs, or one is damaged.
        JudgeError: runs are of different machines or JVMs.
        StorageError: the data set cannot be written.
    """
    known = {f"{pair.name}-{side}" for pair in PAIRS for side in SIDES}
    groups = {(HOST, test): tuple(store.load_set(test)) for test in store.tests() if test in known}
    if not groups:
        raise BadFileError(f"{store.root} holds no runs of the pairs")
    write(directory, pack_groups(groups))
    return sum(map(len, groups.values()))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m beds.versions.packing", description=__doc__)
    parser.add_argument("store", metavar="STORE", type=Path, help="the store of the recorded runs")
    parser.add_argument("directory", metavar="DIRECTORY", type=Path, help="the data set to write")
    given = parser.parse_args(arguments)
    try:
        n_runs = pack(RunStore(given.store), given.directory)
    except ButoError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return error.exit_code
    print(f"{given.directory}: {n_runs} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
