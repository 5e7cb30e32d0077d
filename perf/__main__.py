"""All benchmarks, one after the other: ``make bench``."""

import subprocess
import sys

BENCHMARKS: tuple[tuple[str, ...], ...] = (
    ("perf.pipeline",),
    ("perf.launches",),
    ("perf.endurance", "--collector", "agent"),
    ("perf.endurance", "--collector", "jmx", "--nap", "1500"),
)


def main() -> int:
    worst = 0
    for module, *arguments in BENCHMARKS:
        print(f"\n== {' '.join((module, *arguments))}", flush=True)
        worst = max(worst, subprocess.run([sys.executable, "-m", module, *arguments], check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
