"""Results from files, whatever tool wrote them; files of directories, and each file once."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from buto.errors import BadFileError
from buto.run.cache import read_file
from buto.run.names import decode_test
from buto_predict.listing import listed
from buto_predict.results.model import ComponentResult, merged
from buto_predict.results.recorded import read_runs, read_traced
from buto_predict.results.reports import read_jmh, read_junit
from buto_predict.traces.files import is_traces

_ENDINGS = (".json", ".xml")


_MAX_BYTES = 256 << 20

_GZIP = b"\x1f\x8b"


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


def read_results(paths: Sequence[Path]) -> tuple[ComponentResult, ...]:
    """Read one side's results; results of the same test in several files are combined.

    JMH's JSON, JUnit XML, traces and directories of stored runs are distinguished by their contents. A file
    that is given several times counts once; another directory stands for its files.

    Raises:
        BadFileError: a file is missing, damaged, or of an unknown kind, or all of them have no results.
    """
    results = merged(result for path in distinct(paths) for result in _read(path))
    if not results:
        raise BadFileError(
            f"{listed(map(str, paths))} must have results, got none; were all tests skipped?",
            advice="run the component tests again",
        )
    return results


def _read(path: Path) -> tuple[ComponentResult, ...]:
    if is_traces(path):
        return read_traced(path)
    if path.is_dir():
        if is_stored_runs(path):
            return read_runs(path)
        raise BadFileError(
            f"{path} is not a directory of stored runs, and has no *.json or *.xml",
            advice=f"name the files, such as {path}/*/*.xml, or runs, such as .buto/runs/NAME",
        )
    text = _text(path)
    match text.lstrip()[:1]:
        case "[":
            return read_jmh(text, path)
        case "<":
            return read_junit(text, path)
        case _:
            raise BadFileError(
                f"{path} must be JSON of JMH, JUnit XML, traces or a directory of stored runs, and is none"
                " of them",
                advice="java -jar benchmarks.jar -rf json -rff result.json",
            )


def _text(path: Path) -> str:
    try:
        content = read_file(path, _MAX_BYTES, follow=True)
    except ValueError as error:
        quoted = "*" in path.name and not path.exists()
        raise BadFileError(
            f"cannot read the results {path}: {error}",
            advice="the shell expands * only outside of quotes, and only if files match" if quoted else None,
        ) from error
    if content.startswith(_GZIP):
        raise BadFileError(
            f"{path} is compressed; decompress it first", advice=f"gunzip --keep {shlex.quote(str(path))}"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFileError(f"cannot read the results {path}: it is not UTF-8") from error
