"""Bounds over time, as in the thesis, and with the departures of ``sustained``."""
