"""Launching tests many times, one buto at a time, until each has the runs that it needs."""
