"""``buto selftest``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import ClassVar

from buto.classify.metadata import compare_metadata
from buto.cli import chosen
from buto.cli.parsing import options
from buto.cli.printing.console import Console
from buto.cli.session import stored_runs
from buto.detectors.calibrated.selftest import (
    FEWEST_TO_TEST,
    N_CHECKED,
    Alarms,
    Selftest,
    runs_to_tell,
    selftest,
)
from buto.errors import EXIT_PASS, JudgeError
from buto.oracle import CalibratedDetector, FittedCalibrated, Oracle
from buto.runs import RunSet, run_set
from buto.units import format_count, format_percent


class SelftestCommand:
    name: ClassVar[str] = "selftest"
    takes_command: ClassVar[bool] = False
    help: ClassVar[str] = f"""\
Measure how often an oracle fails a program that has not changed, and warn if that is too often.

Launches nothing. Stored runs of the unchanged program are judged by one another, many times over: some
of them, drawn at random, train an oracle, and one of the others is checked by it, with two more to
confirm a failure as 'buto check' has it. At least {FEWEST_TO_TEST} usable runs are needed, and some
hundreds to tell a small alpha from twice as much; 'buto record' makes them.

examples:
  buto selftest leaker
  buto record leaker --runs 50 && buto selftest leaker --training 10"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("test", metavar="NAME", help="the test")
        parser.add_argument(
            "--from-runs",
            metavar="WHICH",
            default="all",
            help="runs of the unchanged program: 'all' but those of checks (default), ids, or FIRST..LAST",
        )
        parser.add_argument(
            "--training",
            metavar="K",
            type=options.count,
            help="runs that train (default: as many as trained the oracle, or all but three)",
        )
        options.add_file_options(parser)

    def run(self, args: Namespace, console: Console) -> int:
        configured = chosen.read_config(args)
        known = chosen.the_oracle(args, args.test, configured)
        if not isinstance(known.fitted, FittedCalibrated):
            raise JudgeError(
                f"the oracle of {args.test} promises no rate of false alarms: its preset is "
                f"{known.settings.preset}",
                advice=f"judge: {{preset: calibrated}}; then {chosen.train_again(args, args.test)}",
            )
        runs = _unchanged(known, args, console)
        fewer = max(len(runs) - N_CHECKED, 0)
        n_training: int = args.training or min(len(known.run_ids), fewer)
        if args.training is None and n_training < len(known.run_ids):
            console.warning(
                f"{args.test}: only {len(runs)} runs are stored: {n_training} of them train, "
                f"where {len(known.run_ids)} trained the oracle"
            )
        _refuse_few(len(runs), n_training, args.test)
        profile = CalibratedDetector(known.settings).fit(runs).profile
        _tell(selftest(profile, known.settings, n_training), runs, args, console)
        return EXIT_PASS


def _unchanged(known: Oracle, args: Namespace, console: Console) -> RunSet:
    """The stored runs that were made in the oracle's environment."""
    runs = stored_runs(args.test, args.from_runs, args)
    metadata = known.settings.metadata
    alike = [
        run
        for run in runs
        if not any(one.deciding for one in compare_metadata(known.environment, run.metadata, metadata))
    ]
    if len(alike) < len(runs):
        console.info(
            f"{args.test}: {format_count(len(runs) - len(alike), 'run')} of other environments left out"
        )
    return run_set(alike)


def _refuse_few(n_runs: int, n_training: int, test: str) -> None:
    fewest = max(FEWEST_TO_TEST, n_training + N_CHECKED)
    if n_runs < fewest:
        raise JudgeError(
            f"{test}: {format_count(n_runs, 'run')} of the unchanged program are too few, "
            f"{fewest} are the fewest",
            advice=f"buto record {test} --runs {max(20, fewest - n_runs)}",
        )


def _tell(found: Selftest, runs: RunSet, args: Namespace, console: Console) -> None:
    alpha, n_runs = found.alpha, len(runs)
    console.result(
        f"{args.test}: {n_runs} runs of the unchanged program, each {format_count(found.n_splits, 'time')} "
        f"judged by {found.n_training} others; alpha is {format_percent(alpha)}"
    )
    console.result(f"  of checks of one run      {_rate(found.single)}")
    console.result(f"  of checks as buto check   {_rate(found.confirmed)}")
    console.result(f"  {format_percent(found.followed)} of checks are followed by two more runs")
    needed = runs_to_tell(alpha)
    if n_runs < needed:
        console.result(
            f"  {n_runs} runs do not rule out {format_percent(found.confirmed.at_most)}; to tell "
            f"{format_percent(alpha)} from {format_percent(2 * alpha)} takes about {needed}"
        )
    for name, alarms in (("of one run", found.single), ("with confirmation", found.confirmed)):
        if alarms.exceeds(alpha):
            console.warning(
                f"{args.test}: checks {name} fail more often than alpha says; train with more runs, "
                "on a quieter machine, or see which runs it is"
            )
    for place in found.often():
        run = runs.runs[place]
        console.warning(
            f"run {run.id} stands apart from the others, and fails in "
            f"{format_percent(found.single.by_run[place])} of its checks: buto runs show {args.test} {run.id}"
        )


def _rate(alarms: Alarms) -> str:
    return f"{format_percent(alarms.rate)} failed (± {format_percent(alarms.error)}, clustered by run)"


COMMAND = SelftestCommand()
