"""``buto runs``: the stored runs of tests, and recordings that were interrupted or still go on.

``list`` has a line on what can be recovered, ``recover`` recovers it, and ``show`` also shows a run that is
still being recorded. Runs that an oracle has learned from are told from the others of its test.
"""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from buto import oracle
from buto.actions.project import Files
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.hints import door_of
from buto.cli.output_files import write_file
from buto.cli.parsing import Actions
from buto.cli.progress import live_text
from buto.cli.projects import files_of
from buto.errors import EXIT_PASS, BadFileError, UsageError
from buto.report.terminal.runs import list_lines, run_lines
from buto.run.cache import is_missing
from buto.run.export import Layout, to_csv, to_json, to_parquet
from buto.run.journal import Unfinished, read, unfinished
from buto.run.labels import LabelStore, current, run_labels
from buto.run.model import PURPOSE
from buto.run.names import start_of
from buto.run.storage import TakenError
from buto.run.store import RunStore, RunSummary
from buto.run.stored import json_number, plain
from buto.run.units import format_bytes, format_count, format_seconds
from buto.steps import Action, Advice, Step


def recover_all(store: RunStore, tests: Sequence[str], console: Console) -> int:
    """Recover the interrupted recordings of some tests, or of all; return the exit code.

    A damaged journal, or a run whose id is taken, does not prevent the recovery of the others.

    Raises:
        StorageError: the store cannot be written.
    """
    # Its imports are not needed to list runs.
    from buto.measure.journal import recover

    code = EXIT_PASS
    waiting = store.unsent(tests)
    for test, run_id in waiting:
        try:
            is_stored = store.send(test, run_id)
        except TakenError as error:
            console.error(error.message, error.advice)
            code = error.exit_code
            continue
        if is_stored:
            console.result(f"stored {test!r} {run_id}: it was complete on this machine")
    found = unfinished(store, tests)
    for one in found:
        if one.live:
            console.info(f"{one.test!r} {one.id} is still being recorded by another buto")
            continue
        try:
            run = recover(store, one)
        except BadFileError as error:
            console.error(error.message, error.advice)
            code = error.exit_code
            continue
        if run is None:
            console.info(f"{one.test!r} {one.id}: nothing to recover")
        else:
            length = format_seconds(run.outcome.duration_s)
            console.result(
                f"recovered {one.test!r} {one.id}: {len(run.times_s)} samples, {length}; not usable"
            )
    if not found and not waiting:
        console.info(f"nothing to recover in {store.root}")
    return code


def to_recover(left: Sequence[Unfinished], waiting: Sequence[tuple[str, str]], store: RunStore) -> list[str]:
    """Return lines on what can be recovered, and how.

    Args:
        left: recordings that were interrupted.
        waiting: test and id of the complete runs that the storage does not have yet.
    """
    again = f"buto runs recover{_option(store)}"
    lines = []
    if left:
        named = ", ".join(f"{one.test!r} {one.id}" for one in left)
        lines.append(f"{format_count(len(left), 'recording')} interrupted: {named}; to keep it: {again}")
    if waiting:
        named = ", ".join(f"{test!r} {run_id}" for test, run_id in waiting)
        lines.append(f"{format_count(len(waiting), 'run')} only on this machine: {named}; to store: {again}")
    return lines


def _option(store: RunStore) -> str:
    return "" if str(store.root) == ".buto" else f" --store {shlex.quote(str(store.root))}"


_EVERYTHING = 1000
"""Room for all curves: this is no line that is drawn again and again."""


def running(store: RunStore, test: str, run_id: str | None) -> Unfinished | None:
    """Return the recording of a test that another buto is making; None if there is none.

    Args:
        run_id: the one that is wanted; None for any.
    """
    live = [one for one in unfinished(store, [test]) if one.live and run_id in (None, one.id)]
    return live[-1] if live else None


def running_lines(one: Unfinished) -> list[str]:
    """Return what the journal of a recording has so far.

    Raises:
        BadFileError: the journal cannot be read.
    """
    # Its imports are not needed to show stored runs.
    from buto.measure.journal import recording_of

    recording = recording_of(one.test, one.id, read(one.path))
    lines = [
        f"{one.test} {one.id}",
        "still being recorded by another buto; its journal is some seconds behind",
    ]
    first_ns, last_ns = recording.first_time_ns, recording.last_time_ns
    if first_ns is None or last_ns is None:
        return lines
    zero_ns = first_ns if recording.zero_ns is None else recording.zero_ns
    length = format_seconds((last_ns - zero_ns) * 1e-9)
    lines.append(f"so far:        {length}, {format_count(recording.n_samples, 'sample')}")
    newest = live_text(recording.newest, _EVERYTHING).removeprefix(", ")
    return [*lines, f"newest:        {newest}"] if newest else lines


