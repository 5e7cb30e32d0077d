"""The command that this package adds to buto; its entry point is in ``pyproject.toml``."""

from buto.cli.registry import Entry

EXPERIMENTS = Entry(f"{__name__}.command", "record and repeat the experiments of the thesis")
