"""Dask's own log, which would be mixed with what buto prints; every failure becomes an error of buto."""

from __future__ import annotations

import logging


def silence() -> None:
    """Keep Dask from printing. Its loggers have levels of their own, so each of them is told."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL)
