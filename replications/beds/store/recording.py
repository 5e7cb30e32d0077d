"""The store's versions and loads, as experiments read them."""

from __future__ import annotations

from beds.store.versions import FIXED, LOADS, MEASURED_S, OLD, Series
from buto_replications.store.recorded import RecordedLoad, RecordingIndex, Version


def index_of(series: Series) -> RecordingIndex:
    return RecordingIndex(
        OLD.name,
        FIXED.name,
        MEASURED_S,
        tuple(
            Version(version.name, version.component, version.slower, version.matters)
            for version in (*series.changed, *series.unchanged)
        ),
        tuple(RecordedLoad(load.name, load.rates) for load in LOADS.values()),
    )
