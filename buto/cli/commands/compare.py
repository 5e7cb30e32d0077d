"""``buto compare``."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import ClassVar

from buto import oracle
from buto.cli import chosen, remarks
from buto.cli.judged import tell
from buto.cli.parsing import options
from buto.cli.printing import report_files as reports
from buto.cli.printing.console import Console
from buto.cli.session import launch, stored_runs
from buto.cli.sides import AGAINST, Side, sides_of, test_of
from buto.config import Config
from buto.detectors.calibrated.explanation import explain_comparison
from buto.detectors.comparison.detector import DEFAULT_RUNS, compare, comparing, runs_needed
from buto.detectors.settings import CALIBRATED, Settings, settings_from
from buto.errors import ButoError, UsageError
from buto.report.check_report import check_report
from buto.report.result import Result
from buto.runs import Run, run_set
from buto.verdicts import Status, Verdict
from buto.workflow.launching import Collected


class CompareCommand:
    name: ClassVar[str] = "compare"
    takes_command: ClassVar[bool] = True
    help: ClassVar[str] = """\
Launch two programs in turns, in random order, and say what the second uses more or less of.

No oracle is needed or written: for machines that change from day to day, and for a change that is
to be looked at once. The two may differ in anything that a command says: arguments, class path,
options of the JVM, the JDK. A and B name the runs; one without a command is a test of buto.yaml, or
of an oracle, and one with a command alone is launched and measured like the other one.

With --revisions, two revisions of the git repository here are checked out into temporary working
trees, built there with --build, and launched there. What is not committed is not there.

examples:
  buto compare old -- java -jar old.jar --against new -- java -jar new.jar
  buto compare shop --against shop-next
  buto compare shop --against g1 -- java -XX:+UseG1GC -cp app.jar com.acme.Main 5 100
  buto compare shop --revisions v1.2 HEAD --build 'mvn -q package' -- java -cp target/classes Main
  buto compare old --against new --from-runs all --html report.html
"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("test", metavar="A", help="the first program")
        parser.add_argument(
            AGAINST, metavar="B", help="the second program; may stand behind the first one's command"
        )
        parser.add_argument(
            "--revisions", metavar=("OLD", "NEW"), nargs=2, help="compare two git revisions of A instead"
        )
        parser.add_argument(
            "--build", metavar="CMD", help="what to do in each revision before it is launched"
        )
        parser.add_argument(
            "--runs",
            metavar="K",
            type=options.count,
            help=f"usable runs of each (default: {DEFAULT_RUNS})",
        )
        parser.add_argument("--from-runs", metavar="WHICH", help="launch nothing: 'all', or FIRST..LAST")
        parser.add_argument(
            "--alpha",
            metavar="SHARE",
            type=float,
            help="share of comparisons of equal programs that may fail (default: 0.01)",
        )
        options.add_target_options(parser)
        options.add_file_options(parser, judging=False)
        reports.add_report_options(parser)

    def run(self, args: Namespace, console: Console) -> int:
        reports.check_paths(args)
        configured = chosen.read_config(args)
        sides = sides_of(args)
        settings = _settings(args, configured, sides[0])
        runs = _number_of_runs(args, settings)
        if args.from_runs is None:
            with ExitStack() as stack:
                tests = [test_of(side, args, configured, stack, console) for side in sides]
                collected = launch(tests, {test.name: runs for test in tests}, args, console, together=True)
        else:
            collected = {side.name: Collected(_stored(side.name, args)) for side in sides}
        result = _compared([collected[side.name] for side in sides], sides, settings, args, console)
        exit_code = reports.worst_code([result])
        reports.write_reports(reports.finished([result], args, exit_code), args, console)
        return exit_code


def _settings(args: Namespace, configured: Config | None, side: Side) -> Settings:
    ours = None if configured is None else configured.tests.get(side.like[0])
    settings = comparing(CALIBRATED if ours is None else ours.settings)
    if args.alpha is None:
        return settings
    return replace(settings, alpha=settings_from({"preset": "calibrated", "alpha": args.alpha}).alpha)


def _number_of_runs(args: Namespace, settings: Settings) -> int:
    """UsageError where fewer are asked for than can show anything: better before than after the launches."""
    needed = runs_needed(settings)
    if args.runs is not None and args.runs < needed:
        raise UsageError(
            f"{args.runs} runs of each cannot tell a share of {settings.alpha:g} from chance",
            advice=f"--runs {needed}, or a larger --alpha",
        )
    return args.runs or max(DEFAULT_RUNS, needed)


def _stored(test: str, args: Namespace) -> list[Run]:
    if args.from_runs != "all" and ".." not in args.from_runs:
        raise UsageError(
            f"--from-runs {args.from_runs}: two programs have no ids in common",
            advice="--from-runs all, or FIRST..LAST",
        )
    return stored_runs(test, args.from_runs, args)


def _compared(
    collected: Sequence[Collected],
    sides: tuple[Side, Side],
    settings: Settings,
    args: Namespace,
    console: Console,
) -> Result:
    title = f"{sides[1].name} against {sides[0].name}"
    runs = sorted((run for one in collected for run in one.runs), key=lambda run: run.id)
    first, second = (run_set(one.runs) for one in collected)
    for one, side in zip(collected, sides, strict=True):
        if one.failure is not None:
            console.error(f"{side.name}: {one.failure.message}", one.failure.advice)
            return Result(title, None, runs, error=one.failure)
    try:
        verdict = compare(first, second, settings)
        # For the charts: what the first program's runs are like. It judges nothing, so its warnings are idle.
        known = replace(oracle.train(first.valid(), settings), test=title, warnings=())
    except ButoError as error:
        console.error(f"{title}: {error.message}", error.advice)
        return Result(title, None, runs, error=error)
    report = check_report(
        verdict,
        known,
        second,
        first.valid(),
        made=datetime.now(UTC),
        next_steps=_next_steps(verdict, sides, runs, args),
        explanation=explain_comparison(verdict, settings),
    )
    result = Result(title, None, runs, verdict, report=report)
    tell(result, console)
    for one, side in zip(collected, sides, strict=True):
        remarks.tell_jvm(side.name, one.valid(), console)
        for warning in remarks.warnings(one.valid()):
            console.warning(f"{side.name}: {warning}")
    return result


def _next_steps(
    verdict: Verdict, sides: tuple[Side, Side], runs: Sequence[Run], args: Namespace
) -> list[str]:
    if verdict.status is Status.PASS:
        return []
    stored = [] if args.store == options.STORE else ["--store", str(args.store)]
    show = ["buto", "runs", "show", sides[1].name, *verdict.run_ids[:1], *stored]
    again = ["buto", "compare", sides[0].name, AGAINST, sides[1].name]
    again += ["--from-runs", f"{runs[0].id}..{runs[-1].id}", *stored]
    again += [] if args.alpha is None else ["--alpha", f"{args.alpha:g}"]
    again += ["--html", "report.html"]
    return [shlex.join(show), f"{shlex.join(again)}  (the same runs, with every chart)"]


COMMAND = CompareCommand()
