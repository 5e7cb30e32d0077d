"""Options that several commands share."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from argparse import _ArgumentGroup as ArgumentGroup
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from buto.runs.storage.place import Place

STDOUT = Path("-")
"""The file name that means standard output; text for people then goes to standard error."""

REPORTS = ("json", "html", "junitxml", "markdown", "bencher")
"""Options that write reports; :mod:`buto.cli.printing.report_files` writes them."""

FROM_RUNS = "use stored runs: 'all', ids separated by commas, or FIRST..LAST"


def add_verbosity(parser: ArgumentParser) -> None:
    """Add ``-q`` and ``-v`` to the parser of a command or of an action of it."""
    group = parser.add_mutually_exclusive_group()
    for letter, word, meaning in (
        ("-q", "--quiet", "print results and errors only"),
        ("-v", "--verbose", "print details of every step"),
    ):
        # SUPPRESS keeps the command's own parser from overwriting options given before the command.
        group.add_argument(letter, word, action="store_true", default=SUPPRESS, help=meaning)


def add_target_options(parser: ArgumentParser, *, cluster: bool = True) -> None:
    """Add the options that specify how to launch and measure a program.

    Args:
        cluster: whether the hosts of a cluster may do it.
    """
    group = parser.add_argument_group("measuring")
    group.add_argument("--interval", metavar="TIME", help="time between two samples (default: 100ms)")
    group.add_argument("--timeout", metavar="TIME", help="stop the program after this time (default: 10min)")
    group.add_argument(
        "--jvm", metavar="PATTERN", help="main class of the JVM to measure, if several JVMs start"
    )
    group.add_argument(
        "--collector", choices=["agent", "jmx"], help="measure from inside the JVM or by JMX (default: agent)"
    )
    group.add_argument(
        "--live-set",
        metavar="WHEN",
        help="force a collection and count the live objects: off, end, marks, or a time as 5s (default: end)",
    )
    add_mbean_option(group)
    group.add_argument(
        "--environment",
        metavar="LABELS",
        help="keep in the runs where they are recorded, as NAME or 'ci,database=17'",
    )
    group.add_argument("--expect-exit", metavar="N", type=int, help="exit code of a good run (default: 0)")
    if cluster:
        add_scheduler_option(group)


def add_file_options(parser: ArgumentParser, *, judging: bool = True) -> None:
    """Add the options that name files; ``judging`` adds those of train and check."""
    group = parser.add_argument_group("files")
    group.add_argument(
        "--config", metavar="FILE", type=Path, help="configuration (default: ./buto.yaml, if it exists)"
    )
    add_store_option(group)
    if judging:
        group.add_argument(
            "--oracle", metavar="FILE", type=Path, help="the oracle (default: oracles/NAME.json)"
        )


def add_scheduler_option(parser: ArgumentParser | ArgumentGroup, what: str = "launch") -> None:
    """Add the option for the address of a scheduler.

    Args:
        what: its hosts do.
    """
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help=f"{what} on the hosts of this Dask scheduler, or 'local' (default: BUTO_SCHEDULER, buto.yaml, "
        "else on this machine)",
    )


def add_alpha_option(parser: ArgumentParser) -> None:
    """Add the option for the share of false alarms."""
    parser.add_argument(
        "--alpha",
        metavar="SHARE",
        type=float,
        help="share of checks of an unchanged program that may fail (default: from the oracle or "
        "buto.yaml, else 0.01)",
    )


def add_mbean_option(parser: ArgumentParser | ArgumentGroup) -> None:
    """Add the option for the program's own MBeans."""
    parser.add_argument(
        "--mbean",
        metavar="PATTERN",
        action="append",
        help="also record these MBeans of the program, as 'com.acme:*'; may be repeated",
    )


def add_store_option(parser: ArgumentParser | ArgumentGroup) -> None:
    """Add the option for the store."""
    parser.add_argument(
        "--store",
        metavar="DIR",
        type=store,
        help="where runs are kept: a directory, or s3://BUCKET/PREFIX (default: .buto)",
    )


def store(text: str) -> Place:
    """Read where runs are kept, for argparse."""
    # Reading a place imports the runs, and --help can do without.
    from buto.runs.storage.place import place_of

    return place_of(text)


def count(text: str) -> int:
    """Read a number of runs, for argparse."""
    # Reading a configuration takes imports that --help can do without.
    from buto.config.model import MAX_RUNS

    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= MAX_RUNS:
        raise ArgumentTypeError(f"the number of runs must be from 1 to {MAX_RUNS}, got {text!r}")
    return number


def count_or_auto(text: str) -> int | str:
    """Read a number of runs, or AUTO, for argparse."""
    # Reading a configuration needs imports that --help does not need.
    from buto.config.model import AUTO

    return AUTO if text == AUTO else count(text)


def goes_to_stdout(args: Namespace) -> bool:
    """Return whether a report is written to standard output."""
    return any(getattr(args, name, None) == STDOUT for name in (*REPORTS, "otava"))
