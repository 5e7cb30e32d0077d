"""The words of a command, with references to the files that they name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

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


class Kind(Enum):
    """What a reference stands for."""

    CODE = auto()
    """A file, or all files below a directory."""
    JARS = auto()
    """The jars in a directory."""
    AGENT = auto()
    """The jar of an agent, whose manifest may name others."""
    SOURCE = auto()
    """A source file, which may refer to others of its package's root."""
    DATA = auto()
    """A file that the program's own arguments name."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A part of a word that names a file or a directory.

    Attributes:
        text: as it was written.
        path: the same, absolute.
    """

    text: str
    path: str
    kind: Kind


Word = tuple[str | Reference, ...]
"""Parts of a word, to be joined."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where words are read.

    Attributes:
        directory: the working directory, absolute.
        jdk: the directory of the JDK that is used; empty if not known.
    """

    directory: str
    jdk: str = ""

    def reference(self, text: str, kind: Kind) -> str | Reference:
        """Return a reference, or the text if it names a part of the system or of the JDK."""
        path = self.path(text)
        is_system = f"{path}/".startswith(_SYSTEM) or (self.jdk and f"{path}/".startswith(f"{self.jdk}/"))
        return text if is_system else Reference(text, path, kind)

    def path(self, text: str) -> str:
        """Return an absolute path."""
        return os.path.abspath(os.path.join(self.directory, text))

    def paths(self, text: str) -> Word:
        """Read a list of paths, as of a class path; an empty entry is the working directory."""
        return tuple(_joined(map(self._entry, text.split(os.pathsep))))

    def data(self, text: str) -> Word:
        """Read a word of the program's own: parts that are archives, or files below the directory."""
        return tuple(
            Reference(part, self.path(part), Kind.DATA) if self._is_data(part) else part
            for part in _SEPARATORS.split(text)
        )

    def _entry(self, text: str) -> Word:
        if text == "*" or text.endswith(ALL_JARS):
            directory = text[:-1].rstrip("/") or ("/" if text.startswith("/") else ".")
            return (self.reference(directory, Kind.JARS), ALL_JARS)
        return (self.reference(text or ".", Kind.CODE),)

    def _is_data(self, part: str) -> bool:
        # Unlike those of Path, these functions take every word, however long.
        path = self.path(part)
        is_own = path.startswith(f"{self.directory}/") or part.endswith(_ARCHIVES)
        return part not in ("", ":", "=") and is_own and os.path.isfile(path)


def _joined(entries: Iterable[Word]) -> Iterator[str | Reference]:
    for number, entry in enumerate(entries):
        if number:
            yield os.pathsep
        yield from entry


def references(words: Iterable[Word]) -> list[Reference]:
    """Return the references in words."""
    return [part for word in words for part in word if isinstance(part, Reference)]


def text_of(word: Word) -> str:
    """Return a word as it was written."""
    return "".join(part.text if isinstance(part, Reference) else part for part in word)
