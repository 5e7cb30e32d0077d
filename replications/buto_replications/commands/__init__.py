"""The commands that this package adds to buto; their entry points are in ``pyproject.toml``."""

from buto.cli.registry import Entry

EXPERIMENTS = Entry(f"{__name__}.command", "record and repeat the experiments of the thesis")
SUGGEST = Entry(f"{__name__}.suggest", "suggest settings that would have avoided false alarms")
