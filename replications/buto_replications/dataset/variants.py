"""The seventeen variants of the four test programs, on two hosts (thesis, section 3.1), and five subtle ones.

A host is a garbage collector on the same machine: ``parallel``, with the scavenge and mark-sweep collectors
of the thesis, and ``g1``. Each has a configuration in ``configs/`` of the checkout, which ``buto record``
can read, too. A variant on a host is a test called ``VARIANT@HOST``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from buto.errors import BadFileError, UsageError
from buto.project import config
from buto.project.model import TestConfig
from buto_replications.checkout import CONFIGURATIONS

HOSTS = ("parallel", "g1")

SUBTLE = "subtle-"
"""Prefix of the files with variants that differ only a little; the thesis has none."""


def name_on(host: str, variant: str) -> str:
    """Return the name of the test of a variant on a host."""
    return f"{variant}@{host}"


def host_and_variant(test: str) -> tuple[str, str]:
    """Return host and variant of a test's name; ValueError if it is not a name of :func:`name_on`."""
    variant, at, host = test.rpartition("@")
    if not variant or not at or host not in HOSTS:
        raise ValueError(f"a test must be VARIANT@HOST with a host of {', '.join(HOSTS)}, got {test!r}")
    return host, variant


def load(host: str, only: Sequence[str] = ()) -> Mapping[str, TestConfig]:
    """Return the variants of a host by name, subtle ones last, to launch in the current directory.

    Args:
        only: names of the variants to return; empty for all.

    Raises:
        UsageError: there is no variant of that name.
        BadFileError: there is no checkout, or buto was not built, and the test programs are missing.
    """
    if not CONFIGURATIONS.is_dir():
        raise BadFileError(
            "the installed package contains no configurations of the test programs",
            advice="work in a checkout of buto's repository: pip install --editable replications",
        )
    files = [CONFIGURATIONS / f"{kind}{host}.yaml" for kind in ("", SUBTLE)]
    tests = {name: test for file in files for name, test in config.load(file).tests.items()}
    for name in only:
        if name not in tests:
            raise UsageError(f"there is no variant {name!r}", advice=f"known are: {', '.join(tests)}")
    return {
        name: replace(test, target=replace(test.target, directory=None))
        for name, test in tests.items()
        if not only or name in only
    }
