"""The process that libFuzzer drives, by atheris: ``python -m perf.fuzz.target READER DIRECTORY SCRATCH ...``.

A fault does not end it: the first input of each is kept as ``DIRECTORY/TYPE-FILE-LINE`` with its traceback in
``.txt``. What takes too long or too much memory does, and libFuzzer keeps that input itself.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["buto"]):
    from perf.fuzz.readers import READERS

COUNT_EVERY = 1000


class _Target:
    def __init__(self, name: str, place: Path, scratch: Path) -> None:
        self._reader = READERS[name]
        self._found = place
        self._scratch = scratch
        self._n_read = 0
        self._n_taken = 0

    def __call__(self, data: bytes) -> None:
        try:
            self._n_taken += self._reader.read(data, self._scratch)
        except Exception as fault:  # noqa: BLE001 (whatever it is, it is what is looked for)
            last = traceback.extract_tb(fault.__traceback__)[-1]
            place = self._found / f"{type(fault).__name__}-{Path(last.filename).name}-{last.lineno}"
            if not place.exists():
                place.write_bytes(data)
                place.with_suffix(".txt").write_text(traceback.format_exc())
        self._n_read += 1
        if self._n_read % COUNT_EVERY == 0:
            (self._found / "counts").write_text(f"{self._n_read} {self._n_taken}")


def main() -> None:
    name, place, scratch, *options = sys.argv[1:]
    atheris.Setup([sys.argv[0], *options], _Target(name, Path(place), Path(scratch)))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
