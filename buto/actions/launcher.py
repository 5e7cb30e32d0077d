"""Who carries out a call: where it works, on which hosts, and to whom it reports."""

from __future__ import annotations

from msgspec import Struct

from buto.actions.events import Event, Reporter, ignore
from buto.actions.workspace import Workspace


class Launcher(Struct, frozen=True):
    """What launches programs and learns or judges, and reports what happens meanwhile.

    Attributes:
        workspace: where runs are kept and files are found.
        reporter: takes each event.
        scheduler: the address of the scheduler on whose hosts programs are launched; empty for this machine.
    """

    workspace: Workspace
    reporter: Reporter = ignore
    scheduler: str = ""

    def report(self, event: Event) -> None:
        """Report an event."""
        self.reporter(event)
