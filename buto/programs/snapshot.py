"""A program as it is now: the contents of its files, and its command in any other directory."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from buto.errors import UsageError
from buto.programs.java import Reference, Word, reference_text, references
from buto.programs.named import Named, sha256_of
from buto.run.masking import Mask
from buto.run.units import format_bytes
from buto.steps import Advice, Setting


@dataclass(frozen=True, slots=True)
class ProgramFile:
    """One file of a program.

    Attributes:
        place: relative to the tree.
        executable: whether it may be executed.
    """

    place: str
    sha256: str
    size_bytes: int
    executable: bool = False


@dataclass(frozen=True, slots=True)
class InTree:
    """A part of a word: a path relative to the tree."""

    place: str


@dataclass(frozen=True, slots=True)
class Written:
    """A part of a word: a text with variables, whose values are secret."""

    text: str


Template = tuple[str | InTree | Written, ...]
"""Parts of a word, to be joined for a tree."""


def in_tree(template: Template, tree: Path, expand: Callable[[str], str]) -> str:
    """Return a word for a program whose files are in a tree.

    Args:
        expand: replaces variables.
    """

    def text(part: str | InTree | Written) -> str:
        match part:
            case InTree(place):
                return os.path.normpath(tree / place)
            case Written(written):
                return expand(written)
        return part

    return "".join(map(text, template))


@dataclass(frozen=True, slots=True)
class Program:
    """A program that can be put into any directory.

    Attributes:
        words: of its command.
        environment: variables of the environment that name files.
        within: the working directory in the tree; None for that of the project.
        root: the directory that the tree stands for, relative to the working directory.
        files: sorted by place.
    """

    words: tuple[Template, ...]
    environment: Mapping[str, Template]
    within: str | None
    root: str
    files: tuple[ProgramFile, ...]

    @property
    def n_bytes(self) -> int:
        """Return the size of all files."""
        return sum(one.size_bytes for one in self.files)


class TooLargeError(UsageError):
    """The files of a program have too many bytes."""

    def __init__(self, n_bytes: int, most_bytes: int) -> None:
        super().__init__(
            f"its files have {format_bytes(n_bytes)}, and {format_bytes(most_bytes)} are kept at most",
            advice=Advice("to keep it: ", Setting("keep", format_bytes(1 << (n_bytes - 1).bit_length()))),
        )
        self.n_bytes = n_bytes


@dataclass(frozen=True, slots=True)
class Snapshot:
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

    def changed_since(self, before: Snapshot) -> list[str]:
        """Return the paths of files that differ, sorted."""
        paths = self.files.keys() | before.files.keys()

        def content(files: Mapping[str, ProgramFile], path: str) -> tuple[str, bool] | None:
            found = files.get(path)
            return None if found is None else (found.sha256, found.executable)

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
        return Program(words, variables, self.within, root, files)

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
        return replace(program, words=words)

    def _template(self, word: Word, left_out: Collection[str]) -> Template:
        def part(one: str | Reference) -> str | InTree:
            if isinstance(one, str):
                return one
            is_the_same = self.within is not None and not os.path.isabs(one.text)
            if is_the_same or one.path in left_out:
                return one.text
            return InTree(os.path.relpath(one.path, self.root))

        return tuple(part(one) for one in word if one != "")


def snapshot(named: Named, most_bytes: int, *, within: bool) -> Snapshot:
    """Return the contents of the files that a command names, by their checksums.

    Args:
        within: whether the working directory is a part of the tree.

    Raises:
        TooLargeError: they have more bytes than that.
        UsageError: one cannot be read, or is a link out of the project.
    """
    described = {path: _described(path, named) for path in named.files}
    n_bytes = sum(size_bytes for size_bytes, _, _ in described.values())
    if n_bytes > most_bytes:
        raise TooLargeError(n_bytes, most_bytes)
    words = (*named.words, *named.environment.values())
    tops = {os.path.dirname(path) for path in (*described, *(one.path for one in references(words)))}
    if within or not tops:
        tops |= {named.directory, named.base}
    root = os.path.commonpath(tops)
    files = {}
    for path, (size_bytes, changed_ns, executable) in described.items():
        try:
            sha256 = sha256_of(path, size_bytes, changed_ns)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        files[path] = ProgramFile(os.path.relpath(path, root), sha256, size_bytes, executable)
    return Snapshot(named, root, os.path.relpath(named.directory, root) if within else None, files)


def _described(path: str, named: Named) -> tuple[int, int, bool]:
    """Return size, time of the last change, and whether a file may be executed."""
    target, base = os.path.realpath(path), named.base
    if f"{path}/".startswith(f"{base}/") and not f"{target}/".startswith(f"{os.path.realpath(base)}/"):
        raise UsageError(f"{os.path.relpath(path, base)} is a link to {target}, out of the project")
    try:
        status = os.stat(target)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    return status.st_size, status.st_mtime_ns, bool(status.st_mode & stat.S_IXUSR)


def _without_secret(word: str, typed: Sequence[str], written: Sequence[str]) -> str:
    """Return how a word with a secret is written."""
    for one, text in zip(typed, written, strict=False):
        if one == word and "${" in text and Mask().words([text]) == [text]:
            return text
    raise UsageError(
        "its command has a secret",
        advice="write a variable in place of the secret, ${NAME}, in the configuration",
    )
