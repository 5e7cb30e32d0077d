"""``buto report``."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from typing import ClassVar

from buto.cli import chosen
from buto.cli.judged import judged, newest_check, tell
from buto.cli.parsing import options
from buto.cli.printing import report_files as reports
from buto.cli.printing.console import Console
from buto.errors import EXIT_PASS, BadFileError, UsageError
from buto.runs import Run
from buto.runs.store import RunStore


class ReportCommand:
    name: ClassVar[str] = "report"
    takes_command: ClassVar[bool] = False
    help: ClassVar[str] = """\
Judge stored runs again and write reports of them, without launching anything.

RUN is the id of a run; or the name of a test, which means its newest check. The runs of one test are judged
together. The exit code is 0 if the reports are written, whatever they say; 'buto check NAME --from-runs ID'
exits by the verdict.

examples:
  buto report leaker --html leaker.html
  buto report 20261120T234041.123Z-1f2e --markdown comment.md --junitxml junit.xml
  buto report leaker --oracle old/leaker.json --json -"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("what", metavar="RUN", nargs="+", help="runs, or tests")
        options.add_file_options(parser)
        reports.add_report_options(parser)

    def run(self, args: Namespace, console: Console) -> int:
        reports.check_paths(args)
        chosen.settle_store(args)
        by_test = _runs(args.what, RunStore(args.store))
        if args.oracle is not None and len(by_test) > 1:
            raise UsageError(f"--oracle goes with one test, not with {len(by_test)}: {', '.join(by_test)}")
        results = []
        for test, runs in by_test.items():
            result = judged(chosen.the_oracle(args, test), runs, args)
            tell(result, console)
            results.append(result)
        reports.write_reports(reports.finished(results, args, EXIT_PASS), args, console)
        return EXIT_PASS


def _runs(words: list[str], store: RunStore) -> dict[str, list[Run]]:
    """By test the runs that were named, each once."""
    tests = store.tests()
    test_of = {run_id: test for test in tests for run_id in store.ids(test)}
    found: dict[str, dict[str, Run]] = {}
    for word in words:
        if word in tests:
            named = newest_check(word, store)
        elif word in test_of:
            named = list(store.open_set(test_of[word], [word]))
        else:
            named = []
        if not named:
            raise _nothing(word, store, is_test=word in tests)
        for run in named:
            found.setdefault(run.test, {})[run.id] = run
    return {test: list(runs.values()) for test, runs in found.items()}


def _nothing(word: str, store: RunStore, *, is_test: bool) -> BadFileError:
    what = "no check was recorded for" if is_test else "there is neither a run nor a test"
    return BadFileError(
        f"{what} {word!r} in {store.root}",
        advice=shlex.join(["buto", "runs", "list", "--store", str(store.root)]),
    )


COMMAND = ReportCommand()
