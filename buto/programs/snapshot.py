"""A program as it is now: the contents of its files, and its command in any other directory."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from buto.errors import UsageError
from buto.programs.java import FileReference, Word, reference_text, references
from buto.programs.named import Named, sha256_of
from buto.run.masking import Mask
from buto.run.units import format_bytes
from buto.steps import Advice, Setting


class ProgramFile(Struct, frozen=True):
    """One file of a program.

    Attributes:
        place: relative to the tree.
        executable: whether it may be executed.
    """

    place: str
    sha256: str
    size_bytes: int
    executable: bool = False


class InTree(Struct, frozen=True):
    """A part of a word: a file or a directory in the tree.

    Attributes:
        place: relative to the tree.
        is_relative: whether its path was written relative to the working directory. A JVM may read a file
            twice which it knows by both kinds of path.
    """

    place: str
    is_relative: bool = False


class Written(Struct, frozen=True):
    """A part of a word: a text with variables, whose values are secret."""

    text: str


Template = tuple[str | InTree | Written, ...]
"""Parts of a word, to be joined for a tree."""


def in_tree(
    template: Template, tree: Path, expand: Callable[[str], str], directory: Path | None = None
) -> str:
    """Return a word for a program whose files are in a tree.

    Args:
        expand: replaces variables.
        directory: the working directory, without links, from which paths that were relative are so again;
            None for absolute paths.
    """

    def text(part: str | InTree | Written) -> str:
        match part:
            case InTree(place, is_relative):
                path = os.path.normpath(tree / place)
                return os.path.relpath(path, directory) if is_relative and directory is not None else path
            case Written(written):
                return expand(written)
        return part

    return "".join(map(text, template))


class Program(Struct, frozen=True):
    """A program that can be put into any directory.

    Attributes:
        words: of its command.
        environment: variables of the environment that name files.
        within: the working directory in the tree; None for that of the project.
        root: the directory that the tree stands for, relative to the working directory.
        files: sorted by place.
        filed: which words are in an argument file, see :class:`buto.programs.named.Named`. A JVM does other
            things if its options come from one.
    """

    words: tuple[Template, ...]
    environment: Mapping[str, Template]
    within: str | None
    root: str
    files: tuple[ProgramFile, ...]
    filed: tuple[int, int] | None = None

    @property
    def n_bytes(self) -> int:
        """Return the size of all files."""
        return sum(file.size_bytes for file in self.files)

    def within_tree(self, root: str, directory: str) -> Program:
        """Return the same program in a tree that begins at a directory above its own.

        Args:
            root: that directory, absolute.
            directory: the working directory, absolute.
        """
        below = os.path.relpath(os.path.normpath(os.path.join(directory, self.root)), root)

        def move(place: str) -> str:
            return os.path.normpath(os.path.join(below, place))

        def template(word: Template) -> Template:
            return tuple(
                structs.replace(part, place=move(part.place)) if isinstance(part, InTree) else part
                for part in word
            )

        return Program(
            tuple(map(template, self.words)),
            {name: template(word) for name, word in self.environment.items()},
            None if self.within is None else move(self.within),
            os.path.relpath(root, directory),
            tuple(structs.replace(file, place=move(file.place)) for file in self.files),
            self.filed,
        )


class ProgramTooLargeError(UsageError):
    """The files of a program have too many bytes."""

    def __init__(self, n_bytes: int, most_bytes: int) -> None:
        super().__init__(
            f"its files have {format_bytes(n_bytes)}, and {format_bytes(most_bytes)} are kept at most",
            advice=Advice("to keep it: ", Setting("keep", format_bytes(1 << (n_bytes - 1).bit_length()))),
        )
        self.n_bytes = n_bytes


class Snapshot(Struct, frozen=True):
    """The files of a program and their contents at one time.

    Attributes:
        root: the directory that is the tree now.
        within: the working directory in the tree; None if it is no part of the program.
        files: by their paths now.
    """

    named: Named
    root: str
    within: str | None
    files: Mapping[str, ProgramFile]

    def find_changed_since(self, before: Snapshot) -> list[str]:
        """Return the paths of files that differ, sorted."""
        paths = self.files.keys() | before.files.keys()

        def content(files: Mapping[str, ProgramFile], path: str) -> tuple[str, bool] | None:
            file = files.get(path)
            return None if file is None else (file.sha256, file.executable)

        return sorted(path for path in paths if content(self.files, path) != content(before.files, path))

    def program(self, left_out: Collection[str] = ()) -> Program:
        """Return the program.

        Args:
            left_out: paths of files that are no part of it.
        """
        words = tuple(self._template(word, left_out) for word in self.named.words)
        variables = {name: self._template(word, left_out) for name, word in self.named.environment.items()}
        kept = (file for path, file in self.files.items() if path not in left_out)
        root = os.path.relpath(self.root, self.named.directory)
        files = tuple(sorted(kept, key=lambda file: file.place))
        return Program(words, variables, self.within, root, files, self.named.filed)

    def without_secrets(
        self, program: Program, mask: Mask, typed: Sequence[str], written: Sequence[str]
    ) -> Program:
        """Return the program with variables in place of secrets.

        Args:
            program: of this snapshot.
            typed: the words of the command.
            written: the same, as written, with variables in place of their values.

        Raises:
            UsageError: it has a secret that is written without a variable.
        """
        texts = [reference_text(word) for word in self.named.words]
        words = tuple(
            template if text == masked else (Written(_without_secret(text, typed, written)),)
            for template, text, masked in zip(program.words, texts, mask.words(texts), strict=True)
        )
        for name, word in self.named.environment.items():
            if mask.text(reference_text(word)) != reference_text(word):
                raise UsageError(f"the variable {name} of its environment has a secret")
        return structs.replace(program, words=words)

    def _template(self, word: Word, left_out: Collection[str]) -> Template:
        def part(part: str | FileReference) -> str | InTree:
            if isinstance(part, str):
                return part
            is_relative = not os.path.isabs(part.text)
            if (self.within is not None and is_relative) or part.path in left_out:
                return part.text
            return InTree(os.path.relpath(part.path, self.root), is_relative)

        return tuple(part(piece) for piece in word if piece != "")


def snapshot(named: Named, most_bytes: int, *, within: bool) -> Snapshot:
    """Return the contents of the files that a command names, by their checksums.

    Args:
        within: whether the working directory is a part of the tree.

    Raises:
        TooLargeError: they have more bytes than that.
        UsageError: one cannot be read, or is a link out of the project.
    """
    described = {path: _describe(path, named) for path in named.files}
    n_bytes = sum(status.st_size for status in described.values())
    if n_bytes > most_bytes:
        raise ProgramTooLargeError(n_bytes, most_bytes)
    words = (*named.words, *named.environment.values())
    tops = {
        os.path.dirname(path) for path in (*described, *(reference.path for reference in references(words)))
    }
    if within or not tops:
        tops |= {named.directory, named.base}
    root = os.path.commonpath(tops)
    files = {}
    for path, status in described.items():
        try:
            sha256 = sha256_of(path, status)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        executable = bool(status.st_mode & stat.S_IXUSR)
        files[path] = ProgramFile(os.path.relpath(path, root), sha256, status.st_size, executable)
    return Snapshot(named, root, os.path.relpath(named.directory, root) if within else None, files)


def _describe(path: str, named: Named) -> os.stat_result:
    """Return what the system knows of a file, which is no link out of the project."""
    target, base = os.path.realpath(path), named.base
    if f"{path}/".startswith(f"{base}/") and not f"{target}/".startswith(f"{os.path.realpath(base)}/"):
        raise UsageError(f"{os.path.relpath(path, base)} is a link to {target}, out of the project")
    try:
        return os.stat(target)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def _without_secret(word: str, typed: Sequence[str], written: Sequence[str]) -> str:
    """Return how a word with a secret is written."""
    for typed_word, text in zip(typed, written, strict=False):
        if typed_word == word and "${" in text and Mask().words([text]) == [text]:
            return text
    raise UsageError(
        "its command has a secret",
        advice="write a variable in place of the secret, ${NAME}, in the configuration",
    )
