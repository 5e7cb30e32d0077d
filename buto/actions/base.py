"""The old program of turns where it is not that of the training."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct, field

from buto.errors import BadFileError
from buto.oracle import Oracle
from buto.programs.named import OldProgram, Unkept
from buto.run.model import BASE, BASE_BUDGET, BASE_COMMIT, MetadataValue, Run
from buto.run.stored import parse_json, read


class Base(Struct, frozen=True):
    """What turns launch as the old program, in place of that of the training.

    Attributes:
        name: what it is called in a sentence, as ``v1.4``.
        commit: its full name; empty if git is not used.
        program, target: of :class:`buto.oracle.Oracle`.
        sizes: sizes that matter against it, by property, in place of those of the test: budgets.
        is_release: whether the sum since a release is asked for, and not this change.
        remarks: what a reader should know of it, for the warnings of a verdict.
    """

    name: str
    commit: str
    program: OldProgram
    target: Mapping[str, Any]
    sizes: Mapping[str, str] = field(default_factory=dict)
    is_release: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def marks(self) -> dict[str, MetadataValue]:
        """Return the metadata by which :func:`base_of_stored` knows it again."""
        marks: dict[str, MetadataValue] = {BASE: self.name, BASE_COMMIT: self.commit}
        return marks | ({BASE_BUDGET: json.dumps(dict(self.sizes))} if self.is_release else {})

    def of(self, known: Oracle) -> Oracle:
        """Return an oracle with this program in place of that of its training."""
        return replace(known, program=self.program, target=self.target, commit=self.commit)


def base_of_stored(runs: Sequence[Run]) -> Base | None:
    """Return the base of the turns in which some of these runs were launched; None if they had none.

    What these turns decided can be judged again, but its program is not launched again.

    Raises:
        BadFileError: its budgets are damaged.
    """
    marked = next((run.metadata for run in runs if run.metadata.get(BASE)), None)
    if marked is None:
        return None
    budget = marked.get(BASE_BUDGET)
    try:
        sizes = {} if budget is None else read(parse_json(str(budget).encode()), dict[str, str])
    except ValueError as error:
        raise BadFileError(f"{BASE_BUDGET} of a stored run must have sizes by property: {error}") from error
    return Base(
        str(marked[BASE]),
        str(marked.get(BASE_COMMIT) or ""),
        Unkept("its turns are over"),
        {},
        sizes,
        is_release=budget is not None,
    )
