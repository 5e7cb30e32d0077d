"""Reading the class files of a program that was launched, by a small Java program, and what it printed.

Where classes come from is known from the recording of the launch: the JVM's own class path, whatever started
it. Which of them it loads, the JVM writes to a file. What was read is kept by the checksum of each jar, so it
is read once, and is still known when the files have changed.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from buto import jars
from buto.causes.classes import Archive, parse_classes, plain, text_of_files, texts_by_file
from buto.errors import MeasureError, StorageError, UsageError
from buto.measure.jvms import first_installation, own_environment
from buto.programs.java import ALL_JARS, Place
from buto.programs.named import sha256_of, with_manifests
from buto.run import bounds
from buto.run.cache import read_file
from buto.run.files import make_directories, publish_file
from buto.steps import Action, Advice, Step

CLASS_PATH, MODULE_PATH, DIRECTORY = "java.class.path", "jdk.module.path", "user.dir"
"""Names of the facts of a profile that say where classes come from."""

LOADED = "classes.loaded"
"""Name of the fact that has the classes that a launch loaded; missing if it is not known."""

_OF_THE_JDK = ("jrt:/java.", "jrt:/jdk.")
_LOG = "loaded"

_JARS = (".jar", ".war", ".JAR")
_READING_S = 300.0
_OLDEST_JAVA = 8
_OPTIONS = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto")
_UNUSUAL = re.compile(r"[^\w.+-]")
_LONGEST_NAME = 100
_DIGITS = 16
_VERSION = "1"
"""Of what the reader prints; part of each name, so that another buto reads anew."""

_KEPT = 2000
"""Files of a cache, of several class paths; those that were not used for the longest time are removed."""

_MAX_BYTES = 1 << 28
"""Of one of them, unpacked."""


def loading_option(directory: Path) -> str:
    """Return the option with which each JVM of a launch writes to the directory what it loads."""
    return f"-Xlog:class+load=info:file={directory / _LOG}-%p:none:filecount=0"


def with_loaded(facts: Mapping[str, str], directory: Path) -> dict[str, str]:
    """Add to the facts of a JVM the classes that it loaded, without the JDK's and those that have no file.

    Args:
        directory: that of :func:`loading_option`.
    """
    try:
        text = (directory / f"{_LOG}-{facts.get('pid', '')}").read_text(errors="replace")
    except OSError:
        return dict(facts)
    rows = (line.partition(" source: ") for line in text.splitlines())
    names = {name for name, _, source in rows if source and not source.startswith(_OF_THE_JDK)}
    classes = {plain(name) for name in names if "/" not in name}
    # Its own command may have turned the log off.
    return {**facts, LOADED: " ".join(sorted(classes))} if classes else dict(facts)


def class_path(facts: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the jars and the loose class files from which a launched program took its classes.

    Also those that a jar's manifest names. Files that are gone are left out.
    """
    place, seen = Place(facts.get(DIRECTORY, os.getcwd())), set[str]()
    archives: list[str] = []
    loose: list[str] = []
    for entries in (facts.get(CLASS_PATH, ""), facts.get(MODULE_PATH, "")):
        for entry in filter(None, entries.split(os.pathsep)):
            for path in _files(entry, place, seen):
                if path.endswith(_JARS):
                    archives.append(path)
                elif path.endswith(".class"):
                    loose.append(path)
    return archives, loose


def _files(entry: str, place: Place, seen: set[str]) -> list[str]:
    if entry.endswith(ALL_JARS):
        directory = Path(place.path(entry.removesuffix(ALL_JARS)))
        return sorted(str(path) for path in directory.glob("*.jar"))
    # What is too much, or lies elsewhere, is not compared.
    with suppress(UsageError, OSError):
        return list(with_manifests(place.path(entry), place, seen))
    return []


class ClassCache:
    """What the class files of programs say, in a directory.

    Args:
        root: created if need be. It may be removed at any time.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def keys_of(self, facts: Mapping[str, str]) -> tuple[str, ...]:
        """Read the classes of a launched program, unless they are known; return by which keys they are kept.

        Raises:
            MeasureError: no Java can read them, or reading them does not end.
            StorageError: the directory cannot be written.
        """
        archives, loose = class_path(facts)
        groups = {}
        for paths in [*([path] for path in archives), *([loose] if loose else [])]:
            # What is gone by now cannot be compared.
            with suppress(OSError):
                groups[_key(paths)] = paths
        unknown = {key: paths for key, paths in groups.items() if not self._place(key).exists()}
        if unknown:
            printed = _run_reader([path for paths in unknown.values() for path in paths])
            for key, paths in unknown.items():
                self._keep(self._place(key), text_of_files(printed[path] for path in paths))
        for key in groups:
            # Another buto may remove what was not used for long.
            with suppress(FileNotFoundError):
                os.utime(self._place(key))
        self._forget()
        return tuple(groups)

    def archives(self, keys: Sequence[str]) -> tuple[Archive, ...] | None:
        """Return what is kept under these keys, in their order; None if any of it is gone or damaged."""
        try:
            return tuple(
                parse_classes(
                    _unpack(read_file(self._place(key), _MAX_BYTES)).decode("utf-8", "replace"),
                    key.split("-", 2)[2],
                )
                for key in keys
            )
        except (ValueError, IndexError):
            return None

    def _place(self, key: str) -> Path:
        return self._root / f"{key.replace(os.sep, '_')}.gz"

    def _keep(self, place: Path, text: str) -> None:
        try:
            make_directories(self._root)
            publish_file(place, gzip.compress(text.encode(), compresslevel=3, mtime=0))
        except OSError as error:
            raise StorageError(
                f"{place} cannot be written: {error.strerror}",
                advice=f"free some space, or remove {self._root}",
            ) from error

    def _forget(self) -> None:
        ages = []
        for path in self._root.glob("*.gz"):
            with suppress(FileNotFoundError):
                ages.append((path.stat().st_mtime, path))
        for _, old in sorted(ages)[:-_KEPT]:
            old.unlink(missing_ok=True)


def _unpack(content: bytes) -> bytes:
    return bounds.unpack(content, bounds.GZIP, min(_MAX_BYTES, bounds.most_text(len(content))))


def _key(paths: Sequence[str]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(sha256_of(path, os.stat(path)).encode())
    name = os.path.basename(paths[0]) if paths[0].endswith(_JARS) else ""
    return f"{whole.hexdigest()[:_DIGITS]}-{_VERSION}-{_UNUSUAL.sub('_', name)[-_LONGEST_NAME:]}"


@cache
def _java() -> Path:
    return first_installation(_OLDEST_JAVA, "comparing class files needs Java", lambda _: True).java


def _run_reader(paths: Sequence[str]) -> dict[str, str]:
    """Return what the reader prints of each file."""
    reader = ["-cp", str(jars.path(jars.CLASSES)), "buto.probes.classes.Main"]
    try:
        done = subprocess.run(
            [str(_java()), *_OPTIONS, *reader],
            env=own_environment(),
            input="".join(f"{path}\n" for path in paths).encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=_READING_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _unreadable(str(error)) from error
    if done.returncode != 0:
        raise _unreadable(done.stderr.decode(errors="replace").strip())
    return dict(zip(paths, texts_by_file(done.stdout.decode("utf-8", "replace")), strict=True))


def _unreadable(why: str) -> MeasureError:
    return MeasureError(
        f"the reader of classes failed: {why}",
        advice=Advice("see whether this Java works: ", Step(Action.DOCTOR)),
    )
