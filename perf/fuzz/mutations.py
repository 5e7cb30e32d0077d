"""Mutate valid files by the kinds of their values, without a fuzzer: ``python -m perf.fuzz.mutations``.

Each reader gets so many changed examples, by a seed; a line says how many were taken, the processor time of
the slowest, and the most memory that one took above what there was before it. Exit code 1 if any was a fault,
or took over MOST_S or MOST_MIB; faults are printed.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random

from perf.fuzz.readers import READERS

_LONGEST = 14
"""Bytes of an input: each edit takes some four, and of many edits the first is refused."""


MEMORY = "/dev/shm"
MOST_S = 2.0
MOST_MIB = 128


def memory_kib(field: str) -> int:
    """Return a line of this process's memory: ``VmRSS`` as it is, ``VmHWM`` at most since its last reset."""
    match = re.search(rf"^{field}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    if match is None:
        raise OSError(f"the system states no {field}")
    return int(match[1])


def begin_peak() -> int:
    """Have the most memory of this process counted from now on, and return what it has now, in KiB.

    Free memory is given back first: what took the place of freed, resident memory would cost nothing.
    """
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return memory_kib("VmRSS")


def mutate(name: str, inputs: int, seed: int) -> bool:
    """Give a reader its inputs and print what came of them; whether there was no fault."""
    random, faults, n_taken, slowest_s, most_mib = Random(seed), dict[str, str](), 0, 0.0, 0.0
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as scratch:
        # What is imported and built when first needed is no cost of an input.
        for content in READERS[name].seeds:
            READERS[name].read(content, Path(scratch))
        for _ in range(inputs):
            data = bytes([random.randrange(1, 256)]) + random.randbytes(random.randrange(4, _LONGEST))
            before_kib = begin_peak()
            began_s = time.process_time()
            try:
                n_taken += READERS[name].read(data, Path(scratch))
            except Exception as fault:  # noqa: BLE001 (whatever it is, it is what is looked for)
                last = traceback.extract_tb(fault.__traceback__)[-1]
                place = f"{type(fault).__name__} at {Path(last.filename).name}:{last.lineno}"
                faults.setdefault(place, f"{data!r}\n{traceback.format_exc()}")
            slowest_s = max(slowest_s, time.process_time() - began_s)
            most_mib = max(most_mib, (memory_kib("VmHWM") - before_kib) / 1024)
    print(
        f"{name}: {inputs} inputs, {n_taken} taken; the slowest took {slowest_s:.2f} s; "
        f"at most {most_mib:.1f} MiB more; faults: {', '.join(faults) or 'none'}",
        flush=True,
    )
    for place, what in faults.items():
        print(f"--- {place}\n{what}", flush=True)
    return not faults and slowest_s <= MOST_S and most_mib <= MOST_MIB


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m perf.fuzz.mutations", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"of {', '.join(READERS)}; default all")
    parser.add_argument("--inputs", type=int, default=100_000, help="for each reader; default 100,000")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    fine = [mutate(name, options.inputs, options.seed) for name in options.readers or READERS]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
