"""The command line of buto, whose checks go straight into turns.

A user cannot ask for that: a check takes turns when its runs differ. To learn whether the turns accuse
programs that did not change, each check must take them.

example: python -m buto_replications.live.forced check shop -- java -jar shop.jar
"""

from __future__ import annotations

from functools import partial

from buto.actions.check import CheckRequest
from buto.cli.commands import check
from buto.cli.main import main


def take_turns_at_once() -> None:
    """Let each check of this process take turns, whatever its first run was.

    The command line has no option for that, so its request is made with one.
    """
    vars(check)["CheckRequest"] = partial(CheckRequest, always_turns=True)


if __name__ == "__main__":
    take_turns_at_once()
    raise SystemExit(main())
