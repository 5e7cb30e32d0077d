"""Show buto on the bundled leaking program, only by the command line.

All files stay in demo-output/. The demo ends with an error if a verdict is wrong. It begins once more if the
unchanged program fails, as in about one check of a hundred, and if others disturb the runs so much that they
cannot be judged. Twice in a row is an error.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "demo-output"
TIMEOUT_S = 600.0
UNCHANGED = "buto check leaker"
CHANGED = "buto check leaker --config changed.yaml"
REGRESSION, NOT_JUDGED = 1, 3
AGAIN = """
About one check in a hundred of an unchanged program fails; a check is inconclusive if other programs disturb
its runs too much. This may be one of them. Once more from the beginning."""


def main() -> int:
    """Record, train, check what is unchanged and what is not, draw; the exit code is for make."""
    print(f"All commands run in {OUT.relative_to(ROOT)}/.")
    if not learn_and_check(REGRESSION, NOT_JUDGED):
        print(AGAIN)
        learn_and_check()
    step("Draw what was expected and what came.", "buto --quiet plot leaker --out plots", 0)
    print("\nAll verdicts were right. The demo leaves in demo-output/:")
    print("  oracles/             what was learned; commit such files beside your tests")
    print("  plots/overview.png   all that ever changes; a picture of each difference lies beside it")
    print("  .buto/               the runs (buto runs list)")
    return 0


def learn_and_check(*forgiven: int) -> bool:
    """Train in an empty directory, and check the same program and a changed one.

    Return whether both verdicts were right; False at once if one was wrong and its exit code is forgiven.
    """
    if OUT.exists():
        shutil.rmtree(OUT)
    OUT.mkdir()
    for name in ("buto.yaml", "changed.yaml"):
        shutil.copy(ROOT / "demo" / name, OUT)
    step("Learn what the program uses, from ten runs.", "buto train leaker", 0)
    if step("Run it again, unchanged: this must pass.", UNCHANGED, 0, *forgiven):
        return False
    leak = "Run a version that leaks four times as much: this must fail."
    return step(leak, CHANGED, REGRESSION, *forgiven) == REGRESSION


def step(purpose: str, command: str, *expected: int) -> int:
    """Show and carry out one command; return its exit code. SystemExit if it is none of the expected ones."""
    print(f"\n# {purpose}\n$ {command}", flush=True)
    done = subprocess.run(shlex.split(command), cwd=OUT, timeout=TIMEOUT_S, check=False)
    if done.returncode not in expected:
        raise SystemExit(
            f"\nThe demo FAILED: {command!r} exited with {done.returncode}, expected {expected[0]}.\n"
            f"What was recorded is in {OUT}; does this machine measure well? Type: buto doctor"
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
