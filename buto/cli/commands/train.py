"""``buto train``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from buto import oracle
from buto.cli import chosen, remarks
from buto.cli.parsing import options
from buto.cli.printing import report_files as reports
from buto.cli.printing.console import Console, Verbosity
from buto.cli.printing.results import finish
from buto.cli.session import launch, stored_runs
from buto.config import TestConfig
from buto.detectors.calibrated.strength import MOST_ASKED, Strength, strengths, told
from buto.detectors.calibrated.sufficiency import LAST, MOST_RUNS, enough_runs
from buto.errors import ButoError, StorageError, UsageError
from buto.oracle import CALIBRATED, FittedCalibrated, Oracle
from buto.report.result import Result
from buto.report.terminal.strengths import strength_lines
from buto.runs import Run, RunSet, run_set
from buto.units import format_count
from buto.workflow.launching import Collected


class TrainCommand:
    name: ClassVar[str] = "train"
    takes_command: ClassVar[bool] = True
    help: ClassVar[str] = """\
Launch a program several times, record what it uses, and write down what is usual in an oracle.

The command after -- is remembered in the oracle, so that later 'buto check NAME' and 'buto train
NAME' need none. Without NAME, all tests of buto.yaml are trained, their launches mixed at random.
A disturbed run is repeated; half as many as are wanted, but at least three, may be disturbed.

examples:
  buto train leaker --runs 10 -- java -Xmx256m -cp app.jar com.acme.Main 5 100
  buto train build --jvm 'com.acme.*' --timeout 2min -- ./gradlew run
  buto train
  buto train leaker --from-runs all
"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", metavar="NAME", nargs="*", help="tests (default: all of buto.yaml)")
        parser.add_argument(
            "--runs",
            metavar="K",
            type=options.count_or_auto,
            help="usable runs to learn from, or 'auto': as many as sharpen the oracle (default: 10)",
        )
        source = parser.add_mutually_exclusive_group()
        source.add_argument("--from-runs", metavar="WHICH", help=f"launch nothing, {options.FROM_RUNS}")
        source.add_argument(
            "--resume", metavar="ID", help="count stored runs from this one on, launch only what is missing"
        )
        options.add_alpha_option(parser)
        options.add_target_options(parser)
        options.add_file_options(parser)
        reports.add_report_options(parser, ("json",))

    def run(self, args: Namespace, console: Console) -> int:
        reports.check_paths(args)
        configured = chosen.read_config(args)
        names = chosen.names_of(args, configured)
        chosen.check_oracle_paths(args, names)
        known = {name: chosen.old_oracle(args, name, configured) for name in names}
        tests = [chosen.test_for(name, args, configured, known[name]) for name in names]
        collected = _collected(tests, args, console)
        return finish([_trained(test, collected[test.name], args, console) for test in tests], args, console)


def _collected(tests: list[TestConfig], args: Namespace, console: Console) -> dict[str, Collected]:
    if args.from_runs is not None:
        return {test.name: Collected(stored_runs(test.name, args.from_runs, args)) for test in tests}
    check_numbers_of_runs(tests)
    done: dict[str, list[Run]] = {test.name: [] for test in tests}
    if args.resume is not None:
        for test in tests:
            done[test.name] = stored_runs(test.name, f"{args.resume}..", args, required=False)
    enough = sharp_enough(tests, done)
    missing = {test.name: max(0, test.runs - len(done[test.name])) for test in tests}
    for name, is_enough in enough.items():
        if is_enough(run_set([])):
            missing[name] = 0
    collected = launch(tests, missing, args, console, enough=enough)
    for name, result in collected.items():
        result.runs[:0] = done[name]
    tell_why_enough(tests, collected, console)
    return collected


def sharp_enough(
    tests: Sequence[TestConfig], done: Mapping[str, Sequence[Run]]
) -> dict[str, Callable[[RunSet], bool]]:
    """Of each adaptive test, what says of further runs that with those done before no more are needed."""

    def enough(test: TestConfig, runs: RunSet) -> bool:
        return enough_runs(run_set([*done.get(test.name, ()), *runs]), test.settings)

    return {test.name: partial(enough, test) for test in tests if test.adaptive}


def tell_why_enough(
    tests: Sequence[TestConfig], collected: Mapping[str, Collected], console: Console
) -> None:
    """Say of each adaptive test that was not given up why it ended at this number of runs."""
    for test in tests:
        n_runs = len(collected[test.name].valid())
        if test.adaptive and collected[test.name].failure is None:
            most = f"{n_runs} runs are the most that 'auto' learns from"
            enough = f"{n_runs} runs are enough, the last {LAST} made the oracle no sharper"
            console.info(f"{test.name}: {enough if n_runs < MOST_RUNS else most}")


def check_numbers_of_runs(tests: Sequence[TestConfig]) -> None:
    """UsageError where fewer runs are wanted than an oracle needs; better before the launches than after."""
    for test in tests:
        if test.adaptive and test.settings.detector != CALIBRATED.detector:
            raise UsageError(
                f"{test.name}: with the preset {test.settings.preset} nothing says how sharp an oracle is",
                advice="name a number of runs: --runs 10; or judge: {preset: calibrated}",
            )
        fewest = oracle.fewest_runs(test.settings)
        if test.runs < fewest:
            raise UsageError(
                f"{test.name}: {test.runs} runs are too few for an oracle, it needs {fewest}",
                advice="10 are a good number: --runs 10",
            )


def _trained(test: TestConfig, collected: Collected, args: Namespace, console: Console) -> Result:
    """Train one test and say so; a failure of one does not keep the others from being trained."""
    path = chosen.oracle_path(args, test.name)
    try:
        if collected.failure is not None:
            raise collected.failure
        learned = oracle.train(collected.valid(), test.settings, target=test.written)
        oracle.save(path, learned)
    except StorageError as error:
        which = f"{collected.runs[0].id}..{collected.runs[-1].id}" if collected.runs else "all"
        raise StorageError(
            f"{error.message}; the runs are kept in {args.store}",
            advice=f"{error.advice}; then: {chosen.train_again(args, test.name, '--from-runs', which)}",
        ) from error
    except ButoError as error:
        console.error(f"{test.name}: {error.message}", error.advice)
        return Result(test.name, path, collected.runs, error=error)
    runs = format_count(len(collected.valid()), "run")
    console.result(f"TRAINED  {test.name}: {runs}, {path}")
    remarks.tell_jvm(test.name, collected.valid(), console)
    warnings = (*learned.warnings, *remarks.warnings(collected.valid()))
    for warning in warnings:
        console.warning(warning)
    strong = _strengths(learned, args, console)
    return Result(test.name, path, collected.runs, warnings=warnings, strengths=strong)


def _strengths(learned: Oracle, args: Namespace, console: Console) -> tuple[Strength, ...]:
    """Say what the oracle would notice of the usual quantities; of all in detail, or for a JSON file."""
    if not isinstance(learned.fitted, FittedCalibrated):
        return ()
    profile, verbosity = learned.fitted.profile, console.verbosity
    usual = told(profile)
    everything = verbosity is Verbosity.VERBOSE or args.json is not None
    if everything and len(profile.quantities) > MOST_ASKED:
        everything = False
        console.info(f"of {len(profile.quantities):,} quantities only the usual ones' strength is told")
    found = strengths(profile, learned.settings, None if everything else usual)
    shown = [one for one in found if verbosity is Verbosity.VERBOSE or one.quantity.name in usual]
    for line in strength_lines(shown) if verbosity > Verbosity.QUIET else ():
        console.result(f"  {line}")
    return found


COMMAND = TrainCommand()
