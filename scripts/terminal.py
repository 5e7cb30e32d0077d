"""Record a session in a terminal: ``docs/images/session.svg`` for the README, and its last command alone.

python scripts/terminal.py

It types the commands of ``SESSION`` in an empty directory with the demo's configuration, and draws what they
print, with the colours of a terminal. Nothing is written by hand. Lines about the progress, one for each
launch, are left out.
"""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
DEMO = ROOT / "demo"
WIDTH = 112
SESSION = (
    ("buto train leaker", 0),
    ("buto check leaker", 0),
    ("buto check leaker --config changed.yaml", 1),
)
"""Each command, and the exit code that its story needs."""

DRAWINGS = {"session": SESSION, "terminal": SESSION[-1:]}
"""The commands of each picture."""

COMMAND_S = 900.0
PROGRESS = re.compile(r"^leaker(?:@\w+)?: run \d+ of ")
"""A line about the progress, for each launch."""


def main() -> int:
    """Draw a session, and its last command; keep the old drawings if a check decided otherwise."""
    consoles = {
        name: Console(record=True, width=WIDTH, force_terminal=True, file=io.StringIO()) for name in DRAWINGS
    }
    with tempfile.TemporaryDirectory() as place:
        for name in ("buto.yaml", "changed.yaml"):
            shutil.copy(DEMO / name, place)
        for command, expected in SESSION:
            exit_code, text = type_command(command, Path(place))
            if exit_code != expected:
                print(f"{command!r} ended with {exit_code} instead of {expected}:\n{text}")
                return 1
            for console in (
                consoles[name] for name, drawn in DRAWINGS.items() if (command, expected) in drawn
            ):
                console.print(Text(f"$ {command}", style="bold"))
                console.print(shown(text), end="")
                console.print(Text(f"exit code {exit_code}\n", style="dim"))
    for name, console in consoles.items():
        svg = console.export_svg(title="buto", unique_id=name)
        # Fonts of the reader's machine: the picture must load nothing.
        text = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
        (IMAGES / f"{name}.svg").write_text(text, encoding="utf-8")
    print(f"{IMAGES.relative_to(ROOT)} shows the session.")
    return 0


def type_command(command: str, place: Path) -> tuple[int, str]:
    """Carry out a command in a directory; return its exit code and what it printed, the result last.

    Its standard output is a terminal, so that the result has colours. Its standard error is none, so that
    progress comes as lines.
    """
    ours, theirs = pty.openpty()
    program, *words = command.split()
    with ThreadPoolExecutor(1) as pool, open(ours, "rb", buffering=0) as terminal:
        printed = pool.submit(read_terminal, terminal)
        done = subprocess.run(
            [sys.executable, "-m", program, *words],
            cwd=place,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(WIDTH)},
            stdout=theirs,
            stderr=subprocess.PIPE,
            timeout=COMMAND_S,
            check=False,
        )
        os.close(theirs)
        result = printed.result()
    return done.returncode, (done.stderr + result).decode().replace("\r\n", "\n")


def read_terminal(terminal: io.RawIOBase) -> bytes:
    """Return what is printed until nobody has the other side of a terminal any more."""
    printed = b""
    # Linux ends it by an error, and other systems by an empty answer.
    with contextlib.suppress(OSError):
        while part := terminal.read(io.DEFAULT_BUFFER_SIZE):
            printed += part
    return printed


def shown(text: str) -> Text:
    """Return what stays on a terminal of a command's output."""
    lines = Text.from_ansi(text).split("\n")
    kept = [line for line in lines if line.plain.strip() and not PROGRESS.match(line.plain)]
    return Text("\n").join(kept) + Text("\n")


if __name__ == "__main__":
    sys.exit(main())
