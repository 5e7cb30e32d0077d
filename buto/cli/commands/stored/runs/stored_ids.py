"""The ids of stored runs: all of a test, and those that oracles have learned from."""

from __future__ import annotations

from buto import oracle
from buto.errors import BadFileError
from buto.runs import RunStore
from buto.runs.files.reading import is_missing
from buto.runs.model import PURPOSE
from buto.steps import Action, Advice, Step
from buto.workflow.project import Files

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
    recorded = {head.id for head in heads if head.marks.get(PURPOSE) in _TRAINING and head.quality.valid}
    return recorded | learned_ids(files, test)
