"""The commands that this package adds to buto; their entry points are in ``pyproject.toml``."""

from buto.cli.registry import Entry

PREDICT = Entry(f"{__name__}.predict", "predict how slower components affect the whole system")
ARCHITECTURE = Entry(f"{__name__}.architecture", "create, check and show the model that predict reads")
