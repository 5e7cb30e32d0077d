"""Names the code behind each regression of a check, and adds that to its comment.

    python3 explain.py buto-reports BASE 'mvn -q package -DskipTests'

Builds and launches revision BASE and HEAD in turns with buto why. Plain Python, to which buto is a command.
What cannot be explained is said in the comment, and never changes how the check ended.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path


def regressions(result: Path) -> list[str]:
    """Return the tests with a regression; none if the check left no result."""
    if not result.exists():
        return []
    tests = json.loads(result.read_text(encoding="utf-8"))["tests"]
    return [test["test"] for test in tests if (test["verdict"] or {}).get("status") == "regression"]


STRUCTURE = re.compile(r"[^\w ./=+-]", re.ASCII)


def code(text: str) -> str:
    """Return text as code in which nothing is Markdown, HTML, a mention or a link."""
    shown = text if text.isprintable() else text.encode("unicode_escape").decode()
    return f"<code>{STRUCTURE.sub(lambda found: f'&#{ord(found[0])};', shown)}</code>"


def explain(reports: Path, base: str, build: str) -> None:
    """Explain each regression, and add its text to the comment."""
    for number, test in enumerate(regressions(reports / "result.json"), start=1):
        page, text = (reports / f"why-{number}.{ending}" for ending in ("html", "md"))
        words = ["buto", "why", test, "--revisions", base, "HEAD", "--build", build]
        why = how_it_ended([*words, "--html", str(page), "--markdown", str(text)])
        with (reports / "comment.md").open("a", encoding="utf-8") as comment:
            if not why and text.exists():
                comment.write(f"\n{text.read_text(encoding='utf-8')}")
            else:
                comment.write(f"\n⚠️ not explained: {code(shlex.join(words))} {why or 'wrote nothing'}.\n")


def how_it_ended(words: list[str]) -> str:
    """Call buto; return why there is no explanation, empty if it ended well."""
    if words[2].startswith("-"):
        return "is not called, because the test's name would be an option"
    try:
        done = subprocess.run(words, check=False)
    except ValueError as error:
        return f"cannot be called: {error.__class__.__name__}"
    if done.returncode:
        return f"ended with exit code {done.returncode}; what it printed says why"
    return ""


if __name__ == "__main__":
    explain(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
