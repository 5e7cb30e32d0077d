"""Results of component tests from files: JMH, JUnit, traces and stored runs; equal files count once."""

from __future__ import annotations

import json
import math
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from buto.errors import BadFileError
from buto.run.cache import read_file
from buto.run.names import decode_test, is_id
from buto_predict.listing import listed
from buto_predict.results.model import ComponentResult, Conditions, merged, read_runs, read_traced
from buto_predict.traces.files import is_traces

_SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "hr": 3600.0,
    "day": 86400.0,
}


_ROOTS = ("testsuites", "testsuite")

_FAILED = ("failure", "error")


def read_jmh(text: str, path: Path) -> tuple[ComponentResult, ...]:
    """Return one result for each benchmark and its parameters; a fork is a replicate.

    Throughput is turned into time for one operation, by the number of threads. Iterations that JMH could not
    measure ("NaN") are left out; forks without any, and missing ones, have failed. Modes and numbers of
    threads are conditions, because a single cold call is no replicate of the mean of many.

    Raises:
        BadFileError: it is not JMH's JSON, has no result, or has a unit that is not one of time.
    """
    results = _results(text, path)
    if not any(len(result.times_s) for result in results):
        raise BadFileError(
            f"{path} has no results; did every benchmark fail?",
            advice="read what JMH printed; with -foe true it stops at the first benchmark that fails",
        )
    return results


def _results(text: str, path: Path) -> tuple[ComponentResult, ...]:
    try:
        return tuple(_result(entry, path) for entry in json.loads(text))
    except (
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        IndexError,
        RecursionError,
        OverflowError,
    ) as error:
        raise BadFileError(
            f"{path} is not JSON as JMH writes it: {type(error).__name__}: {error}",
            advice="write it with: java -jar benchmarks.jar -rf json -rff result.json",
        ) from error


def _result(entry: Mapping[str, Any], path: Path) -> ComponentResult:
    metric = entry["primaryMetric"]
    suffix = ",".join(f"{key}={value}" for key, value in sorted((entry.get("params") or {}).items()))
    name = f"{entry['benchmark']}:{suffix}" if suffix else str(entry["benchmark"])
    threads = int(entry.get("threads", 1))
    if threads < 1:
        raise ValueError(f"{name} has {threads} threads")
    seconds = _to_seconds(str(metric["scoreUnit"]), threads, name, path)
    histogram = metric.get("rawDataHistogram")
    forks = (
        [_mean([_weight(iteration) for iteration in fork]) for fork in histogram]
        if histogram
        else [_mean([(float(value), 1.0) for value in fork]) for fork in metric["rawData"]]
    )
    times = [seconds(value) for value in forks if math.isfinite(value) and value > 0]
    return ComponentResult(
        name,
        np.array(times, dtype=np.float64),
        "fork",
        conditions=Conditions(str(entry.get("mode")), threads),
        # JMH writes 0 forks where it measures in its own JVM, which is one replicate.
        failed=max(int(entry.get("forks", 0)), len(forks)) - len(times),
        jvms=frozenset(_jvm(entry)),
    )


def _jvm(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the JDK and the options of the JVM itself, such as its heap; others may be the benchmark's."""
    if "jdkVersion" in entry:
        options = [str(argument) for argument in entry.get("jvmArgs") or () if str(argument).startswith("-X")]
        yield " ".join([f"JDK {entry['jdkVersion']}", *options])


def _weight(iteration: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the mean of an iteration's histogram of [value, count], and the number of values."""
    count = sum(float(pair[1]) for pair in iteration)
    total = sum(float(pair[0]) * float(pair[1]) for pair in iteration)
    return (total / count if count else math.nan), count


def _mean(weighted: Sequence[tuple[float, float]]) -> float:
    known = [(value, weight) for value, weight in weighted if math.isfinite(value) and weight > 0]
    weight = sum(directory for _, directory in known)
    return sum(value * path for value, path in known) / weight if weight else math.nan


class _Seconds:
    """From a score to the seconds of one operation."""

    def __init__(self, factor: float, *, inverted: bool) -> None:
        self.factor = factor
        self.inverted = inverted

    def __call__(self, score: float) -> float:
        return self.factor / score if self.inverted else self.factor * score


def _to_seconds(unit: str, threads: int, name: str, path: Path) -> _Seconds:
    first, _, second = unit.partition("/")
    if first == "ops" and second in _SECONDS:
        return _Seconds(_SECONDS[second] * threads, inverted=True)
    if second == "op" and first in _SECONDS:
        return _Seconds(_SECONDS[first], inverted=False)
    raise BadFileError(
        f"{path}: {name}: the unit of the score must be a time per op or ops per time, got {unit!r}"
    )


def read_junit(text: str, path: Path) -> tuple[ComponentResult, ...]:
    """Return one result for each test case, with one replicate: the report is one run.

    Cases of one name (repetitions) are averaged. A case that failed has no time, because it may have ended
    early. Cases that were skipped are left out. Times are whole milliseconds, so that a short one is 0, see
    :func:`buto_predict.results.model.resolved`.

    Raises:
        BadFileError: it is not a report, or a time is not a number.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise BadFileError(f"{path} is not a JUnit XML report: {error}") from error
    if root.tag not in _ROOTS and root.find(".//testcase") is None:
        raise BadFileError(
            f"{path} is not a JUnit XML report: it begins with <{root.tag}>",
            advice="name the reports that Maven, Gradle or pytest wrote",
        )
    times: dict[str, list[float]] = {}
    failed: dict[str, None] = {}
    for case in root.iter("testcase"):
        name = ".".join(part for part in (case.get("classname"), case.get("name")) if part)
        if any(case.find(tag) is not None for tag in _FAILED):
            failed[name] = None
        elif case.find("skipped") is None:
            time_s = _seconds(case.get("time", "0"), name, path)
            if time_s >= 0 and math.isfinite(time_s):
                times.setdefault(name, []).append(time_s)
    return tuple(
        ComponentResult(name, np.zeros(0), "run", failed=1)
        if name in failed
        else ComponentResult(name, np.array([np.mean(times[name])]), "run")
        for name in dict.fromkeys([*times, *failed])
    )


def _seconds(text: str, name: str, path: Path) -> float:
    try:
        # Surefire groups the digits of thousands.
        return float(text.replace(",", ""))
    except ValueError as error:
        raise BadFileError(f"{path}: the time of {name} must be a number of seconds, got {text!r}") from error


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


def _is_stored_run(path: Path) -> bool:
    """Return whether a path is that of one run in a store."""
    return is_id(path.name) and path.is_dir() and is_stored_runs(path.parent)


def _files(paths: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(file for path in paths for file in _files_of(path))


def _files_of(path: Path) -> tuple[Path, ...]:
    if not path.is_dir() or is_traces(path) or _is_stored_run(path):
        return (path,)
    try:
        return tuple(sorted(inner for inner in path.iterdir() if inner.suffix in _ENDINGS)) or (path,)
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
    that is given several times counts once; another directory stands for its files. Runs of a test may be
    given one by one, so that old and new ones may be in one store.

    Raises:
        BadFileError: a file is missing, damaged, or of an unknown kind, or all of them have no results.
    """
    files = distinct(paths)
    single: dict[Path, list[str]] = {}
    for path in filter(_is_stored_run, files):
        single.setdefault(path.parent, []).append(path.name)
    results = merged(
        [
            *(result for path in files if not _is_stored_run(path) for result in _read(path)),
            *(result for directory, ids in single.items() for result in read_runs(directory, ids)),
        ]
    )
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
