"""Is a program of 0 or 300 ms measured whole, every time, and what does it pay for it at its exit?

Measured and unmeasured launches alternate. A launch is whole if its first sample lies before ``main``,
its last one within 5 ms of the program's end, and its exit code is the program's own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from perf.figures import Figure, at_most, benchmark, conclude, told
from perf.napping import compiled, measured, unmeasured

TITLE = "First sample, last sample and exit, of programs of 0 and 300 ms"
LAST_SAMPLE_MS = 5.0
EXIT_DELAY_MS = 20.0
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


def measure(n_launches: int) -> Iterator[Figure]:
    with compiled() as classes:
        for millis in (0, 300):
            launches = [launch(classes, millis) for _ in range(n_launches)]
            program = f"{millis} ms:"
            n_whole = sum(one.whole for one in launches)
            yield Figure(f"{program} launches measured whole", f"{n_whole} of {n_launches}")
            yield told(f"{program} first sample before `main`", [one.first_ms for one in launches], "ms")
            last_ms = [one.last_ms for one in launches]
            yield at_most(f"{program} the program's end to the last sample", last_ms, LAST_SAMPLE_MS, "ms")
            plain_ms = [one.plain_exit_ms for one in launches]
            yield told(f"{program} the program's end to the end of its process, unmeasured", plain_ms, "ms")
            delays = [one.exit_ms - one.plain_exit_ms for one in launches]
            yield at_most(f"{program} exit delay, in pairs", delays, EXIT_DELAY_MS, "ms")


def main() -> int:
    parser = benchmark(__doc__)
    parser.add_argument("--launches", type=int, default=40)
    options = parser.parse_args()
    return conclude(TITLE, tuple(measure(options.launches)), options)


if __name__ == "__main__":
    sys.exit(main())
