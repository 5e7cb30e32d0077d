"""``buto experiments run petshop``: regression models, on counters that others measured."""

from __future__ import annotations

from buto.cli.console import Console
from buto.errors import EXIT_PASS, UsageError
from buto_replications.clusters.outside import ADVICE, outside_separations
from buto_replications.commands.registry import ExperimentsRequest
from buto_replications.commands.run_clusters import separated
from buto_replications.commands.sharing import show


def run(request: ExperimentsRequest, console: Console) -> int:
    """Print how well the largest error tells injected issues, beside plain rivals."""
    if request.data is None:
        raise UsageError("petshop needs data that buto's repository does not have", advice=ADVICE)
    show([separated(list(outside_separations(request.data)), "counters")], console)
    return EXIT_PASS
