"""The files that the command line of the java launcher names.

A word of a command is read as its parts: text, and references to files. Further files are named by argument
files, where ``@FILE`` stands for the words in FILE, and by the manifest of a jar, which adds to the class
path.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from urllib.parse import unquote

from msgspec import Struct

from buto.errors import UsageError
from buto.programs.jar import read_entries
from buto.run.cache import read_file

_MANIFEST = "META-INF/MANIFEST.MF"
_MAX_MANIFEST_BYTES = 1 << 24
_CONTINUED = re.compile(r"\r?\n |\r ")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def find_named_by(jar: str, *, is_agent: bool = False) -> Iterator[str]:
    """Yield absolute paths of the jars and directories that a jar's manifest puts on the class path.

    Args:
        is_agent: whether ``Boot-Class-Path`` counts, too.

    Raises:
        UsageError: it names a URL, which does not move with the jar.
    """
    attributes = _attributes(jar)
    names = (*attributes.get("class-path", "").split(), *attributes.get("boot-class-path", "").split())
    for name in names if is_agent else attributes.get("class-path", "").split():
        scheme = _SCHEME.match(name)
        path = unquote(name)
        if scheme is not None or path.startswith("/"):
            raise UsageError(
                f"the manifest of {jar} names {name}, which stays where it is when the jar moves",
                advice="name it relative to the jar",
            )
        yield os.path.abspath(os.path.join(os.path.dirname(jar), path))


def _attributes(jar: str) -> dict[str, str]:
    """Return the main attributes of a jar's manifest, by small names; empty if there is none."""
    try:
        content = read_entries(Path(jar), (_MANIFEST,), _MAX_MANIFEST_BYTES).get(_MANIFEST, b"")
    except ValueError:
        return {}
    main = _CONTINUED.sub("", content.decode("utf-8", "replace")).replace("\r\n", "\n").replace("\r", "\n")
    lines = main.partition("\n\n")[0].split("\n")
    return {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
_WRITTEN = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\\": "\\\\", '"': '\\"'})
_ESCAPE = re.compile(r"\\(?:[\n\r][ \t\n\r\f]*|(.))", re.DOTALL)
_PART = re.compile(
    r"""
      (?P<end> [ \t\n\r\f]+ )
    | (?P<comment> [^ \t\n\r\f"'#]*+ \# [^\n\r]* [\n\r]? [ \t\n\r\f]* )
    | (?P<text> [^ \t\n\r\f"'#]+ )
    | (?P<quote> ["'] )
      (?P<quoted> (?: \\[\n\r][ \t\n\r\f]*(?![ \t\n\r\f]|\Z) | \\[^\n\r] | (?!(?P=quote))[^\\\n\r] )* )
      (?: (?P=quote) | (?=[\n\r]) | \Z )
    | (?P<cut> ["'].* )
    """,
    re.VERBOSE | re.DOTALL,
)


def words_of(text: str) -> list[str]:
    r"""Return the words of an argument file, as the launcher of JDK 9 and newer reads them.

    Words end at blanks outside of quotes. In quotes a backslash escapes: ``\n``, ``\t``, ``\r`` and ``\f``
    are characters, one at the end of a line continues with the first text of the next line, and any other
    stands for what follows it. The end of a line also ends an open quote. ``#`` outside of quotes begins a
    comment, in which the launcher loses the unquoted text directly before it.
    """
    words: list[str] = []
    word, kind = None, None
    for part in _PART.finditer(text):
        kind = part.lastgroup
        if kind == "text":
            word = (word or "") + part[0]
        elif kind == "quoted":
            word = (word or "") + _ESCAPE.sub(
                lambda match: _ESCAPED.get(match[1], match[1] or ""), part[kind]
            )
        elif kind == "end" and word is not None:
            words.append(word)
            word = None
    # A word that the end of the file interrupts is lost.
    return [*words, word] if word and kind in ("text", "quoted") else words


def text_of(words: Iterable[str]) -> str:
    """Return the text of an argument file with these words."""
    return "".join(f'"{word.translate(_WRITTEN)}"\n' for word in words)


_SEPARATORS = re.compile(r"([:=])")
_ARCHIVES = (".jar", ".war", ".jmod")
_SYSTEM = (
    "/bin/",
    "/sbin/",
    "/lib/",
    "/lib64/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/lib/",
    "/usr/lib64/",
    "/proc/",
)
ALL_JARS = "/*"


class ReferenceKind(Enum):
    """What a reference stands for.

    Attributes:
        CODE: a file, or all files below a directory.
        JARS: the jars in a directory.
        AGENT: the jar of an agent, whose manifest may name others.
        SOURCE: a source file, which may refer to others of its package's root.
        DATA: a file that the program's own arguments name.
    """

    CODE, JARS, AGENT, SOURCE, DATA = range(5)


class FileReference(Struct, frozen=True):
    """A part of a word that names a file or a directory.

    Attributes:
        text: as it was written.
        path: the same, absolute.
    """

    text: str
    path: str
    kind: ReferenceKind


Word = tuple[str | FileReference, ...]
"""Parts of a word, to be joined."""


class Place(Struct, frozen=True):
    """Where words are read.

    Attributes:
        directory: the working directory, absolute.
        jdk: the directory of the JDK that is used; empty if not known.
    """

    directory: str
    jdk: str = ""

    def reference(self, text: str, kind: ReferenceKind) -> str | FileReference:
        """Return a reference, or the text if it names a part of the system or of the JDK."""
        path = self.path(text)
        is_system = f"{path}/".startswith(_SYSTEM) or (self.jdk and f"{path}/".startswith(f"{self.jdk}/"))
        return text if is_system else FileReference(text, path, kind)

    def path(self, text: str) -> str:
        """Return an absolute path."""
        return os.path.abspath(os.path.join(self.directory, text))

    def paths(self, text: str) -> Word:
        """Read a list of paths, as of a class path; an empty entry is the working directory."""
        entries = [(os.pathsep, *self._entry(part)) for part in text.split(os.pathsep)]
        return tuple(part for entry in entries for part in entry)[1:]

    def data(self, text: str) -> Word:
        """Read a word of the program's own: parts that are archives, or files below the directory."""
        return tuple(
            FileReference(part, self.path(part), ReferenceKind.DATA) if self._is_data(part) else part
            for part in _SEPARATORS.split(text)
        )

    def _entry(self, text: str) -> Word:
        if text == "*" or text.endswith(ALL_JARS):
            directory = text[:-1].rstrip("/") or ("/" if text.startswith("/") else ".")
            return (self.reference(directory, ReferenceKind.JARS), ALL_JARS)
        return (self.reference(text or ".", ReferenceKind.CODE),)

    def _is_data(self, part: str) -> bool:
        # Unlike those of Path, these functions take every word, however long.
        path = self.path(part)
        is_own = path.startswith(f"{self.directory}/") or part.endswith(_ARCHIVES)
        return part not in ("", ":", "=") and is_own and os.path.isfile(path)


def references(words: Iterable[Word]) -> list[FileReference]:
    """Return the references in words."""
    return [part for word in words for part in word if isinstance(part, FileReference)]


def reference_text(word: Word) -> str:
    """Return a word as it was written."""
    return "".join(part.text if isinstance(part, FileReference) else part for part in word)


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


def read_command(
    words: Sequence[str], place: Place, environment: Mapping[str, str]
) -> tuple[list[Word], list[bool]]:
    """Return the words after ``java`` with references, and of each whether it was in an argument file.

    Argument files are replaced by their words. Without any class path the working directory is added as one,
    for that is what the launcher takes.

    Raises:
        UsageError: an argument file cannot be read.
    """
    read = _read(words, place)
    main, filed = read.main, read.filed
    names = {reference_text(word).partition("=")[0] for word in read.options}
    is_source = main.endswith(".java") or "--source" in names
    command = list(read.options)
    if main:
        command.append((place.reference(main, ReferenceKind.SOURCE) if is_source else main,))
        if not (is_source or names & {*_CLASS_PATHS, *_MAIN} or environment.get(CLASS_PATH_VARIABLE)):
            command = [("-cp",), (place.reference(".", ReferenceKind.CODE),), *command]
            filed = [False, False, *filed]
    return [*command, *map(place.data, read.arguments)], filed


def read_variable(value: str, place: Place) -> Word:
    """Return the value of one of VARIABLES with references; raises as :func:`read_command`."""
    words = [
        _QUOTED.sub(lambda quoted: quoted[1] or quoted[2] or "", word) for word in _OPTIONS.findall(value)
    ]
    parts: list[str | object] = []
    read = _read(words, place)
    main = [(read.main,)] if read.main else []
    for word in (*read.options, *main, *((argument,) for argument in read.arguments)):
        text = reference_text(word)
        mark = "" if not re.search(r"[\s\"']", text) else "'" if '"' in text else '"'
        parts += [" "] if parts else []
        parts += [mark, *word, mark] if mark else word
    return tuple(parts)  # type: ignore[arg-type]


class _Read(Struct, frozen=True):
    """The words of a launcher.

    Attributes:
        options: with their values, of which the jar of ``-jar`` and the module of ``-m`` are some.
        main: the main class, or a source file; empty if an option names it.
        arguments: of the program.
        filed: of each of these words, in their order, whether it was in an argument file.
    """

    options: list[Word]
    main: str
    arguments: list[str]
    filed: list[bool]


def _read(words: Sequence[str], place: Place) -> _Read:
    left = deque((word, True) for word in words)
    options: list[Word] = []
    filed: list[bool] = []

    def end_reading(main: str = "") -> _Read:
        return _Read(options, main, [word for word, _ in left], [*filed, *(not typed for _, typed in left)])

    option, expands = "", True
    while left:
        word, is_typed = left.popleft()
        if expands and is_typed and word.startswith("@") and len(word) > 1:
            # The launcher does not expand what an argument file itself names.
            more = [word[1:]] if word[1] == "@" else _argument_file(word[1:], place)
            left.extendleft((path, False) for path in reversed(more))
            continue
        filed.append(not is_typed)
        if option:
            options.append(_value(option, word, place))
            if option in _MAIN:
                return end_reading()
            option = ""
        elif word.startswith("-"):
            options.append(_option(word, place))
            option = word if word in _VALUED or word in _MAIN else ""
            expands = expands and word != "--disable-@files"
            if word.startswith("--module="):
                return end_reading()
        else:
            return end_reading(word)
    return end_reading()


def _value(option: str, value: str, place: Place) -> Word:
    if option in _PATHS:
        return place.paths(value)
    if option == "-jar":
        return (place.reference(value, ReferenceKind.CODE),)
    if option == "--patch-module":
        module, equals, paths = value.partition("=")
        return (f"{module}{equals}", *place.paths(paths))
    return (value,)


def _option(word: str, place: Place) -> Word:
    name, equals, value = word.partition("=")
    if name.startswith("--") and equals:
        return (f"{name}=", *_value(name, value, place))
    for start in (*_LISTS, *_FILES):
        if word.startswith(start):
            named = word.removeprefix(start)
            is_list = start in _LISTS
            return (start, *(place.paths(named) if is_list else [place.reference(named, ReferenceKind.CODE)]))
    for start in ("-javaagent:", "-agentpath:"):
        if word.startswith(start):
            kind = ReferenceKind.AGENT if start == "-javaagent:" else ReferenceKind.CODE
            agent = name.removeprefix(start)
            return (start, place.reference(agent, kind), equals, *place.data(value))
    return (f"{name}{equals}", *place.data(value)) if word.startswith("-D") else (word,)


def _argument_file(name: str, place: Place) -> list[str]:
    try:
        content = read_file(Path(place.path(name)), _MAX_BYTES, follow=True)
    except ValueError as error:
        raise UsageError(f"the argument file {name} cannot be read: {error}") from error
    return words_of(content.decode("utf-8", "surrogateescape"))
