"""The command line of a launch: the target's command with JVM options added."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from buto.collect.target import Target
from buto.errors import MeasureError

_TOOL_OPTIONS = "JAVA_TOOL_OPTIONS"


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command line to execute.

    Attributes:
        arguments: the first one is the program's path or name.
        environment: the complete environment.
        direct: whether the command is the ``java`` launcher itself, so that its process is the JVM.
        added_tool_options: the new and the former value of JAVA_TOOL_OPTIONS; None if the options
            are part of the command.
    """

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    direct: bool
    added_tool_options: tuple[str, str | None] | None = None

    def clean(self, output: bytes) -> bytes:
        """Return the output without the line that a JVM prints because buto changed JAVA_TOOL_OPTIONS."""
        if self.added_tool_options is None:
            return output
        value, before = self.added_tool_options
        own = f"Picked up {_TOOL_OPTIONS}: {before}\n" if before is not None else ""
        return output.replace(f"Picked up {_TOOL_OPTIONS}: {value}\n".encode(), own.encode())


def is_java(command: Sequence[str]) -> bool:
    """Return whether the command is the ``java`` launcher itself, in any directory."""
    return os.path.basename(command[0]) == "java"


def command_line(target: Target, jvm_options: Sequence[str]) -> CommandLine:
    """Add JVM options: as first arguments of ``java``, through JAVA_TOOL_OPTIONS for any other command.

    Raises:
        MeasureError: there is no such command.
    """
    environment = dict(os.environ) | dict(target.environment)
    program = _resolve(target.command[0], environment)
    if is_java(target.command):
        return CommandLine((program, *jvm_options, *target.command[1:]), environment, direct=True)
    arguments = (program, *target.command[1:])
    if not jvm_options:
        return CommandLine(arguments, environment, direct=False)
    before = environment.get(_TOOL_OPTIONS)
    value = " ".join(([before] if before else []) + [_quoted(option) for option in jvm_options])
    environment[_TOOL_OPTIONS] = value
    return CommandLine(arguments, environment, direct=False, added_tool_options=(value, before))


def _resolve(program: str, environment: Mapping[str, str]) -> str:
    """Return the path of a program on PATH; look for ``java`` in JAVA_HOME too."""
    if os.sep in program:
        return program
    found = shutil.which(program, path=environment.get("PATH", os.defpath))
    if found is None and program == "java" and environment.get("JAVA_HOME"):
        found = shutil.which("java", path=os.path.join(environment["JAVA_HOME"], "bin"))
    if found is None:
        raise MeasureError(
            f"command not found: {program}",
            advice=(
                "install a JDK (for example: apt install openjdk-17-jdk-headless) or set JAVA_HOME"
                if program == "java"
                else "check the name, or give the path of the program"
            ),
        )
    return found


def _quoted(option: str) -> str:
    """Quote an option for JAVA_TOOL_OPTIONS, which a JVM splits at blanks outside of quotes."""
    if not any(character in option for character in " \t\n'\""):
        return option
    mark = "'" if '"' in option else '"'
    return f"{mark}{option}{mark}"
