"""Verdicts on releases of an executable: buto trains on one, the next takes its place, and buto checks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shutil import copyfile

from msgspec import Struct

from beds.artefacts import BedError
from beds.native.releases import Native, fetch

COLUMNS = ("program", "before", "after", "verdict", "launches", "first", "line")

EXIT = {0: "pass", 1: "regression", 3: "inconclusive"}

_BUTO = (sys.executable, "-m", "buto")
_LONGEST_S = 3600.0

_KEEP = "1GiB"
"""An image of GraalVM may be larger than what is kept by default."""


class Said(Struct, frozen=True):
    """What a check said of a release, by an oracle of the one before.

    Attributes:
        launches: of the new release, those of turns included.
        first: the property of the first finding; empty without one.
        line: the line that a maintainer reads first.
    """

    verdict: str
    launches: int
    first: str
    line: str


def judge(program: str, native: Native, before: str, after: str, place: Path, inputs: Path) -> Said:
    """Train on one release, put another one in its place, and check; the program has one path for both.

    Raises:
        BedError: a release cannot be had, training failed, or a check ended in another way than with a
            verdict.
    """
    directory = place / f"{program}-{before}-{after}"
    directory.mkdir(parents=True, exist_ok=True)
    executable = directory / program
    test = {"command": native.command(executable, inputs), "measure": "process", "keep": _KEEP}
    # JSON is YAML, too.
    (directory / "buto.yaml").write_text(json.dumps({"version": 1, "tests": {program: test}}))
    _put(fetch(native, before, place), executable)
    oracle = directory / "oracles" / f"{program}.json"
    if not oracle.exists():
        done = _run([*_BUTO, "train", program], directory)
        if done.returncode:
            raise BedError(f"training on {before} failed: {done.stdout[-500:]}{done.stderr[-1000:]}")
    _put(fetch(native, after, place), executable)
    result = directory / "result.json"
    done = _run([*_BUTO, "check", program, "--json", str(result)], directory)
    if done.returncode not in EXIT:
        raise BedError(f"the check of {after} failed: {done.stdout[-500:]}{done.stderr[-1000:]}")
    (test,) = json.loads(result.read_text())["tests"]
    findings = (test["verdict"] or {}).get("findings", [])
    first = str(findings[0]["subject"]) if findings else ""
    line = next((text for text in done.stdout.splitlines() if text.strip()), "")
    return Said(EXIT[done.returncode], len(test["runs"]), first, line)


def _put(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    copyfile(source, target)
    target.chmod(0o755)


def _run(command: list[str], directory: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=directory, capture_output=True, text=True, timeout=_LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise BedError(f"{' '.join(command[:5])} took more than {_LONGEST_S:g} s") from error
