"""Command lines: a launch's with JVM options added, those of living processes, and the files of a program.

A checksum over the files that a command names shows when two runs are not of the same program.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate
from pathlib import Path

from msgspec import Struct

from buto.errors import MeasureError, UsageError
from buto.measure.environment import give_environment
from buto.measure.java_launcher import TOOL_OPTIONS, own_options, words_of_program
from buto.measure.jvms import TOOLS
from buto.measure.private_java import Added, with_private_java
from buto.measure.process_group import read_bytes, stat_fields
from buto.measure.target import Target
from buto.programs.java import Place
from buto.programs.named import sha256_of, with_manifests
from buto.run.model import EXECUTABLE, MetadataValue


class CommandLine(Struct, frozen=True):
    """A command line to execute.

    Attributes:
        arguments: the first one is the program's path or name.
        environment: the complete environment.
        added: names of the variables that buto has added or changed in it.
        direct: whether the command is the ``java`` launcher itself, so that its process is the JVM.
        added_tool_options: the new and the former value of JAVA_TOOL_OPTIONS; None if the options
            are part of the command.
    """

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    direct: bool
    added_tool_options: tuple[str, str | None] | None = None
    added: tuple[str, ...] = ()

    def clean(self, output: bytes) -> bytes:
        """Return the output without the line that a JVM prints because buto changed JAVA_TOOL_OPTIONS."""
        if self.added_tool_options is None:
            return output
        value, before = self.added_tool_options
        own = f"Picked up {TOOL_OPTIONS}: {before}\n" if before is not None else ""
        said = f"Picked up {TOOL_OPTIONS}: {value}\n"
        # What a user has set need not be UTF-8.
        return output.replace(os.fsencode(said), os.fsencode(own))


def is_java(command: Sequence[str]) -> bool:
    """Return whether the command is the ``java`` launcher itself, in any directory."""
    return os.path.basename(command[0]) == "java"


def program_words(command: Sequence[str]) -> tuple[str, ...]:
    """Return a command without ``java`` and its options, if it begins so, else all of it."""
    return tuple((words_of_program(command[1:]) if command and is_java(command) else ()) or command)


def command_line(target: Target, jvm_options: Sequence[str], directory: Path | None = None) -> CommandLine:
    """Add JVM options: as first arguments of ``java``, or of each ``java`` that another command starts.

    Args:
        jvm_options: agents as ``-javaagent``.
        directory: where to put a ``java`` for such a command; None for only setting JAVA_TOOL_OPTIONS.

    Raises:
        MeasureError: there is no such command.
        StorageError: the directory cannot be written.
    """
    environment = give_environment() | dict(target.environment)
    program = _resolve(target.command[0], environment)
    words = target.command[1:]
    if is_java(target.command):
        own = own_options(jvm_options, words, environment)
        return CommandLine((program, *own, *words), environment, direct=True)
    if not jvm_options:
        return CommandLine((program, *words), environment, direct=False)
    before = environment.get(TOOL_OPTIONS)
    text = " ".join(map(_quote, jvm_options))
    value = f"{before} {text}" if before else text
    changed = environment
    if directory is not None:
        added = Added(jvm_options, text, before, target.jvm, TOOLS)
        changed = with_private_java(environment, directory, added)
    changed = {**changed, TOOL_OPTIONS: value}
    names = tuple(sorted(name for name in changed if changed[name] != environment.get(name)))
    return CommandLine((program, *words), changed, False, added_tool_options=(value, before), added=names)


def _resolve(program: str, environment: Mapping[str, str]) -> str:
    """Return the path of a program on PATH; look for ``java`` in JAVA_HOME too."""
    if os.sep in program:
        return program
    path = shutil.which(program, path=environment.get("PATH", os.defpath))
    if path is None and program == "java" and environment.get("JAVA_HOME"):
        path = shutil.which("java", path=os.path.join(environment["JAVA_HOME"], "bin"))
    if path is None:
        raise MeasureError(
            f"command not found: {program}",
            advice=(
                "install a JDK (for example: apt install openjdk-17-jdk-headless) or set JAVA_HOME"
                if program == "java"
                else "check the name, or give the path of the program"
            ),
        )
    return path


def _quote(option: str) -> str:
    """Quote an option for JAVA_TOOL_OPTIONS, which a JVM splits at blanks outside of quotes."""
    if not any(character in option for character in " \t\n'\""):
        return option
    mark = "'" if '"' in option else '"'
    return f"{mark}{option}{mark}"


_STATE, _PARENT, _START = 0, 1, 19
"""Indices of the fields of /proc/PID/stat after the name, see proc(5)."""


class Found(Struct, frozen=True):
    """A living process.

    Attributes:
        started: clock ticks from boot to its start.
        line: its command line, the words joined by blanks.
    """

    pid: int
    parent: int
    started: int
    line: str

    @property
    def started_ns(self) -> int:
        """``time.monotonic_ns`` at its start, to 10 ms. That clock stands still while the machine sleeps."""
        asleep_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()
        return self.started * 1_000_000_000 // os.sysconf("SC_CLK_TCK") - asleep_ns


def living() -> list[Found]:
    """Return all living processes that this process may see, in the order of their start."""
    processes = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        pid = int(name)
        fields = stat_fields(pid)
        if fields is None or fields[_STATE] in (b"Z", b"X"):
            continue
        words = (read_bytes(f"/proc/{pid}/cmdline") or b"").rstrip(b"\0").replace(b"\0", b" ")
        processes.append(
            Found(pid, int(fields[_PARENT]), int(fields[_START]), words.decode(errors="replace"))
        )
    return sorted(processes, key=lambda process: (process.started, process.pid))


def line_pattern(pattern: str) -> re.Pattern[str]:
    """Return a shell pattern for whole command lines as a regular expression."""
    return re.compile(translate(pattern), re.DOTALL)


_PATHS = ("jvm.class.path", "system.property[jdk.module.path]")
_DIRECTORY = "system.property[user.dir]"
_COMMAND = "buto.command"
_SOURCES = (".java", ".jar", ".sh")
"""Endings of a command's words that may be files of the program."""

