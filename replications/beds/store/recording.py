"""The store's versions and loads, as experiments read them."""

from __future__ import annotations

from beds.store.versions import FIXED, LOADS, MEASURED_S, OLD, Series
from buto_replications.store.recorded import Index, Load, Version


def index_of(series: Series) -> Index:
    return Index(
        OLD.name,
        FIXED.name,
        MEASURED_S,
        tuple(
            Version(one.name, one.component, one.slower, one.matters)
            for one in (*series.changed, *series.unchanged)
        ),
        tuple(Load(one.name, one.rates) for one in LOADS.values()),
    )
