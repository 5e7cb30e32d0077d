"""What happens, as the command line prints it."""

from __future__ import annotations

import io

from buto.actions.events import Warned
from buto.cli.console import Console, Verbosity
from buto.cli.events import EventPrinter
from buto.steps import Action, Advice, Setting, Step


def printed(text: str) -> list[str]:
    err = io.StringIO()
    EventPrinter(Console(Verbosity.NORMAL, io.StringIO(), err))(Warned("shop", text))
    return err.getvalue().splitlines()


def test_what_helps_against_a_warning_has_a_line_of_its_own() -> None:
    advice = Advice("train again: ", Step(Action.TRAIN, "shop"), fact="the runs drifted")
    assert printed(advice) == ["warning: shop: the runs drifted", "  try: train again: buto train shop"]


def test_a_warning_without_a_fact_of_its_own_stays_in_one_line() -> None:
    assert printed(Advice("too few samples: ", Setting("interval", "10ms"))) == [
        "warning: shop: too few samples: --interval 10ms"
    ]
    assert printed("it varies") == ["warning: shop: it varies"]
