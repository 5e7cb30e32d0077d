"""The machine that a run is measured on."""
