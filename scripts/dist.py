"""Build wheel and source archive, check their metadata, and try the wheel in an empty environment.

``make dist`` calls it. The environment gets the wheel and what the wheel requires, from the package index;
the checkout is not on its path. There buto trains on the bundled program, passes it unchanged, and fails it
with a larger leak.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "dist"
TIMEOUT_S = 600.0
CONFIG = {
    "version": 1,
    "defaults": {
        "runs": 5,
        "timeout": "1min",
        "keep": "never",
        "judge": {"alpha": 0.05, "minimum-effect": {"*": "never", "jvm.memory.heap.live": "48MiB"}},
    },
}
"""Only the live heap counts: a larger leak changes it by 86 MiB, a slower machine by far less."""
KNOW_A_BUSY_MACHINE = """\
import dataclasses, buto
oracle = "oracles/leaker.json"
buto.save_oracle(oracle, dataclasses.replace(buto.load_oracle(oracle), foreign_load=1.0))
"""
"""As if others had used the whole machine in training: then no check is inconclusive because they do now."""
JAVA = ("java", "-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-cp", "${testprograms}")
PROGRAM = ("buto.testprograms.leaker.Leaker", "--duration", "1s", "--pieces", "20", "--piece-size", "2000")


def main() -> int:
    """Build, check and try; an exit code other than 0 names the command that failed."""
    if OUT.exists():
        shutil.rmtree(OUT)
    wheel = build(OUT)
    with tempfile.TemporaryDirectory(prefix="buto-dist-") as scratch:
        python = empty_environment(Path(scratch) / "venv", with_pip=True)
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel])
        print("\n".join(try_wheel(python, Path(scratch) / "project")))
    print(f"{wheel.relative_to(ROOT)} and its source archive are good.")
    return 0


def build(out: Path) -> Path:
    """Build the source archive, the wheel from that archive alone, and check both; return the wheel."""
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT])
    run([sys.executable, "-m", "twine", "check", "--strict", *sorted(out.iterdir())])
    (wheel,) = out.glob("*.whl")
    return wheel


def empty_environment(place: Path, *, with_pip: bool) -> Path:
    """Create a virtual environment; return its Python."""
    venv.create(place, with_pip=with_pip, symlinks=True)
    return place / "bin" / "python"


def try_wheel(python: Path, project: Path) -> list[str]:
    """Train and check the bundled program with an installed buto; return what was done.

    Raises:
        SystemExit: a command did not end as it must.
    """
    project.mkdir()
    buto = python.with_name("buto")
    place = run([python, "-I", "-c", "import buto; print(buto.__file__)"], project).strip()
    if not Path(place).is_relative_to(python.parent.parent):
        raise SystemExit(f"buto must come from {python.parent.parent}, got {place}")
    done = [f"installed {run([buto, '--version'], project).strip()} into an empty environment"]
    for leaks, command, code in ((10, "train", 0), (10, "check", 0), (400, "check", 1)):
        test = {"command": [*JAVA, *PROGRAM, "--leaks", str(leaks)]}
        config = {**CONFIG, "tests": {"leaker": test}}
        (project / "buto.yaml").write_text(json.dumps(config), encoding="utf-8")
        run([buto, command, "leaker"], project, code)
        if command == "train":
            run([python, "-I", "-c", KNOW_A_BUSY_MACHINE], project)
        done.append(f"buto {command} leaker, with {leaks} leaks a tick: exit code {code}")
    return done


def run(command: Sequence[str | Path], directory: Path = ROOT, expected: int = 0) -> str:
    """Run a command that may not see the checkout's packages; return its standard output.

    Raises:
        SystemExit: it ended with another code than expected.
    """
    done = subprocess.run(
        command,
        cwd=directory,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTHON")},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    if done.returncode != expected:
        words = " ".join(map(str, command))
        output = done.stdout + done.stderr
        raise SystemExit(f"{words} must exit with {expected}, got {done.returncode}:\n{output}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
