"""Read what Linux counts of one process, through files that stay open.

An open file of /proc belongs to one process for good: after its end it gives an error, and never the values
of another process that got the same id.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from buto.collect.closeable import Closeable
from buto.collect.procfs.texts import (
    EndedError,
    Memory,
    ProcError,
    Stat,
    Switches,
    Transfers,
    parse_io,
    parse_pss,
    parse_stat,
    parse_statm,
    parse_switches,
)

_MOST_BYTES = 65536
_SOCKET = "socket:"
_ALWAYS = ("", "stat", "statm")
"""What each living process has in /proc: its directory, and files of it."""

T = TypeVar("T")


class ProcessFiles(Closeable):
    """The files of /proc of one living process.

    Each method reads anew. It raises EndedError if the process has ended, and ProcError if the kernel does
    not have the file, or this user may not read it: ``io``, ``fd`` and ``smaps_rollup`` are for the process's
    own user and root.

    Raises:
        EndedError: there is no such process.
        ProcError: it cannot be opened, for example because too many files are open.
    """

    def __init__(self, pid: int) -> None:
        self._path = f"/proc/{pid}"
        self._files: dict[str, int] = {}
        try:
            self._directory = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._error("", error) from error

    def close(self) -> None:
        for descriptor in (self._directory, *self._files.values()):
            os.close(descriptor)
        self._files.clear()

    def stat(self) -> Stat:
        """Return page faults, processor time and number of threads. Takes about 4 us."""
        return self._parsed("stat", parse_stat)

    def memory(self) -> Memory:
        """Return resident and anonymous memory. Takes about 2 us."""
        return self._parsed("statm", parse_statm)

    def transfers(self) -> Transfers:
        """Return what the process has read and written. Takes about 5 us."""
        return self._parsed("io", parse_io)

    def pss(self) -> int:
        """Return the proportional share of memory, bytes.

        The kernel visits each page: some 3 ms for each GiB, while the process cannot map memory.
        """
        return self._parsed("smaps_rollup", parse_pss)

    def n_descriptors(self) -> int:
        """Return the number of open descriptors. Takes about 1 us, before Linux 6.2 about .5 us for each."""
        try:
            return os.stat("fd", dir_fd=self._directory).st_size or len(self._names("fd"))
        except OSError as error:
            raise self._error("fd", error) from error

    def n_sockets(self) -> int:
        """Return the number of open sockets of all kinds. Takes about 2 us for each open descriptor."""
        n = 0
        for name in self._names("fd"):
            try:
                n += os.readlink(f"fd/{name}", dir_fd=self._directory).startswith(_SOCKET)
            except FileNotFoundError:
                continue  # closed since the list was made
            except OSError as error:
                raise self._error(f"fd/{name}", error) from error
        return n

    def switches(self) -> dict[int, Switches]:
        """Return the context switches of each living thread, by its id. Takes about 10 us for each."""
        found = {}
        for name in self._names("task"):
            path = f"task/{name}/status"
            try:
                descriptor = self._open(path)
            except (FileNotFoundError, ProcessLookupError):
                continue  # ended since the list was made
            except OSError as error:
                raise self._error(path, error) from error
            try:
                found[int(name)] = parse_switches(os.pread(descriptor, _MOST_BYTES, 0))
            except ProcessLookupError:
                continue
            finally:
                os.close(descriptor)
        return found

    def _parsed(self, name: str, parse: Callable[[bytes], T]) -> T:
        try:
            descriptor = self._files.get(name)
            if descriptor is None:
                descriptor = self._files[name] = self._open(name)
            text = os.pread(descriptor, _MOST_BYTES, 0)
        except OSError as error:
            raise self._error(name, error) from error
        return parse(text)

    def _names(self, directory: str) -> list[str]:
        try:
            descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._directory)
        except OSError as error:
            raise self._error(directory, error) from error
        try:
            return os.listdir(descriptor)
        except OSError as error:
            raise self._error(directory, error) from error
        finally:
            os.close(descriptor)

    def _open(self, name: str) -> int:
        return os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._directory)

    def _error(self, name: str, error: OSError) -> ProcError:
        has_ended = isinstance(error, ProcessLookupError) or (
            isinstance(error, FileNotFoundError) and name in _ALWAYS
        )
        kind = EndedError if has_ended else ProcError
        return kind(f"{'/'.join(filter(None, (self._path, name)))} cannot be read: {error.strerror}")
