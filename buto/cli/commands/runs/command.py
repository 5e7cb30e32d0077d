"""``buto runs``."""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from buto import oracle
from buto.cli.commands.runs.recovery import recover_all, to_recover
from buto.cli.main import add_verbosity
from buto.cli.parsing import options
from buto.cli.parsing.project import files_of
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.errors import EXIT_PASS, BadFileError, UsageError
from buto.report.terminal.runs import list_lines, run_lines
from buto.runs import RunStore, RunSummary
from buto.runs.document import problem_data
from buto.runs.export import Layout, to_csv, to_json, to_parquet
from buto.runs.fields import json_number
from buto.runs.journal import unfinished
from buto.runs.model import PURPOSE
from buto.runs.names import start_of
from buto.runs.reading import is_missing
from buto.units import format_bytes, format_count

FORMAT = "buto-runs"
VERSION = 2
_TRAINING = ("train", "accept")
"""Purposes of the runs that oracles learn from."""


class RunsCommand:
    name: ClassVar[str] = "runs"
    takes_command: ClassVar[bool] = False
    help: ClassVar[str] = """\
List, show, export and delete stored runs, and recover those that were cut off.

examples:
  buto runs list
  buto runs show leaker
  buto runs export leaker --format csv -o leaker.csv
  buto runs delete leaker --keep 10
  buto runs recover
  buto runs export --help"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

        def add(name: str, help: str) -> ArgumentParser:
            action: ArgumentParser = actions.add_parser(
                name,
                help=help,
                description=f"{help[0].upper()}{help[1:]}.",
                formatter_class=RawDescriptionHelpFormatter,
                allow_abbrev=False,
            )
            add_verbosity(action)
            options.add_store_option(action)
            return action

        listing = add("list", "say what is stored, oldest first")
        listing.add_argument("names", metavar="NAME", nargs="*", help="tests (default: all)")
        listing.add_argument("--json", metavar="FILE", type=Path, help="write the list as JSON instead")

        showing = add("show", "say all that is known of one run")
        showing.add_argument("test", metavar="NAME", help="the test")
        showing.add_argument("id", metavar="RUN", nargs="?", help="the run (default: the newest)")
        showing.add_argument("--whole", action="store_true", help="leave nothing out and cut nothing")

        exporting = add("export", "write runs for other programs")
        exporting.add_argument("test", metavar="NAME", help="the test")
        exporting.add_argument("ids", metavar="RUN", nargs="*", help="runs (default: all of the test)")
        exporting.add_argument(
            "--format", choices=["csv", "parquet", "json"], default="csv", help="(default: csv)"
        )
        exporting.add_argument(
            "--layout",
            choices=[layout.value for layout in Layout],
            help="a row for each value (long) or for each sample (wide, the default)",
        )
        exporting.add_argument(
            "-o", "--output", metavar="FILE", type=Path, help="where to (default: standard output)"
        )

        deleting = add("delete", "delete runs, without asking")
        deleting.add_argument("test", metavar="NAME", help="the test")
        deleting.add_argument("ids", metavar="RUN", nargs="*", help="runs")
        deleting.add_argument("--all", action="store_true", help="all runs but those of training")
        deleting.add_argument("--keep", metavar="N", type=_number, help="of these, all but the newest N")
        deleting.add_argument(
            "--with-training",
            action="store_true",
            help="count and delete training runs, too",
        )

        recovering = add("recover", "store what is left of recordings whose buto was killed")
        recovering.add_argument("names", metavar="NAME", nargs="*", help="tests (default: all)")

    def run(self, args: Namespace, console: Console) -> int:
        store = RunStore(files_of(args).store)
        if args.action == "recover":
            return recover_all(store, args.names, console)
        actions = {"list": _list, "show": _show, "export": _export, "delete": _delete}
        actions[args.action](args, store, console)
        return EXIT_PASS


def _list(args: Namespace, store: RunStore, console: Console) -> None:
    left = [one for one in unfinished(store, args.names) if not one.live]
    for test in args.names:
        if not any(one.test == test for one in left):
            _existing_ids(store, test)
    runs = [(test, summary) for test in args.names or store.tests() for summary in store.summaries(test)]
    if args.json is not None:
        _write_list(args.json, runs)
    elif runs:
        learned = {(test, run_id) for test in {test for test, _ in runs} for run_id in _learned(args, test)}
        for line in list_lines(runs, datetime.now(UTC), learned):
            console.result(line)
    elif not left:
        console.info(f"{store.root} holds no runs; to record one: buto record NAME -- java ...")
    if left:
        console.info(to_recover(left, store))


def _show(args: Namespace, store: RunStore, console: Console) -> None:
    run = store.load(args.test, args.id or _existing_ids(store, args.test)[-1])
    for line in run_lines(run, datetime.now(UTC), whole=args.whole):
        console.result(line)


def _export(args: Namespace, store: RunStore, console: Console) -> None:
    if args.format == "json" and args.layout is not None:
        raise UsageError("--layout has no meaning for JSON", advice="leave --layout out, or --format csv")
    if args.format == "parquet" and args.output is None:
        raise UsageError(
            "Parquet is not text and needs a file",
            advice=f"buto runs export {args.test} --format parquet -o {args.test}.parquet",
        )
    runs = store.load_set(args.test, args.ids or _existing_ids(store, args.test))
    layout = Layout(args.layout or Layout.WIDE.value)
    if args.format == "json":
        content = to_json(runs)
    else:
        content = to_csv(runs, layout) if args.format == "csv" else to_parquet(runs, layout)
    if args.output is None:
        console.result(content.decode().rstrip("\n"))
        return
    write_file(args.output, content, "-o", make_parents=False)
    console.info(f"wrote {format_count(len(runs), 'run')} to {args.output} ({format_bytes(len(content))})")


def _delete(args: Namespace, store: RunStore, console: Console) -> None:
    if bool(args.ids) + args.all + (args.keep is not None) != 1:
        raise UsageError(
            "say which runs to delete: their ids, --all, or --keep N",
            advice=f"buto runs delete {args.test} --keep 10",
        )
    stored = _existing_ids(store, args.test)
    spared = set() if args.ids or args.with_training else _training(args, store, args.test) & set(stored)
    others = [run_id for run_id in stored if run_id not in spared]
    ids: Sequence[str] = args.ids or others[: max(0, len(others) - (args.keep or 0))]
    unique = list(dict.fromkeys(ids))
    store.delete(args.test, unique)
    left = format_count(len(store.ids(args.test)), "run")
    console.result(f"deleted {format_count(len(unique), 'run')} of {args.test!r}; {left} left")
    if spared:
        console.info(
            f"spared {format_count(len(spared), 'training run')}; --with-training deletes those, too"
        )


def _learned(args: Namespace, test: str) -> set[str]:
    """The runs that the oracle of a test has learned from; BadFileError if it is damaged."""
    files = files_of(args)
    here = files.oracle_of(test)
    known = {here, files.store.parent / here}
    return {run_id for path in known if not is_missing(path) for run_id in oracle.load(path).run_ids}


def _training(args: Namespace, store: RunStore, test: str) -> set[str]:
    """The runs that an oracle has learned from, or may have: where that of a build lies is not known."""
    heads = [one.head for one in store.summaries(test) if one.head is not None]
    recorded = {head.id for head in heads if head.marks.get(PURPOSE) in _TRAINING and head.quality.valid}
    return recorded | _learned(args, test)


def _existing_ids(store: RunStore, test: str) -> list[str]:
    """The ids of a test's runs; BadFileError if there are none."""
    ids = store.ids(test)
    if not ids:
        known = ", ".join(store.tests()) or "none of any test"
        raise BadFileError(
            f"{store.root} holds no runs of {test!r}; it holds {known}", advice="buto runs list"
        )
    return ids


def _write_list(path: Path, runs: Sequence[tuple[str, RunSummary]]) -> None:
    document = {"format": FORMAT, "version": VERSION, "runs": [_entry(test, run) for test, run in runs]}
    text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    write_file(path, text.encode(), "--json", make_parents=False)


def _entry(test: str, summary: RunSummary) -> dict[str, Any]:
    start, head = start_of(summary.id), summary.head
    entry: dict[str, Any] = {
        "test": test,
        "id": summary.id,
        "started": None if start is None else start.isoformat(),
        "damage": summary.damage or None,
    }
    if head is not None:
        entry |= {
            "duration_s": json_number(head.outcome.duration_s),
            "samples": head.n_samples,
            "notifications": head.n_notifications,
            "exit_code": head.outcome.exit_code,
            "signal": head.outcome.signal,
            "timed_out": head.outcome.timed_out,
            "valid": head.quality.valid,
            "problems": [problem_data(problem) for problem in head.quality.problems],
            "purpose": head.marks.get(PURPOSE),
            "bytes": summary.size_bytes,
        }
    return entry


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ArgumentTypeError(f"{text!r} is no number of runs")
    return int(text)


COMMAND = RunsCommand()