_TRAINING = ("train", "accept")
"""Purposes of the runs that oracles learn from."""


def existing_ids(store: RunStore, test: str) -> list[str]:
    """Return the ids of a test's runs; BadFileError if there are none."""
    ids = store.ids(test)
    if not ids:
        known = ", ".join(store.tests()) or "none of any test"
        raise BadFileError(
            f"{store.root} holds no runs of {test!r}; it holds {known}",
            advice=Advice(Step(Action.LIST_RUNS)),
        )
    return ids


def learned_ids(files: Files, test: str) -> set[str]:
    """Return the runs that trained the oracle of a test; BadFileError if it is damaged."""
    known = files.oracles_of(test)
    return {run_id for path in known if not is_missing(path) for run_id in oracle.load(path).run_ids}


def training_ids(files: Files, test: str) -> set[str]:
    """Return the runs that trained an oracle, or may have: where a build keeps its oracle is not known."""
    heads = [one.head for one in RunStore(files.store).summaries(test) if one.head is not None]
    recorded = {head.id for head in heads if head.metadata.get(PURPOSE) in _TRAINING and head.quality.valid}
    return recorded | learned_ids(files, test)


FORMAT = "buto-runs"
VERSION = 2


def list_runs(files: Files, names: Sequence[str], json_path: Path | None, console: Console) -> None:
    """Print the stored runs of some tests or of all, or write them as JSON.

    Raises:
        BadFileError: there are no runs of a test that was named.
    """
    store = RunStore(files.store)
    left = [one for one in unfinished(store, names) if not one.live]
    waiting = store.unsent(names)
    known = {one.test for one in left} | {test for test, _ in waiting}
    for test in names:
        if test not in known and not store.has_runs(test):
            existing_ids(store, test)
    runs = [(test, summary) for test in names or store.tests() for summary in store.summaries(test)]
    labels = {
        (test, run_id): one.label.value
        for test in {test for test, _ in runs}
        for run_id, one in current(LabelStore(files.store).all(test)).items()
    }
    if json_path is not None:
        _write_list(json_path, runs, labels)
    elif runs:
        learned = {
            (test, run_id) for test in {test for test, _ in runs} for run_id in learned_ids(files, test)
        }
        for line in list_lines(runs, datetime.now(UTC), learned, labels):
            console.result(line)
    elif not known:
        record = door_of(files).step(Step(Action.RECORD, "NAME", command=("java", "..."), plain=True))
        console.info(f"{store.root} holds no runs; to record one: {record}")
    for line in to_recover(left, waiting, store):
        console.info(line)


def _write_list(
    path: Path, runs: Sequence[tuple[str, RunSummary]], labels: Mapping[tuple[str, str], str]
) -> None:
    entries = [_entry(test, run, labels.get((test, run.id))) for test, run in runs]
    document = {"format": FORMAT, "version": VERSION, "runs": entries}
    text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    write_file(path, text.encode(), "--json", make_parents=False)


def _entry(test: str, summary: RunSummary, label: str | None) -> dict[str, Any]:
    start, head = start_of(summary.id), summary.head
    entry: dict[str, Any] = {
        "test": test,
        "id": summary.id,
        "started": None if start is None else start.isoformat(),
        "damage": summary.damage or None,
        "label": label,
    }
    if head is not None:
        entry |= {
            "duration_s": json_number(head.outcome.duration_s),
            "samples": head.samples,
            "notifications": head.notifications,
            "exit_code": head.outcome.exit_code,
            "signal": head.outcome.signal,
            "timed_out": head.outcome.timed_out,
            "valid": head.quality.valid,
            "problems": plain(head.quality.problems),
            "purpose": head.metadata.get(PURPOSE),
            "bytes": summary.size_bytes,
        }
    return entry


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
            parsing.add_options(action, self.name)
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
            type=partial(parsing.count, least=0, most=10**9),
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
