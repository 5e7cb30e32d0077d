"""Measure how often checks suspect an unchanged program, and how often they fail it without turns.

This launches nothing. buto uses stored runs of the unchanged program: many times, it trains an oracle on
some of them, drawn at random, and checks the others by the rule of 'buto check', up to where old and new
would be launched in turns. Of the checks that reach turns, at most a share alpha fails. It does the same in
the order of time: runs in a row train, and later ones are checked, which also shows what a machine that
changes does. It needs at least 8 valid runs, and some hundreds to distinguish a small alpha from twice as
much; 'buto record' makes them. Runs of several environments are judged by those of their own; with four
environments or more, also by those of all others.

--live launches instead: it carries out real checks of the unchanged program, which must be that of the
training, and of the program with more use. The agent makes that use inside the JVM: it allocates, keeps
memory, starts threads, opens files or burns processor time, as much as the oracle promises to detect; each
such check must be a regression. It says beforehand how many launches follow at most, and Ctrl-C prints what
there is. No history and no later check knows these runs. The exit code is 3 if the checks contradict a
promise: if they fail the unchanged program more often than alpha, or find a promised size in less than 90 %
of the checks, beyond what chance explains (limits of 97.5 % each).

examples:
  buto selftest leaker
  buto selftest leaker --live
  buto selftest leaker --live --checks 40
  buto selftest leaker --scheduler tcp://10.0.0.1:8786
  buto record leaker --runs 50 && buto selftest leaker --training 10
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from buto.actions.live import DEFAULT_CHECKS, LiveOutcome, LiveRequest, LiveStopped, LiveTrial, measure_live
from buto.actions.project import Project
from buto.actions.selftest import SelftestOutcome, SelftestRequest, selftest
from buto.actions.stored import ALL
from buto.actions.wording import FrontEnd
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.interruption import Stopped
from buto.cli.projects import front_end_for, printer_for, project_of
from buto.errors import EXIT_PASS, JudgeError, UsageError
from buto.judging.alarms import Alarms, InOrder, runs_to_tell
from buto.project.options import flag
from buto.run.units import format_count, format_percent, format_seconds
from buto.steps import Action, Advice, Step


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("test", metavar="NAME", help="the test")
    parsing.declare(
        parser,
        "--from-runs WHICH  runs of the unchanged program: 'all' except those of checks (default), ids, or "
        "FIRST..LAST",
        "--training K  training runs (default: as many as trained the oracle, or all but three)",
        "--live  launch real checks, of the unchanged program and with more use",
        f"--checks N  with --live, checks of the unchanged program (default: {DEFAULT_CHECKS}); "
        "half as many of each other kind",
    )
    parsing.add_scheduler_option(parser, "compute")
    parsing.add_options(parser, "selftest")


def run(args: Namespace, console: Console) -> int:
    project = project_of(args)
    if args.live:
        return _run_live(args, project, console)
    if args.checks is not None:
        raise UsageError("--checks needs --live", advice=f"buto selftest {args.test} --live --checks N")
    request = SelftestRequest(args.test, args.from_runs or ALL, args.training)
    outcome = selftest(project, request, printer_for(args, project, console))
    _tell(args.test, outcome, console, front_end_for(args, project))
    return EXIT_PASS


def _run_live(args: Namespace, project: Project, console: Console) -> int:
    given = [name for name in ("from_runs", "training") if getattr(args, name) is not None]
    if given:
        raise UsageError(
            f"--live launches checks, and takes no {flag(given[0])}", advice="leave out one of both"
        )
    request = LiveRequest(args.test, args.checks or DEFAULT_CHECKS)
    try:
        outcome = measure_live(project, request, printer_for(args, project, console))
    except LiveStopped as stop:
        _tell_live(args.test, stop.outcome, console)
        raise Stopped("stopped by Ctrl-C; the numbers are of the checks so far") from stop
    _tell_live(args.test, outcome, console)
    if outcome.broken:
        names = "; ".join(trial.title for trial in outcome.broken)
        raise JudgeError(
            f"{args.test}: these checks contradict what the oracle promises: {names}",
            advice=Advice(
                "train again, with more runs or on a quieter machine: ", Step(Action.TRAIN, args.test)
            ),
        )
    return EXIT_PASS


def _tell_live(test: str, outcome: LiveOutcome, console: Console) -> None:
    launches = sum(trial.n_launches for trial in outcome.trials)
    seconds = sum(trial.seconds for trial in outcome.trials)
    console.result(
        f"{test}: {format_count(launches, 'launch')} in {format_seconds(seconds)}; "
        f"alpha is {format_percent(outcome.alpha)}"
    )
    trials = [trial for trial in outcome.trials if trial.statuses]
    width = max((len(trial.title) for trial in trials), default=0)
    for trial in trials:
        console.result(f"  {trial.title:<{width}}  {_share(trial)}")
    for text in outcome.left_out:
        console.result(f"  not tried: {text}")


def _share(trial: LiveTrial) -> str:
    """Return what came out, as ``found in 5 of 5 (47.8 % to 100 %)``."""
    limits, word = trial.limits, "fails in" if trial.wanted is None else "found in"
    text = f"{word} {trial.n_failed} of {trial.n_counted}"
    between = f"{format_percent(limits.lower)} to {format_percent(limits.upper)}"
    undecided = f"; {trial.n_undecided} not decided" if trial.n_undecided else ""
    promise = "; not promised" if trial.wanted == 0 else ""
    return f"{text} ({between}){undecided}{promise}; {format_count(trial.n_launches, 'launch')}"


def _tell(test: str, outcome: SelftestOutcome, console: Console, front_end: FrontEnd) -> None:
    rates, runs = outcome.found, outcome.runs
    alpha, n_runs = rates.alpha, len(runs)
    console.result(
        f"{test}: {n_runs} runs of the unchanged program, each {format_count(rates.n_splits, 'time')} "
        f"judged by {rates.n_training} others; alpha is {format_percent(alpha)}"
    )
    console.result(f"  {format_percent(rates.followed)} of checks launch two more runs")
    console.result(f"  old and new in turns     {_rate(rates.turning, 'follow')}")
    console.result(f"  of checks without turns  {_rate(rates.failing)}")
    _tell_in_order(rates.in_order, console)
    if rates.left_out is not None:
        console.result(f"  on environments left out   {_rate(rates.left_out, unit='environment')}")
    for why in rates.not_left_out:
        which = "no environment is" if rates.left_out is None else "not every environment is"
        console.result(f"  {which} left out: {why}")
    needed = runs_to_tell(alpha)
    if n_runs < needed:
        console.result(
            f"  {n_runs} runs do not rule out {format_percent(rates.failing.at_most)}; to distinguish "
            f"{format_percent(alpha)} from {format_percent(2 * alpha)} takes about {needed}"
        )
    if rates.failing.exceeds(alpha):
        console.warning(
            f"{test}: checks without turns fail more often than alpha allows; train with more runs, "
            "use a quieter machine, or find out which runs fail"
        )
    if rates.in_order is not None and rates.in_order.failing.exceeds(alpha):
        console.warning(
            f"{test}: checks in the order of time fail more often than alpha allows, because runs that are "
            "near in time are alike; spread the training over a longer time: "
            f"buto record {test} --runs 5, some hours apart, then buto train {test} --from-runs all"
        )
    if rates.left_out is not None and rates.left_out.exceeds(alpha):
        console.warning(
            f"{test}: checks on environments left out fail more often than alpha allows, because they differ "
            "more than the others show; record runs of more environments"
        )
    for place in rates.often():
        run = runs.runs[place]
        show = front_end.step(Step(Action.SHOW_RUN, test, run_id=run.id))
        console.warning(
            f"run {run.id} is unlike the others: turns follow "
            f"{format_percent(rates.turning.by_run[place])} of its checks: {show}"
        )


def _tell_in_order(rates: InOrder | None, console: Console) -> None:
    if rates is None:
        return
    console.result("  in the order of time, training runs in a row and later ones checked:")
    console.result(f"    old and new in turns     {_rate(rates.turning, 'follow')}")
    console.result(f"    of checks without turns  {_rate(rates.failing)}")
    if rates.later is not None:
        sessions = format_count(rates.n_sessions, "session")
        console.result(f"    ... in a later session  {_rate(rates.later)}; {sessions} of runs")


def _rate(alarms: Alarms, what: str = "fail", unit: str = "run") -> str:
    share, error = format_percent(alarms.rate), format_percent(alarms.error)
    return f"{what} in {share} (± {error}, clustered by {unit})"
