"""Judging runs by an oracle, with all that a report shows of it."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime

from buto import oracle
from buto.cli import chosen
from buto.cli.parsing import options
from buto.cli.printing import report_files as reports
from buto.cli.printing.console import Console
from buto.cli.session import CHECK
from buto.errors import JudgeError
from buto.oracle import Oracle
from buto.report.check_report import NO_RUNS, check_report
from buto.report.result import Result, reported
from buto.report.terminal.verdict import styled_lines
from buto.runs import Run, RunSet, run_set
from buto.runs.document import Head
from buto.runs.model import PURPOSE, SESSION
from buto.runs.store import RunStore
from buto.verdicts import Status, Verdict
from buto.workflow.launching import bad_ending


def judged(known: Oracle, runs: Sequence[Run], args: Namespace) -> Result:
    """The result of a check of runs, valid or not.

    Raises:
        ButoError: they cannot be judged, or a training run that a report is to show is damaged.
    """
    checked = run_set(runs)
    verdict = oracle.check(known, checked.valid() if checked.valid().runs else checked)
    path = chosen.oracle_path(args, known.test)
    report = check_report(
        verdict,
        known,
        checked,
        training_runs(known, args) if reports.needs_training(args) else NO_RUNS,
        made=datetime.now(UTC),
        oracle_path=path,
        next_steps=next_steps(known.test, verdict, args),
    )
    return reported(report, path)


def tell(result: Result, console: Console) -> None:
    """Print the verdict, as much of it as was asked for."""
    if result.report is None:
        return
    for line in styled_lines(result.report, max_lines=reports.max_lines(console)):
        console.styled(line.parts)


def training_runs(known: Oracle, args: Namespace) -> RunSet:
    """Those of the oracle's training runs that the store still has."""
    store = RunStore(args.store)
    at_hand = set(store.ids(known.test))
    return store.open_set(known.test, [run_id for run_id in known.run_ids if run_id in at_hand])


def newest_check(test: str, store: RunStore) -> list[Run]:
    """The usable runs that the newest check of a test was of; none without a check.

    Raises:
        BadFileError: a run that may be of it is damaged.
        JudgeError: it left no usable run, or ended without a verdict.
    """
    known = store.summaries(test)
    recorded = [summary.head for summary in known if summary.head is not None]
    newest = [_session(head) for head in recorded if head.marks.get(PURPOSE) == CHECK][-1:]
    together = [head for head in recorded if _session(head) in newest]
    for damaged in (summary.id for summary in known if summary.head is None):
        if not together or damaged > together[0].id:
            store.load(test, damaged)
    if not together:
        return []
    problems = list(dict.fromkeys(problem for head in together for problem in head.quality.problems))
    usable = [head.id for head in together if head.quality.valid]
    ended = bad_ending(problems)
    if usable and ended is None:
        return list(store.open_set(test, usable))
    why = "left no usable run" if not usable else "ended without a verdict"
    raise JudgeError(
        f"the newest check {why}: {newest[0]}: {'; '.join(problem.text for problem in problems)}",
        advice=f"check again: {shlex.join(['buto', 'check', test])}; or name runs with --from-runs",
    )


def _session(head: Head) -> object:
    """What the runs of one command share; a run of an older buto, without the mark, is alone."""
    return head.marks.get(SESSION, head.id)


def next_steps(test: str, verdict: Verdict, args: Namespace) -> list[str]:
    """What to type next, after a verdict that is no pass."""
    if verdict.status is Status.PASS:
        return []
    stored = [] if args.store == options.STORE else ["--store", str(args.store)]
    show = shlex.join(["buto", "runs", "show", test, *verdict.run_ids[:1], *stored])
    if verdict.status is Status.INCONCLUSIVE:
        elsewhere = any(one.source == oracle.METADATA_SOURCE for one in verdict.findings)
        return (
            [show, f"{chosen.train_again(args, test)}  (to learn this environment)"] if elsewhere else [show]
        )
    oracle_file = [] if args.oracle is None else ["--oracle", str(args.oracle)]
    chosen_runs = [] if getattr(args, "from_runs", None) is None else ["--from-runs", args.from_runs]
    if args.config is not None:
        oracle_file += ["--config", str(args.config)]
    draw = shlex.join(["buto", "plot", test, *oracle_file, *chosen_runs, *stored])
    why = "all is for the better: this accepts it" if verdict.is_welcome else "if the change is meant"
    return [show, draw, f"{chosen.again('accept', args, test)}  ({why})"]
