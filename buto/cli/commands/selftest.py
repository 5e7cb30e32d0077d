"""Measure how often an oracle fails an unchanged program, and warn if that is too often.

This launches nothing. buto uses stored runs of the unchanged program: many times, it trains an oracle on
some of them, drawn at random, and checks one of the others, with two more runs to confirm a failure as
in 'buto check'. It does the same in the order of time: runs in a row train, and later ones are checked,
which also shows what a machine that changes does. It needs at least 8 valid runs, and some hundreds
to distinguish a small alpha from twice as much; 'buto record' makes them. Runs of several environments
are judged by those of their own; with four environments or more, also by those of all others.

examples:
  buto selftest leaker
  buto selftest leaker --scheduler tcp://10.0.0.1:8786
  buto record leaker --runs 50 && buto selftest leaker --training 10
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.advice import Door
from buto.actions.selftest import SelftestOutcome, SelftestRequest, selftest
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.events import EventPrinter
from buto.cli.projects import project_of
from buto.errors import EXIT_PASS
from buto.judging.alarms import Alarms, InOrder, runs_to_tell
from buto.run.units import format_count, format_percent
from buto.steps import Action, Step


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("test", metavar="NAME", help="the test")
    parsing.declare(
        parser,
        "--from-runs WHICH  runs of the unchanged program: 'all' except those of checks (default), ids, or "
        "FIRST..LAST",
        "--training K  training runs (default: as many as trained the oracle, or all but three)",
    )
    parser.set_defaults(from_runs="all")
    parsing.add_scheduler_option(parser, "compute")
    parsing.add_options(parser, "selftest")


def run(args: Namespace, console: Console) -> int:
    request = SelftestRequest(args.test, args.from_runs, args.training)
    project = project_of(args)
    _tell(args.test, selftest(project, request, EventPrinter(console)), console, project.door)
    return EXIT_PASS


def _tell(test: str, outcome: SelftestOutcome, console: Console, door: Door) -> None:
    found, runs = outcome.found, outcome.runs
    alpha, n_runs = found.alpha, len(runs)
    console.result(
        f"{test}: {n_runs} runs of the unchanged program, each {format_count(found.n_splits, 'time')} "
        f"judged by {found.n_training} others; alpha is {format_percent(alpha)}"
    )
    console.result(f"  of checks of one run      {_rate(found.single)}")
    console.result(f"  of checks as buto check   {_rate(found.confirmed)}")
    console.result(f"  {format_percent(found.followed)} of checks are followed by two more runs")
    _tell_in_order(found.in_order, console)
    if found.left_out is not None:
        console.result(f"  on environments left out   {_rate(found.left_out, 'environment')}")
    for why in found.not_left_out:
        which = "no environment is" if found.left_out is None else "not every environment is"
        console.result(f"  {which} left out: {why}")
    needed = runs_to_tell(alpha)
    if n_runs < needed:
        console.result(
            f"  {n_runs} runs do not rule out {format_percent(found.confirmed.at_most)}; to distinguish "
            f"{format_percent(alpha)} from {format_percent(2 * alpha)} takes about {needed}"
        )
    for name, alarms in (("of one run", found.single), ("with confirmation", found.confirmed)):
        if alarms.exceeds(alpha):
            console.warning(
                f"{test}: checks {name} fail more often than alpha allows; train with more runs, "
                "use a quieter machine, or find out which runs fail"
            )
    if found.in_order is not None and found.in_order.confirmed.exceeds(alpha):
        console.warning(
            f"{test}: checks in the order of time fail more often than alpha allows, because runs that are "
            "near in time are alike; spread the training over a longer time: "
            f"buto record {test} --runs 5, some hours apart, then buto train {test} --from-runs all"
        )
    if found.left_out is not None and found.left_out.exceeds(alpha):
        console.warning(
            f"{test}: checks on environments left out fail more often than alpha allows, because they differ "
            "more than the others show; record runs of more environments"
        )
    for place in found.often():
        run = runs.runs[place]
        show = door.step(Step(Action.SHOW_RUN, test, run_id=run.id))
        console.warning(
            f"run {run.id} is unlike the others, and fails in "
            f"{format_percent(found.single.by_run[place])} of its checks: {show}"
        )


def _tell_in_order(found: InOrder | None, console: Console) -> None:
    if found is None:
        return
    console.result("  in the order of time, training runs in a row and later ones checked:")
    console.result(f"    of checks of one run    {_rate(found.single)}")
    console.result(f"    of checks as buto check {_rate(found.confirmed)}")
    if found.later is not None:
        sessions = format_count(found.n_sessions, "session")
        console.result(f"    ... in a later session  {_rate(found.later)}; {sessions} of runs")


def _rate(alarms: Alarms, unit: str = "run") -> str:
    return f"{format_percent(alarms.rate)} failed (± {format_percent(alarms.error)}, clustered by {unit})"
