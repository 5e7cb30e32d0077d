"""``buto check``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import ClassVar

from buto.cli import chosen, remarks
from buto.cli.changed import divided
from buto.cli.judged import judged, tell
from buto.cli.parsing import options
from buto.cli.printing import report_files as reports
from buto.cli.printing.console import Console
from buto.cli.printing.results import finish
from buto.cli.session import launch, stored_runs
from buto.config import Config, TestConfig
from buto.errors import ButoError, StorageError
from buto.oracle import Oracle
from buto.report.result import Result
from buto.workflow.launching import Collected
from buto.workflow.rules import N_CONFIRMING, needs_confirmation


class CheckCommand:
    name: ClassVar[str] = "check"
    takes_command: ClassVar[bool] = True
    help: ClassVar[str] = """\
Launch a program and judge it by its oracle: pass, regression, or inconclusive.

One run is enough if it is like those of the training. If it stands out from them, two more are
launched at once and the three are judged together, for by chance a good run, too, stands out now
and then. With --runs K there are K runs, and no more.

The command is the one that buto.yaml has or that the oracle remembers; another may follow after --.
Without NAME, all tests of buto.yaml are checked. The exit code is 0 if all pass, 1 if any shows a
regression, else 3 or 4 if any could not be judged.

examples:
  buto check leaker
  buto check leaker --runs 3
  buto check leaker -- java -Xmx256m -cp new.jar com.acme.Main 5 100
  buto check --json result.json --html report.html --junitxml junit.xml
  buto check --changed-since origin/main
  buto check leaker --from-runs 20261120T234041.123Z-1f2e
"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", metavar="NAME", nargs="*", help="tests (default: all of buto.yaml)")
        parser.add_argument(
            "--runs",
            metavar="K",
            type=options.count,
            help="runs to judge together (default: 1, and 2 more if it stands out)",
        )
        parser.add_argument("--from-runs", metavar="WHICH", help=f"launch nothing, {options.FROM_RUNS}")
        parser.add_argument(
            "--changed-since",
            metavar="REV",
            help="leave out tests whose inputs, as buto.yaml names them, git says are as in revision REV",
        )
        options.add_alpha_option(parser)
        options.add_target_options(parser)
        options.add_file_options(parser)
        reports.add_report_options(parser)

    def run(self, args: Namespace, console: Console) -> int:
        reports.check_paths(args)
        configured = chosen.read_config(args)
        names, left_out = divided(chosen.names_of(args, configured), args, configured, console)
        oracles = {name: chosen.the_oracle(args, name, configured) for name in names}
        for name in names:
            _warn_of_settings(name, args, configured, oracles[name], console)
        if args.from_runs is not None:
            collected = {name: Collected(stored_runs(name, args.from_runs, args)) for name in names}
        else:
            tests = [chosen.test_for(name, args, configured, oracles[name]) for name in names]
            collected = measured(tests, oracles, args, console) if tests else {}
        results = [_checked(name, oracles[name], collected[name], args, console) for name in names]
        return finish(results, args, console, None if args.changed_since is None else left_out)


def measured(
    tests: Sequence[TestConfig], oracles: Mapping[str, Oracle], args: Namespace, console: Console
) -> dict[str, Collected]:
    """Launch tests as often as was asked for, or once, and twice more what stands out."""
    collected = launch(tests, {test.name: args.runs or 1 for test in tests}, args, console)
    if args.runs is None:
        _confirm(tests, oracles, collected, args, console)
    return collected


def _warn_of_settings(
    test: str, args: Namespace, configured: Config | None, known: Oracle, console: Console
) -> None:
    """Say so where the configuration judges otherwise than the oracle learned to; the oracle's way holds."""
    ours = None if configured is None else configured.tests.get(test)
    if ours is None:
        return
    now, then = ours.settings.to_data(), known.settings.to_data()
    if args.alpha is not None:
        # What was typed is the oracle's for this check, and no change of the configuration.
        now["alpha"] = then.get("alpha")
    changed = [key for key in now if now[key] != then.get(key)]
    if changed:
        console.warning(
            f"{test}: judged as it was trained, not as buto.yaml says now ({', '.join(changed)} changed); "
            f"to learn that: {chosen.train_again(args, test, '--from-runs', 'all')}"
        )


def _confirm(
    tests: Sequence[TestConfig],
    oracles: Mapping[str, Oracle],
    collected: dict[str, Collected],
    args: Namespace,
    console: Console,
) -> None:
    """Launch what failed twice more and put the runs together."""
    failed = [
        test
        for test in tests
        if collected[test.name].failure is None
        and needs_confirmation(oracles[test.name], collected[test.name].valid())
    ]
    if not failed:
        return
    names = ", ".join(test.name for test in failed)
    console.info(f"{names}: the run stands out; {N_CONFIRMING} more are launched to confirm it")
    firsts = {test.name: collected[test.name].runs[0].id for test in failed}
    more = launch(failed, dict.fromkeys(firsts, N_CONFIRMING), args, console, firsts)
    for name, confirming in more.items():
        first = collected[name]
        collected[name] = Collected([*first.runs, *confirming.runs], confirming.failure)


def _checked(test: str, known: Oracle, collected: Collected, args: Namespace, console: Console) -> Result:
    """Judge one test and say so; a failure of one does not keep the others from being judged."""
    path = chosen.oracle_path(args, test)
    try:
        if collected.failure is not None:
            raise collected.failure
        result = judged(known, collected.runs, args)
    except StorageError:
        raise
    except ButoError as error:
        console.error(f"{test}: {error.message}", error.advice)
        return Result(test, path, collected.runs, error=error)
    tell(result, console)
    remarks.tell_jvm(test, collected.valid(), console)
    for warning in remarks.warnings(collected.valid()):
        console.warning(warning)
    return result


COMMAND = CheckCommand()
