"""Names the code behind each regression of a check, and adds that to its comment.

    python3 explain.py buto-reports BASE 'mvn -q package -DskipTests'

Builds and launches revision BASE and HEAD in turns with buto why. Plain Python, to which buto is a command.
What cannot be explained is said in the comment, and never changes how the check ended.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path


def regressions(result: Path) -> list[str]:
    """Return the tests with a regression; none if the check left no result."""
    if not result.exists():
        return []
    tests = json.loads(result.read_text(encoding="utf-8"))["tests"]
    return [one["test"] for one in tests if (one["verdict"] or {}).get("status") == "regression"]


def explain(reports: Path, base: str, build: str) -> None:
    """Explain each regression, and add its text to the comment."""
    for number, test in enumerate(regressions(reports / "result.json"), start=1):
        page, text = (reports / f"why-{number}.{ending}" for ending in ("html", "md"))
        words = ["buto", "why", test, "--revisions", base, "HEAD", "--build", build]
        done = subprocess.run([*words, "--html", page, "--markdown", text], check=False)
        with (reports / "comment.md").open("a", encoding="utf-8") as comment:
            if done.returncode == 0 and text.exists():
                comment.write(f"\n{text.read_text(encoding='utf-8')}")
            else:
                comment.write(
                    f"\n⚠️ not explained: `{shlex.join(words)}` ended with exit code {done.returncode}; "
                    "what it printed says why.\n"
                )


if __name__ == "__main__":
    explain(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
