"""``buto experiments run environments``."""

from __future__ import annotations

from buto.cli.console import Console
from buto.errors import EXIT_PASS
from buto_replications import checkout
from buto_replications.bed import archive
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.sharing import show
from buto_replications.ensembles.pooled import pooled, table


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print what prior tests of more environments are worth."""
    bed = checkout.recorded(request.data, checkout.DATA) / archive.RECORDED.name
    blocks = {part: archive.load(bed, part.value) for part in archive.parts(bed)}
    show([table(list(pooled(blocks)))], console)
    return EXIT_PASS
