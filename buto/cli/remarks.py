"""What train and check say of the runs themselves: which JVM it was, and what they cannot show."""

from __future__ import annotations

from buto.cli.printing.console import Console
from buto.runs import RunSet
from buto.workflow.rules import warnings

__all__ = ["tell_jvm", "warnings"]


def tell_jvm(test: str, runs: RunSet, console: Console) -> None:
    """Say which JVM was measured: always when there were others, else only where more is asked for."""
    names = _texts(runs, "buto.jvm")
    others = _texts(runs, "buto.jvms.others")
    if names and others:
        console.info(
            f"{test}: measured {', '.join(names)}; also seen: {', '.join(others)} "
            "(--jvm PATTERN measures another)"
        )
    elif names:
        console.detail(f"{test}: measured {', '.join(names)}")


def _texts(runs: RunSet, key: str) -> list[str]:
    """The different texts that runs have for a metadata key."""
    return list(dict.fromkeys(str(run.metadata[key]) for run in runs if run.metadata.get(key)))
