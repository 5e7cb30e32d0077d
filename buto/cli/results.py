"""The end of train and check: what is said of several tests, the JSON file, the exit code."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from buto.cli.console import Console
from buto.cli.options import STDOUT
from buto.errors import (
    EXIT_BAD_FILE,
    EXIT_NOT_JUDGED,
    EXIT_PASS,
    EXIT_REGRESSION,
    EXIT_USAGE,
    StorageError,
)
from buto.report.json_result import Result, result_document, result_text

_WORST_FIRST = (EXIT_REGRESSION, EXIT_USAGE, EXIT_BAD_FILE, EXIT_NOT_JUDGED, EXIT_PASS)
"""A regression is what the user asked about; nothing else may hide it."""


def finish(results: Sequence[Result], args: Namespace, console: Console) -> int:
    """Say how each of several tests went, write ``--json``, and return the worst exit code.

    Raises:
        StorageError: the JSON file cannot be written.
    """
    if len(results) > 1:
        width = max(len(result.test) for result in results)
        console.result("")
        for result in results:
            console.result(f"{result.test:<{width}}  {result.status}")
    worst = min((_code(result) for result in results), key=_WORST_FIRST.index)
    if args.json is not None:
        document = result_document(args.command_name, results, worst, datetime.now(UTC))
        _write(args, result_text(document))
    return worst


def _code(result: Result) -> int:
    if result.error is not None:
        return result.error.exit_code
    return EXIT_PASS if result.verdict is None else result.verdict.status.exit_code


def _write(args: Namespace, text: str) -> None:
    """Not by way of a temporary file: the target may be a pipe or /dev/stdout."""
    path: Path = args.json
    if path == STDOUT:
        Console().result(text.rstrip("\n"))
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(
            f"the result cannot be written to {path}: {error.strerror}; the runs are kept in {args.store}",
            advice="name another file with --json, and --from-runs with the ids of: buto runs list",
        ) from error
