"""``buto runs list``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from buto.cli.commands.stored.runs.recovery import to_recover
from buto.cli.commands.stored.runs.stored_ids import existing_ids, learned_ids
from buto.cli.parsing.doors import door_of
from buto.cli.printing.console import Console
from buto.cli.printing.output_files import write_file
from buto.report.terminal.runs import list_lines
from buto.runs import RunStore, RunSummary
from buto.runs.format.document import problem_data
from buto.runs.format.fields import json_number
from buto.runs.journal import unfinished
from buto.runs.labels import LabelStore, current
from buto.runs.model import PURPOSE
from buto.runs.names import start_of
from buto.steps import Action, Step
from buto.workflow.project import Files

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
