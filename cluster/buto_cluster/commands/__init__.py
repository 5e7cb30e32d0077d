"""The command that this package adds to buto; its entry point is in ``pyproject.toml``."""

from buto.cli.registry import Entry

WORKER = Entry(f"{__name__}.worker", "make this machine a host on which others launch their programs")
