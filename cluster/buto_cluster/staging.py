"""The files of programs on a host: each content once, and a directory tree for each program.

Those unused for 14 days are removed, and the longest unused beyond 4 GiB.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from buto.errors import MeasureError
from buto.measure.target import Target
from buto.programs.named import sha256_of
from buto.run.files import clean_leftovers, make_hidden_name, storage_errors, withdraw_directory
from buto_cluster.host import Inputs

MOST_BYTES = 4 << 30
"""Of all programs on a host together; the files of one test may have 512 MiB, twice."""

UNUSED_S = 14 * 86400.0
"""After this time without a launch, the files of a program are removed."""


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A file or a directory that can be sent again.

    Attributes:
        used_s: when it was used last, seconds since 1970.
    """

    path: Path
    size_bytes: int
    used_s: float


def superfluous(kept: Iterable[StagedFile], now_s: float, most_bytes: int, unused_s: float) -> list[Path]:
    """Return what is to be removed: what was not used for long, and the longest unused of too many bytes."""
    room, paths = most_bytes, []
    for file in sorted(kept, key=lambda kept_file: -kept_file.used_s):
        room -= file.size_bytes
        if room < 0 or now_s - file.used_s > unused_s:
            paths.append(file.path)
    return paths


def clean(directories: Iterable[Path], in_use: Path) -> None:
    """Remove superfluous entries of directories, if possible; the next cleaning tries again.

    Args:
        in_use: an entry that stays.
    """
    kept: list[StagedFile] = []
    for directory in directories:
        if directory.is_dir():
            clean_leftovers(directory)
            kept += _entries(directory)
    now_s = time.time()
    for path in superfluous(kept, now_s, MOST_BYTES, UNUSED_S):
        if path == in_use:
            continue
        with suppress(OSError):
            if path.is_dir():
                # A tree that is removed in part would be taken for a whole one.
                withdraw_directory(path)
            else:
                path.unlink()


def mark_used(path: Path) -> None:
    with suppress(OSError):
        os.utime(path)


def _entries(directory: Path) -> Iterator[StagedFile]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if not entry.name.startswith("."):
                with suppress(OSError):
                    state = entry.stat(follow_symlinks=False)
                    is_tree = entry.is_dir(follow_symlinks=False)
                    size = _size_of(entry.path) if is_tree else state.st_size
                    yield StagedFile(Path(entry.path), size, state.st_mtime)


def _size_of(tree: str) -> int:
    return sum(
        os.lstat(os.path.join(parent, name)).st_size for parent, _, files in os.walk(tree) for name in files
    )


class Staging:
    """The inputs below one directory: ``contents/SHA256`` and ``trees/DIGEST``.

    Args:
        root: created when the first content arrives.
    """

    def __init__(self, root: Path) -> None:
        self._contents = root / "contents"
        self._trees = root / "trees"

    def missing(self, inputs: Inputs) -> tuple[str, ...]:
        """Return the checksums of the contents that must be sent; none if all is here already."""
        if _is_here(inputs) or (self._trees / inputs.digest).is_dir():
            return ()
        return tuple(
            dict.fromkeys(
                file.sha256 for file in inputs.files if not (self._contents / file.sha256).is_file()
            )
        )

    def receive(self, sha256: str, pieces: Sequence[bytes], *, is_first: bool, is_last: bool) -> None:
        """Append pieces of a content; the last piece completes it."""
        place = self._contents / sha256
        part = place.with_name(f"{sha256}.part")
        with storage_errors("write", part):
            self._contents.mkdir(parents=True, exist_ok=True)
            with part.open("wb" if is_first else "ab") as file:
                file.writelines(pieces)
        if is_last:
            state = part.stat()
            if sha256_of(str(part), state) != sha256:
                part.unlink()
                raise MeasureError(f"an input arrived damaged, or changed while it was sent: {sha256}")
            part.rename(place)

    def place(self, target: Target, inputs: Inputs) -> Target:
        """Return the program as it is started here: in its own directory, or in a tree of its inputs."""
        if _is_here(inputs):
            return replace(target, directory=Path(inputs.directory))
        if not inputs.files:
            raise MeasureError(
                f"the working directory {inputs.directory} does not exist on this host",
                advice="name the program's files: inputs: [PATTERN, ...]; or put them at the same path there",
            )
        tree = self._trees / inputs.digest
        if not tree.is_dir():
            self._build(tree, inputs)
            clean((self._contents, self._trees), in_use=tree)
        mark_used(tree)
        return inputs.placed(target, tree)

    def _build(self, tree: Path, inputs: Inputs) -> None:
        hidden = make_hidden_name(tree)
        with storage_errors("write", tree):
            for file in inputs.files:
                place = hidden / file.place
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self._contents / file.sha256, place)
                mark_used(self._contents / file.sha256)
                place.chmod(0o700)
            (hidden / (inputs.program.within or "")).mkdir(parents=True, exist_ok=True)
            hidden.rename(tree)


def _is_here(inputs: Inputs) -> bool:
    """Return whether this host has the same files at the same paths, as with a shared file system."""
    if not os.path.isdir(inputs.directory):
        return False
    for file in inputs.files:
        try:
            path = inputs.path(file)
            state = os.stat(path)
            is_same = state.st_size == file.size_bytes
            if not is_same or sha256_of(path, state) != file.sha256:
                return False
        except OSError:
            return False
    return True
