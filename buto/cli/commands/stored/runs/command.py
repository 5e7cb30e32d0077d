"""``buto runs``."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import ClassVar

from buto.cli.commands.stored.runs.listing import list_runs
from buto.cli.commands.stored.runs.recovery import recover_all
from buto.cli.commands.stored.runs.running import running, running_lines
from buto.cli.commands.stored.runs.stored_ids import existing_ids, training_ids
from buto.cli.parsing import options
from buto.cli.parsing.actions import Actions
from buto.cli.parsing.project import files_of
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.errors import EXIT_PASS, UsageError
from buto.report.terminal.runs import run_lines
from buto.runs import RunStore
from buto.runs.export import Layout, to_csv, to_json, to_parquet
from buto.runs.labels import LabelStore, run_labels
from buto.units import format_bytes, format_count
from buto.workflow.project import Files


class RunsCommand:
    name: ClassVar[str] = "runs"
    takes_command: ClassVar[bool] = False
    help: ClassVar[str] = """\
List, show, export and delete stored runs, and recover interrupted recordings.

examples:
  buto runs list
  buto runs show leaker
  buto runs export leaker --format csv -o leaker.csv
  buto runs delete leaker --keep 10
  buto runs recover
  buto runs export --help"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = Actions(parser)

        def add(name: str, help: str) -> ArgumentParser:
            action = actions.add(name, help)
            options.add_options(action, self.name)
            return action

        listing = add("list", "list stored runs, oldest first")
        listing.add_argument("names", metavar="NAME", nargs="*", help="tests (default: all)")
        listing.add_argument("--json", metavar="FILE", type=Path, help="write the list as JSON instead")

        showing = add("show", "show everything about one run")
        showing.add_argument("test", metavar="NAME", help="the test")
        showing.add_argument("id", metavar="RUN", nargs="?", help="the run (default: the newest)")
        showing.add_argument("--whole", action="store_true", help="show everything, uncut")

        exporting = add("export", "write runs as CSV, Parquet or JSON")
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
            "-o", "--output", metavar="FILE", type=Path, help="the file to write (default: standard output)"
        )

        deleting = add("delete", "delete runs without confirmation")
        deleting.add_argument("test", metavar="NAME", help="the test")
        deleting.add_argument("ids", metavar="RUN", nargs="*", help="runs")
        deleting.add_argument("--all", action="store_true", help="delete all runs except training runs")
        deleting.add_argument(
            "--keep",
            metavar="N",
            type=partial(options.count, least=0, most=10**9),
            help="delete all of them except the newest N",
        )
        deleting.add_argument(
            "--with-training",
            action="store_true",
            help="also count and delete training runs",
        )

        recovering = add("recover", "store what is left of recordings after buto was killed")
        recovering.add_argument("names", metavar="NAME", nargs="*", help="tests (default: all)")

    def run(self, args: Namespace, console: Console) -> int:
        files = files_of(args)
        store = RunStore(files.store)
        match args.action:
            case "recover":
                return recover_all(store, args.names, console)
            case "list":
                list_runs(files, args.names, args.json, console)
            case "show":
                _show(args, store, console)
            case "export":
                _export(args, store, console)
            case "delete":
                _delete(args, files, console)
        return EXIT_PASS


def _show(args: Namespace, store: RunStore, console: Console) -> None:
    if (recording := running(store, args.test, args.id)) is not None:
        for line in running_lines(recording):
            console.result(line)
        return
    run = store.load(args.test, args.id or existing_ids(store, args.test)[-1])
    labels = [one for one in run_labels(LabelStore(store.root).all(args.test)) if one.run_id == run.id]
    for line in run_lines(run, datetime.now(UTC), whole=args.whole, labels=labels):
        console.result(line)


def _export(args: Namespace, store: RunStore, console: Console) -> None:
    if args.format == "json" and args.layout is not None:
        raise UsageError(
            "--layout cannot be used with JSON", advice="leave --layout out, or use --format csv"
        )
    if args.format == "parquet" and args.output is None:
        raise UsageError(
            "Parquet is binary and needs a file",
            advice=_again(args, "export", "--format", "parquet", "-o", f"{args.test}.parquet"),
        )
    runs = store.load_set(args.test, args.ids or existing_ids(store, args.test))
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


def _delete(args: Namespace, files: Files, console: Console) -> None:
    store = RunStore(files.store)
    if bool(args.ids) + args.all + (args.keep is not None) != 1:
        raise UsageError(
            "name the runs to delete: ids, --all, or --keep N",
            advice=_again(args, "delete", "--keep", "10"),
        )
    stored = existing_ids(store, args.test)
    spared = set() if args.ids or args.with_training else training_ids(files, args.test) & set(stored)
    others = [run_id for run_id in stored if run_id not in spared]
    ids: Sequence[str] = args.ids or others[: max(0, len(others) - (args.keep or 0))]
    unique = list(dict.fromkeys(ids))
    store.delete(args.test, unique)
    left = format_count(len(store.ids(args.test)), "run")
    console.result(f"deleted {format_count(len(unique), 'run')} of {args.test!r}; {left} left")
    if spared:
        console.info(f"kept {format_count(len(spared), 'training run')}; --with-training deletes them, too")


def _again(args: Namespace, *words: str) -> str:
    """Return an action about the same test of the same store, as a user types it."""
    action, *options = words
    store = [] if args.store is None else ["--store", str(args.store)]
    return shlex.join(["buto", "runs", action, args.test, *options, *store])


COMMAND = RunsCommand()
