"""The files that the command line of the java launcher names."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from buto.errors import UsageError
from buto.programs.argument_files import words_of
from buto.programs.references import Kind, Place, Word, text_of
from buto.runs.files.reading import read_file

_MAX_BYTES = 1 << 26
_CLASS_PATHS = ("-cp", "-classpath", "--class-path")
_PATHS = (*_CLASS_PATHS, "-p", "--module-path", "--upgrade-module-path")
_VALUED = (
    *_PATHS,
    *("--patch-module", "--source", "--add-modules", "--limit-modules", "--add-reads", "--add-exports"),
    *("--add-opens", "--enable-native-access", "-d", "--describe-module"),
)
"""Options whose value is the next word."""

_MAIN = ("-jar", "-m", "--module")
_WITHOUT_CLASS_PATH = (*_MAIN, "--source")
_LISTS = ("-Xbootclasspath/a:", "-Xbootclasspath/p:", "-Xbootclasspath:", "-Djava.library.path=")
_FILES = ("-XX:Flags=", "-XX:VMOptionsFile=", "-XX:CompileCommandFile=", "-splash:")
_OPTIONS = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""")
_QUOTED = re.compile(r""""([^"]*)"|'([^']*)'""")

CLASS_PATH_VARIABLE = "CLASSPATH"

VARIABLES = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
"""Environment variables with options of every JVM."""


def is_java(word: str) -> bool:
    """Return whether a word of a command is the ``java`` launcher, in any directory."""
    return os.path.basename(word) == "java"


def read_command(words: Sequence[str], place: Place, environment: Mapping[str, str]) -> list[Word]:
    """Return the words after ``java`` with references; argument files are replaced by their words.

    Without any class path the working directory is added as one, for that is what the launcher takes.

    Raises:
        UsageError: an argument file cannot be read.
    """
    options, main, arguments = _read(words, place)
    names = {text_of(word).partition("=")[0] for word in options}
    is_source = main.endswith(".java") or "--source" in names
    found = list(options)
    if main:
        found.append((place.reference(main, Kind.SOURCE) if is_source else main,))
        if not (is_source or names & {*_CLASS_PATHS, *_MAIN} or environment.get(CLASS_PATH_VARIABLE)):
            found = [("-cp",), (place.reference(".", Kind.CODE),), *found]
    return [*found, *map(place.data, arguments)]


def read_variable(value: str, place: Place) -> Word:
    """Return the value of one of VARIABLES with references; raises as :func:`read_command`."""
    words = [_QUOTED.sub(lambda quoted: quoted[1] or quoted[2] or "", one) for one in _OPTIONS.findall(value)]
    found: list[str | object] = []
    options, main, rest = _read(words, place)
    for word in (*options, *(((main,),) if main else ()), *((one,) for one in rest)):
        text = text_of(word)
        mark = "" if not re.search(r"[\s\"']", text) else "'" if '"' in text else '"'
        found += [" "] if found else []
        found += [mark, *word, mark] if mark else word
    return tuple(found)  # type: ignore[arg-type]


def _read(words: Sequence[str], place: Place) -> tuple[list[Word], str, list[str]]:
    """Return the options with their values, the main class (or source file), and the program's arguments.

    The jar of ``-jar`` and the module of ``-m`` are values of options.
    """
    left = deque((word, True) for word in words)
    found: list[Word] = []
    option, expands = "", True
    while left:
        word, is_typed = left.popleft()
        if expands and is_typed and word.startswith("@") and len(word) > 1:
            # The launcher does not expand what an argument file itself names.
            more = [word[1:]] if word[1] == "@" else _argument_file(word[1:], place)
            left.extendleft((one, False) for one in reversed(more))
        elif option:
            found.append(_value(option, word, place))
            if option in _MAIN:
                return found, "", [word for word, _ in left]
            option = ""
        elif word.startswith("-"):
            found.append(_option(word, place))
            option = word if word in _VALUED or word in _MAIN else ""
            expands = expands and word != "--disable-@files"
            if word.startswith("--module="):
                return found, "", [word for word, _ in left]
        else:
            return found, word, [word for word, _ in left]
    return found, "", []


def _value(option: str, value: str, place: Place) -> Word:
    if option in _PATHS:
        return place.paths(value)
    if option == "-jar":
        return (place.reference(value, Kind.CODE),)
    if option == "--patch-module":
        module, equals, paths = value.partition("=")
        return (f"{module}{equals}", *place.paths(paths))
    return (value,)


def _option(word: str, place: Place) -> Word:
    name, equals, value = word.partition("=")
    if name.startswith("--") and equals:
        return (f"{name}=", *_value(name, value, place))
    for start in _LISTS:
        if word.startswith(start):
            return (start, *place.paths(word.removeprefix(start)))
    for start in _FILES:
        if word.startswith(start):
            return (start, place.reference(word.removeprefix(start), Kind.CODE))
    for start in ("-javaagent:", "-agentpath:"):
        if word.startswith(start):
            kind = Kind.AGENT if start == "-javaagent:" else Kind.CODE
            agent = name.removeprefix(start)
            return (start, place.reference(agent, kind), equals, *place.data(value))
    return (f"{name}{equals}", *place.data(value)) if word.startswith("-D") else (word,)


def _argument_file(name: str, place: Place) -> list[str]:
    try:
        content = read_file(Path(place.path(name)), _MAX_BYTES, follow=True)
    except ValueError as error:
        raise UsageError(f"the argument file {name} cannot be read: {error}") from error
    return words_of(content.decode("utf-8", "surrogateescape"))
