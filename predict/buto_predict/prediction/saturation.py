"""Why an endpoint cannot be judged under a load that saturates a station, and which load to try."""

from __future__ import annotations

from buto.runs import FloatArray
from buto.units import format_rate
from buto_predict.prediction.versions import Versions
from buto_predict.queueing.network import Network


def too_high_load(versions: Versions, rates: FloatArray) -> str:
    """Return the reason with the next step; a station must be saturated before or after the change."""
    before, after = (
        network.saturation(self_s, rates) * float(rates.sum())
        for network, self_s in ((versions.old, versions.old_s), (versions.new, versions.new_s))
    )
    if before <= rates.sum():
        limit = format_rate(before)
        return f"the load is above saturation ({limit}) already before the change; try --load below {limit}"
    station = _saturated(versions.new, versions.new_s, rates)
    return f"not judged, because {station} after the change; try --load below {format_rate(after)}"


def _saturated(network: Network, self_s: FloatArray, rates: FloatArray) -> str:
    busy = network.utilisations(self_s, rates).tolist()
    names = [station.name for station, share in zip(network.stations, busy, strict=True) if share >= 1]
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} saturated"
