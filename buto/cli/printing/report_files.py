"""The options that write what a command found, for other programs and for people; and the writing."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from buto.cli.parsing.options import REPORTS, STDOUT
from buto.cli.printing.console import Console, Verbosity
from buto.cli.printing.output_files import write_file
from buto.errors import (
    EXIT_BAD_FILE,
    EXIT_NOT_JUDGED,
    EXIT_PASS,
    EXIT_REGRESSION,
    EXIT_USAGE,
    StorageError,
    UsageError,
)
from buto.report.formats.annotations import workflow_commands
from buto.report.result import Commit, LeftOut, Result
from buto.report.terminal.verdict import HEADLINE_ONLY, MAX_LINES
from buto.runs.names import encode_test
from buto.runs.reading import is_missing

_WORST_FIRST = (EXIT_REGRESSION, EXIT_USAGE, EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_PASS)
"""A regression is what the user asked about; nothing else may hide it."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that is about to exit.

    Attributes:
        left_out: of the tests that it was about, those that it did not look at; None if it leaves none out.
        first_bad: of bisect, the commit that it found.
    """

    command: str
    results: Sequence[Result]
    exit_code: int
    at: datetime
    left_out: Sequence[LeftOut] | None = None
    first_bad: Commit | None = None


def _json(done: Finished, path: Path) -> dict[Path, bytes]:
    from buto.report.formats.json_result import result_document, result_text

    document = result_document(
        done.command, done.results, done.exit_code, done.at, left_out=done.left_out, first_bad=done.first_bad
    )
    return {path: result_text(document).encode()}


def _junit(done: Finished, path: Path) -> dict[Path, bytes]:
    from buto.report.formats.junit import junit_xml

    return {path: junit_xml(done.results, done.at, done.left_out or ())}


def _markdown(done: Finished, path: Path) -> dict[Path, bytes]:
    from buto.report.formats.markdown import markdown_text

    return {path: markdown_text(done.results, done.left_out or ()).encode()}


def _bencher(done: Finished, path: Path) -> dict[Path, bytes]:
    from buto.report.formats.bencher import bencher_text

    return {path: bencher_text(done.results).encode()}


def _html(done: Finished, path: Path) -> dict[Path, bytes]:
    """A page for each test that can be shown.

    Where the command was about several, each has the test's name behind that of the file: the page of the
    only one that could be judged must not look like that of all.
    """
    from buto.report.html import render

    shown = [result.report for result in done.results if result.report is not None]
    if path == STDOUT and len(shown) > 1:
        raise UsageError(
            f"--html -: standard output takes one page, not {len(shown)}", advice="name a file in place of -"
        )
    several = len(done.results) + len(done.left_out or ()) > 1

    def place(test: str) -> Path:
        named = several and path != STDOUT
        return path.with_name(f"{path.stem}-{encode_test(test)}{path.suffix}") if named else path

    return {place(one.test): render(one).encode() for one in shown}


@dataclass(frozen=True, slots=True)
class Format:
    """A file that can be asked for, by the option of its name in REPORTS.

    Attributes:
        content: from a command and the file that was named to the files to write.
    """

    meaning: str
    content: Callable[[Finished, Path], dict[Path, bytes]]


FORMATS: dict[str, Format] = {
    "json": Format("the whole result as JSON", _json),
    "html": Format("one page with every chart, which needs no network", _html),
    "junitxml": Format("JUnit XML, a test case for each test", _junit),
    "markdown": Format("Markdown for the comment of a pull request", _markdown),
    "bencher": Format("one number for each property, as Bencher takes it", _bencher),
}


def add_report_options(parser: ArgumentParser, names: Sequence[str] = REPORTS) -> None:
    """An option for each format, all of them for commands that judge."""
    group = parser.add_argument_group("reports", "FILE may be -: standard output")
    for name in names:
        group.add_argument(f"--{name}", metavar="FILE", type=Path, help=f"write {FORMATS[name].meaning}")
    if names is REPORTS:
        group.add_argument("--github", action="store_true", help="print annotations for GitHub's builds")


def check_paths(args: Namespace) -> None:
    """Refuse what could not be written; better before ten runs than after.

    Raises:
        UsageError: two reports want standard output.
        StorageError: a file cannot be written.
    """
    asked = _asked(args)
    aside = [f"--{name}" for name, path in asked.items() if path == STDOUT]
    if len(aside) > 1:
        raise UsageError(
            f"only one of {' and '.join(aside)} can go to standard output",
            advice="name a file in place of -",
        )
    for name, path in asked.items():
        if path == STDOUT:
            continue
        if not os.path.isdir(path.parent):
            raise StorageError(
                f"--{name}: the directory {path.parent} does not exist, or cannot be reached",
                advice=f"mkdir -p {path.parent}",
            )
        if os.path.isdir(path) or not os.access(path.parent if is_missing(path) else path, os.W_OK):
            raise StorageError(
                f"--{name}: {path} cannot be written", advice=f"name another file with --{name}"
            )


def needs_training(args: Namespace) -> bool:
    """Whether a report that is asked for shows the training runs, which take a while to load."""
    return "html" in _asked(args)


def max_lines(console: Console) -> int | None:
    """How much is said of a verdict: ``-q`` the first line, ``-v`` everything."""
    lines = {Verbosity.QUIET: HEADLINE_ONLY, Verbosity.NORMAL: MAX_LINES, Verbosity.VERBOSE: None}
    return lines[console.verbosity]


def worst_code(results: Sequence[Result]) -> int:
    """The exit code of a command with these results; that of a pass without any."""
    return min((_code(result) for result in results), key=_WORST_FIRST.index, default=EXIT_PASS)


def write_reports(done: Finished, args: Namespace, console: Console) -> None:
    """Write every file that was asked for.

    Raises:
        StorageError: one cannot be written; those before it are there.
    """
    for name, path in _asked(args).items():
        for place, content in FORMATS[name].content(done, path).items():
            write_file(place, content, f"--{name}")
            if place != STDOUT:
                console.detail(f"wrote {place}")
    if getattr(args, "github", False):
        workspace = os.environ.get("GITHUB_WORKSPACE")
        for line in workflow_commands(done.results, Path(workspace) if workspace else None):
            console.result(line)


def finished(
    results: Sequence[Result],
    args: Namespace,
    exit_code: int,
    *,
    left_out: Sequence[LeftOut] | None = None,
    first_bad: Commit | None = None,
) -> Finished:
    """A command that ends now."""
    return Finished(args.command_name, results, exit_code, datetime.now(UTC), left_out, first_bad)


def _asked(args: Namespace) -> dict[str, Path]:
    paths = {name: getattr(args, name, None) for name in REPORTS}
    return {name: path for name, path in paths.items() if path is not None}


def _code(result: Result) -> int:
    if result.error is not None:
        return result.error.exit_code
    return EXIT_PASS if result.verdict is None else result.verdict.status.exit_code
