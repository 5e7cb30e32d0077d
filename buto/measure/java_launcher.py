"""What a start script finds as ``java``: starts the real one, with buto's agent and without a word of it.

This module is also a program, which imports nothing of buto: :mod:`buto.measure.private_java` copies it to
where a script looks for ``java``, with a description of the launch beside it. A JVM that is to be measured
gets the agent as an option, and the environment that the script would have given it. One that runs no program
gets that environment alone. A build tool, or a JVM that is not wanted, keeps ``JAVA_TOOL_OPTIONS``, which
reaches the JVMs that it starts.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Takes milliseconds to import, for which every JVM below a script would wait.
    from collections.abc import Mapping, Sequence

_WITH_VALUE = (
    "-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path", "--add-modules",
    "--limit-modules", "--add-reads", "--add-exports", "--add-opens", "--patch-module", "--source",
    "--enable-native-access",
)  # fmt: skip
"""Options of ``java`` whose value is the next word."""

_PROGRAM = ("-jar", "-m", "--module")
"""Options before the jar or the module of a program."""

_TELLS = (
    "-version", "--version", "-fullversion", "--full-version", "-help", "--help", "-h", "-?", "-X",
    "--help-extra", "--list-modules", "-d", "--describe-module", "--validate-modules", "--dry-run",
)  # fmt: skip
"""With these a JVM runs no program."""

_LIMITS = ("--limit-modules", "--upgrade-module-path", "--patch-module", "-XX:VMOptionsFile", "@")
_MODULES = ("-m", "--module", "-p", *_LIMITS)
"""With these in a command, or in a file that it names, the JVM may lack the module ``java.instrument``."""

_WITH_AGENT = ("java.instrument", "--add-modules=java.instrument", "ALL-SYSTEM", "ALL-DEFAULT")
"""Words of a command with which the JVM has that module all the same."""

VARIABLES = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
"""Of the environment: options for every JVM."""

TOOL_OPTIONS = "JAVA_TOOL_OPTIONS"
_AGENT = "-javaagent:"


def own_options(added: Sequence[str], options: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return options for a JVM of a known command, in which agents are loaded as gently as possible.

    ``-javaagent`` adds the module ``java.instrument``. A program on the class path has that module anyway,
    but the request alone makes the JVM build its module graph again instead of reading it from its archive,
    which takes 100 classes and 30 ms of processor time, and leave an AOT cache unused.
    ``-agentlib:instrument`` loads the same agent without that. A JVM without the module would not start, so
    this option is used only if the module is certain.

    Args:
        added: with ``-javaagent``, which works in any JVM.
        options: all words after ``java``; those of the program itself may be among them.
        environment: the JVM's own.
    """
    settings = [environment.get(name, "") for name in VARIABLES]
    own = options[: _part(options)[0]]
    is_certain = any(module in word.split(",") for word in own for module in _WITH_AGENT)
    if any(word.startswith(_MODULES) for word in own) and not is_certain:
        return list(added)
    if any(word in setting for setting in settings for word in _LIMITS):
        return list(added)
    return [
        f"-agentlib:instrument={option[len(_AGENT) :]}" if option.startswith(_AGENT) else option
        for option in added
    ]


def program_of(options: Sequence[str]) -> str | None:
    """Return the main class, jar or module that ``java`` would run with these words.

    Returns:
        Empty if it runs none; None if that cannot be known, because a file has further options.
    """
    return _part(options)[1]


def words_of_program(options: Sequence[str]) -> list[str]:
    """Return the main class, jar or module that ``java`` would run with these words, and its arguments.

    Returns:
        Empty if it runs none, or that cannot be known.
    """
    n_own, program = _part(options)
    is_class = program is not None and n_own < len(options) and options[n_own] == program
    return [program, *options[n_own + is_class :]] if program else []


def _part(options: Sequence[str]) -> tuple[int, str | None]:
    """Return how many words are for ``java`` itself, and the program."""
    at = 0
    while at < len(options):
        word = options[at]
        if word in _TELLS or word.startswith("--describe-module="):
            return len(options), ""
        if word.startswith("@"):
            return len(options), None
        if word.startswith("--module="):
            return at + 1, word.partition("=")[2]
        if word in _PROGRAM:
            return at + 1, options[at + 1] if at + 1 < len(options) else ""
        if word in _WITH_VALUE:
            at += 1
        elif not word.startswith("-"):
            return at, word
        at += 1
    return len(options), ""


def is_measured(program: str, pattern: str, tools: Sequence[str]) -> bool:
    """Return whether a program is one to measure.

    Args:
        program: its main class, jar or module.
        pattern: shell pattern for its class or the name of its jar; empty for any that is not a tool.
        tools: shell patterns of build tools.
    """
    name = program.rsplit("/", 1)[-1]
    return _fits(name, pattern) if pattern else not any(_fits(name, tool) for tool in tools)


def _fits(name: str, pattern: str) -> bool:
    if not pattern:
        return not name
    if "[" in pattern:
        from fnmatch import fnmatchcase

        return fnmatchcase(name, pattern)
    if pattern[0] == "*":
        return _fits(name, pattern[1:]) or (bool(name) and _fits(name[1:], pattern))
    return bool(name) and pattern[0] in ("?", name[0]) and _fits(name[1:], pattern[1:])


def restore(value: str, added: str, before: str) -> str:
    """Return ``JAVA_TOOL_OPTIONS`` without what buto added, also if a script has added more."""
    return value.replace(f" {added}" if before else added, "", 1)


def main(called: str, options: Sequence[str]) -> None:
    """Become the real ``java``.

    Args:
        called: the path by which this program was called; beside its home is the description of the launch.
    """
    place = os.path.dirname(os.path.dirname(os.path.realpath(called)))
    with open(f"{os.path.dirname(place)}/java.launch", encoding="utf-8", errors="surrogateescape") as file:
        first, added, before, had_before, pattern, *lists = file.read().split("\0")
    own, tools, replaced = (part.split("\2") if part else [] for part in lists)
    with open("/proc/self/environ", "rb") as file:
        # Not os.environ, to which Python may have added a locale.
        block = file.read()
    pairs = (entry.partition(b"=") for entry in block.split(b"\0") if b"=" in entry)
    environment = {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}
    homes = [(private, home, java) for private, home, java in (words.split("\1") for words in replaced)]
    program = program_of(options)
    if program is not None and (not program or is_measured(program, pattern, tools)):
        environment["PATH"] = environment.get("PATH", "").replace(f"{first}:", "", 1)
        for private, home, java in homes:
            options = [word.replace(private, home) for word in options]
            for name, value in environment.items():
                environment[name] = value.replace(f"{private}/bin/java", java).replace(private, home)
        options_before = restore(environment.get(TOOL_OPTIONS, ""), added, before)
        if options_before or had_before:
            environment[TOOL_OPTIONS] = options_before
        else:
            environment.pop(TOOL_OPTIONS, None)
        if program:
            options = [*own_options(own, options, environment), *options]
    (real,) = (java for private, _, java in homes if private == place)
    # What is found on PATH is called by its name alone.
    name = "java" if os.path.dirname(called) == first else real
    os.execve(real, [name, *options], environment)


if __name__ == "__main__":
    main(sys.argv[0], sys.argv[1:])
