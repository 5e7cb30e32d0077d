"""Ctrl-C, with what is complete and from where the work can continue."""

from __future__ import annotations

from dataclasses import dataclass

from buto.run.storage import Place


@dataclass(frozen=True, slots=True)
class Complete:
    """How many of the planned usable runs of a test are stored."""

    test: str
    runs: int
    planned: int


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while programs were launched.

    Attributes:
        complete: the runs that each test has; empty if nothing was stored.
        store: the store that has them.
        first_id: id of the first run that was stored, None without any; training can continue from there.
    """

    def __init__(self, complete: tuple[Complete, ...], store: Place, first_id: str | None) -> None:
        super().__init__("interrupted")
        self.complete = complete
        self.store = store
        self.first_id = first_id
