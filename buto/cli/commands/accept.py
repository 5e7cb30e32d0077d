"""``buto accept``."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from buto import oracle
from buto.cli import chosen, remarks
from buto.cli.commands.train import check_numbers_of_runs, sharp_enough, tell_why_enough
from buto.cli.parsing import options
from buto.cli.printing import report_files as reports
from buto.cli.printing.console import Console, Verbosity
from buto.cli.printing.results import keep
from buto.cli.session import launch, stored_runs
from buto.config import Config, TestConfig
from buto.errors import ButoError, StorageError
from buto.oracle import Oracle
from buto.oracle.difference import difference
from buto.oracle.surroundings import surroundings
from buto.report.result import Result
from buto.report.terminal.oracle_changes import MAX_ROWS, difference_lines
from buto.workflow.launching import Collected


class AcceptCommand:
    name: ClassVar[str] = "accept"
    takes_command: ClassVar[bool] = True
    help: ClassVar[str] = """\
Accept a change: learn a test anew and show what that changes in its oracle, number by number.

The program is launched as for train, as it is now; --from-runs takes stored runs instead. Nothing
is asked: the oracle is written, and git shows and keeps the difference. With --dry-run it is not.
A test that buto.yaml does not have is judged as before.

examples:
  buto accept leaker
  buto accept leaker --dry-run
  buto accept leaker --from-runs 20261120T234041.123Z-1f2e..
  buto accept leaker -- java -Xmx512m -cp app.jar com.acme.Main 5 100
"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", metavar="NAME", nargs="+", help="tests that have an oracle")
        parser.add_argument("--dry-run", action="store_true", help="show the difference, write nothing")
        parser.add_argument(
            "--runs",
            metavar="K",
            type=options.count_or_auto,
            help="usable runs to learn from, or 'auto' (default: 10)",
        )
        parser.add_argument("--from-runs", metavar="WHICH", help=f"launch nothing, {options.FROM_RUNS}")
        options.add_target_options(parser)
        options.add_file_options(parser)
        reports.add_report_options(parser, ("json",))

    def run(self, args: Namespace, console: Console) -> int:
        reports.check_paths(args)
        configured = chosen.read_config(args)
        names = chosen.names_of(args, configured)
        if not args.dry_run:
            chosen.check_oracle_paths(args, names)
        known = {name: chosen.the_oracle(args, name, configured) for name in names}
        tests = [_test(name, args, configured, known[name]) for name in names]
        collected = _collected(tests, known, args, console)
        results = [_accepted(test, known[test.name], collected[test.name], args, console) for test in tests]
        done = reports.finished(results, args, reports.worst_code(results))
        if not args.dry_run:
            keep(done, args, console)
        reports.write_reports(done, args, console)
        return done.exit_code


def _test(name: str, args: Namespace, configured: Config | None, known: Oracle) -> TestConfig:
    test = chosen.test_for(name, args, configured, known)
    if configured is not None and name in configured.tests:
        return test
    return replace(test, settings=known.settings)


def _collected(
    tests: list[TestConfig], known: Mapping[str, Oracle], args: Namespace, console: Console
) -> dict[str, Collected]:
    if args.from_runs is None:
        check_numbers_of_runs(tests)
        wanted = {test.name: test.runs for test in tests}
        launched = launch(tests, wanted, args, console, enough=sharp_enough(tests, {}))
        tell_why_enough(tests, launched, console)
        return launched
    collected = {test.name: Collected(stored_runs(test.name, args.from_runs, args)) for test in tests}
    for name, one in collected.items():
        _warn_of_old_runs(name, known[name], one, console)
    return collected


def _warn_of_old_runs(test: str, known: Oracle, collected: Collected, console: Console) -> None:
    """Say so where runs of the program before the change are learned from together with those behind it."""
    old = set(known.run_ids)
    new = [run.id for run in collected.runs if run.id not in old]
    again = len(collected.runs) - len(new)
    if again and new:
        console.warning(
            f"{test}: {again} of these runs taught the old oracle, too, so the new one is of both programs; "
            f"to leave them out: --from-runs {min(new)}.."
        )


def _accepted(
    test: TestConfig, known: Oracle, collected: Collected, args: Namespace, console: Console
) -> Result:
    """Learn one test anew and say what changes; a failure of one does not keep the others from it."""
    path = chosen.oracle_path(args, test.name)
    try:
        if collected.failure is not None:
            raise collected.failure
        learned = oracle.train(collected.valid(), test.settings, target=test.written)
        _tell(known, learned, console)
        if not args.dry_run:
            oracle.save(path, learned)
    except StorageError as error:
        raise StorageError(
            f"{error.message}; the runs are kept in {args.store}",
            advice=f"{error.advice}; then: {_again(test.name, collected, args)}",
        ) from error
    except ButoError as error:
        console.error(f"{test.name}: {error.message}", error.advice)
        return Result(test.name, path, collected.runs, error=error)
    warnings = (*learned.warnings, *remarks.warnings(collected.valid()))
    for warning in warnings:
        console.warning(f"{test.name}: {warning}")
    if args.dry_run:
        console.info(f"nothing was written; to accept it: {_again(test.name, collected, args)}")
    else:
        file = shlex.quote(str(path))
        console.info(f"wrote {path}; next: git diff {file}; git add {file}")
    return Result(test.name, path, collected.runs, warnings=warnings)


def _tell(known: Oracle, learned: Oracle, console: Console) -> None:
    whole, quiet = console.verbosity is Verbosity.VERBOSE, console.verbosity is Verbosity.QUIET
    rows, changed = difference(known, learned), surroundings(known, learned)
    lines = difference_lines(learned.test, rows, changed, max_rows=None if whole else MAX_ROWS)
    for line in lines[:1] if quiet else lines:
        console.styled(line.parts)


def _again(test: str, collected: Collected, args: Namespace) -> str:
    """The command that accepts these runs without launching anything."""
    which = args.from_runs or f"{collected.runs[0].id}..{collected.runs[-1].id}"
    return chosen.again("accept", args, test, "--from-runs", which)


COMMAND = AcceptCommand()
