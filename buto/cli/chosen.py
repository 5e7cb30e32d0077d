"""The tests that a command is about, and what is known of each.

What is known is laid over each other: the built-in defaults, what the oracle remembers, the
configuration (instead of the oracle's, where it has a command for the test), the command line.
"""

from __future__ import annotations

import difflib
import json
import os
import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from buto import config, oracle
from buto.cli.parsing import options
from buto.config.model import AUTO
from buto.detectors.calibrated.sufficiency import MOST_RUNS
from buto.errors import BadFileError, StorageError, UsageError
from buto.oracle import Oracle
from buto.runs.masking import MASKED, Mask
from buto.runs.names import encode_test
from buto.runs.reading import is_missing

ORACLES = Path("oracles")


def oracle_path(args: Namespace, test: str) -> Path:
    """Where the oracle of a test lies: where ``--oracle`` says, else beside the configuration, else here."""
    given: Path | None = getattr(args, "oracle", None)
    return given or root(args) / ORACLES / f"{encode_test(test)}.json"


def root(args: Namespace) -> Path:
    """The directory of the configuration, the current one without any."""
    path = config.find(getattr(args, "config", None), Path())
    return Path() if path is None else path.parent


def settle_store(args: Namespace) -> None:
    """Have the store lie beside the configuration, unless ``--store`` was typed."""
    if args.store is options.STORE:
        args.store = root(args) / options.STORE


def check_oracle_paths(args: Namespace, names: Sequence[str]) -> None:
    """StorageError where an oracle could not be written; better before ten runs than after."""
    for path in (oracle_path(args, test) for test in names):
        there = next(parent for parent in (path, *path.parents) if not is_missing(parent))
        # The file may be no directory, and what is above it must be one.
        in_the_way = os.path.isdir(there) == (there == path)
        if in_the_way or not os.access(there, os.W_OK):
            raise StorageError(
                f"the oracle {path} cannot be written: {there} is in the way, or not writable",
                advice="name another file with --oracle FILE",
            )


def the_oracle(args: Namespace, test: str, configured: config.Config | None = None) -> Oracle:
    """The oracle of a test.

    Raises:
        BadFileError: there is none (the advice is the command that makes one), or it is damaged.
        UsageError: the file is the oracle of another test, or the configuration has a test whose name is
            nearly this one.
    """
    path = oracle_path(args, test)
    if is_missing(path):
        if configured is not None and test not in configured.tests and _near(test, configured):
            raise _no_command(test, args, configured)
        raise BadFileError(
            f"{test!r} has no oracle yet: {path} does not exist",
            advice=train_again(args, test, otherwise=("java", "...")),
        )
    found = oracle.load(path)
    if found.test != test:
        raise UsageError(
            f"{path} is the oracle of {found.test!r}, not of {test!r}",
            advice=shlex.join(["buto", args.command_name, found.test, "--oracle", str(path)]),
        )
    alpha = getattr(args, "alpha", None)
    return found if alpha is None else oracle.at_alpha(found, alpha)


def train_again(args: Namespace, test: str, *more: str, otherwise: tuple[str, ...] = ()) -> str:
    """The command that trains a test with what was typed for this command, see :func:`again`."""
    return again("train", args, test, *more, otherwise=otherwise)


def again(command_name: str, args: Namespace, test: str, *more: str, otherwise: tuple[str, ...] = ()) -> str:
    """Another command of buto's about the same program, with what was typed for this one but secrets.

    Args:
        more: options that come on top.
        otherwise: the user's command, if none was typed and there is no configuration.
    """
    words = ["buto", command_name, test, *more]
    for option in options.REPEATED:
        value = getattr(args, option.replace("-", "_"), None)
        for one in value if isinstance(value, list) else [value]:
            words += [] if one is None or one == options.STORE else [f"--{option}", str(one)]
    configured = config.find(getattr(args, "config", None), Path()) is not None
    command = args.command or (() if configured else otherwise)
    return Mask(getattr(args, "mask", ())).command([*words, *(("--", *command) if command else ())])


def old_oracle(args: Namespace, test: str, configured: config.Config | None) -> Oracle | None:
    """The oracle of a test for what it remembers, None without one.

    Not looked at where a command is typed or configured: a damaged one must not keep its test from
    being trained anew.
    """
    if args.command is not None or _is_started_by(configured, test):
        return None
    return None if is_missing(oracle_path(args, test)) else the_oracle(args, test)


def read_config(args: Namespace) -> config.Config | None:
    """The configuration that was named or lies here, None without one; the store lies beside it."""
    settle_store(args)
    path = config.find(args.config, Path())
    if path is None:
        return None
    found = config.load(path)
    args.mask = config.masks(found)
    return found


