"""Only record one launch: ``python -m perf.collecting.recorder COLLECTOR INTERVAL COMMAND``."""

from __future__ import annotations

import sys

from buto.measure.opener import open_collector
from perf.collecting.napping import target


def main() -> None:
    collector_name, interval_s, *command = sys.argv[1:]
    with open_collector(target(command, float(interval_s), collector_name)) as collector:
        collector.record("perf")


if __name__ == "__main__":
    main()
