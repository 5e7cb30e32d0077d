"""The store's versions and loads, as experiments read them."""

from __future__ import annotations

from beds.store.versions import CHANGED, FIXED, LOADS, MEASURED_S, OLD, UNCHANGED
from buto_replications.store.recorded import Index, Load, Version

INDEX = Index(
    OLD.name,
    FIXED.name,
    MEASURED_S,
    tuple(Version(one.name, one.component, one.slower, one.matters) for one in (*CHANGED, *UNCHANGED)),
    tuple(Load(one.name, one.rates) for one in LOADS.values()),
)
