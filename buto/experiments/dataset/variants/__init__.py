"""The seventeen variants of the four test programs, on two hosts (thesis, section 3.1), and five subtle ones.

A host is a garbage collector on one and the same machine: ``parallel``, whose scavenge and mark-sweep
collectors the thesis speaks of, and ``g1``. Each has a configuration beside this file, which
``buto record`` reads as well. A variant on a host is a test called ``VARIANT@HOST``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from buto import config
from buto.config import TestConfig
from buto.errors import UsageError

HOSTS = ("parallel", "g1")

SUBTLE = "subtle-"
"""Begins the names of the files with variants that changed only a little; the thesis has none."""


def name_on(host: str, variant: str) -> str:
    """The name of the test that a variant is on a host."""
    return f"{variant}@{host}"


def host_and_variant(test: str) -> tuple[str, str]:
    """The inverse of :func:`name_on`; ValueError for the name of any other test."""
    variant, at, host = test.rpartition("@")
    if not variant or not at or host not in HOSTS:
        raise ValueError(f"{test!r} is no variant on one of the hosts {', '.join(HOSTS)}")
    return host, variant


def load(host: str, only: Sequence[str] = ()) -> Mapping[str, TestConfig]:
    """The variants of a host by name, subtle ones last, ready to be launched in the current directory.

    Args:
        only: the variants that are wanted; all if there are none.

    Raises:
        UsageError: there is no variant of a name.
        BadFileError: buto was not built, and the test programs are missing.
    """
    files = [Path(__file__).with_name(f"{kind}{host}.yaml") for kind in ("", SUBTLE)]
    tests = {name: test for file in files for name, test in config.load(file).tests.items()}
    for name in only:
        if name not in tests:
            raise UsageError(f"there is no variant {name!r}", advice=f"known are: {', '.join(tests)}")
    return {
        name: replace(test, target=replace(test.target, directory=None))
        for name, test in tests.items()
        if not only or name in only
    }
