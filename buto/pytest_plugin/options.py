"""Options of pytest's command line and ini file. Every pytest session imports this module, so it is light."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import Struct, field

from buto.project.options import INI, LOCATION

CHECK, TRAIN, ACCEPT, SKIP = "check", "train", "accept", "skip"


_FLAGS = {
    TRAIN: "launch each buto test as often as training needs, and write its oracle",
    ACCEPT: "train again each test that did not pass when last checked, does not pass now, or has no oracle",
    SKIP: "skip all buto tests",
}


class SessionOptions(Struct, frozen=True):
    """The options of a session, which hold for all its tests.

    Attributes:
        mode: CHECK, TRAIN, ACCEPT or SKIP.
        root: pytest's rootdir; commands are started there, and relative paths start there.
        store: where runs are kept, as written; a directory is below the root.
        oracles: where oracles are kept.
        defaults: arguments of the mark from the ini file, as texts.
        why: whether a regression is explained by the stored profile, which training then stores.
        verbosity: below 0 for ``-q``, above 0 for ``-v``.
    """

    mode: str
    root: Path
    store: str
    oracles: Path
    defaults: dict[str, str] = field(default_factory=dict)
    verbosity: int = 0
    why: bool = False


def add_options(parser: pytest.Parser) -> None:
    """Declare the options to pytest."""
    group = parser.getgroup("buto", "what JVM programs use (buto)")
    for mode, meaning in _FLAGS.items():
        group.addoption(f"--buto-{mode}", action="store_true", default=False, help=meaning)
    group.addoption(
        "--buto-why",
        action="store_true",
        default=False,
        help="name the methods behind a regression; with --buto-train: store the profile that this needs",
    )
    parser.addini(
        "buto_store",
        "where runs are kept: a directory below the rootdir, or s3://BUCKET/PREFIX",
        default=LOCATION["store"].default,
    )
    parser.addini("buto_oracles", "where oracles are kept, below the rootdir", default="oracles")
    parser.addini("buto_skip", "skip all buto tests, as --buto-skip does", type="bool", default=False)
    for key in INI:
        parser.addini(f"buto_{key}", f"default of the argument {key} of the mark buto", default=None)


def options_of(config: pytest.Config) -> SessionOptions:
    """Return the options of a session."""
    asked = [mode for mode in _FLAGS if config.getoption(f"--buto-{mode}")]
    if len(asked) > 1:
        raise pytest.UsageError(f"{' and '.join(f'--buto-{mode}' for mode in asked)} cannot be combined")
    usual = SKIP if config.getini("buto_skip") else CHECK
    given = {key: config.getini(f"buto_{key}") for key in INI}
    return SessionOptions(
        mode=asked[0] if asked else usual,
        root=config.rootpath,
        store=config.getini("buto_store"),
        oracles=config.rootpath / config.getini("buto_oracles"),
        defaults={key: text for key, text in given.items() if text},
        verbosity=config.getoption("verbose"),
        why=config.getoption("--buto-why"),
    )
