"""Is a program of 0 or 300 ms measured whole, every time, and what does it pay for it at its exit?

Measured and unmeasured launches alternate. A launch is whole if its first sample lies before ``main``,
its last one within 5 ms of the program's end, and its exit code is the program's own.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perf.napping import compiled, measured, unmeasured

LAST_SAMPLE_MS = 5.0
EXIT_CODE = 7


@dataclass(frozen=True)
class Launch:
    first_ms: float
    """From the first sample to the program's first instruction."""
    last_ms: float
    """From the program's last instruction to the last sample."""
    code_kept: bool
    exit_ms: float
    plain_exit_ms: float

    @property
    def whole(self) -> bool:
        return self.first_ms > 0 and self.last_ms <= LAST_SAMPLE_MS and self.code_kept


def launch(classes: Path, millis: int) -> Launch:
    plain = unmeasured(classes, millis, EXIT_CODE)
    run, started_ns, told = measured(classes, millis, EXIT_CODE)
    return Launch(
        first_ms=(told.begin - started_ns) * 1e-6 - float(run.times_s[0]) * 1e3,
        last_ms=(started_ns - told.end) * 1e-6 + float(run.times_s[-1]) * 1e3,
        code_kept=run.outcome.exit_code == EXIT_CODE,
        exit_ms=told.exit_ms,
        plain_exit_ms=plain.exit_ms,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launches", type=int, default=100)
    n_launches = parser.parse_args().launches
    with compiled() as classes:
        for millis in (0, 300):
            launches = [launch(classes, millis) for _ in range(n_launches)]
            n_whole = sum(one.whole for one in launches)
            delays = [one.exit_ms - one.plain_exit_ms for one in launches]
            print(f"program of {millis} ms: {n_whole} of {n_launches} launches measured whole")
            print(f"  first sample before main, ms:          {_spread([one.first_ms for one in launches])}")
            print(f"  last sample after the program's end:   {_spread([one.last_ms for one in launches])}")
            print(
                f"  end of main to end of process, plain:  {_spread([one.plain_exit_ms for one in launches])}"
            )
            print(f"  the same, measured:                    {_spread([one.exit_ms for one in launches])}")
            print(f"  exit delay, paired:                    {_spread(delays)}")


def _spread(values: list[float]) -> str:
    low, median, high = np.percentile(values, [5, 50, 95])
    return f"median {median:6.1f}, 5 to 95 %: {low:6.1f} to {high:6.1f}, worst {max(values):6.1f}"


if __name__ == "__main__":
    main()
