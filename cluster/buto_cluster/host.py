"""A host of a cluster as its worker describes it, and the files that a program needs there.

Files are found here, and sent to a host that does not have them. Dask's own log, which would be mixed with
what buto prints, is silenced; every failure becomes an error of buto.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from buto.engine.placement import Placement
from buto.errors import UsageError
from buto.measure.host import machine
from buto.measure.jvms import find_installations
from buto.measure.target import Target
from buto.programs.named import files_of
from buto.programs.snapshot import Program, ProgramFile, ProgramTooLargeError, in_tree, snapshot
from buto.run.model import MetadataValue
from buto.run.units import format_bytes
from buto.version import __version__

RESOURCE = "jvm"
"""Dask's resource of which every worker has one, and every task takes one: one measured JVM at a time."""

COMPUTING = f"buto {__version__}"
"""Another resource of every worker: only hosts with the same version of buto may compute for this one."""

DESCRIPTION = "buto"
"""Under this key, workers tell the scheduler about themselves."""

TOPIC = "buto"
"""The topic under which all workers report the progress of their launches."""

JAVA = "java"
"""Key of the facts: the version of the Java that a command ``java`` starts."""

_CLASS = (
    "host.arch",
    "host.cpu.model",
    "host.cores",
    "host.cores.quota",
    "host.memory.total",
    "host.memory.limit",
    JAVA,
)
"""The memory, because a JVM without -Xmx takes a share of it."""


@dataclass(frozen=True, slots=True)
class Host:
    """A machine with a worker.

    Attributes:
        address: of its worker; a worker that is started again has another one.
        name: as the worker was started with; usually the machine's name.
        tags: as the worker was started with.
        facts: metadata ``host.*`` of the machine, and JAVA.
        version: of buto on it.
    """

    address: str
    name: str
    tags: tuple[str, ...]
    facts: Mapping[str, MetadataValue]
    version: str

    @property
    def host_class(self) -> tuple[MetadataValue, ...]:
        """What hosts must have in common so that their runs can be compared."""
        return tuple(self.facts.get(key) for key in _CLASS)

    def fits(self, where: Placement) -> bool:
        cpu = str(self.facts.get("host.cpu.model") or "")
        return where.labels.fit(self.name, cpu, self.tags) and all(
            self.facts.get(key) == value for key, value in where.required.items()
        )

    def likeness(self, where: Placement) -> int:
        """Return how many facts the host has in common with earlier runs."""
        vm = str(where.like.get("jvm.vm.version") or "")
        has_java = vm.startswith(str(self.facts.get(JAVA)))
        return has_java + sum(
            where.like[key] == value for key, value in self.facts.items() if key in where.like
        )

    def describe(self) -> str:
        """Return the host with what a test may ask for."""
        tags = f", tags {', '.join(self.tags)}" if self.tags else ""
        return f"{self.name} ({self.facts.get('host.cpu.model') or 'unknown processor'}{tags})"


def description(name: str, tags: Sequence[str]) -> dict[str, Any]:
    """Return what the worker of this machine tells the scheduler, as plain data."""
    usual = (
        installation.version
        for installation in find_installations()
        if installation.found_by in ("PATH", "JAVA_HOME")
    )
    facts = {key: value for key, value in machine().items() if not key.startswith("host.load.")}
    facts[JAVA] = next(usual, None)
    return {"name": name, "tags": list(tags), "facts": facts, "version": __version__}


def hosts_of(workers: Mapping[str, Mapping[str, Any]]) -> dict[str, Host]:
    """Return the hosts by the addresses of their workers; workers that are not buto's are left out."""
    return {
        address: Host(
            address, described["name"], tuple(described["tags"]), described["facts"], described["version"]
        )
        for address, worker in workers.items()
        if (described := worker.get(DESCRIPTION)) is not None
    }


MOST_BYTES = 1 << 29
"""All inputs of one test together."""

_FEWER = "name the files with inputs: [PATTERN, ...], or put them at the same path on every host"


@dataclass(frozen=True, slots=True)
class Inputs:
    """All files of one program, without those that every host must have, such as the JDK.

    Attributes:
        directory: in which the program is started here, absolute.
        root: the directory that is the tree here.
    """

    directory: str
    root: str
    program: Program

    @property
    def files(self) -> tuple[ProgramFile, ...]:
        return self.program.files

    def path(self, file: ProgramFile) -> str:
        return os.path.normpath(os.path.join(self.root, file.place))

    @property
    def digest(self) -> str:
        """A checksum over places, contents and the working directory: the name of the tree."""
        lines = sorted(f"{file.place}\0{file.sha256}\n" for file in self.files)
        return hashlib.sha256("".join([f"{self.program.within}\n", *lines]).encode()).hexdigest()[:32]

    def placed(self, target: Target, tree: Path) -> Target:
        """Return how to start the program whose files are in a tree."""
        environment: Mapping[str, str] = {
            name: in_tree(word, tree, str) for name, word in self.program.environment.items()
        }
        return replace(
            target,
            command=tuple(in_tree(word, tree, str) for word in self.program.words),
            environment={**target.environment, **environment},
            directory=tree / (self.program.within or ""),
        )


def inputs_of(target: Target, patterns: Sequence[str] = (), base: Path | None = None) -> Inputs:
    """Return the inputs of a program, see :func:`buto.programs.named.files_of`.

    Args:
        patterns: shell patterns of declared files.
        base: the directory to which they are relative; None for the working directory.

    Raises:
        UsageError: they are too many or too large to be sent, one cannot be read, or a pattern leads out of
            the base.
    """
    directory = target.directory or Path()
    # Of the rest of the environment nothing is sent.
    environment = {"PATH": os.environ.get("PATH", os.defpath), **target.environment}
    try:
        named = files_of(target.command, directory, environment, patterns, base)
        files = snapshot(named, MOST_BYTES, within=True)
    except ProgramTooLargeError as error:
        what = f"the program's files have {format_bytes(error.n_bytes)}"
        raise UsageError(f"{what}, and at most {format_bytes(MOST_BYTES)} are sent", advice=_FEWER) from error
    except UsageError as error:
        raise UsageError(error.message, advice=error.advice or _FEWER) from error
    return Inputs(named.directory, files.root, files.program())


def silence() -> None:
    """Keep Dask from printing. Its loggers have levels of their own, so each of them is told."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL)
