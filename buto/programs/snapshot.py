"""A program as it is now: the contents of its files, and its command in any other directory."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from buto.errors import UsageError
from buto.programs.named import Named, sha256_of
from buto.programs.references import Reference, Word, text_of
from buto.runs.masking import Mask
from buto.steps import Advice, Setting
from buto.units import format_bytes


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
        files: sorted by place.
    """

    words: tuple[Template, ...]
    environment: Mapping[str, Template]
    within: str | None
    files: tuple[ProgramFile, ...]

    @property
    def n_bytes(self) -> int:
        """Return the size of all files."""
        return sum(one.size_bytes for one in self.files)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of a program and their contents at one time.

    Attributes:
        root: of the tree: where the files are, below it.
    """

    named: Named
    root: str
    files: Mapping[str, ProgramFile]

    def changed_since(self, before: Snapshot) -> list[str]:
        """Return the paths of files that differ, sorted."""
        paths = self.files.keys() | before.files.keys()

        def content(files: Mapping[str, ProgramFile], path: str) -> tuple[str, bool] | None:
            found = files.get(path)
            return None if found is None else (found.sha256, found.executable)

        return sorted(path for path in paths if content(self.files, path) != content(before.files, path))

    def program(
        self, mask: Mask, typed: Sequence[str], written: Sequence[str], left_out: set[str]
    ) -> Program:
        """Return the program, to be kept.

        Args:
            typed: the words of the command.
            written: the same, as written, with variables in place of their values.
            left_out: files of this snapshot that are no part of it.

        Raises:
            UsageError: the command has a secret that is written without a variable.
        """
        shown = mask.words([text_of(word) for word in self.named.words])
        words = tuple(
            self._template(word, left_out)
            if text_of(word) == masked
            else (Written(_without_secret(text_of(word), typed, written)),)
            for word, masked in zip(self.named.words, shown, strict=True)
        )
        for name, word in self.named.environment.items():
            if mask.text(text_of(word)) != text_of(word):
                raise UsageError(f"the variable {name} of its environment has a secret")
        variables = {name: self._template(word, left_out) for name, word in self.named.environment.items()}
        within = os.path.relpath(self.named.directory, self.root) if self.named.declared else None
        kept = (file for path, file in self.files.items() if path not in left_out)
        return Program(words, variables, within, tuple(sorted(kept, key=lambda file: file.place)))

    def _template(self, word: Word, left_out: set[str]) -> Template:
        def part(one: str | Reference) -> str | InTree:
            if isinstance(one, str) or one.path in left_out:
                return one if isinstance(one, str) else one.text
            return InTree(os.path.relpath(one.path, self.root))

        return tuple(part(one) for one in word if one != "")


def snapshot(named: Named, most_bytes: int) -> Snapshot:
    """Return the contents of the files that a command names, by their checksums.

    Raises:
        UsageError: they are too large, one cannot be read, or one is a link out of the project.
    """
    described = {path: _described(path, named) for path in named.files}
    total = sum(size_bytes for size_bytes, _, _ in described.values())
    if total > most_bytes:
        raise UsageError(
            f"its files have {format_bytes(total)}, and {format_bytes(most_bytes)} are kept at most",
            advice=Advice("to keep it: ", Setting("keep", format_bytes(1 << (total - 1).bit_length()))),
        )
    references = [
        part.path
        for word in (*named.words, *named.environment.values())
        for part in word
        if isinstance(part, Reference)
    ]
    tops = [*map(os.path.dirname, (*described, *references))]
    tops += [named.directory, named.base] if named.declared or not tops else []
    root = os.path.commonpath(tops)
    files = {}
    for path, (size_bytes, changed_ns, executable) in described.items():
        try:
            sha256 = sha256_of(path, size_bytes, changed_ns)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        files[path] = ProgramFile(os.path.relpath(path, root), sha256, size_bytes, executable)
    return Snapshot(named, root, files)


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