def names_of(args: Namespace, configured: config.Config | None) -> list[str]:
    """The tests that were named, or all of the configuration.

    Raises:
        UsageError: none was named and there is no configuration, one was named twice, or a command
            or an oracle was given for several.
    """
    names: list[str] = args.names
    if not names and configured is None:
        raise UsageError(
            f"no test was named, and there is no {config.FILE_NAME} here",
            advice=f"buto {args.command_name} NAME -- java -cp app.jar com.acme.Main",
        )
    if not names and configured is not None:
        names = list(configured.tests)
    if len(set(names)) < len(names):
        raise UsageError(f"a test is named twice: {' '.join(names)}")
    for test in names:
        encode_test(test)
    single = {"a command after --": args.command, "--oracle": getattr(args, "oracle", None)}
    for what, given in single.items():
        if given is not None and len(names) > 1:
            raise UsageError(f"{what} goes with one test, not with {len(names)}: {', '.join(names)}")
    return names


def test_for(
    test: str,
    args: Namespace,
    configured: config.Config | None,
    known: Oracle | None,
) -> config.TestConfig:
    """A test with all that the command line, the configuration and its oracle say of it.

    Raises:
        UsageError: nobody says how to start it, or a value means nothing.
        BadFileError: the oracle remembers no usable target.
    """
    ours = configured.tests.get(test) if configured is not None else None
    directory: Path | None = None
    merged: dict[str, Any] = {}
    if known is not None and not _is_started_by(configured, test):
        merged = {**_remembered(known, args, test)}
    if configured is not None and ours is not None:
        merged |= ours.written
        directory = configured.path.parent.resolve()
    merged |= _typed(args)
    if "command" not in merged:
        raise _no_command(test, args, configured)
    built = config.build_test(test, merged, directory, os.environ)
    base = ours or built
    adaptive = args.runs == AUTO or (args.runs is None and base.adaptive)
    runs = MOST_RUNS if adaptive else args.runs or base.runs
    alpha = getattr(args, "alpha", None)
    settings = base.settings if alpha is None else oracle.with_alpha(base.settings, alpha)
    return replace(built, runs=runs, settings=settings, adaptive=adaptive)


def _is_started_by(configured: config.Config | None, test: str) -> bool:
    """Whether the configuration says how to start a test; it may leave that to who types the command."""
    return configured is not None and test in configured.tests and bool(configured.tests[test].target.command)


def _typed(args: Namespace) -> dict[str, Any]:
    """What the command line says, by the keys of a configuration."""
    words = None if args.command is None else [config.portable(word, os.environ) for word in args.command]
    typed = {
        "command": words,
        "interval": args.interval,
        "timeout": args.timeout,
        "jvm": args.jvm,
        "collector": args.collector,
        "mbeans": None if args.mbean is None else [{"name": pattern} for pattern in args.mbean],
        "expect-exit": args.expect_exit,
    }
    given = {key: value for key, value in typed.items() if value is not None}
    if args.command == ():
        raise UsageError("there is no command after --", advice=f"buto {args.command_name} NAME -- java ...")
    faults = config.complaints(given, "test")
    if faults:
        raise UsageError("\n".join(faults), advice=f"buto {args.command_name} --help")
    return given


def _remembered(known: Oracle, args: Namespace, test: str) -> Mapping[str, Any]:
    faults = config.complaints(known.target, "test")
    if faults:
        raise BadFileError(
            f"{oracle_path(args, test)}: its target cannot be used: {faults[0]}",
            advice=f"buto train {test} -- ...",
        )
    typed = {} if args.command is None else {"command": None}
    if MASKED in json.dumps({**known.target, **typed}, ensure_ascii=False):
        path = oracle_path(args, test)
        raise UsageError(
            f"{path} does not say how to start {test!r}: a secret in its command was masked",
            advice=f"give the command again: buto {args.command_name} {test} -- ..., or configure it in "
            f"{config.FILE_NAME}, with a variable in place of the secret: ${{NAME}}",
        )
    return known.target


def _near(test: str, configured: config.Config) -> list[str]:
    return difflib.get_close_matches(test, list(configured.tests), n=1)


def _no_command(test: str, args: Namespace, configured: config.Config | None) -> UsageError:
    if configured is None:
        return UsageError(
            f"nothing says how to start {test!r}: it has no oracle, and there is no {config.FILE_NAME} here",
            advice=f"buto {args.command_name} {test} -- java -cp app.jar com.acme.Main",
        )
    if test in configured.tests:
        return UsageError(
            f"{configured.path}: the test {test!r} has no command, and no oracle remembers one",
            advice=f"add one, command: [java, ...], or: buto {args.command_name} {test} -- java ...",
        )
    near = _near(test, configured)
    guess = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(configured.tests)}"
    return UsageError(
        f"{configured.path} has no test {test!r}; {guess}",
        advice=f"buto {args.command_name} {near[0] if near else f'{test} -- java ...'}",
    )
