"""Do hundreds of launches by one process leave threads, descriptors or memory growing?

Prints a table of what the measuring process (and, for ``jmx``, its worker) holds along the way.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from buto.collect import Target, open_collector
from perf.napping import compiled


@dataclass(frozen=True)
class Held:
    """What a process holds."""

    threads: int
    descriptors: int
    memory_mib: float

    def __str__(self) -> str:
        return f"{self.threads:4d} threads {self.descriptors:4d} descriptors {self.memory_mib:8.1f} MiB"


def held(pid: int) -> Held:
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
    )
    descriptors = len(os.listdir(f"/proc/{pid}/fd"))
    return Held(int(status["Threads"]), descriptors, int(status["VmRSS"].split()[0]) / 1024)


def children() -> list[int]:
    words = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [int(word) for word in words]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launches", type=int, default=200)
    parser.add_argument("--collector", choices=("agent", "jmx"), default="agent")
    parser.add_argument("--nap", type=int, default=0, help="milliseconds that each program lasts")
    args = parser.parse_args()
    with compiled() as classes:
        command = ("java", "-cp", str(classes), "Nap", str(args.nap), "0")
        with open_collector(Target(command, timeout_s=60.0, collector=args.collector)) as collector:
            for number in range(1, args.launches + 1):
                collector.record("nap")
                if number == 1 or number % max(1, args.launches // 10) == 0:
                    workers = "".join(f"   worker: {held(pid)}" for pid in children())
                    print(f"{number:5d} launches   buto: {held(os.getpid())}{workers}", flush=True)
    left = children()
    print(f"left behind: {len(left)} processes")
    sys.exit(bool(left))


if __name__ == "__main__":
    main()
