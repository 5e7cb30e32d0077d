"""Trials of a new user: what is typed, and what the user reads first: status, first line and advice."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.checkout import ROOT

TIMEOUT_S = 600.0

_ADVICE = re.compile(r"^\W*(?:\[\w+\] )?\s*(?:try|next|or):  ?(.+?)(?:  # .*)?$", re.MULTILINE)
_COMMAND = re.compile(r"(?:^|(?<=: ))(?:mvn|pytest|buto|env) .*")


@dataclass
class Trial:
    """A user in a directory, who types commands and reads what they print.

    Attributes:
        directory: where the commands are typed.
        programs: directories of PATH before all others.
        environment: variables, besides.
        output: of the newest command.
    """

    directory: Path
    programs: tuple[Path, ...] = (Path(sys.executable).parent,)
    environment: dict[str, str] = field(default_factory=dict)
    output: str = ""

    def types(self, command: str, *, code: int) -> str:
        """Type a command and return all that it prints; its exit code must be this one."""
        path = os.pathsep.join([*map(os.fspath, self.programs), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.directory,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path, "COLUMNS": "200", **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        self.output = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
        assert done.returncode == code, f"{command}\n{self.output}"
        assert "Traceback" not in self.output, self.output
        return self.output

    def first(self, pattern: str) -> str:
        """Return the first line that has a pattern; there must be one."""
        found = next((line for line in self.output.splitlines() if re.search(pattern, line)), None)
        assert found is not None, f"{pattern}\n{self.output}"
        return found

    def advice(self, word: str) -> str:
        """Return the first advised command with a word, as it stands after what is said before it."""
        found = next(
            (match for match in map(_COMMAND.search, self.advised) if match and word in match[0]), None
        )
        assert found is not None, f"{word}\n{self.output}"
        return found[0]

    @property
    def advised(self) -> list[str]:
        """All that the output advises to type."""
        return _ADVICE.findall(self.output)
