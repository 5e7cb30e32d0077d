"""The stage of the turns: programs in directories of one form, so that these make no difference.

A program does more or less by where it stands: a JVM allocates more for each class of a longer path, and
reads a jar twice of which it knows two paths. So all programs of a stage are written in one way, with one
time of change, in slots: directories side by side, with names of one length. The slot in which a program
stands may be drawn anew before each launch. Then what is left of a path's effect scatters, and accuses no
program.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from buto.errors import StorageError
from buto.programs.contents import Contents, content
from buto.programs.java import is_java, text_of
from buto.programs.snapshot import Program, ProgramFile, Snapshot, Template, in_tree

N_SLOTS = 2

_NAMES = "123"
"""The characters that the names of the slots consist of, and that of the place where two are exchanged."""

_LONGEST_NAME = 100
_LONGEST_WORD = 1 << 16
"""Linux has no longer words in a command than twice this."""

_CHANGED_S = 1_000_000_000
"""When all staged files were changed last, in seconds since 1970: before whatever the program has made."""


class ProgramSource(Struct, frozen=True):
    """A program, and where the contents of its files come from.

    Attributes:
        here: the working directory of the project in which it is launched.
        contents: yields each file with its content, in any order; raises ButoError if one is not as the
            program says.
        written: places of files that the program may change itself.
    """

    program: Program
    here: Path
    contents: Callable[[], Iterable[tuple[ProgramFile, bytes | memoryview]]]
    written: frozenset[str] = frozenset()


def present(seen: Snapshot, here: Path, left_out: Collection[str] = ()) -> ProgramSource:
    """Return a program as it is now.

    Args:
        left_out: paths of files that are no part of it.
    """
    program = seen.program(left_out)
    data = frozenset(file.place for path, file in seen.files.items() if seen.named.files[path])

    def contents() -> Iterator[tuple[ProgramFile, bytes]]:
        for file in program.files:
            yield file, content(file, seen.root)

    return ProgramSource(program, here, contents, data)


class Placed(Struct, frozen=True):
    """How a program is launched that stands in a slot.

    Attributes:
        environment: variables to be set.
        directory: the working directory; None for that of the project.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path | None


class Stage:
    """One program, or two, in slots of one directory.

    Its paths are as long as those of the project, if possible.

    Args:
        directory: empty, and of this process only. What is in it afterwards is to be removed by its owner.
        sources: at most N_SLOTS.
        expand: replaces the variables that stand for secrets.
        seed: of the slots that are drawn.

    Raises:
        StorageError: the directory cannot be written.
        ButoError: a content is not as its program says, or a variable is unknown.
    """

    def __init__(
        self, directory: Path, sources: Sequence[ProgramSource], expand: Callable[[str], str], *, seed: int
    ) -> None:
        self._random = random.Random(seed)
        self._expand = expand
        # A JVM resolves the links of a path, and so does a relative path that leads up.
        self._directory = Path(os.path.realpath(directory))
        self._heres = [os.path.realpath(source.here) for source in sources]
        # Each as if it were launched in the same directory, or their paths had other lengths.
        here, programs = self._heres[-1], [source.program for source in sources]
        root = os.path.commonpath(
            [os.path.normpath(os.path.join(here, program.root)) for program in programs]
        )
        self._programs = [program.within_tree(root, here) for program in programs]
        *self._slots, self._aside = _side_by_side(self._directory, root)
        self._at = self._random.sample(range(N_SLOTS), len(sources))
        self._contents: list[Contents] = []
        for number, source in enumerate(sources):
            self._write(number, source)
        # If one needs an argument file, all have one.
        self._has_long_words = any(
            len(word) >= _LONGEST_WORD for number in range(len(sources)) for word in self._words(number)
        )

    def place(self, number: int) -> Placed:
        """Return how a program is launched where it stands now.

        Args:
            number: of the program among the sources.
        """
        program, tree = self._programs[number], self._slots[self._at[number]]
        words = self._words(number)
        return Placed(
            self._with_argument_file(words, number),
            {name: self._word(number, template) for name, template in program.environment.items()},
            None if program.within is None else tree / program.within,
        )

    def draw(self, number: int) -> Placed:
        """Let a program stand in a slot that is drawn, and return how it is launched there."""
        wanted = self._random.randrange(N_SLOTS)
        if self._at[number] != wanted:
            first, second = self._slots
            with _room_for(first):
                # The one that is there, or both.
                for source, target in ((first, self._aside), (second, first), (self._aside, second)):
                    if source.exists():
                        source.rename(target)
            self._at = [1 - slot for slot in self._at]
        return self.place(number)

    def find_change(self) -> str | None:
        """Return the path of a staged file that has another content than at first; None without one."""
        trees = (os.fspath(self._slots[slot]) for slot in self._at)
        paths = (contents.find_change(tree) for contents, tree in zip(self._contents, trees, strict=True))
        return next((path for path in paths if path is not None), None)

    def _write(self, number: int, source: ProgramSource) -> None:
        program, tree = self._programs[number], self._slots[self._at[number]]
        places = {before.place: now for before, now in zip(source.program.files, program.files, strict=True)}
        with _room_for(tree):
            tree.mkdir(parents=True)
            for file, part in source.contents():
                _write_file(tree / places[file.place].place, part, executable=file.executable)
            if program.within is not None:
                (tree / program.within).mkdir(parents=True, exist_ok=True)
            for parent, _, names in os.walk(tree, topdown=False):
                for name in (*names, ""):
                    os.utime(os.path.join(parent, name), (_CHANGED_S, _CHANGED_S))
        fixed = [now for before, now in places.items() if before not in source.written]
        self._contents.append(Contents(fixed, os.fspath(tree)))

    def _words(self, number: int) -> tuple[str, ...]:
        return tuple(self._word(number, template) for template in self._programs[number].words)

    def _word(self, number: int, template: Template) -> str:
        directory = Path(self._heres[number])
        return in_tree(template, self._slots[self._at[number]], self._expand, directory)

    def _with_argument_file(self, words: tuple[str, ...], number: int) -> tuple[str, ...]:
        filed = self._programs[number].filed
        if self._has_long_words:
            java = next((place for place, word in enumerate(words) if is_java(word)), None)
            filed = None if java is None else (java + 1, len(words))
        if filed is None:
            return words
        start, stop = filed
        arguments = self._directory / f"arguments{self._at[number]}"
        with _room_for(arguments):
            arguments.write_text(text_of(words[start:stop]), "utf-8", "surrogateescape")
        return (*words[:start], f"@{arguments}", *words[stop:])


@contextmanager
def _room_for(path: Path) -> Iterator[None]:
    """Turn an OSError of the block into a StorageError."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"the copies for turns cannot be written: {path}: {error.strerror or error}",
            advice="free some space there, or set TMPDIR to another directory",
        ) from error


def _side_by_side(directory: Path, root: str) -> list[Path]:
    """Return paths below a directory, each as long as that of a root if possible; they have one parent."""
    missing = max(1, len(os.fsencode(root)) - len(os.fsencode(directory)) - 1)
    parent = directory
    while missing > _LONGEST_NAME + 1:
        parent /= "_" * _LONGEST_NAME
        missing -= _LONGEST_NAME + 1
    return [parent / (name * missing) for name in _NAMES]


def _write_file(path: Path, part: bytes | memoryview, *, executable: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o755 if executable else 0o644), "wb") as file:
        file.write(part)
