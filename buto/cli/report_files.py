"""The options that write reports, and the writing of the reports."""

from __future__ import annotations

import os
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from buto.actions.outcome import CallOutcome
from buto.cli.console import Console
from buto.cli.hints import DOOR_PLACE
from buto.cli.output_files import write_file
from buto.cli.parsing import STDOUT, declare, outputs_of
from buto.errors import StorageError, UsageError
from buto.judging.story import Order
from buto.run.cache import is_missing
from buto.run.names import encode_test

GITHUB = "github"
"""The annotations that a build prints; no option names a file for them."""


class Reports(Struct, frozen=True):
    """The reports that were asked for.

    Attributes:
        paths: by the name of a format, the file to write.
        order: the order of differences.
    """

    paths: Mapping[str, Path]
    order: Order = Order.MEANING

    @property
    def shows_training(self) -> bool:
        """Return whether a report shows the training runs, which take time to load."""
        return "html" in self.paths


Content = bytes | Mapping[str, bytes]
"""What a format writes: one file, or one for each test."""


def _json(done: CallOutcome) -> Content:
    from buto.report.formats.json_result import result_document, result_text

    document = result_document(
        done.command, done.results, done.exit_code, done.at, left_out=done.left_out, first_bad=done.first_bad
    )
    return result_text(document).encode()


def _junit(done: CallOutcome) -> Content:
    from buto.report.formats.junit import junit_xml

    return junit_xml(done.results, done.at, done.left_out or ())


def _markdown(done: CallOutcome) -> Content:
    from buto.report.formats.markdown import markdown_text, without_places

    places = {os.environ.get(DOOR_PLACE) or os.getcwd(): "", os.environ.get("HOME", ""): "&#126;/"}
    return without_places(markdown_text(done.results, done.left_out or ()), places).encode()


def _bencher(done: CallOutcome) -> Content:
    from buto.report.formats.trackers import bencher_text

    return bencher_text(done.results).encode()


def _html(done: CallOutcome) -> Content:
    from buto.report.html import render
    from buto.report.html.page import render_runs

    judged = {result.test: render(result.report) for result in done.results if result.report is not None}
    recorded = {
        result.test: render_runs(result.recorded) for result in done.results if result.recorded is not None
    }
    return {test: page.encode() for test, page in (judged | recorded).items()}


def _github(done: CallOutcome) -> Content:
    from buto.report.formats.junit import workflow_commands

    workspace = os.environ.get("GITHUB_WORKSPACE")
    lines = workflow_commands(done.results, Path(workspace) if workspace else None)
    return "\n".join(lines).encode() if lines else {}


FORMATS: dict[str, tuple[str, Callable[[CallOutcome], Content]]] = {
    "json": ("the whole result as JSON", _json),
    "html": ("a page with every chart, without network; one for each of several tests", _html),
    "junitxml": ("JUnit XML, one test case per test", _junit),
    "markdown": ("Markdown for a comment on a pull request", _markdown),
    "bencher": ("one number per property, in the format of Bencher", _bencher),
    GITHUB: ("annotations for GitHub Actions", _github),
}
"""What each format is, and what makes it; all but GITHUB are options that name a file."""


def add_report_options(parser: ArgumentParser, *names: str) -> None:
    """Add an option for each of some formats; without names all, as commands that judge have."""
    group = parser.add_argument_group("reports", "FILE may be - for standard output")
    shown = names or [name for name in FORMATS if name != GITHUB]
    declare(group, *(f"--{name} FILE  write {FORMATS[name][0]}" for name in shown))
    if not names:
        declare(group, f"--{GITHUB}  print {FORMATS[GITHUB][0]}")
        group.add_argument(
            "--order",
            choices=[order.value for order in Order],
            default=Order.MEANING.value,
            help="order of differences: as a story, or by the strength of their evidence (default: meaning)",
        )


def reports_of(args: Namespace) -> Reports:
    """Return the reports that were asked for, after checking that each can be written.

    Raises:
        UsageError: two reports want standard output.
        StorageError: a file cannot be written.
    """
    paths = outputs_of(args, (name for name in FORMATS if name != GITHUB))
    for name, path in paths.items():
        if path != STDOUT:
            _check_writable(name, path)
    if getattr(args, "github", False):
        paths[GITHUB] = STDOUT
    return Reports(paths, Order(getattr(args, "order", Order.MEANING)))


def write_reports(outcome: CallOutcome, reports: Reports, console: Console) -> int:
    """Write every file that was asked for, and return the exit code of the command.

    Raises:
        StorageError: one cannot be written; those before it are there.
    """
    results = [
        result if result.report is None else replace(result, report=result.report.sort_by(reports.order))
        for result in outcome.results
    ]
    for name, path in reports.paths.items():
        for place, content in files_of(name, replace(outcome, results=results), path).items():
            write_file(place, content, f"--{name}", console=console)
            if place != path:
                console.info(f"wrote {place}")
    return outcome.exit_code


def files_of(name: str, outcome: CallOutcome, path: Path) -> dict[Path, bytes]:
    """Return the files of a format with their contents, of which there may be one for each test.

    If the command was about several tests, the test's name is added to each file name: the page of the only
    test that could be judged must not look like the page of all.
    """
    _, content_of = FORMATS[name]
    content = content_of(outcome)
    if isinstance(content, bytes):
        return {path: content}
    if path == STDOUT and len(content) > 1:
        raise UsageError(
            f"--{name} -: standard output can take one page, got {len(content)}",
            advice="give a file name instead of -",
        )
    if path == STDOUT or len(outcome.results) + len(outcome.left_out or ()) == 1:
        return dict(zip([path], content.values(), strict=False))
    return {
        path.with_name(f"{path.stem}-{encode_test(test)}{path.suffix}"): text
        for test, text in content.items()
    }


def _check_writable(name: str, path: Path) -> None:
    if not os.path.isdir(path.parent):
        raise StorageError(
            f"--{name}: the directory {path.parent} does not exist, or cannot be reached",
            advice=f"mkdir -p {path.parent}",
        )
    if os.path.isdir(path) or not (
        _can_create_in(path.parent) if is_missing(path) else os.access(path, os.W_OK)
    ):
        raise StorageError(f"--{name}: {path} cannot be written", advice=f"name another file with --{name}")


def _can_create_in(directory: Path) -> bool:
    # Permissions do not tell it: nobody can create a file in /proc, though root may write there.
    try:
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False
