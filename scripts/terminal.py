"""Record a session in a terminal: ``docs/images/session.svg``, which the README shows.

python scripts/terminal.py

It types the commands of ``SESSION`` in an empty directory with the demo's configuration, and draws what they
print. Nothing is written by hand. Lines about the progress, one for each launch, are left out.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
DRAWING = ROOT / "docs" / "images" / "session.svg"
DEMO = ROOT / "demo"
WIDTH = 112
SESSION = (
    ("buto train leaker", 0),
    ("buto check leaker", 0),
    ("buto check leaker --config changed.yaml", 1),
)
"""Each command, and the exit code that its story needs."""

COMMAND_S = 900.0
PROGRESS = re.compile(r"^leaker(?:@\w+)?: run \d+ of ")
"""A line about the progress, for each launch."""


def main() -> int:
    """Draw a session; keep the old drawing if a check decided otherwise than the story."""
    console = Console(record=True, width=WIDTH, force_terminal=True, file=io.StringIO())
    with tempfile.TemporaryDirectory() as place:
        for name in ("buto.yaml", "changed.yaml"):
            shutil.copy(DEMO / name, place)
        for command, expected in SESSION:
            exit_code, text = type_command(command, Path(place))
            if exit_code != expected:
                print(f"{command!r} ended with {exit_code} instead of {expected}:\n{text}")
                return 1
            console.print(Text(f"$ {command}", style="bold"))
            console.print(shown(text), end="")
            console.print(Text(f"exit code {exit_code}\n", style="dim"))
    svg = console.export_svg(title="buto", unique_id="session")
    # Fonts of the reader's machine: the picture must load nothing.
    DRAWING.write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL), encoding="utf-8")
    print(f"{DRAWING.relative_to(ROOT)} shows the session.")
    return 0


def type_command(command: str, place: Path) -> tuple[int, str]:
    """Carry out a command in a directory, with colours; return its exit code and what it printed."""
    colours = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(WIDTH)}
    program, *words = command.split()
    done = subprocess.run(
        [sys.executable, "-m", program, *words],
        cwd=place,
        env={**os.environ, **colours},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=COMMAND_S,
        check=False,
    )
    return done.returncode, done.stdout


def shown(text: str) -> Text:
    """Return what stays on a terminal of a command's output."""
    lines = Text.from_ansi(text).split("\n")
    kept = [line for line in lines if line.plain.strip() and not PROGRESS.match(line.plain)]
    return Text("\n").join(kept) + Text("\n")


if __name__ == "__main__":
    sys.exit(main())
