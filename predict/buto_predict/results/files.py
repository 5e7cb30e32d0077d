"""The files that results are read from: those of directories, and each of them once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from buto.errors import BadFileError
from buto.runs.names import decode_test
from buto_predict.listing import listed
from buto_predict.traces.reading import is_traces

_ENDINGS = (".json", ".xml")


@dataclass(frozen=True, slots=True)
class Repeated:
    """What is wrong with files that are given more than once.

    Attributes:
        warnings: of those that count once.
        reasons: why nothing can pass.
    """

    warnings: tuple[str, ...]
    reasons: tuple[str, ...]


def distinct(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Return the files of all paths, without those that have the same content as one before.

    A directory stands for its files that may be results, in the order of their names; one of Kieker's traces
    or without such files, such as one of stored runs, for itself.
    """
    files = _files(paths)
    first: dict[str, Path] = {}
    for key, path in zip(_keys(files), files, strict=True):
        first.setdefault(key, path)
    return tuple(first.values())


def repeated(old: Sequence[Path], new: Sequence[Path]) -> Repeated:
    """Find results that are given several times, or on both sides."""
    olds, news = _files(old), _files(new)
    keys = _keys((*olds, *news))
    keys_of = {"old": keys[: len(olds)], "new": keys[len(olds) :]}
    warnings = []
    for side, files in (("old", olds), ("new", news)):
        own = keys_of[side]
        again = [str(path) for place, path in enumerate(files) if own[place] in own[:place]]
        if again:
            warnings.append(f"{side} results that are given several times count once: {listed(again)}")
    both = [str(path) for path, key in zip(news, keys_of["new"], strict=True) if key in keys_of["old"]]
    if set(keys_of["old"]) == set(keys_of["new"]):
        return Repeated(tuple(warnings), ("old and new are the same results, so nothing new was measured",))
    if both:
        return Repeated(tuple(warnings), (f"old results are among the new ones, too: {listed(both)}",))
    return Repeated(tuple(warnings), ())


def is_stored_runs(directory: Path) -> bool:
    """Return whether a directory's place is that of a test's runs in a store."""
    return directory.resolve().parent.name == "runs" and decode_test(directory.name) is not None


def _files(paths: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(file for path in paths for file in _files_of(path))


def _files_of(path: Path) -> tuple[Path, ...]:
    if not path.is_dir() or is_traces(path):
        return (path,)
    try:
        return tuple(sorted(one for one in path.iterdir() if one.suffix in _ENDINGS)) or (path,)
    except OSError as error:
        raise BadFileError(f"cannot read the directory {path}: {error.strerror}") from error


def _keys(files: Sequence[Path]) -> list[str]:
    """Return texts that are equal for files of the same content; what is no file is known by its path.

    Only files of the same size are read.
    """
    places = [os.path.realpath(path) for path in files]
    sizes = {place: os.path.getsize(place) for place in places if os.path.isfile(place)}
    times = Counter(sizes.values())
    return [_digest(place) if times[sizes.get(place, -1)] > 1 else place for place in places]


def _digest(place: str) -> str:
    try:
        with open(place, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        # Reading the results reports why.
        return place
