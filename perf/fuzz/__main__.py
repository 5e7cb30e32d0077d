"""Fuzz the readers of files, guided by coverage: ``python -m perf.fuzz``.

Needs the extra ``fuzz`` (atheris). Each reader gets so many inputs, one reader after the other; a line says
how many were taken, how far the coverage grew, and the most memory. Exit code 1 if any input was a fault: a
traceback, something that passed and must not, over 20 s for one input, or more memory than the limit.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from perf.fuzz.mutations import MEMORY
from perf.fuzz.readers import READERS

MEMORY_MIB = 2048
SLOW_S = 20
_SEEN = re.compile(r"^#\d+\s+\w+\s+cov: (\d+) ft: (\d+)", re.MULTILINE)
_PEAK = re.compile(r"rss: (\d+)Mb")


def fuzz(name: str, inputs: int, seed: int, place: Path) -> bool:
    """Give a reader its inputs and print what came of them; whether there was no fault."""
    place.mkdir(parents=True, exist_ok=True)
    corpus = Path(tempfile.mkdtemp(prefix="buto-fuzz-"))
    scratch = tempfile.mkdtemp(prefix="buto-fuzz-", dir=MEMORY if os.path.isdir(MEMORY) else None)
    try:
        for number, content in enumerate(READERS[name].seeds):
            (corpus / f"seed{number}").write_bytes(content)
        options = (
            f"-runs={inputs}",
            f"-seed={seed}",
            f"-rss_limit_mb={MEMORY_MIB}",
            f"-malloc_limit_mb={MEMORY_MIB // 2}",
            f"-timeout={SLOW_S}",
            f"-artifact_prefix={place}/",
            "-max_len=4096",
            "-use_value_profile=1",
            "-print_final_stats=1",
        )
        ended = subprocess.run(
            [sys.executable, "-m", "perf.fuzz.target", name, str(place), scratch, *options, str(corpus)],
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        grown = len(list(corpus.iterdir()))
    finally:
        shutil.rmtree(corpus)
        shutil.rmtree(scratch)
    (place / "log").write_text(ended.stderr)
    seen = _SEEN.findall(ended.stderr)
    n_read, n_taken = map(int, _counts(place).split())
    faults = sorted(path.name for path in place.iterdir() if path.name not in ("counts", "log"))
    print(
        f"{name}: {n_read} inputs, {n_taken} taken; {_growth(seen)}, corpus {grown}; "
        f"at most {max(map(int, _PEAK.findall(ended.stderr)), default=0)} MiB; exit code {ended.returncode}; "
        f"faults: {', '.join(faults) or 'none'}",
        flush=True,
    )
    return ended.returncode == 0 and not faults


def _counts(place: Path) -> str:
    counts = place / "counts"
    return counts.read_text() if counts.exists() else "0 0"


def _growth(seen: list[tuple[str, str]]) -> str:
    if not seen:
        return "no coverage seen"
    return f"coverage {seen[0][0]} to {seen[-1][0]}, features {seen[0][1]} to {seen[-1][1]}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m perf.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"of {', '.join(READERS)}; default all")
    parser.add_argument("--inputs", type=int, default=100_000, help="for each reader; default 100,000")
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzer's choices")
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"), help="where faults are kept")
    options = parser.parse_args()
    names = options.readers or list(READERS)
    unknown = [name for name in names if name not in READERS]
    if unknown:
        parser.error(f"there is no reader {unknown[0]}; known are {', '.join(READERS)}")
    if importlib.util.find_spec("atheris") is None:
        parser.error("atheris is not installed: pip install '.[fuzz]'")
    fine = [fuzz(name, options.inputs, options.seed, options.found / name) for name in names]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