_DIGITS = 12
MAX_ENTRIES = 10_000
"""Of directories; a class path such as ``.`` may have a whole disk below it."""

MAX_BYTES = 1 << 29


def program_digest(metadata: Mapping[str, MetadataValue]) -> str | None:
    """Return twelve digits of a checksum over the jars and classes that a run's metadata names.

    These are the jars of the class path and of the module path as they are now, with those that their
    manifests name, the classes in their directories, and sources, jars and scripts that the command names; of
    a command without a JVM its executable.

    Returns:
        None if there is no such file, or too much of them.
    """
    directory = Path(str(metadata.get(_DIRECTORY) or ""))
    whole = hashlib.blake2b()
    n_files = n_bytes = 0
    try:
        for name, path in _files(metadata, directory):
            state = path.stat()
            n_files, n_bytes = n_files + 1, n_bytes + state.st_size
            if n_bytes > MAX_BYTES:
                return None
            whole.update(f"{name}\0{sha256_of(str(path), state)}\0".encode())
    except (OSError, UsageError, _TooManyError):
        return None
    return whole.hexdigest()[:_DIGITS] if n_files else None


class _TooManyError(Exception):
    """A directory has more entries than MAX_ENTRIES."""


def _files(metadata: Mapping[str, MetadataValue], directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield files with names that do not depend on where the program is."""
    place, seen = Place(str(directory)), set[str]()
    for key in _PATHS:
        for entry in filter(None, str(metadata.get(key) or "").split(os.pathsep)):
            path = directory / entry
            if path.is_dir():
                yield from _below(path)
            else:
                for file in with_manifests(str(path), place, seen):
                    yield os.path.basename(file), Path(file)
    executable = str(metadata.get(EXECUTABLE) or "")
    if executable and os.path.isfile(executable):
        yield os.path.basename(executable), Path(executable)
    for word in _words(str(metadata.get(_COMMAND) or "")):
        if word.endswith(_SOURCES) and (directory / word).is_file():
            yield word, directory / word


def _below(top: Path) -> Iterator[tuple[str, Path]]:
    n_entries = 0
    for parent, directories, files in os.walk(top):
        # Sorted, so that the same files have the same checksum; hidden ones are of other tools.
        directories[:] = sorted(name for name in directories if not name.startswith("."))
        n_entries += len(directories) + len(files)
        if n_entries > MAX_ENTRIES:
            raise _TooManyError
        for name in sorted(files):
            if name.endswith((".class", ".jar")):
                path = Path(parent, name)
                yield str(path.relative_to(top)), path


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []
