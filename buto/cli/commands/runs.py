"""List, show, export and delete stored runs, and recover interrupted recordings.

examples:
  buto runs list
  buto runs show leaker
  buto runs export leaker --format csv -o leaker.csv
  buto runs delete leaker --keep 10
  buto runs recover
  buto runs export --help
"""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from buto import oracle
from buto.actions.project import STORE, Files
from buto.cli import parsing
from buto.cli.console import Console
from buto.cli.hints import front_end_of
from buto.cli.output_files import write_document, write_file
from buto.cli.parsing import Actions
from buto.cli.progress import live_text
from buto.cli.projects import files_of
from buto.errors import EXIT_PASS, BadFileError, UsageError
from buto.report.terminal.runs import list_lines, run_lines
from buto.run.cache import is_missing
from buto.run.export import Layout, to_csv, to_json, to_parquet
from buto.run.journal import Unfinished, find_unfinished, read
from buto.run.labels import LabelStore, current, run_labels
from buto.run.model import PURPOSE
from buto.run.names import start_of
from buto.run.storage import TakenError
from buto.run.store import RunStore, RunSummary
from buto.run.stored import json_number, plain
from buto.run.units import format_bytes, format_count, format_seconds
from buto.steps import Action, Advice, Step

FORMAT = "buto-runs"
VERSION = 2

_EVERYTHING = 1000
"""Room for all curves: this is no line that is drawn again and again."""

_TRAINING = ("train", "accept")
"""Purposes of the runs that oracles learn from."""


def add_arguments(parser: ArgumentParser) -> None:
    actions = Actions(parser)

    def add(name: str, help: str) -> ArgumentParser:
        action = actions.add(name, help)
        parsing.add_options(action, "runs")
        return action

    listing = add("list", "list stored runs, oldest first")
    parsing.add_tests(listing, "tests (default: all)")
    parsing.declare(listing, "--json FILE  write the list as JSON instead")

    showing = add("show", "show everything about one run")
    showing.add_argument("test", metavar="NAME", help="the test")
    showing.add_argument("id", metavar="RUN", nargs="?", help="the run (default: the newest)")
    parsing.declare(showing, "--whole  show everything, uncut")

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
    parsing.declare(
        deleting,
        "--all  delete all runs except training runs",
        "--keep N  delete all of them except the newest N",
        "--with-training  also count and delete training runs",
        keep=partial(parsing.count, least=0, most=10**9),
    )

    recovering = add("recover", "store what is left of recordings after buto was killed")
    parsing.add_tests(recovering, "tests (default: all)")


def run(args: Namespace, console: Console) -> int:
    files = files_of(args)
    store = RunStore(files.store)
    match args.action:
        case "recover":
            return recover_all(store, args.names, console)
        case "list":
            _list(files, store, args.names, args.json, console)
        case "show":
            _show(args, store, console)
        case "export":
            _export(args, store, console)
        case "delete":
            _delete(args, files, store, console)
    return EXIT_PASS


def recover_all(store: RunStore, tests: Sequence[str], console: Console) -> int:
    """Recover the interrupted recordings of some tests, or of all; return the exit code.

    A damaged journal, or a run whose id is taken, does not prevent the recovery of the others.

    Raises:
        StorageError: the store cannot be written.
    """
    # Its imports are not needed to list runs.
    from buto.measure.journal import recover

    failures: list[BadFileError | TakenError] = []
    waiting = store.unsent(tests)
    for test, run_id in waiting:
        try:
            if store.send(test, run_id):
                console.result(f"stored {test!r} {run_id}: it was complete on this machine")
        except TakenError as error:
            failures.append(error)
    recordings = find_unfinished(store, tests)
    for recording in recordings:
        name = f"{recording.test!r} {recording.id}"
        if recording.live:
            console.info(f"{name} is still being recorded by another buto")
            continue
        try:
            run = recover(store, recording)
        except BadFileError as error:
            failures.append(error)
            continue
        if run is None:
            console.info(f"{name}: nothing to recover")
        else:
            length = format_seconds(run.outcome.duration_s)
            console.result(f"recovered {name}: {len(run.times_s)} samples, {length}; not usable")
    if not recordings and not waiting:
        console.info(f"nothing to recover in {store.root}")
    for failure in failures:
        console.error(failure.message, failure.advice)
    return failures[-1].exit_code if failures else EXIT_PASS


def _list(
    files: Files, store: RunStore, names: Sequence[str], json_path: Path | None, console: Console
) -> None:
    """Print the stored runs of some tests or of all, or write them as JSON.

    Raises:
        BadFileError: there are no runs of a test that was named.
    """
    left = [recording for recording in find_unfinished(store, names) if not recording.live]
    waiting = store.unsent(names)
    known = {recording.test for recording in left} | {test for test, _ in waiting}
    for test in names:
        if test not in known and not store.has_runs(test):
            _existing_ids(store, test)
    runs = [(test, summary) for test in names or store.tests() for summary in store.summaries(test)]
    tests = {test for test, _ in runs}
    labels = {
        (test, run_id): labelling.label.value
        for test in tests
        for run_id, labelling in current(LabelStore(files.store).all(test)).items()
    }
    if json_path is not None:
        entries = [_entry(test, summary, labels.get((test, summary.id))) for test, summary in runs]
        document = {"format": FORMAT, "version": VERSION, "runs": entries}
        text = json.dumps(document, indent=1, allow_nan=False) + "\n"
        write_file(json_path, text.encode(), "--json", make_parents=False)
    elif runs:
        learned = {(test, run_id) for test in tests for run_id in _ids_of_training(files, test)}
        console.results(list_lines(runs, datetime.now(UTC), learned, labels))
    elif not known:
        record = front_end_of(files).step(Step(Action.RECORD, "NAME", command=("java", "..."), plain=True))
        console.info(f"{store.root} holds no runs; to record one: {record}")
    root = str(store.root)
    again = "buto runs recover" + ("" if root == str(STORE) else f" --store {shlex.quote(root)}")
    if left:
        named = ", ".join(f"{recording.test!r} {recording.id}" for recording in left)
        console.info(f"{format_count(len(left), 'recording')} interrupted: {named}; to keep it: {again}")
    if waiting:
        named = ", ".join(f"{test!r} {run_id}" for test, run_id in waiting)
        n_runs = format_count(len(waiting), "run")
        console.info(f"{n_runs} only on this machine: {named}; to store: {again}")


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


def _show(args: Namespace, store: RunStore, console: Console) -> None:
    live = [
        recording
        for recording in find_unfinished(store, [args.test])
        if recording.live and args.id in (None, recording.id)
    ]
    if live:
        console.results(_running_lines(live[-1]))
        return
    run = store.load(args.test, args.id or _existing_ids(store, args.test)[-1])
    labels = [label for label in run_labels(LabelStore(store.root).all(args.test)) if label.run_id == run.id]
    console.results(run_lines(run, datetime.now(UTC), whole=args.whole, labels=labels))


def _running_lines(unfinished: Unfinished) -> list[str]:
    """Return what the journal of a recording has so far; BadFileError if it cannot be read."""
    # Its imports are not needed to show stored runs.
    from buto.measure.journal import recording_of

    recording = recording_of(unfinished.test, unfinished.id, read(unfinished.path))
    lines = [
        f"{unfinished.test} {unfinished.id}",
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
    runs = store.load_set(args.test, args.ids or _existing_ids(store, args.test))
    if args.format == "json":
        content = to_json(runs)
    else:
        write = to_csv if args.format == "csv" else to_parquet
        content = write(runs, Layout(args.layout or Layout.WIDE.value))
    if args.output is None:
        write_document(content, "-o")
        return
    write_file(args.output, content, "-o", make_parents=False)
    console.info(f"wrote {format_count(len(runs), 'run')} to {args.output} ({format_bytes(len(content))})")


def _delete(args: Namespace, files: Files, store: RunStore, console: Console) -> None:
    if bool(args.ids) + args.all + (args.keep is not None) != 1:
        raise UsageError(
            "name the runs to delete: ids, --all, or --keep N", advice=_again(args, "delete", "--keep", "10")
        )
    stored = _existing_ids(store, args.test)
    spared = set() if args.ids or args.with_training else _training_ids(files, store, args.test) & set(stored)
    others = [run_id for run_id in stored if run_id not in spared]
    ids: Sequence[str] = args.ids or others[: max(0, len(others) - (args.keep or 0))]
    unique = list(dict.fromkeys(ids))
    store.delete(args.test, unique)
    left = format_count(len(store.ids(args.test)), "run")
    console.result(f"deleted {format_count(len(unique), 'run')} of {args.test!r}; {left} left")
    if spared:
        console.info(f"kept {format_count(len(spared), 'training run')}; --with-training deletes them, too")


def _existing_ids(store: RunStore, test: str) -> list[str]:
    """Return the ids of a test's runs; BadFileError if there are none."""
    ids = store.ids(test)
    if not ids:
        known = ", ".join(store.tests()) or "none of any test"
        raise BadFileError(
            f"{store.root} holds no runs of {test!r}; it holds {known}", advice=Advice(Step(Action.LIST_RUNS))
        )
    return ids


def _ids_of_training(files: Files, test: str) -> set[str]:
    """Return the runs that trained the oracle of a test; BadFileError if it is damaged."""
    known = files.oracles_of(test)
    return {run_id for path in known if not is_missing(path) for run_id in oracle.load(path).run_ids}


def _training_ids(files: Files, store: RunStore, test: str) -> set[str]:
    """Return the runs that trained an oracle, or may have: where a build keeps its oracle is not known."""
    heads = [summary.head for summary in store.summaries(test) if summary.head is not None]
    recorded = {head.id for head in heads if head.metadata.get(PURPOSE) in _TRAINING and head.quality.valid}
    return recorded | _ids_of_training(files, test)


def _again(args: Namespace, *words: str) -> str:
    """Return an action about the same test of the same store, as a user types it."""
    action, *options = words
    store = [] if args.store is None else ["--store", str(args.store)]
    return shlex.join(["buto", "runs", action, args.test, *options, *store])
